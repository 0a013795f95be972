"""Given data: the worst data by trying all corners, the best weights by fractions and by a convex solver."""

from fractions import Fraction
from itertools import product

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hdp import ADPM, GivenData, affine
from hdp.proof import assert_monte_carlo
from hdp.sym.heterogeneous_budgets import best_linear as sym
from hdp.sym.symbols import epsilon_1, f, n
from tests.oracles import inf, thorough

BUDGETS = st.lists(st.sampled_from([0.0, 0.01, 0.1, 0.5, 1.0, 1.5, 3.0, 4.0, 10.0, inf]), min_size=1, max_size=7)
SOME = [[1.0], [0.1, 0.1], [1.0, 4.0, inf], [0.0, 2.0, inf], [0.3, 0.5, 2.0, 2.0, 9.0], [0.05] * 40 + [1.0] * 60]


def at_the_worst_corner(w, epsilon):
    """The error of weights, from its definition, at the worst of all data sets of ends of the interval."""
    size, scale = len(w), affine.noise_scale(w, epsilon)
    far = max(
        abs(sum((a - 1 / size) * end for a, end in zip(w, x, strict=True))) for x in product((-0.5, 0.5), repeat=size)
    )
    return far**2 + 2 * scale**2


def exact_error(cap, epsilon):
    """The error if w_i = min(1/n, t epsilon_i), in fractions."""
    size = len(epsilon)
    missing = sum(max(Fraction(1, size) - cap * Fraction(e), Fraction(0)) for e in epsilon if e < inf)
    return missing**2 / 4 + 2 * cap**2


@pytest.mark.settles("hdp-given-data", "hdp-given-level")
@thorough
@given(BUDGETS.filter(any))
def test_the_level_has_the_least_error_in_exact_fractions(epsilon):
    """Of all caps t = 1/(n tau): those at a budget, and those at which the parabola of a set of users is least."""
    size, finite = len(epsilon), sorted(Fraction(e) for e in epsilon if 0 < e < inf)
    zeros = epsilon.count(0.0)
    caps = [1 / (size * e) for e in finite]
    for k in range(1, len(finite) + 1):
        total = sum(finite[:k])
        caps.append((k + zeros) * total / (size * (8 + total**2)))
    wanted = min(exact_error(cap, epsilon) for cap in [*caps, Fraction(0)])
    assert GivenData(epsilon).given_mse == pytest.approx(float(wanted), rel=1e-13, abs=1e-300)
    tau = GivenData(epsilon).level
    assert float(exact_error(1 / (size * Fraction(tau)) if tau < inf else Fraction(0), epsilon)) == pytest.approx(
        float(wanted), rel=1e-13
    )


@pytest.mark.settles("hdp-given-data")
@pytest.mark.parametrize("epsilon", SOME[:-1], ids=str)
def test_the_error_is_that_at_the_worst_data(epsilon):
    found = at_the_worst_corner(GivenData(epsilon).weights, epsilon)
    assert GivenData(epsilon).given_mse == pytest.approx(found, rel=1e-13)


@pytest.mark.settles("hdp-given-data")
@pytest.mark.parametrize("epsilon", [e for e in SOME if 0.0 not in e], ids=str)
def test_no_other_weights_err_less(epsilon):
    """A convex solver, which may take any weights, also negative ones."""
    w, eps = cp.Variable(len(epsilon)), np.array(epsilon)
    private = np.flatnonzero(eps < inf)
    noise = cp.norm_inf(cp.multiply(w[private], 1 / eps[private])) if private.size else 0
    problem = cp.Problem(cp.Minimize(cp.square(cp.norm1(w - 1 / eps.size)) / 4 + 2 * cp.square(noise)))
    problem.solve(solver=cp.CLARABEL, tol_gap_rel=1e-10, tol_gap_abs=1e-12, tol_feas=1e-10)
    assert GivenData(epsilon).given_mse == pytest.approx(problem.value, rel=1e-6)
    assert GivenData(epsilon).weights == pytest.approx(w.value, abs=1e-4)


@pytest.mark.settles("hdp-given-level")
@thorough
@given(BUDGETS.filter(any))
def test_more_privacy_is_free_than_for_drawn_data(epsilon):
    """Both losses, user by user."""
    drawn, found = np.minimum(epsilon, ADPM(epsilon).level), GivenData(epsilon).loss
    assert np.all(found <= drawn * (1 + 1e-12))
    w, tau = GivenData(epsilon).weights, GivenData(epsilon).level
    loss = affine.privacy_loss(w, 1 / (len(epsilon) * tau))
    assert np.allclose(loss[np.isfinite(loss)], found[np.isfinite(loss)], rtol=1e-12)
    assert np.all(loss <= np.array(epsilon) * (1 + 1e-12))


@pytest.mark.settles("hdp-given-level", "hdp-given-data-gain")
@pytest.mark.parametrize(("strict", "budget", "size"), [(3, 0.5, 4), (50, 0.05, 200), (500, 0.01, 1000)])
def test_two_groups_have_closed_forms(strict, budget, size):
    epsilon = np.repeat([budget, inf], [strict, size - strict])
    at = {epsilon_1: Fraction(str(budget)), f: Fraction(strict, size), n: size}
    assert GivenData(epsilon).level == pytest.approx(float(sym.two_group_level.subs(at)), rel=1e-13)
    assert ADPM(epsilon).level == pytest.approx(float(sym.drawn_level.subs(at)), rel=1e-13)
    best = GivenData(epsilon).given_mse
    assert best == pytest.approx(float(sym.given_two_group_error.subs(at)), rel=1e-13)
    equal = 2 * affine.noise_scale(np.full(size, 1 / size), epsilon) ** 2  # all as protected as the strictest
    assert equal == pytest.approx(float(sym.uniform_error.subs(at)), rel=1e-13)
    assert equal / best == pytest.approx(float(sym.given_gain.subs(at)), rel=1e-12)


@pytest.mark.settles("hdp-given-data-gain")
@thorough
@given(st.integers(1, 4), st.sampled_from([0.01, 0.1, 1.0, 3.0]), BUDGETS)
@example(1, 1.0, [5.0])
def test_whatever_the_others_allow_weights_gain_no_more(strict, budget, others):
    """Than beside public users, and as much where nobody else is below the level of two groups."""
    above = [e for e in others if e > budget]
    epsilon = [budget] * strict + above
    equal = 2 * affine.noise_scale(np.full(len(epsilon), 1 / len(epsilon)), epsilon) ** 2
    found, most = equal / GivenData(epsilon).given_mse, 1 + 8 / (strict * budget) ** 2
    assert found <= most * (1 + 1e-12)
    if all(e >= budget + 8 / (strict**2 * budget) for e in above):
        assert found == pytest.approx(most, rel=1e-12)


def test_the_release_errs_as_stated():
    """At data with the strict users at one end, the others at the other."""
    epsilon = np.array(SOME[-1])
    x = np.where(epsilon < 1, 0.5, -0.5)
    runs = np.broadcast_to(x, (200_000, x.size))
    errors = (GivenData(epsilon).estimate(runs, 7) - x.mean()) ** 2
    assert_monte_carlo(errors, GivenData(epsilon).given_mse)


@pytest.mark.parametrize(
    "epsilon", [[1e-305, 1e13, 1e13], [7e-272, 1e50, 1e50], [1e308] * 10, [1e-8, 1e308, 1e308]], ids=str
)
def test_no_budget_is_passed_where_floats_end(epsilon):
    """In fractions: by a weight that lacks digits, or by a scale that would vanish."""
    made = GivenData(epsilon)
    for weight, budget in zip(made.weights.tolist(), epsilon, strict=True):
        assert Fraction(weight) <= Fraction(budget) * Fraction(made.scale) * (1 + Fraction(1, 2**48))
