"""z3 looks for a counterexample to the claims of the page on one threshold and must prove that there is none.

The error of any weights is written from the definition.  Dividing every budget by epsilon_1 and multiplying the
numbers of users by epsilon_1^2 divides every risk by epsilon_1^2 (test_risks_scale of the page), so the searches fix
epsilon_1 = 1 and let N_1, N_2 be real; e is epsilon_2.  What no weights can beat is in `test_upper_bound.py`.
"""

import pytest
import sympy as sp
import z3

from hdp.sym.symbols import epsilon_1, epsilon_2
from hdp.sym.threshold import one_threshold as sym
from tests.oracles import search, settling

N1, N2, e, p, m, c = z3.Reals("N1 N2 e p m c")


def stated(expression):
    """Numerator and denominator of a statement at epsilon_1 = 1, for z3."""
    parts = sp.fraction(sp.factor(expression.subs(epsilon_1, 1)))
    return tuple(sp.lambdify((sym.N_1, sym.N_2, epsilon_2), part, modules=[{}])(N1, N2, e) for part in parts)


USERS = [N1 > 0, N2 > 0]
TWO_LEVELS = [*USERS, e >= 1]
n = N1 + N2
RISKS = sym.everybody_risk, sym.generous_risk, sym.proportional_risk, sym.private_risk, sym.public_risk
EVERYBODY, GENEROUS, PROPORTIONAL, PRIVATE, PUBLIC = (stated(4 * risk) for risk in RISKS)
BESIDE_PUBLIC = stated(4 * sym.public_affine)
THRESHOLDS, PUBLIC_THRESHOLDS = (EVERYBODY, GENEROUS), (EVERYBODY, PUBLIC)
TOP, BOTTOM = stated(sym.saturation)
UNSATURATED, SATURATED, AT_SATURATION = BOTTOM * e <= TOP, BOTTOM * e >= TOP, BOTTOM * e == TOP
GENEROUS_AT_SATURATION = stated((4 * sym.generous_risk).subs(epsilon_2, sym.saturation))
WORST, CROSSING = stated(sym.public_worst_ratio), stated(sym.public_worst_budget**2)


def at_least(left, right, factor=1):
    """Whether the first risk is at least so many times the second."""
    share, whole = sp.fraction(sp.sympify(factor))
    return int(whole) * left[0] * right[1] >= int(share) * right[0] * left[1]


def more(left, right):
    """Whether the first risk is the larger one."""
    return left[0] * right[1] > right[0] * left[1]


def differ(left, right):
    """Whether two risks differ."""
    return left[0] * right[1] != right[0] * left[1]


# Eq. (1) for two groups: group 1 has the weight p together, the noise costs 2 m^2
PUBLIC_WEIGHTS = [p >= 0, p <= 1, m * N1 >= p]
ERROR = p**2 * N2 + (1 - p) ** 2 * N1 + 8 * m**2 * N1 * N2, N1 * N2
BEST = [p * (N2 * (N1 + 8) + N1**2) == N1**2, m * N1 == p]  # weights inversely proportional to the errors


CLAIMS = {
    "theorem-1-everybody": [*USERS, at_least(EVERYBODY, PRIVATE)],
    "theorem-1-two-numbers": [
        *USERS, *(at_least(r, BESIDE_PUBLIC, sym.public_factor) for r in (PRIVATE, PUBLIC)), differ(PRIVATE, PUBLIC)],
    "theorem-1-affine": [*USERS, *PUBLIC_WEIGHTS, more(BESIDE_PUBLIC, ERROR)],
    "theorem-1-attained": [*USERS, *BEST, differ(BESIDE_PUBLIC, ERROR)],
    "theorem-1": [*USERS, *(at_least(r, BESIDE_PUBLIC, sym.public_factor) for r in PUBLIC_THRESHOLDS)],
    "worst-public": [*USERS, *(r[0] * BESIDE_PUBLIC[1] * WORST[1] > WORST[0] * BESIDE_PUBLIC[0] * r[1]
                               for r in PUBLIC_THRESHOLDS)],
    "worst-public-attained": [*USERS, CROSSING[0] == CROSSING[1], z3.Or(
        more(EVERYBODY, PUBLIC), PUBLIC[0] * BESIDE_PUBLIC[1] * WORST[1] != WORST[0] * BESIDE_PUBLIC[0] * PUBLIC[1])],
    "case-1-first-half": [*TWO_LEVELS, N1 >= N2 * e, at_least(EVERYBODY, PROPORTIONAL, sym.two_level_factor)],
    "case-1-second-half": [*TWO_LEVELS, N1 <= N2 * e, at_least(GENEROUS, PROPORTIONAL, sym.two_level_factor)],
    "case-2-meets-case-1": [*USERS, AT_SATURATION, differ(PROPORTIONAL, BESIDE_PUBLIC)],
    "case-2": [*TWO_LEVELS, SATURATED, *(at_least(r, BESIDE_PUBLIC, sym.two_level_factor) for r in THRESHOLDS)],
    "case-2-threshold-is-at-most-that-at-saturation": [
        *TWO_LEVELS, SATURATED, more(GENEROUS, GENEROUS_AT_SATURATION)],
    "case-2-first-half-with-2": [*USERS, AT_SATURATION, N1 >= N2 * e, at_least(EVERYBODY, BESIDE_PUBLIC, 2)],
    "case-2-second-half": [*TWO_LEVELS, SATURATED, N1 * BOTTOM <= N2 * TOP, N2 * e**2 <= 8],
    "one-threshold-is-never-better": [
        *TWO_LEVELS, z3.Or(*(more(PROPORTIONAL, r) for r in THRESHOLDS)), UNSATURATED],
    "four-times-the-users-suffice": [*USERS, c > 1, n / c + 8 / c**2 > (n + 8) / c],
}  # fmt: skip


SETTLES = {  # the claims of the book that these settle, by their names here
    "theorem-1": ["cz-theorem-1", "hdp-suprema"],
    "theorem-1-everybody": ["cz-theorem-1-chain"],
    "theorem-1-two-numbers": ["cz-theorem-1-chain"],
    "theorem-1-affine": ["cz-theorem-1-chain", "cz-appendix-b"],
    "theorem-1-attained": ["cz-theorem-1-chain", "cz-appendix-b"],
    "case-1-first-half": ["cz-theorem-2", "cz-appendix-d", "hdp-suprema"],
    "case-1-second-half": ["cz-theorem-2", "cz-appendix-d", "hdp-suprema"],
    "case-2": ["cz-theorem-2", "cz-appendix-d", "hdp-suprema"],
    "case-2-meets-case-1": ["cz-appendix-d"],
    "case-2-threshold-is-at-most-that-at-saturation": ["cz-appendix-d"],
    "worst-public": ["hdp-public-worst"],
    "worst-public-attained": ["hdp-public-worst"],
}


@pytest.mark.parametrize("claim", settling(CLAIMS, SETTLES))
def test_no_counterexample(claim):
    """The negation of the claim is unsatisfiable in the reals."""
    assert search(*CLAIMS[claim]) == z3.unsat
