"""The constant for every vector of budgets by search; eq. (43)."""

import itertools

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import minimize_scalar

from hdp import ADPM, adpm, minimax
from hdp.sym.heterogeneous_budgets import lower_bound as sym
from hdp.sym.symbols import epsilon_1, f, n
from tests.chapters.heterogeneous_budgets.test_smaller_gap import top_of_hill
from tests.chapters.heterogeneous_budgets.test_upper_bound import in_order, saturation
from tests.figures.captions import line, number, says


@pytest.mark.settles("hdp-any-budgets-constant")
def test_the_constant_is_that_of_the_best_share():
    """The bound of two coins is at least 1/(27 A^2); A^2 is at most what is minimised over four times the error."""
    best = minimize_scalar(lambda share: (1 + share) / (share * (1 - share)), bounds=(0.05, 0.95), method="bounded")
    assert np.isclose(best.fun * 27 / 4, float(sym.any_budgets_factor), rtol=1e-9)
    assert np.isclose(best.x, float(sym.any_budgets_share), atol=1e-4)
    assert sym.any_budgets_factor < 40


@pytest.mark.settles("cc-combination")
@pytest.mark.parametrize(
    "first, others, budget", [(100, 0, 0.0035), (100, 0, 0.0036), (100, 1, 0.001), (1, 0, 0.01), (1, 3, 9)], ids=str
)
def test_the_combination_of_capped_bounds_falls_short_at_f_1_only(first, others, budget):
    """Of those of (37) and (42), and of (43): the larger one never does, and at f = 1 only below n eps = 1/sqrt 8."""
    at = {n: first + others, f: sp.Rational(first, first + others), epsilon_1: sp.Rational(str(budget))}
    share, cap = (6 / (6 + 256 * f)).subs(at), sp.Rational(1, 4)
    terms = (1 / (6 * n)).subs(at), sym.inside_42.subs(at)
    capped = 16 * sym.eq_37.subs(at), sp.Min(terms[1], cap)
    of_bounds, of_terms = (share * a + (1 - share) * b for a, b in (capped, terms))
    wanted = sp.Min(of_terms, cap)
    assert max(capped) >= wanted >= sp.Min(sym.inside_43.subs(at), cap)
    short = others == 0 and 8 * (first * budget) ** 2 < 1
    assert of_bounds < wanted if short else of_bounds == wanted


# -- What the figures draw, by the library.


def paper_bound(k, epsilon_1, epsilon_2, n, f):
    """delta^2/16 for nobody's privacy, that of group 1, and that of all."""
    private = np.cumsum([0, 2 * n * f * epsilon_1, 2 * n * (1 - f) * epsilon_2])
    slopes = private + np.array([np.sqrt(1.5 * n), np.sqrt(32 * n * (1 - f)), 0.0])
    return min(0.5 / slopes[k], 0.5) ** 2 / 16


REFERENCES = {
    "cc-lower-bounds": {
        "Theorem 1": in_order(adpm.two_group_bound),
        "(37)": in_order(lambda *point: paper_bound(0, *point)),
        "(38)": in_order(lambda *point: paper_bound(1, *point)),
        "(39)": in_order(lambda *point: paper_bound(2, *point)),
        "Theorem 2": in_order(minimax.lower_bound),
        "saturation": saturation,
    }
}


# -- What one bias proves, by arithmetic; the best bias as root of a polynomial; the algorithm's error by the library.


def proves(slope, factor=4):
    """An error of delta^2/4 for coins that cannot be told apart; less the better they can."""

    def error(delta_coin, epsilon, n):
        found = delta_coin**2 / factor * (1 - slope(delta_coin, epsilon, n))
        return found if found > 0 else np.nan

    return error


def by_privacy(x, epsilon, n):
    """Randomised response: the most that one user's coin can change the probability of an event."""
    return x * n * (2 / (1 + np.exp(-epsilon)) - 1)


def by_data(x, epsilon, n):
    return x * np.sqrt(n)


def by_data_in_the_paper(x, epsilon, n):
    """Pinsker's inequality for n tosses: each has the relative entropy of one."""
    heads = np.array([(1 + x) / 2, (1 - x) / 2])
    entropy = np.sum(heads * np.log(heads / heads[::-1]))
    return np.sqrt(n * entropy / 2)


def best(epsilon, n):
    """What it proves, and the bias: of either way the top of its hill, or the end of the range."""
    return max(top_of_hill(slope(1.0, epsilon, n)) for slope in (by_privacy, by_data))


def upper(epsilon, n):
    return ADPM(np.full(int(n), epsilon)).mse()


REFERENCES |= {
    "cc-two-coins": {
        "everybody's privacy counts": proves(by_privacy),
        "everybody's data count": proves(by_data),
        "privacy, with": proves(lambda x, epsilon, n: 2 * x * n * (1 - np.exp(-epsilon)), 8),
        "data, with": proves(by_data_in_the_paper, 8),
        "error of the paper's": upper,
        "the best bias": lambda epsilon, n: best(epsilon, n)[::-1],
        "bias that proves most": lambda epsilon, n: best(epsilon, n)[1],
        "it proves": lambda epsilon, n: best(epsilon, n)[0],
        "the algorithm errs": upper,
    }
}


# -- The upper bound over each lower one; that with the best constants by search.


def best_constants(epsilon_1, epsilon_2, n, f):
    """The bound at the best delta of each of the three k."""
    influence = np.array([n * f, n * (1 - f)]) * np.tanh([epsilon_1 / 2, epsilon_2 / 2])
    private, others = np.cumsum([0, *influence]), np.array([n, n * (1 - f)])
    slopes = private + np.append(np.sqrt(2 / np.pi * (others + 1)), 0.0)
    return max(top_of_hill(slope)[0] for slope in slopes)


def over(bound):
    """The upper bound divided by this one."""
    return in_order(lambda *point: adpm.two_group_bound(*point) / bound(*point))


REFERENCES |= {
    "cc-lower-gap": {
        "Theorem 2": over(minimax.lower_bound),
        "Lemma 4": over(lambda *point: max(paper_bound(k, *point) for k in range(3))),
        "closed form": over(best_constants),
        "40": 40.0,
        "saturation": saturation,
    }
}


# -- What the captions say.


@says("cc-lower-bounds", "takes its place while group 1 is strict enough")
def test_the_bound_of_a_strict_group_takes_the_place(figure):
    """For 0.96 and many users the strictest position is not strict enough."""
    for n, f, e, takes in ((2e4, 0.99, 5e-4, True), (2e4, 0.96, 5e-4, False), (200, 0.96, 5e-4, True)):
        group, nobody = (float(line(figure, s, 10, n=n, f=f, epsilon_1=e)) for s in ("(38)", "(37)"))
        assert (group > nobody) == takes


@says("cc-two-coins", "is at most 21 times as high")
def test_coins_prove_a_twentieth(figure):
    """Where privacy and data count alike it is more than 20 times as high."""
    found = [
        number(figure, "the algorithm errs", epsilon=e, n=k) / number(figure, "it proves", epsilon=e, n=k)
        for e, k in itertools.product(figure.parameter("epsilon").positions, figure.parameter("n").positions)
    ]
    assert min(found) > 1 and 20 < max(found) < 21
