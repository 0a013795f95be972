"""Three groups: levels and weights user by user, errors from the solver for groups."""

from functools import cache, partial
from itertools import pairwise

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq

from hdp import adpm, baselines
from hdp.baselines.mechanisms import fme_level
from tests.figures.lemma import average, of_groups


def population(e_1, e_2, e_3, g_1, g_2, g_3, n):
    """Budgets and numbers of users of the groups."""
    sizes = np.array([g_1, g_2, g_3])
    return np.array([e_1, e_2, e_3]), n * sizes / sizes.sum()


def scaled_users(e_1, e_2, e_3, g_1, g_2, g_3, n):
    """As many users as the sizes say, with budgets so scaled that affine mechanisms err as if they were n users."""
    users = np.repeat([e_1, e_2, e_3], [round(g_1), round(g_2), round(g_3)])
    return users * np.sqrt(n / users.size)


def level(rule, **shape):
    """Level at which a rule of the library clips the budgets."""
    scaled = scaled_users(**shape)
    return rule(scaled) * np.sqrt(scaled.size / shape["n"])


def clipped(rule, epsilon, **shape):
    """What is left of a budget."""
    return min(epsilon, level(rule, **shape))


def weight(rule, epsilon, **shape):
    """n times the weight of a user with this budget."""
    (budgets, users), tau = population(**shape), level(rule, **shape)
    return shape["n"] * min(epsilon, tau) / np.sum(users * np.minimum(budgets, tau))


def circles(function):
    """A point for each group on the line of a function of the budget."""
    return [lambda e=e, **shape: (shape[e], function(shape[e], **shape)) for e in ("e_1", "e_2", "e_3")]


def names(function, bottom):
    """The name of each group above its point, that of the first below; the last gives way to the second."""

    def last(e_2, e_3, height):
        alike = max(e_2, e_3) < 3.5 * min(e_2, e_3)
        return height * (1.5 if not alike else 2.25 if height <= 3 else 1 / 2.25)

    places = {
        "group 1": lambda e, height, shape: (min(1.25 * e, 3), max(height / 1.5, 1.25 * bottom), 0),
        "group 2": lambda e, height, shape: (max(e, 0.05), 1.5 * height, 0),
        "group 3": lambda e, height, shape: (np.clip(e, 0.03, 5), last(shape["e_2"], shape["e_3"], height), 0),
    }
    points = circles(function)
    return {
        name: lambda place=place, point=point, **shape: place(*point(**shape), shape)
        for (name, place), point in zip(places.items(), points, strict=True)
    }


def adpm_error(**shape):
    """Worst-case error of Algorithm 1, which answers 0 where that is better."""
    epsilon, users = population(**shape)
    return min(of_groups(users, epsilon)[1], 0.25)


def local_error(**shape):
    """Inverse-variance combination of three separately private means."""
    epsilon, users = population(**shape)
    return 1 / sum(1 / average(m, e) for m, e in zip(users, epsilon, strict=True))


def sampling_lower(**shape):
    """Jensen's lower bound: the mean of as many users as are kept on average, with the largest budget."""
    epsilon, users = population(**shape)
    return average(np.sum(users * np.expm1(epsilon)) / np.expm1(epsilon.max()), epsilon.max())


def affine_error(name, **shape):
    scaled = scaled_users(**shape)
    return baselines.expected_mse(name, scaled) * scaled.size / shape["n"]


def relative(error):
    return lambda **shape: 4 * shape["n"] * error(**shape)


ADPM_WEIGHT = partial(weight, adpm.clipping_level)
PROPORTIONAL_WEIGHT = partial(weight, lambda _: np.inf)
TAU = partial(level, adpm.clipping_level)
REFERENCES = {
    "cc-general-groups": {
        "PropDPM": lambda epsilon: epsilon,
        "UNI": lambda e_1, e_2, e_3: min(e_1, e_2, e_3),
        "FME": partial(clipped, fme_level),
        "ADPM": partial(clipped, adpm.clipping_level),
        "a group": circles(partial(clipped, adpm.clipping_level)),
        **names(partial(clipped, adpm.clipping_level), 0.01),
        "level τ": TAU,
        "error of ADPM": lambda **shape: 1e4 * adpm_error(**shape),
    },
    "cc-general-weights": {
        "UNI": 1.0,
        "FME": partial(weight, fme_level),
        "ADPM": ADPM_WEIGHT,
        "PropDPM": PROPORTIONAL_WEIGHT,
        "a group": circles(ADPM_WEIGHT),
        **names(ADPM_WEIGHT, 0.005),
        "level τ": TAU,
        **{
            f"n × weight in group {i + 1}, {name}": lambda point=point, **shape: point(**shape)[1]
            for name, function in (("ADPM", ADPM_WEIGHT), ("PropDPM", PROPORTIONAL_WEIGHT))
            for i, point in enumerate(circles(function))
        },
    },
    "cc-general-error": {
        "UNI": relative(partial(affine_error, "uni")),
        "SM": relative(sampling_lower),
        "LDPE": relative(local_error),
        "FME": relative(partial(affine_error, "fme")),
        "ADPM": relative(adpm_error),
        "PropDPM": relative(partial(affine_error, "propdpm")),
    },
}


# -- Budgets that are log-uniform on [a, b], sums read as integrals: levels, weights and errors, by quadrature.


def total(function, a, b, n, *kinks):
    """Sum of a function of the budget over all users, read as an integral, piece by piece between its kinks."""
    ends = [a, *(k for k in sorted(kinks) if a < k < b), b]
    pieces = [quad(lambda e: function(e) / e, *piece, epsabs=0, epsrel=1e-13)[0] for piece in pairwise(ends)]
    return n / np.log(b / a) * sum(pieces)


@cache
def spread_level(a, b, n):
    """Level of ADPM, by root finding."""

    def excess(tau):
        return total(lambda e: e * max(tau - e, 0), a, b, n, tau) - 8

    return brentq(excess, a * (1 + 1e-12), 1e5, xtol=1e-15, rtol=1e-14)


@cache
def spread_fme_level(a, b, n):
    """Where eps > 1/sqrt(users with eps or more) first holds; on the left is what rises to b/sqrt(e) and then falls."""

    def excess(e):
        return e**2 * n * np.log(b / e) / np.log(b / a) - 1

    if excess(a) > 0:
        return n**-0.5
    peak = max(a, b / np.exp(0.5))
    return brentq(excess, a, peak, xtol=1e-16, rtol=1e-14) if excess(peak) > 0 else b


def precision(e, _=None):
    """One over the variance of a report."""
    return 1 / (1 / 4 + 2 / e**2)


# What weights are proportional to, for each estimator: a function of the budget and a level, and where the level is
RULES = {
    "UNI": (lambda e, low: low, lambda a, b, n: a),
    "LDPE": (precision, lambda a, b, n: b),
    "FME": (min, spread_fme_level),
    "ADPM": (min, spread_level),
    "PropDPM": (lambda e, _: e, lambda a, b, n: b),
}


@cache
def sums(name, a, b, n):
    """Level, and the sums of what the weights are proportional to and of its square."""
    proportion, rule = RULES[name]
    at = rule(a, b, n)
    first = total(lambda e: proportion(e, at), a, b, n, at)
    return at, first, total(lambda e: proportion(e, at) ** 2, a, b, n, at)


def present(function):
    """Nothing is drawn where there are no users."""
    return lambda epsilon, a, b, n: function(epsilon, a, b, n) if a <= epsilon <= b else np.nan


def spread_weight(name):
    def weighed(epsilon, a, b, n):
        at, first, _ = sums(name, a, b, n)
        return n * RULES[name][0](epsilon, at) / first

    return present(weighed)


def error(name, a, b, n):
    """Error of weights proportional to clipped budgets and noise 1 over their sum; ADPM may answer 0."""
    _, first, second = sums(name, a, b, n)
    return min((second / 4 + 2) / first**2, 0.25 if name == "ADPM" else np.inf)


def spread_sampling_lower(a, b, n):
    """Of SM, at the mean size of its sample."""
    size = total(np.expm1, a, b, n) / np.expm1(b)
    return 1 / (4 * size) + 2 / (size * b) ** 2


def spread_relative(function):
    return lambda a, b, n: 4 * n * function(a, b, n)


REFERENCES |= {
    "cc-general-log-uniform": {
        "PropDPM": lambda epsilon: epsilon,
        "UNI": lambda a: a,
        "FME": present(lambda epsilon, *shape: min(epsilon, spread_fme_level(*shape))),
        "ADPM": present(lambda epsilon, *shape: min(epsilon, spread_level(*shape))),
        "level τ": spread_level,
        "share": lambda a, b, n: np.log(b / min(spread_level(a, b, n), b)) / np.log(b / a),
        "error of ADPM": lambda a, b, n: 1e4 * error("ADPM", a, b, n),
    },
    "cc-log-uniform-weights": {"UNI": 1.0, "level τ": spread_level}
    | {name: spread_weight(name) for name in ("LDPE", "FME", "ADPM", "PropDPM")},
    "cc-log-uniform-error": {name: spread_relative(partial(error, name)) for name in ("UNI", "FME", "ADPM", "PropDPM")}
    | {
        "SM": spread_relative(spread_sampling_lower),
        "LDPE": spread_relative(lambda a, b, n: 1 / sums("LDPE", a, b, n)[1]),
    },
}
