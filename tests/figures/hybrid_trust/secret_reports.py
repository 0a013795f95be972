"""The gain by the dual problem: the larger of two noises is the worst mixture of them."""

import numpy as np
from scipy.optimize import brentq, minimize_scalar


def inverse_sum(first, second):
    """Least error of two independent means together."""
    return 1 / (1 / first + 1 / second)


def least_secret(c, n, b_T_reach, b_L_reach, known):
    """Largest over theta of what the best weights err by if theta of one noise is counted and the rest of the other."""
    trusting, local = c * n, (1 - c) * n

    def error(theta):
        need = (1 - theta) / (trusting * b_T_reach) ** 2
        return inverse_sum(0.25 / trusting + need, 0.25 / local + (theta + (1 - theta) * known) / b_L_reach**2 / local)

    found = minimize_scalar(lambda theta: -error(theta), bounds=(0, 1), method="bounded", options={"xatol": 1e-12})
    return max(error(0), error(1), error(found.x))


def least_published(c, n, b_T_reach, b_L_reach):
    trusting, local = c * n, (1 - c) * n
    curated = 0.25 / trusting + 1 / (trusting * b_T_reach) ** 2
    return inverse_sum(curated, (0.25 + 1 / b_L_reach**2) / local)


def gain(share):
    def at(c, n, b_T_reach, b_L_reach, alpha):
        if c * n < 1:
            return np.nan
        known = alpha if share is None else share
        at_all = least_published(c, n, b_T_reach, b_L_reach)
        return at_all / least_secret(c, n, b_T_reach, b_L_reach, known)

    return at


def hiders(b_T_reach, b_L_reach):
    """Where the deviation of the reports' noise is what one unclipped user needs, all reports weighed by variance."""
    own = 1 / (0.25 + 1 / b_L_reach**2)
    return brentq(lambda k: np.sqrt(k) * own / b_L_reach - 4 / b_T_reach, 1e-6, 1e12, xtol=1e-9, rtol=1e-14)


def alike(c, n, b_L_reach, much):
    """What a user moves the answer by who counts so many times as much as a local one, in units of the reports' noise.

    Inverse-variance weights have the ratio of the variances of a report and of a value.
    """
    local = (1 - c) * n
    weight = 1 / (c * n * much + local)
    return much * weight / (np.sqrt(local) * weight / b_L_reach)


REFERENCES = {
    "adk-secret-gain": {
        "no coalition": gain(0.0),
        "with a coalition": gain(None),
        "no more is possible": lambda: 2.0,
        "no more with": lambda alpha: 2 - alpha,
        "up to here": lambda n, b_T_reach, b_L_reach: (
            share if (share := 1 - hiders(b_T_reach, b_L_reach) / n) >= 0.001 else np.nan
        ),
        "local users": hiders,
    },
    "adk-secret-frontier": {
        "published reports": lambda b_T_reach, c, n, b_L_reach: least_published(c, n, b_T_reach, b_L_reach) ** 0.5,
        "secret reports": lambda b_T_reach, c, n, b_L_reach: least_secret(c, n, b_T_reach, b_L_reach, 0.0) ** 0.5,
        "all count alike": lambda c, n, b_L_reach: alike(c, n, b_L_reach, 1.0),
        "KVH": lambda c, n, b_L_reach: alike(c, n, b_L_reach, (0.25 + 1 / b_L_reach**2) / 0.25),
    },
}
