"""z3 looks for a counterexample to the polynomial steps of the lower bound and must prove that there is none.

E = e^epsilon >= 1; p, q probabilities of one event; s = n f eps_1^2; shares f and 1-f.
"""

import pytest
import sympy as sp
import z3

from hdp.sym.heterogeneous_budgets import lower_bound as sym
from hdp.sym.symbols import epsilon_1
from tests.oracles import polynomials, search, settling

E, p, q, a, b, y, g, T = z3.Reals("E p q a b y g T")
f, s, n, r, R, x, c, lam, A, d = z3.Reals("f s n r R x c lambda A delta")
tau, small, theta = z3.Reals("tau small theta")

REALS = {"E": E, "p": p, "q": q, "f": f, "s": s, "n": n, "r": r, "R": R, "gamma": g, "T": T, "A": A, "delta": d}
E_SYMBOL, S_SYMBOL = sp.symbols("E s", positive=True)


def stated(expression):
    """Numerator and denominator of a statement of the page: e^epsilon becomes E, and n f eps_1^2 is s."""
    root = sp.sqrt(S_SYMBOL / (sym.n * sym.f))
    return polynomials(expression.subs({sym.budget: sp.log(E_SYMBOL), epsilon_1: root}), REALS)


def between(low, value, high):
    """low <= value <= high, for fractions low and high."""
    return [low[0] <= value * low[1], value * high[1] <= high[0]]


DIFFERENCE, UP_TO = stated(sym.eq_14 - sym.removed_condition), stated(sym.redundant_up_to)
FROM_BELOW, (FIRST, SECOND) = stated(sym.eq_14), map(stated, sym.eq_15)
SHARP, PRINTED = stated(sym.sharp_16), stated(sym.eq_16)
LE_CAM, LE_CAM_UNIT = stated(sym.sharp_28.subs(sym.total_variation, 1 - sp.Symbol("T")))  # T: the overlap
WEIGHT = 6 / (6 + 256 * sym.f)  # of (37) in (43)
COMBINED = stated(sym.n * (WEIGHT / (6 * sym.n) + (1 - WEIGHT) * sym.inside_42))
FORTY_THREE = stated(sym.n * sym.inside_43)
EXCESS = stated(4 * sym.n * (sym.L_2 + sym.L_3 - sym.U))[0]

PRIVATE = [E >= 1, p >= 0, p <= 1, q >= 0, q <= 1, p <= E * q, q <= E * p, 1 - p <= E * (1 - q), 1 - q <= E * (1 - p)]
LISTED = [E >= 1, p >= 0, p <= 1, q >= 0, q <= 1, *between(FROM_BELOW, p, FIRST), *between(FROM_BELOW, p, SECOND)]
EXCHANGED = [E * q <= E - 1 + p]  # the second branch of (15) in the other order
MASSES = [a >= 0, b >= 0, a + b > 0]
SHARES = [f > 0, f <= 1, n >= 1, s > 0]
RATIOS = [f > 0, f < 1, r >= 1, r <= R, R > 1]


def smaller(u, v):
    return z3.If(u < v, u, v)


CLAIMS = {
    "privacy implies (14) and (15)": [*PRIVATE, z3.Not(z3.And(*LISTED))],
    "both orders of (15) are privacy": [*LISTED, *EXCHANGED, z3.Not(z3.And(*PRIVATE))],
    "the paper's reason holds up to E/(E + 1)": [
        E > 1, q >= 0, q <= 1, (DIFFERENCE[0] >= 0) != (q * UP_TO[1] <= UP_TO[0]),
    ],
    "(16), sharp": [*PRIVATE, z3.Or((p - q) * SHARP[1] > SHARP[0], (q - p) * SHARP[1] > SHARP[0])],
    "(16), as printed": [*LISTED, z3.Or((p - q) * PRINTED[1] > PRINTED[0], (q - p) * PRINTED[1] > PRINTED[0])],
    "(28), sharp": [
        *MASSES, a <= b, g > 0, a == T, (a * (y - g) ** 2 + b * (y + g) ** 2) * LE_CAM_UNIT < 2 * LE_CAM,
    ],
    "the best delta": [A > 0, d >= 0, 27 * A**2 * d**2 * (1 - A * d) > 4],
    "the larger is above the combination": [a <= b, lam >= 0, lam <= 1, lam * a + (1 - lam) * b > b],
    "(43)": [*SHARES, COMBINED[0] * FORTY_THREE[1] < FORTY_THREE[0] * COMBINED[1]],
    "(43) is equality at f = 1": [*SHARES, f == 1, COMBINED[0] * FORTY_THREE[1] != FORTY_THREE[0] * COMBINED[1]],
    "(44)": [*SHARES, R * s == s + 8, (s + 8) * (f + R * (1 - f)) != R * (s + 8 * (1 - f))],
    "(46): capped parts add up": [a >= 0, b >= 0, c > 0, smaller(a, c) + smaller(b, c) < smaller(a + b, c)],
    "(47) to (49): U <= L_2 + L_3": [*RATIOS, EXCESS < 0],
    "40: the square of a sum": [a >= 0, b >= 0, x > 0, x * (a + b) ** 2 > x * (1 + x) * a**2 + (1 + x) * b**2],
    "40: the private users' share": [
        theta > 0, theta < 1, tau > 0, small >= 0, (1 - theta) * tau * small <= 8,
        (1 - theta) * tau * small**2 > 8 * small,
    ],
    "40: the factor": [theta > 0, theta**2 + 2 * theta == 1, 27 * (1 + theta) >= 160 * theta * (1 - theta)],
}  # fmt: skip


SETTLES = {  # the claims of the book that these settle, by their names here
    "privacy implies (14) and (15)": ["cc-lemma-2", "cc-eq-14"],
    "both orders of (15) are privacy": ["cc-eq-14", "cc-fourth-condition"],
    "(16), sharp": ["cc-eq-16"],
    "(16), as printed": ["cc-eq-16"],
    "the paper's reason holds up to E/(E + 1)": ["cc-fourth-condition"],
    "(28), sharp": ["cc-eq-28"],
    "the larger is above the combination": ["cc-combination"],
    "(43)": ["cc-eq-37"],
    "(43) is equality at f = 1": ["cc-eq-37"],
    "(44)": ["cc-eq-37"],
    "(46): capped parts add up": ["cc-eq-46"],
    "(47) to (49): U <= L_2 + L_3": ["cc-eq-46"],
}


@pytest.mark.parametrize("claim", settling(CLAIMS, SETTLES))
def test_no_counterexample(claim):
    """The negation of the claim is unsatisfiable in the reals."""
    assert search(*CLAIMS[claim]) == z3.unsat


MUTANTS = {
    "without the fourth condition it is not privacy": [*LISTED, z3.Not(z3.And(*PRIVATE))],
    "the paper's reason": [E >= 1, q >= 0, q <= 1, q < E * (1 - E + E * q)],
    "(16) one per cent lower": [*PRIVATE, 100 * (p - q) * (E + 1) > 99 * (E - 1)],
    "(28) one per cent higher": [*MASSES, a <= b, g > 0, 100 * (a * (y - g) ** 2 + b * (y + g) ** 2) < 202 * g**2 * a],
    "the best delta one per cent worse": [A > 1, d > 0, d <= 1, 27 * A**2 * d**2 * (1 - A * d) * 100 > 4 * 99],
    "a convex combination of capped bounds": [
        a >= 0, b >= 0, c > 0, lam >= 0, lam <= 1,
        lam * smaller(a, c) + (1 - lam) * smaller(b, c) < smaller(lam * a + (1 - lam) * b, c),
    ],
    "261 instead of 262": [*SHARES, 261 * ((s + 8 * (1 - f)) + 8 * f) < (6 + 256 * f) * (s + 8)],
    "U <= L_2 + L_3 beyond R": [f > 0, f < 1, R > 1, r > R, EXCESS < 0],
    "39 instead of 40": [theta > 0, theta**2 + 2 * theta == 1, 27 * (1 + theta) >= 4 * 39 * theta * (1 - theta)],
}  # fmt: skip


@pytest.mark.parametrize("negation", MUTANTS.values(), ids=MUTANTS)
def test_a_slightly_false_claim_has_a_counterexample(negation):
    """The search has teeth: it finds the values that refute the neighbouring claim."""
    assert search(*negation) == z3.sat
