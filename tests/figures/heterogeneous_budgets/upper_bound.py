"""Figure 1(B) user by user, and privacy losses from the weights of the solver."""

import itertools
from functools import lru_cache, partial

import numpy as np
import pytest
from scipy.optimize import brentq

from hdp import adpm, baselines, notions
from tests.figures import lemma
from tests.figures.captions import line, number, positions, says
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
        "from here": cut,
        "privacy is free": cut,
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
        "curves of equal error": [partial(isocurve, step) for step in (0.45, 0.7, 1.4, 1.9)],
        "curve of the least error": partial(isocurve, 1),
        "weights that sum": lambda a, f: (1 - f * a) / (1 - f),
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


# -- What the captions say.


@says("cc-shrinkage", "there the bound falls by a factor of 2, elsewhere by less")
def shrinking_gains_most_at_the_switch(figure):
    """The gap moves: left of the line it is narrower for fewer users."""
    for n in positions(figure, "n"):
        switch = number(figure, "switch", n=n)
        x = switch * np.array([0.5, 0.9, 1, 1.1, 2])
        gains = line(figure, "switch to 0", x, n=n) / line(figure, "shrink", x, n=n)
        assert gains[2] == pytest.approx(2) and (np.delete(gains, 2) < 1.999).all()
    gaps = [line(figure, "switch to 0", 0.1, n=n) - line(figure, "shrink", 0.1, n=n) for n in (2, 20)]
    assert gaps[0] < gaps[1]


@says(
    "cc-effective-budget",
    "that line moves, and with it the most that group 2 gives up",
)
def another_notion_moves_line_and_level(figure):
    """The rest stays: group 2 gives up what it allows left of the line, and group 1 all.  Elsewhere two coincide."""
    few = {"epsilon_1": 0.5, "n": 20, "f": 0.1}
    assert number(figure, "privacy is free", kind=1, **few) == number(figure, "privacy is free", kind=2, **few) == 4.5
    levels = {
        number(figure, "privacy is free", kind=kind): line(figure, "group 2 gives up", 10, kind=kind)
        for kind in range(3)
    }
    assert len(levels) == 3 and list(levels) == pytest.approx([float(level) for level in levels.values()])
    assert all(float(line(figure, "group 1", 10, kind=kind)) == pytest.approx(0.1) for kind in range(3))


@says("cc-figure-1b", "UNI is constant, above ADPM and below SM")
def uni_lies_between(figure):
    """PropDPM and LDPE cross it."""
    x = np.linspace(0.101, 1)
    uni, adpm, sm, *crossing = (line(figure, name, x) for name in ("UNI", "ADPM", "SM", "PropDPM", "LDPE"))
    assert np.ptp(uni) < 1e-9 and (adpm < uni).all() and (uni < sm).all()
    assert all((other < uni).any() and (other > uni).any() for other in crossing)
    beyond = x > number(figure, "saturation")
    assert (np.diff(crossing[0][beyond]) > 0).all() and np.ptp(adpm[beyond]) < 1e-9  # PropDPM rises there


@says("cc-figure-1b", "LDPE at last approaches ADPM")
def separate_means_approach_the_best_weights_in_the_end(figure):
    """At first the distance may grow; with a public group it is 0."""
    x, grows = np.geomspace(0.5, 1e4, 50), []
    for e, n, f in itertools.product(*(positions(figure, name, 4) for name in ("epsilon_1", "n", "f"))):
        above = [line(figure, s, x, epsilon_1=e, n=n, f=f) for s in ("LDPE", "ADPM")]
        part = above[0] / above[1] - 1
        assert (part > 0).all() and part[-1] < 1e-4
        near = np.linspace(e, 1.2 * e, 9)
        apart = np.subtract(*(line(figure, s, near, epsilon_1=e, n=n, f=f) for s in ("LDPE", "ADPM")))
        grows.append(apart[-1] > apart[0])
    assert 0 < sum(grows) < len(grows)
