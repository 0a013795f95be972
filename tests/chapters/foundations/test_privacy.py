"""What a release reveals on average, and arbitrary personalised privacy, which collapses to twice the strictest budget.

The second is a linear programme over all mechanisms.
"""

from itertools import permutations

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad
from scipy.optimize import linprog

from hdp.noise import Laplace
from hdp.sym.foundations import one_lemma as sym

RECORDS = [(value, budget) for value in (0, 1) for budget in (0.3, 1.0, 4.0)]  # (value, budget): one user's record


def separates(records, factor, exponent=min):
    """Whether P{M(a) in S} > factor * P{M(b) in S} for some mechanism M, of the two most generous records a, b.

    An event S is a binary output, so a mechanism is one probability for each record; `exponent(e, e')` is what
    the definition allows between two records.  By the largest difference of both sides, which is 0 or clearly above.
    """
    rows = []
    for i, j in permutations(range(len(records)), 2):
        allowed = np.exp(exponent(records[i][1], records[j][1]))
        row = np.zeros(len(records))
        row[i], row[j] = 1, -allowed
        rows += [(row, 0.0), (-row, allowed - 1)]  # for S, and for its complement
    goal = np.zeros(len(records))
    generous = [i for i, (_, budget) in enumerate(records) if budget == max(b for _, b in records)]
    goal[generous[0]], goal[generous[1]] = -1, factor
    solution = linprog(goal, A_ub=[r for r, _ in rows], b_ub=[b for _, b in rows], bounds=(0, 1))
    assert solution.status == 0 and (abs(solution.fun) < 1e-12 or -solution.fun > 1e-4)
    return -solution.fun > 1e-4


@pytest.mark.settles("cz-collapse", "cz-remark-1")
@pytest.mark.parametrize("strictest", [0.05, 0.3, 1.0])
def test_the_collapse_is_not_specific_to_means(strictest):
    """Records that are no numbers: the path exists for every mechanism, so no event separates them better."""
    records = [(word, budget) for word in ("red", "green", "blue") for budget in (strictest, 2 * strictest, 3.0)]
    most = np.exp(sym.collapse * strictest)
    assert separates(records, 0.99 * most) and not separates(records, most)


@pytest.mark.settles("cz-collapse")
@pytest.mark.parametrize("a", [sp.Rational(101, 100), sp.Rational(3, 2), sp.Integer(5)])
def test_the_chain_of_records_is_private_and_attains_the_collapse(a):
    """Both outputs and every ordered pair: a between a generous record and a strict one, a^2 for the generous pair."""
    low, strict, high = (p.subs(sym.a, a) for p in sym.chain)
    assert 0 < low < strict < high < 1 and high / low == a**sym.collapse
    for first, second in permutations((low, strict, high), 2):
        allowed = a if strict in (first, second) else a**sym.collapse
        for p, q in ((first, second), (1 - first, 1 - second)):
            assert p <= allowed * q


@pytest.mark.settles("cz-definition-3")
def test_without_a_strict_record_nothing_collapses():
    """With one budget for all, the definition is the usual one: e^4, not e^8."""
    records = [(0, 4.0), (1, 4.0)]
    assert separates(records, 0.99 * np.exp(4.0)) and not separates(records, np.exp(4.0))


def test_the_one_sided_reading_does_not_collapse():
    """With the budget of the first record alone as exponent, a ratio beyond e^0.6 is possible."""
    assert separates(RECORDS, np.exp(3 * 0.3), lambda e, _: e)


@pytest.mark.settles("hdp-loss-mean")
@pytest.mark.parametrize("scale", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("shift", [0.01, 1.0, 7.0])
def test_mean_loss_is_the_divergence(scale, shift):
    """Numerical integration of loss times density, against d - 1 + e^-d with d = shift/scale."""
    noise = Laplace(scale)
    pieces = [(-60 * scale, 0), (0, shift), (shift, shift + 60 * scale)]
    # the other answer lies `shift` above, so the loss is largest below 0
    mean = sum(quad(lambda y: noise.density(y) * noise.privacy_loss(y, shift), *p, epsabs=0)[0] for p in pieces)
    assert mean == pytest.approx(float(sym.mean_loss.subs(sym.d, sp.Rational(shift / scale)).evalf(30)), rel=1e-9)


@pytest.mark.settles("hdp-loss-mean")
def test_the_full_loss_has_probability_one_half():
    """Outputs on the far side of the true answer all reveal the same."""
    outputs = np.linspace(-50, 0, 11)
    assert np.allclose(Laplace(0.5).privacy_loss(outputs, 2.0), 4.0, rtol=1e-13)
    assert (Laplace(0.5).privacy_loss(np.linspace(1e-3, 50, 11), 2.0) < 4.0).all()  # nowhere else
    assert quad(Laplace(0.5).density, -40, 0)[0] == pytest.approx(float(sym.full_loss_probability), rel=1e-12)


# -- What the figures draw, by the library.


def density(s, w, eta, x):
    return Laplace(eta).density(s - w * x)


REFERENCES = {
    "laplace-densities": {
        "density if she holds x": density,
        "density if she holds x′": lambda s, w, eta, x_prime: density(s, w, eta, x_prime),
        "most that privacy allows": lambda s, w, eta, x_prime: np.exp(w / eta) * density(s, w, eta, x_prime),
        "guaranteed loss": lambda w, eta: Laplace(eta).privacy_loss(-9.0, w),
    },
    "laplace-privacy-loss": {
        "log of the ratio": lambda s, w, eta, x, x_prime: np.log(density(s, w, eta, x) / density(s, w, eta, x_prime)),
        "upper limit": lambda w, eta: w / eta,
        "lower limit": lambda w, eta: -w / eta,
        "largest loss": lambda w, eta, x, x_prime: np.abs(
            Laplace(eta).privacy_loss([-9.0, 9.0], w * (x_prime - x))
        ).max(),
    },
}
