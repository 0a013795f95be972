"""z3 looks for a counterexample to the claims of the upper-bound chapter and must prove that there is none.

Written from the definitions: two groups with shares f and 1-f, omega = n w, the error in units of 1/(4n).
The noise of scale max(w_1/eps_1, w_2/eps_2) then costs k max(omega_1, omega_2/r)^2, with k = 8/(n eps_1^2).
"""

import pytest
import sympy as sp
import z3

from hdp.sym import symbols as sym
from hdp.sym.heterogeneous_budgets import upper_bound as upper
from hdp.sym.symbols import epsilon_1, epsilon_2
from tests.oracles import polynomials, search, settling

f, k, r, R, q, w1, w2, m, B = z3.Reals("f k r R q w1 w2 m B")
REALS = {"f": f, "k": k, "r": r, "R": R, "B": B}


def stated(expression):
    """Numerator and denominator of a statement of `hdp.sym.heterogeneous_budgets.upper_bound`, as polynomials for z3.

    Where the saturation ratio is meant as a number, R, it stays; 8/(n eps_1^2) becomes k, and eps_2 becomes r eps_1.
    """
    k_symbol = sp.Symbol("k", positive=True)
    scaled = expression.subs(epsilon_2, sym.r * epsilon_1).subs(epsilon_1, sp.sqrt(8 / (sym.n * k_symbol)))
    return polynomials(scaled, REALS)


GROUPS = [f > 0, f < 1, k > 0, r >= 1]
CASE_A, CASE_B = f * (r - 1) <= k, f * (r - 1) >= k  # r <= R, r >= R, without R
FEASIBLE = [w1 >= 0, w2 >= 0, f * w1 + (1 - f) * w2 == 1, m >= w1, r * m >= w2]
ERROR = f * w1**2 + (1 - f) * w2**2 + k * m**2
# What Lemma 3 and Theorem 1 state: n w_1 and n w_2, and 4n times the error, as numerators and denominators
(A1, A1_UNIT), (A2, A2_UNIT), (B1, B1_UNIT), (B2, B2_UNIT) = (
    stated(sym.n * w.subs(sym.R, upper.saturation_ratio)) for w in (*upper.weights_a, *upper.weights_b)
)
LEAST_A, UNIT_A = stated(4 * sym.n * upper.bound_a_in_budgets)
LEAST_B, UNIT_B = stated(4 * sym.n * upper.bound_b_in_budgets)
RATIO, RATIO_UNIT = stated(upper.saturation_ratio)
AT_A = [w1 * A1_UNIT == A1, w2 * A2_UNIT == A2, m == w1]
AT_B = [w1 * B1_UNIT == B1, w2 * B2_UNIT == B2, m == w1]
SHRUNK, SHRUNK_UNIT = stated(upper.shrunk_bound)


R_IS = R * RATIO_UNIT == RATIO  # eq. (4)
SIX, SIX_UNIT = stated(4 * sym.n * upper.bound_a_in_ratios)  # eq. (6), as a function of r for any R
SIX_Q, SIX_UNIT_Q = (z3.substitute(part, (r, q)) for part in (SIX, SIX_UNIT))
SEVEN, SEVEN_UNIT = stated(4 * sym.n * upper.bound_b_in_ratios)

CLAIMS = {
    "the case is r <= R": [*GROUPS, CASE_A != (r * RATIO_UNIT <= RATIO)],
    "no feasible weights beat case A": [*GROUPS, CASE_A, *FEASIBLE, ERROR * UNIT_A < LEAST_A],
    "no feasible weights beat case B": [*GROUPS, CASE_B, *FEASIBLE, ERROR * UNIT_B < LEAST_B],
    "only Table I attains case A": [*GROUPS, CASE_A, *FEASIBLE, ERROR * UNIT_A <= LEAST_A, w1 * A1_UNIT != A1],
    "only Table I attains case B": [*GROUPS, CASE_B, *FEASIBLE, ERROR * UNIT_B <= LEAST_B, w1 * B1_UNIT != B1],
    "Table I attains case A": [*GROUPS, CASE_A, *AT_A, z3.Not(z3.And(*FEASIBLE, ERROR * UNIT_A == LEAST_A))],
    "Table I attains case B": [*GROUPS, CASE_B, *AT_B, z3.Not(z3.And(*FEASIBLE, ERROR * UNIT_B == LEAST_B))],
    "case B is eq. (7)": [*GROUPS, R_IS, LEAST_B * SEVEN_UNIT != SEVEN * UNIT_B],
    "case A is eq. (6)": [*GROUPS, R_IS, LEAST_A * SIX_UNIT != SIX * UNIT_A],
    "eq. (6) falls up to R": [*GROUPS, r < q, q <= R, SIX_Q * SIX_UNIT >= SIX * SIX_UNIT_Q],
    "eq. (6) rises from R": [*GROUPS, R > 1, R <= r, r < q, SIX_Q * SIX_UNIT <= SIX * SIX_UNIT_Q],
    "shrinking beats both B and 1/4": [B > 0, z3.Or(SHRUNK >= B * SHRUNK_UNIT, 4 * SHRUNK >= SHRUNK_UNIT)],
    "by at most a factor of 2": [B > 0, 2 * SHRUNK < B * SHRUNK_UNIT, 8 * SHRUNK < SHRUNK_UNIT],
    "no factor shrinks better": [B > 0, ((1 - q) ** 2 + 4 * q**2 * B) * SHRUNK_UNIT < 4 * SHRUNK],
    "the factor 1/(1 + 4B) attains it": [
        B > 0, q * (1 + 4 * B) == 1, ((1 - q) ** 2 + 4 * q**2 * B) * SHRUNK_UNIT != 4 * SHRUNK,
    ],
}  # fmt: skip


SETTLES = {  # the claims of the book that these settle, by their names here
    "case A is eq. (6)": ["cc-proportional", "cc-lemma-3"],
    "the case is r <= R": ["cc-proportional", "cc-lemma-3"],
    "no feasible weights beat case A": ["cc-proportional", "cc-lemma-3"],
    "Table I attains case A": ["cc-proportional", "cc-lemma-3"],
    "eq. (6) falls up to R": ["cc-proportional"],
    "eq. (6) rises from R": ["cc-proportional"],
    "case B is eq. (7)": ["cc-lemma-3"],
    "no feasible weights beat case B": ["cc-lemma-3"],
    "only Table I attains case A": ["cc-lemma-3"],
    "only Table I attains case B": ["cc-lemma-3"],
    "Table I attains case B": ["cc-lemma-3"],
    "no factor shrinks better": ["cz-affine-optimal", "hdp-shrinkage-theorem"],
    "the factor 1/(1 + 4B) attains it": ["cz-affine-optimal", "hdp-shrinkage-theorem"],
    "shrinking beats both B and 1/4": ["hdp-shrinkage-theorem"],
    "by at most a factor of 2": ["hdp-shrinkage-theorem"],
}


@pytest.mark.parametrize("claim", settling(CLAIMS, SETTLES))
def test_no_counterexample(claim):
    """The negation of the claim is unsatisfiable in the reals."""
    assert search(*CLAIMS[claim]) == z3.unsat
