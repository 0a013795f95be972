"""The one lemma for three items of variance 1/4, by the solver."""

import numpy as np
import pytest

from hdp import adpm, clipping, notions
from tests.figures import lemma
from tests.figures.captions import number, says


def parts(T, kappa, s_1, s_2, s_3):
    """Variance and noise of the weights clipped at T."""
    s = np.array([s_1, s_2, s_3])
    w = np.minimum(4.0, T / s)
    w /= w.sum()
    return 0.25 * np.sum(w**2), kappa * np.max(s * w) ** 2


def optimum(kappa, s_1, s_2, s_3):
    """Clip and value there."""
    s = np.array([s_1, s_2, s_3])
    return 1 / clipping.water_level(0.25 / s, 1 / s, kappa), lemma.optimum(0.25, s, kappa)[1]


def vessel(x_vessel, budgets):
    """The budget whose vessel stands at a place: the height of its floor; inf between vessels."""
    left = 0.0
    for e in budgets:
        if left <= x_vessel <= left + e:
            return e
        left += e + 0.5
    return np.inf


def floor(x_vessel, b_1, b_2, b_3):
    return vessel(x_vessel, (b_1, b_2, b_3))


def water(x_vessel, tau_water, b_1, b_2, b_3):
    return tau_water if floor(x_vessel, b_1, b_2, b_3) < tau_water else np.nan


def full(V_poured, b_1, b_2, b_3):
    return adpm.clipping_level([b_1, b_2, b_3], notion={8: "pure", 4: "gdp"}[V_poured])


REFERENCES = {
    "water-level": {
        "floor of a vessel": floor,
        "water": water,
        "water poured": lambda tau_water, b_1, b_2, b_3: sum(e * max(tau_water - e, 0) for e in (b_1, b_2, b_3)),
        "water that there is": lambda V_poured: 4 * notions.Notion({8: "pure", 4: "gdp"}[V_poured]).noise_penalty(),
        "here all is poured": full,
        "drag this level": lambda tau_water: tau_water,
        "the level where": full,
    },
    "one-lemma": {
        "sum F": lambda **at: sum(parts(**at)),
        "variance of the data": lambda **at: parts(**at)[0],
        "noise of the worst item": lambda **at: parts(**at)[1],
        "optimum": optimum,
        "optimal clip T": lambda **at: optimum(**at)[0],
    },
}


# -- What the captions say.


@says("water-level", "for three small budgets that is above the picture")
def small_budgets_need_a_high_level(figure):
    """For three of 0.25 it is 10.9, and the picture ends at 8."""
    small = {f"b_{i}": 0.25 for i in (1, 2, 3)}
    assert number(figure, "the level where", **small) == pytest.approx(0.25 + 8 / 0.75)
    assert number(figure, "the level where", **small) > figure.y.domain[1] > number(figure, "the level where")
