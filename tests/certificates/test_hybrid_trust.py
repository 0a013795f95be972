"""z3 looks for a counterexample to the inequalities of the hybrid model and must prove that there is none.

Written from the estimators, in units where n = 1: a and b are the noise variances of a local report and, times n, of
the curator; v is the variance of the data, t = c the trusting share.  An error times n is then a function of these.
"""

import pytest
import z3

from tests.oracles import search, settling

a, b, v, t, w, x, u, y = z3.Reals("a b v t w x u y")

NOISY = [a > 0, b > 0, v >= 0, t > 0, t < 1]
PRIVATE = [*NOISY, t * b < a]  # c n s_T^2 < s_L^2


def error(weight):
    """Error of a weight, times c (1-c): sampling, curator's noise, local noise."""
    return (weight - t) ** 2 * v + weight**2 * t * (1 - t) * b + (1 - weight) ** 2 * t * a


TCM, FULL = error(z3.RealVal(1)), t * (1 - t) * a
BEST = [w * (v + t * (1 - t) * b + t * a) == t * (v + a)]  # Definition 4.1
HEURISTIC = [w * (a + (1 - t) * b) == a]  # Definition 5.3
MARGIN = (1 - t) * v * (a - t * b) - t * a * (a + (1 - t) * b)

# Laplace noise: y = (epsilon sigma/m)^2, u = 1/(c n), so a = 2 and b = 2 u/c with v = y
LAPLACE = [a == 2, t * b == 2 * u, v == y, u > 0, u < 1, y >= 0, 4 * y <= 1, t > 0, t < 1]
RATIO = z3.Real("R")

CLAIMS = {
    "no weight beats KVH": [*NOISY, *BEST, error(x) < error(w)],
    "no weight outside [0, 1] either": [*NOISY, *BEST, z3.Or(w < 0, w > 1)],
    "PWH beats both baselines exactly if both margins say so": [
        *NOISY, *HEURISTIC, z3.And(error(w) < FULL, error(w) < TCM) != z3.And(t * b < a, MARGIN < 0),
    ],
    "KVH loses to TCM-Only nowhere": [*NOISY, *BEST, error(w) > TCM],
    "KVH beats Full-LM for c n s_T^2 < s_L^2": [*PRIVATE, *BEST, error(w) >= FULL],
    "and only there": [*NOISY, t * b >= a, *BEST, error(w) < FULL],
    "PWH beats TCM-Only for c n s_T^2 <= s_L^2": [*NOISY, t * b <= a, *HEURISTIC, error(w) >= TCM],
    "PWH beats TCM-Only for c <= 1/2": [*NOISY, 2 * t <= 1, *HEURISTIC, error(w) >= TCM],
    "PWH beats Full-LM exactly if the margin says so": [*PRIVATE, *HEURISTIC, (error(w) < FULL) != (MARGIN < 0)],
    "naive never loses to Full-LM": [*NOISY, t * b <= a, error(t) > FULL],
    "KVH gains at most 17/8": [
        *LAPLACE, *BEST, RATIO == error(w), 8 * FULL >= 17 * RATIO, 8 * TCM >= 17 * RATIO,
    ],
}  # fmt: skip


SETTLES = {  # the claims of the book that these settle, by their names here
    "no weight beats KVH": ["adk-definition-4-1"],
    "no weight outside [0, 1] either": ["adk-definition-4-1"],
    "KVH beats Full-LM for c n s_T^2 < s_L^2": ["adk-kvh-condition"],
    "and only there": ["adk-kvh-condition"],
    "KVH loses to TCM-Only nowhere": ["adk-kvh-condition"],
    "PWH beats both baselines exactly if both margins say so": ["adk-section-5-generic", "hdp-pwh-best"],
    "KVH gains at most 17/8": ["adk-corollary-4-4"],
    "naive never loses to Full-LM": ["hdp-pwh-kvh"],
    "PWH beats TCM-Only for c n s_T^2 <= s_L^2": ["adk-section-5-r"],
    "PWH beats Full-LM exactly if the margin says so": ["adk-section-5-generic"],
    "PWH beats TCM-Only for c <= 1/2": ["hdp-pwh-worst"],
}


@pytest.mark.parametrize("claim", settling(CLAIMS, SETTLES))
def test_no_counterexample(claim):
    """The negation of the claim has no solution."""
    assert search(*CLAIMS[claim]) == z3.unsat


@pytest.mark.parametrize("claim", CLAIMS)
def test_the_claim_is_not_vacuous(claim):
    """Without its last clause, or last two for the bound, there is a solution."""
    clauses = CLAIMS[claim][: -2 if "17/8" in claim else -1]
    assert search(*clauses) == z3.sat


def test_a_printed_claim_has_a_counterexample():
    """r(PWH) > 1 for every generic noise: z3 finds noise with which PWH loses to both baselines."""
    assert search(*NOISY, *HEURISTIC, error(w) > TCM, error(w) > FULL) == z3.sat
