"""Where two reports vary alike, from the variances of the library, which are linear in that of the values."""

import numpy as np
from scipy.optimize import brentq, linprog, minimize_scalar

from hdp import compare
from tests.figures.captions import line, number, positions, says

EDGE = 0.02  # of a region so thin that it has no words


def equal(one, other, epsilon, mean):
    """Variance of the values at which both reports vary alike."""
    (a, c), (b, d) = ([compare.report_variance(name, epsilon, v, mean) for name in (one, other)] for v in (0.0, 0.25))
    return 0.25 * (a - c) / (a - c - (b - d))


def most(d_mu):
    """Variance of coins with this distance of the mean from 1/2."""
    return (0.5 + d_mu) * (0.5 - d_mu)


def bit(epsilon, d_mu):
    """From where one bit varies least."""
    return max(0.0, *(equal("one-bit", other, epsilon, 0.5 + d_mu) for other in ("staircase", "piecewise")))


def stairs(epsilon, d_mu):
    """Up to where the piecewise density varies less than the staircase."""
    return equal("piecewise", "staircase", epsilon, 0.5 + d_mu)


def between(epsilon, d_mu):
    """The same, where one bit does not vary less than both, and there are such values."""
    where = stairs(epsilon, d_mu)
    return where if 0 < where < equal("one-bit", "piecewise", epsilon, 0.5 + d_mu) else np.nan


def any_mean(epsilon):
    """Up to where the piecewise density varies less than one bit and the staircase, at the worst mean for each."""
    names = "one-bit", "piecewise", "staircase"
    bit, window, staircase = (compare.report_variance(name, epsilon, 0.0) for name in names)
    return bit - window if window < min(bit, staircase) else np.nan


def word(x, height):
    """A word at this budget, in the middle of its region unless that is thin."""
    return lambda d_mu: (x, height(d_mu) if height(d_mu) > EDGE else np.nan, 0.0)


def least(epsilon):
    """One over the most that a linear program over the corners of the hexagon of both densities allows, weighed."""
    E = np.exp(epsilon)
    corners = [(1 / E, 1 / E), (1, 1 / E), (1 / E, 1), (E, 1), (1, E), (E, E)]
    squares = [-((p - q) ** 2) for p, q in corners]
    return -1 / linprog(squares, A_eq=[[1] * 6, *zip(*corners, strict=True)], b_eq=[1, 1, 1]).fun


def over(name):
    """Mean square around 1/2, which is the variance of values whose mean is there, over the least."""
    return lambda epsilon, s_x: compare.report_variance(name, epsilon, s_x, 0.5) / least(epsilon)


REFERENCES = {
    "hdp-least-noise": {
        "Laplace": over("laplace"),
        "one bit": over("one-bit"),
        "piecewise": over("piecewise"),
        "staircase": over("staircase"),
        "log 2": np.log(2),
    },
    "hdp-best-report": {
        "from here upwards one bit": bit,
        "piecewise density up to here": between,
        "piecewise density up to here, if": any_mean,
        "no values vary more": most,
        "one bit": word(0.25, lambda d_mu: most(d_mu) / 2),
        "piecewise": word(3, lambda d_mu: equal("one-bit", "piecewise", 3, 0.5 + d_mu) / 2),
        "staircase": word(9, lambda d_mu: (2 * most(d_mu) + max(0.0, stairs(9, d_mu))) / 3),
    },
}


# -- The gain by the dual problem: the larger of two noises is the worst mixture of them.


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


REFERENCES |= {
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


# -- What the captions say.


@says("adk-secret-frontier", r"Raise \(c\): the lines part and meet earlier")
def lines_part_and_meet_earlier(figure):
    """For c = 0.9 published reports cost 41 % more left of the first rule, and hardly 10 % between the two."""
    x, spans = np.geomspace(1e-5, 100, 3000), []
    for c in positions(figure, "c"):
        ratio = line(figure, "published", x, c=c) / line(figure, "secret", x, c=c)
        spans.append(x[ratio > 1.01][[0, -1]])
    assert (np.diff(spans, axis=0) < 0).all()
    left, right = (number(figure, start, c=0.9) for start in ("all count alike", "KVH"))
    assert ratio[x < left].max() > 1.41 and ratio[(left < x) & (x < right)].max() < 1.1


@says("adk-secret-gain", "The other budget moves it to the right")
def the_peak_moves(figure):
    """At first it sinks in any case; where fewer than one user would trust at the peak, more users raise it."""
    shares = np.geomspace(0.001, 0.9, 300)
    few = [line(figure, "no coalition", shares, n=n, b_T_reach=2, b_L_reach=0.02) for n in (100, 1000)]
    assert np.nanmax(few[1]) > 1.2 * np.nanmax(few[0])
    x = np.geomspace(0.001, 0.9, 300)
    for name, side in (("n", -1), ("b_T_reach", -1), ("b_L_reach", 1)):
        lines = [line(figure, "no coalition", x, **{name: v}) for v in positions(figure, name)]
        assert (side * np.diff([x[np.nanargmax(y)] for y in lines]) > 0).all()
        assert (np.diff([np.nanmax(y) for y in lines]) < 0).all()
