"""z3 looks for a counterexample to the claims of the upper-bound chapter and must prove that there is none.

Written from the definitions: two groups with shares f and 1-f, omega = n w, the error in units of 1/(4n).
The noise of scale max(w_1/eps_1, w_2/eps_2) then costs k max(omega_1, omega_2/r)^2, with k = 8/(n eps_1^2).
"""

import pytest
import z3

f, k, r, R, q, w1, w2, m, lam, B = z3.Reals("f k r R q w1 w2 m lambda B")

GROUPS = [f > 0, f < 1, k > 0, r >= 1]
R_IS = f * R == f + k  # eq. (4): R = 1 + 8/(eps_1^2 n f)
CASE_A, CASE_B = f * (r - 1) <= k, f * (r - 1) >= k  # r <= R, r >= R, without R
FEASIBLE = [w1 >= 0, w2 >= 0, f * w1 + (1 - f) * w2 == 1, m >= w1, r * m >= w2]
ERROR = f * w1**2 + (1 - f) * w2**2 + k * m**2
SUM_A, SUM_B = f + (1 - f) * r, f * f + (1 - f) * (f + k)  # omega is (1, r)/SUM_A, (f, f + k)/SUM_B
LEAST_A, LEAST_B = f + (1 - f) * r**2 + k, f + k  # minimum of the error, times SUM_A^2, times SUM_B
AT_A = [w1 * SUM_A == 1, w2 * SUM_A == r, m == w1]
AT_B = [w1 * SUM_B == f, w2 * SUM_B == f + k, m == w1]


def search(*claims):
    """Ask z3 for values that satisfy all claims; the answer unknown fails."""
    solver = z3.Tactic("qfnra-nlsat").solver()
    solver.set("timeout", 30_000)
    solver.add(*claims)
    answer = solver.check()
    assert answer != z3.unknown, f"z3 gave up: {solver.reason_unknown()}"
    return answer


def error_of_case_a(ratio):
    """Numerator and root of the denominator of eq. (6), times 4n."""
    return f * R + (1 - f) * ratio**2, f + (1 - f) * ratio


STATIONARY = (1 - lam) * (1 - f) * k * r - lam * f * k == f * (1 - f) * (r - 1) * r
SIX, ROOT = error_of_case_a(r)
SIX_Q, ROOT_Q = error_of_case_a(q)
SLOPE = 2 * (1 - f) * r * ROOT - SIX * 2 * (1 - f)  # derivative of SIX/ROOT^2, times ROOT^3

CLAIMS = {
    "lambda lies in [0, 1] when r <= R": [*GROUPS, CASE_A, STATIONARY, z3.Or(lam < 0, lam > 1)],
    "no feasible weights beat case A": [*GROUPS, CASE_A, *FEASIBLE, ERROR * SUM_A**2 < LEAST_A],
    "no feasible weights beat case B": [*GROUPS, CASE_B, *FEASIBLE, ERROR * SUM_B < LEAST_B],
    "only Table I attains case A": [*GROUPS, CASE_A, *FEASIBLE, ERROR * SUM_A**2 <= LEAST_A, w1 * SUM_A != 1],
    "only Table I attains case B": [*GROUPS, CASE_B, *FEASIBLE, ERROR * SUM_B <= LEAST_B, w1 * SUM_B != f],
    "Table I attains case A": [*GROUPS, CASE_A, *AT_A, z3.Not(z3.And(*FEASIBLE, ERROR * SUM_A**2 == LEAST_A))],
    "Table I attains case B": [*GROUPS, CASE_B, *AT_B, z3.Not(z3.And(*FEASIBLE, ERROR * SUM_B == LEAST_B))],
    "the cases meet at r = R": [*GROUPS, CASE_A, CASE_B, LEAST_A * SUM_B != LEAST_B * SUM_A**2],
    "case B is eq. (7)": [*GROUPS, R_IS, LEAST_B * (f + (1 - f) * R) != R * SUM_B],
    "case A is eq. (6)": [*GROUPS, R_IS, LEAST_A != SIX],
    "eq. (6) has the slope of r - R": [*GROUPS, R > 1, z3.Or(SLOPE * (r - R) < 0, (SLOPE == 0) != (r == R))],
    "eq. (6) falls up to R": [*GROUPS, r < q, q <= R, SIX_Q * ROOT**2 >= SIX * ROOT_Q**2],
    "eq. (6) rises from R": [*GROUPS, R > 1, R <= r, r < q, SIX_Q * ROOT**2 <= SIX * ROOT_Q**2],
    "group 2 alone never sets the noise": [
        *GROUPS, *FEASIBLE, w2 >= r * w1, f * (1 - f) * (w1 - w2) * r**2 == f * k * w2,
    ],
    "shrinking beats both B and 1/4": [B > 0, z3.Or(B >= B * (1 + 4 * B), 4 * B >= 1 + 4 * B)],
    "no factor shrinks better": [B > 0, ((1 - q) ** 2 + 4 * q**2 * B) * (1 + 4 * B) < 4 * B],
}  # fmt: skip


@pytest.mark.parametrize("negation", CLAIMS.values(), ids=CLAIMS)
def test_no_counterexample(negation):
    """The negation of the claim is unsatisfiable in the reals."""
    assert search(*negation) == z3.unsat


MUTANTS = {
    "case A past R": [*GROUPS, 101 * k >= 100 * f * (r - 1), *FEASIBLE, ERROR * SUM_A**2 < LEAST_A],
    "case B before R": [*GROUPS, 99 * k <= 100 * f * (r - 1), *AT_B, z3.Not(z3.And(*FEASIBLE))],
    "minimum of A one per mille higher": [*GROUPS, CASE_A, *FEASIBLE, 1000 * ERROR * SUM_A**2 < 1001 * LEAST_A],
    "minimum of B one per mille higher": [*GROUPS, CASE_B, *FEASIBLE, 1000 * ERROR * SUM_B < 1001 * LEAST_B],
    "lambda beyond R": [*GROUPS, 101 * k >= 100 * f * (r - 1), STATIONARY, z3.Or(lam < 0, lam > 1)],
}


@pytest.mark.parametrize("negation", MUTANTS.values(), ids=MUTANTS)
def test_a_slightly_false_claim_has_a_counterexample(negation):
    """The search has teeth: one per cent off, and z3 finds the values that refute the claim."""
    assert search(*negation) == z3.sat
