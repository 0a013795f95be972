"""Figure 1(B) user by user, and privacy losses from the weights of the solver."""

from functools import lru_cache, partial

import numpy as np
from scipy.optimize import brentq

from hdp import adpm, baselines, notions
from tests.figures import lemma
from tests.figures.lemma import average, of_groups

# -- Two groups: as items of the one lemma, and as budgets of users.


def items(epsilon_1, epsilon_2, n, f):
    """Variance and noise cost of each group's mean."""
    size = np.array([n * f, n * (1 - f)])
    return 1 / (4 * size), 1 / (size * np.array([epsilon_1, epsilon_2]))


@lru_cache(maxsize=1024)
def optimum(epsilon_1, epsilon_2, n, f):
    """Weights of the groups and the error of the affine estimator, from the solver."""
    return lemma.optimum(*items(epsilon_1, epsilon_2, n, f))


def budgets(epsilon_1, epsilon_2, n, f):
    first = round(n * f)
    return np.repeat([epsilon_1, epsilon_2], [first, round(n) - first])


def saturation(epsilon_1, n, f):
    return epsilon_1 * adpm.saturation_ratio(epsilon_1, n, f)


def in_order(function):
    """Nothing is drawn where group 2 is the stricter one."""

    def drawn(epsilon_1, epsilon_2, n, f):
        return function(epsilon_1, epsilon_2, n, f) if epsilon_2 >= epsilon_1 else np.nan

    return drawn


def baseline(name):
    """Error of a baseline; LDPE has two groups also where the budgets agree."""

    @in_order
    def error(epsilon_1, epsilon_2, n, f):
        second = np.nextafter(epsilon_2, np.inf) if name == "ldpe" else epsilon_2
        return 1e4 * baselines.expected_mse(name, budgets(epsilon_1, second, n, f))

    return error


@in_order
def sampling_jensen(epsilon_1, epsilon_2, n, f):
    return 1e4 * average(n * (1 - f) + n * f * np.expm1(epsilon_1) / np.expm1(epsilon_2), epsilon_2)


def released(epsilon_1, epsilon_2, n, f, kind):
    """What a user of each group loses, in the notion's unit: weight over noise; nothing where 0 is answered."""
    notion, sizes = notions.Notion(("pure", "gdp", "zcdp")[int(kind)]), np.array([n * f, n * (1 - f)])
    reach = notion.reach([epsilon_1, epsilon_2])
    w, error = of_groups(sizes, reach, kappa=2.0 if int(kind) == 0 else 1.0)
    counts = w / sizes  # of each member
    return notion.loss(counts / np.max(counts / reach)) if error <= 0.25 else np.full(2, np.nan)


def loss_of(group):
    """Drawn where group 2 is the less strict one."""
    return lambda epsilon_1, epsilon_2, n, f, kind: (
        released(epsilon_1, epsilon_2, n, f, kind)[group] if epsilon_2 >= epsilon_1 else np.nan
    )


def cut(epsilon_1, n, f, kind):
    """By the ratio that the library gives in the notion's unit."""
    return epsilon_1 * adpm.saturation_ratio(epsilon_1, n, f, notion=("pure", "gdp", "zcdp")[int(kind)])


FIGURE_1B = {
    "UNI": baseline("uni"),
    "SM": sampling_jensen,
    "LDPE": baseline("ldpe"),
    "ADPM": in_order(lambda *point: 1e4 * adpm.worst_case_mse(budgets(*point))),
    "PropDPM": baseline("propdpm"),
    "saturation": saturation,
}
REFERENCES = {
    "cc-figure-1b": FIGURE_1B,
    "cc-effective-budget": {
        "group 2 allows": lambda epsilon_2: epsilon_2,
        "group 2 gives up": loss_of(1),
        "group 1": loss_of(0),
        "saturation": [cut, cut],
    },
}


# -- Isocurves by root finding, and the optimum of the solver.

SAMPLE = 2 / 401  # between samples: one beyond its end an isocurve is drawn on the axis


def isocurve(step, a, epsilon_1, epsilon_2, n, f):
    """Relative weight of group 2 at which the error is `step` times the best one."""
    target = step * optimum(epsilon_1, epsilon_2, n, f)[1]
    variance, cost = items(epsilon_1, epsilon_2, n, f)

    def excess(b, a):
        w = np.array([f * a, (1 - f) * b])
        return (np.sum(variance * w**2) + 2 * np.max(cost * w) ** 2) / target - 1

    if excess(0, a) < 0:
        return brentq(excess, 0, 1e4, args=(a,), xtol=1e-14)
    return 0.0 if excess(0, a - SAMPLE) < 0 else np.nan


REFERENCES |= {
    "cc-figure-2": {
        "isocurves of the error": [partial(isocurve, step) for step in (0.45, 0.7, 1.4, 1.9)],
        "isocurve of the best error": partial(isocurve, 1),
        "constraint": lambda a, f: (1 - f * a) / (1 - f),
        "weights as the budgets": lambda a, epsilon_1, epsilon_2: epsilon_2 / epsilon_1 * a,
        "weights at saturation": lambda a, epsilon_1, n, f: adpm.saturation_ratio(epsilon_1, n, f) * a,
        "optimum": lambda f, **at: optimum(f=f, **at)[0] / [f, 1 - f],
        "saturation ratio R": adpm.saturation_ratio,
        "ratio of the budgets": lambda epsilon_1, epsilon_2: epsilon_2 / epsilon_1,
    }
}


# -- Both bounds from the error of the average, user by user.


def before_the_cap(epsilon, n):
    """Error of the average of n users."""
    return baselines.expected_mse("uni", np.full(round(n), epsilon))


REFERENCES |= {
    "cc-shrinkage": {
        "switch to 0": lambda epsilon, n: min(before_the_cap(epsilon, n), 0.25),
        "shrink": lambda epsilon, n: 1 / (1 / before_the_cap(epsilon, n) + 4),
        "switch": lambda n: brentq(lambda e: before_the_cap(e, n) - 0.25, 1e-4, 1e4, xtol=1e-15),
    }
}
