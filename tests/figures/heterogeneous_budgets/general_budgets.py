"""Three groups: levels and weights user by user, errors from the solver for groups."""

from functools import partial

import numpy as np

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
