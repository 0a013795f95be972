"""z3 looks for a counterexample to the claims of the page on one threshold and must prove that there is none.

Written from the definitions.  Dividing every budget by epsilon_1 and multiplying the numbers of users by epsilon_1^2
divides every risk by epsilon_1^2 (tests/sym/test_cz.py::test_risks_scale), so the searches fix epsilon_1 = 1 and
let N_1, N_2 be real; e is epsilon_2.  What no weights can beat is in `tests/test_certificates.py`.
"""

import pytest
import z3

from tests.test_certificates import search

N1, N2, e, p, m, s, c = z3.Reals("N1 N2 e p m s c")

USERS = [N1 > 0, N2 > 0]
TWO_LEVELS = [*USERS, e >= 1]
n, TOTAL = N1 + N2, N1 + N2 * e
# Four times a risk, numerator and denominator
EVERYBODY = n + 8, n**2
GENEROUS = N2 * e**2 + 8, N2**2 * e**2
PROPORTIONAL = N1 + N2 * e**2 + 8, TOTAL**2
PRIVATE = N1 + 8, N1**2
PUBLIC = 1, N2
BESIDE_PUBLIC = N1 + 8, N2 * (N1 + 8) + N1**2  # the harmonic sum of PRIVATE and PUBLIC
UNSATURATED, SATURATED = N1 * (e - 1) <= 8, N1 * (e - 1) >= 8
AT_SATURATION = [s * N1 == N1 + 8]


def at_least(left, right, factor=1):
    """Whether the first risk is at least so many times the second."""
    return left[0] * right[1] >= factor * right[0] * left[1]


def more(left, right):
    """Whether the first risk is the larger one."""
    return left[0] * right[1] > right[0] * left[1]


# Eq. (1) for two groups: group 1 has the weight p together, the noise costs 2 m^2
WEIGHTS = [p >= 0, p <= 1, m * N1 >= p, m * N2 * e >= 1 - p]
PUBLIC_WEIGHTS = [p >= 0, p <= 1, m * N1 >= p]
ERROR = p**2 * N2 + (1 - p) ** 2 * N1 + 8 * m**2 * N1 * N2, N1 * N2
THRESHOLDS = EVERYBODY, GENEROUS
CROSSING = N1 * n == 8 * N2
WORST = 2 * n, N1 + 2 * N2

CLAIMS = {
    "theorem 1: R_thr <= R_priv": [*USERS, at_least(EVERYBODY, PRIVATE)],
    "theorem 1: the mean of two numbers": [*USERS, *(at_least(r, BESIDE_PUBLIC, 2) for r in (PRIVATE, PUBLIC)),
                                           z3.Or(more(PRIVATE, PUBLIC), more(PUBLIC, PRIVATE))],
    "theorem 1: R_aff is the optimum": [*USERS, *PUBLIC_WEIGHTS, more(BESIDE_PUBLIC, ERROR)],
    "theorem 1": [*USERS, *(at_least(r, BESIDE_PUBLIC, 2) for r in (EVERYBODY, PUBLIC))],
    "worst budget beside a public group": [
        *USERS, *(r[0] * BESIDE_PUBLIC[1] * WORST[1] > WORST[0] * BESIDE_PUBLIC[0] * r[1]
                  for r in (EVERYBODY, PUBLIC))],
    "the worst budget attains it": [*USERS, CROSSING, z3.Or(
        more(EVERYBODY, PUBLIC), PUBLIC[0] * BESIDE_PUBLIC[1] * WORST[1] != WORST[0] * BESIDE_PUBLIC[0] * PUBLIC[1])],
    "case 1, first half": [*TWO_LEVELS, N1 >= N2 * e, at_least(EVERYBODY, PROPORTIONAL, 4)],
    "case 1, second half": [*TWO_LEVELS, N1 <= N2 * e, at_least(GENEROUS, PROPORTIONAL, 4)],
    "case 2 meets case 1": [*USERS, e * N1 == N1 + 8, z3.Or(
        more(PROPORTIONAL, BESIDE_PUBLIC), more(BESIDE_PUBLIC, PROPORTIONAL))],
    "case 2": [*TWO_LEVELS, SATURATED, *(at_least(r, BESIDE_PUBLIC, 4) for r in THRESHOLDS)],
    "case 2, first half with a factor of 2": [
        *USERS, *AT_SATURATION, N1 >= N2 * s, at_least(EVERYBODY, BESIDE_PUBLIC, 2)],
    "case 2, second half": [
        *USERS, *AT_SATURATION, e >= s, N1 <= N2 * s, N2 * e**2 <= 8],
    "one threshold is never better": [*TWO_LEVELS, z3.Or(*(more(PROPORTIONAL, r) for r in THRESHOLDS)), UNSATURATED],
    "four times the users suffice": [*USERS, c > 1, n / c + 8 / c**2 > (n + 8) / c],
}  # fmt: skip


@pytest.mark.parametrize("negation", CLAIMS.values(), ids=CLAIMS)
def test_no_counterexample(negation):
    """The negation of the claim is unsatisfiable in the reals."""
    assert search(*negation) == z3.unsat


MUTANTS = {
    "theorem 1 with a factor of 1.98": [*USERS, *(100 * r[0] * BESIDE_PUBLIC[1] >= 198 * BESIDE_PUBLIC[0] * r[1]
                                                  for r in (EVERYBODY, PUBLIC))],
    "theorem 2 with a factor of 3.96": [
        *TWO_LEVELS, UNSATURATED, n == N2 * e,
        *(100 * r[0] * PROPORTIONAL[1] >= 396 * PROPORTIONAL[0] * r[1] for r in THRESHOLDS)],
    "case 1, first half, beyond its condition": [
        *TWO_LEVELS, 3 * N1 >= N2 * e, at_least(EVERYBODY, PROPORTIONAL, 4)],
    "worst budget one per cent lower": [
        *USERS, *(100 * r[0] * BESIDE_PUBLIC[1] * WORST[1] > 99 * WORST[0] * BESIDE_PUBLIC[0] * r[1]
                  for r in (EVERYBODY, PUBLIC))],
    "case 1 past saturation": [*TWO_LEVELS, 10 * N1 * (e - 1) <= 101 * 8, *WEIGHTS, more(PROPORTIONAL, ERROR)],
}  # fmt: skip


@pytest.mark.parametrize("negation", MUTANTS.values(), ids=MUTANTS)
def test_a_slightly_false_claim_has_a_counterexample(negation):
    """The search has teeth: a little off, and z3 finds the values that refute the claim."""
    assert search(*negation) == z3.sat
