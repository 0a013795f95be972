"""ADPM: the clipping level, weights, error, effective budgets, Theorem 1 and the algorithm itself."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from hypothesis import given

from hdp import ADPM, adpm, affine
from hdp.proof import assert_monte_carlo
from hdp.sym import symbols
from hdp.sym.heterogeneous_budgets import upper_bound as sym
from tests.oracles import (
    budgets,
    convex_weights,
    exact_level,
    exact_objective,
    exact_weights,
    inf,
    log_ratio,
    relative_error,
    thorough,
)

EXACT = 1e-14  # a few units in the last place of a handful of operations


def exact(epsilon, every_subset=False):
    """The weights in fractions, and the noise that a unit of each costs."""
    cost = [inf if e == 0 else 1 / Fraction(e) if e < inf else 0.0 for e in epsilon]
    return exact_weights([Fraction(1, 4)] * len(epsilon), cost, 2, every_subset), cost


def exact_error(epsilon):
    """The minimum of the objective, before the cap, in fractions."""
    used = [(x, s) for x, s in zip(*exact(epsilon), strict=True) if x]
    return sum(x * x for x, _ in used) / 4 + 2 * max(x * Fraction(s) for x, s in used) ** 2


@pytest.mark.settles("cz-appendix-a", "hdp-general-level")
@thorough
@given(budgets())
def test_weights_agree_with_exact_fractions(epsilon):
    """Algorithm 1, step 1: the minimiser, found by trying every set of clipped users."""
    assert relative_error(ADPM(epsilon).weights, exact(epsilon, every_subset=True)[0]) < EXACT


@pytest.mark.settles("hdp-general-level")
@thorough
@given(budgets())
def test_clipping_level_agrees_with_exact_fractions(epsilon):
    """The level solves sum eps (tau - eps)_+ = 8 exactly, and is inf when every usable value is public."""
    level = exact_level(epsilon)
    if level is None:
        assert ADPM(epsilon).level == inf
        return
    assert sum(Fraction(e) * max(level - Fraction(e), 0) for e in epsilon if e < inf) == 8
    assert relative_error([ADPM(epsilon).level], [level]) < EXACT


@pytest.mark.settles("cc-theorem-1", "hdp-effective-budget", "hdp-general-level")
@thorough
@given(budgets(max_size=20))
def test_every_user_loses_exactly_her_effective_budget(epsilon):
    """Privacy: the loss of the release is min(eps, tau), so never above the budget."""
    w = ADPM(epsilon).weights
    loss = affine.privacy_loss(w, affine.noise_scale(w, epsilon))
    assert (loss <= np.array(epsilon) * (1 + 4e-16)).all()
    made = ADPM(epsilon)
    np.testing.assert_allclose(loss, np.minimum(epsilon, made.level), rtol=EXACT)
    np.testing.assert_allclose(made.loss, 0 if made.constant else loss, rtol=EXACT)


@pytest.mark.settles("hdp-general-saturation")
@thorough
@given(budgets(max_size=20))
def test_budgets_above_the_level_change_nothing(epsilon):
    """The privacy that is free: clip all budgets at tau and get the same weights, level and error."""
    level = ADPM(epsilon).level
    effective = np.minimum(epsilon, level)
    np.testing.assert_array_equal(effective == level, np.array(epsilon) >= level)  # and nobody loses more
    raised = np.where(np.array(epsilon) > level * (1 + EXACT), inf, epsilon)
    for other in (effective, raised):
        for name in ("weights", "affine_mse", "level"):
            np.testing.assert_allclose(getattr(ADPM(other), name), getattr(ADPM(epsilon), name), rtol=EXACT)
        noise = [affine.noise_scale(ADPM(e).weights, e) for e in (other, epsilon)]
        assert noise[0] == pytest.approx(noise[1], rel=EXACT)


@pytest.mark.settles("hdp-one-formula", "hdp-general-level")
@thorough
@given(budgets(max_size=20))
def test_worst_case_error_agrees_with_exact_fractions(epsilon):
    """The minimum of the objective, capped at 1/4, equals tau / (4 sum min(eps, tau)); the branch follows it."""
    error = exact_error(epsilon)
    tau = exact_level(epsilon)
    if tau is not None:
        assert error == sym.one_formula(tau, [e if e == inf else Fraction(e) for e in epsilon])
    assert relative_error([ADPM(epsilon).mse()], [min(error, Fraction(1, 4))]) < EXACT
    if abs(error - Fraction(1, 4)) > EXACT:
        assert ADPM(epsilon).constant == (error > Fraction(1, 4))


@pytest.mark.settles("hdp-one-formula")
def test_the_formula_for_two_groups_is_theorem_1():
    """Below and above the saturation ratio, in fractions: the expressions in (5) and (7)."""
    for sizes, pair, stated in (((3, 5), (1, 2), sym.bound_a_in_budgets), ((30, 5), (1, 2), sym.bound_b_in_budgets)):
        each = np.repeat(pair, sizes).tolist()
        found = sym.one_formula(exact_level(each), [Fraction(e) for e in each])
        at = {symbols.n: sum(sizes), symbols.f: sp.Rational(sizes[0], sum(sizes))}
        at |= {symbols.epsilon_1: pair[0], symbols.epsilon_2: pair[1]}
        assert stated.subs(at) == sp.Rational(found) == sp.Rational(exact_error(each))


EXTREMES = [[1e-300, 1e300, 1.0, 0.0, inf, 1e-160, 1e160, 8.0], [1e-300, 2e-300, 1e-300], [1e300, 2e300, 1e300]]
EXTREMES += [[1e-300, inf], [1e-300, 1e300], [1e-300, 1e-150, 1.0, 1e150, 1e300], [1.7e308] * 3]
EXTREMES += [[5e-324, 5e-324], [5e-324, 1.0, inf], [1e-160, 1e-155, 1e300]]  # the last one's products underflow


@pytest.mark.parametrize("epsilon", EXTREMES, ids=str)
def test_extreme_budgets_are_right_and_silent(epsilon):
    """Weights, level, effective budgets and error against fractions; what is below 1e-300 may vanish."""
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        w = ADPM(epsilon).weights
        level = ADPM(epsilon).level
        effective = np.minimum(epsilon, level)
        error = ADPM(epsilon).mse()
        loss = affine.privacy_loss(w, affine.noise_scale(w, epsilon))
        ADPM(epsilon).estimate(np.full(len(epsilon), 0.5), 1)
    assert all(abs(found - e) <= EXACT * e + 10**-300 for found, e in zip(w, exact(epsilon)[0], strict=True))
    tau = exact_level(epsilon)
    assert level == inf if tau > Fraction(1.7976931348623157e308) else relative_error([level], [tau]) < EXACT
    enjoyed = [tau if e == inf else min(Fraction(e), tau) for e in epsilon]
    assert relative_error(effective, enjoyed) < EXACT
    assert relative_error([error], [min(exact_error(epsilon), Fraction(1, 4))]) < EXACT
    assert (loss <= np.array(epsilon) * (1 + 1e-15)).all()


def test_signed_zero_is_zero():
    """-0.0 compares equal to 0, so it must mean 0 wherever it is a budget or a fraction."""
    assert adpm.two_group_bound(-0.0, 0.1, 10, 0.5) == adpm.two_group_bound(0.0, 0.1, 10, 0.5)
    assert adpm.two_group_bound(1.0, 1.0, 10, -0.0) == adpm.two_group_bound(1.0, 1.0, 10, 0.0)
    assert adpm.saturation_ratio(1.0, 10, -0.0) == inf
    np.testing.assert_array_equal(ADPM([-0.0, 1.0]).weights, [0.0, 1.0])


GROUPS = (0.1, 1000, 700), (0.01, 5000, 50), (2.0, 10, 1), (30.0, 40, 40)


@pytest.mark.settles("cc-theorem-1", "cc-algorithm-1")
@pytest.mark.parametrize("off", [0.2, 0.9, 0.999, 1.0, 1.001, 1.1, inf])
def test_two_group_bound_is_the_error_of_the_whole_vector(off):
    """The cases touch smoothly at R, so only points close to it tell where the switch is."""
    for e1, n, n1 in GROUPS:
        e2 = max(e1, off * e1 * adpm.saturation_ratio(e1, n, n1 / n))
        error = ADPM(np.repeat([e1, e2], [n1, n - n1])).mse()
        assert adpm.two_group_bound(e1, e2, n, n1 / n) == pytest.approx(error, rel=EXACT, abs=0)


@pytest.mark.parametrize(
    "case",
    [
        ((0.0, 1.0, 100, 0.0), Fraction(1, 400) + Fraction(2, 100**2)),  # only group 2
        ((1.0, 5.0, 100, 1.0), Fraction(1, 400) + Fraction(2, 100**2)),  # only group 1
        ((inf, inf, 100, 0.5), Fraction(1, 400)),
        ((inf, inf, 100, 0.0), Fraction(1, 400)),
        ((0.0, 0.0, 100, 0.5), Fraction(1, 4)),
        ((0.0, 5.0, 100, 1.0), Fraction(1, 4)),
        ((1e-300, 1e300, 10, 0.5), Fraction(1, 20)),
        ((1e300, 1e300, 10, 0.5), Fraction(1, 40)),
        ((1e-200, 1e-160, 10, 0.5), Fraction(1, 4)),
    ],
    ids=str,
)
def test_limits_of_the_two_group_bound(case):
    """Where an empty group has no budget, everybody is public or unusable, or the number range ends."""
    arguments, expected = case
    with np.errstate(all="raise"):
        assert relative_error([adpm.two_group_bound(*arguments)], [expected]) < EXACT


def test_limits_of_the_saturation_ratio():
    """Documented values at the ends of every range, without a floating-point exception."""
    endless = (0, 10, 0.5), (1.0, 10, 0.0), (inf, 10, 0.0), (0, 1, 0.0), (1e-300, 1, 1), (1e-300, 1, 1e-300)
    with np.errstate(all="raise"):
        assert [adpm.saturation_ratio(*arguments) for arguments in endless] == [inf] * 6
        assert [adpm.saturation_ratio(*arguments) for arguments in ((inf, 10, 5e-324), (1e300, 1, 1))] == [1, 1]


USERS = np.array([0.3, 0.3, 0.5, 1.0, 1.0, 2.0, 4.0, inf, inf, 0.0])


@pytest.mark.settles("cc-algorithm-1")
def test_estimate_is_unbiased_with_the_predicted_variance():
    """Monte Carlo, 400 000 runs of Beta(2, 3) - 1/2; with the variance of a fair coin it is the worst case."""
    rng, w, mean = np.random.default_rng(42), ADPM(USERS).weights, -0.1
    estimates = ADPM(USERS).estimate(rng.beta(2, 3, (400_000, USERS.size)) - 0.5, rng)
    error = [affine.mean_squared_error(w, affine.noise_scale(w, USERS), v) for v in (0.04, 0.25)]
    assert_monte_carlo(estimates, mean)
    assert_monte_carlo((estimates - mean) ** 2, error[0])
    assert error[1] == pytest.approx(ADPM(USERS).mse(), rel=EXACT)


@pytest.mark.settles("cc-algorithm-1")
def test_return_zero_branch():
    """Where the affine error exceeds 1/4 the output is 0 for every data set, and the generator is not touched."""
    rng = np.random.default_rng(1)
    before = rng.bit_generator.state
    assert ADPM([0.1, 0.2]).constant
    assert ADPM([0.1, 0.2]).estimate([0.5, 0.5], rng) == 0.0
    np.testing.assert_array_equal(ADPM([0.1, 0.2]).estimate(np.full((2, 3, 2), 0.5), rng), np.zeros((2, 3)))
    assert rng.bit_generator.state == before
    with pytest.raises(ValueError, match="x must lie"):
        ADPM([0.1, 0.2]).estimate([0.5, 0.7], rng)


@pytest.mark.settles("cc-algorithm-1")
def test_an_error_of_exactly_a_quarter_is_not_too_much():
    """One public user: step 2 of Algorithm 1 asks for an error above 1/4, so her value is the answer."""
    assert not ADPM([inf]).constant
    assert ADPM([inf]).estimate([0.25], 1) == 0.25


AUDITED = np.array([1.0, 1.5, 3.0, 8.0, inf])


def audit(user, rng, runs=400_000):
    """Estimate one user's privacy loss from releases on two neighbouring data sets, with its standard error.

    The events s > t and s < -t with t at the outer answer attain the loss of the Laplace mechanism exactly.
    """
    high = np.zeros(AUDITED.size)
    high[user] = 0.5
    answer = ADPM(AUDITED).weights @ high
    one, other = (ADPM(AUDITED).estimate(np.broadcast_to(x, (runs, x.size)), rng) for x in (high, -high))
    above, below = log_ratio(one, other, lambda s: s > answer), log_ratio(other, one, lambda s: s < -answer)
    return (above[0] + below[0]) / 2, np.hypot(above[1], below[1]) / 2


@pytest.mark.settles("cc-algorithm-1", "hdp-effective-budget")
@pytest.mark.parametrize("user", range(AUDITED.size))
def test_audit_agrees_with_the_effective_budget(user, monkeypatch):
    """The loss measured is min(eps, tau), within 4 standard errors; that of noise ten per cent too small is not."""
    assert not ADPM(AUDITED).constant
    stated, right = ADPM(AUDITED).loss[user], affine.least_scale
    loss, error = audit(user, np.random.default_rng(user))
    assert abs(loss - stated) < 4 * error
    monkeypatch.setattr(affine, "least_scale", lambda *a: 0.9 * right(*a))
    loss, error = audit(user, np.random.default_rng(user))
    assert loss - stated > 4 * error


def test_a_level_that_equals_a_budget_is_found_among_many_users():
    """Where group 2 sits exactly on the level, rounding may fill the sample's bracket before the last budget."""
    for users in ((500_000, 202), (100_000, 7), (40_000, 40_000)):
        for strict in (1e-4, 6.324555320336759e-05, 0.003):
            level = strict + 8 / (users[0] * strict)
            assert ADPM(np.repeat([strict, level], users)).level == pytest.approx(level, rel=1e-12)


@pytest.mark.settles("hdp-performance-objective")
@pytest.mark.parametrize("n", [100, 1000])
@pytest.mark.parametrize("solver", ["CLARABEL", "OSQP", "SCS"])
def test_no_solver_at_its_default_tolerances_is_better(solver, n):
    """Objectives in exact fractions; `make bench` goes on to sizes at which some of them give up."""
    epsilon = np.exp(np.random.default_rng(n).uniform(-4, 2, n))
    problem = np.full(n, 0.25), 1 / epsilon, 2.0
    theirs = convex_weights(*problem, solver, tolerances={})
    assert exact_objective(theirs, *problem) / exact_objective(ADPM(epsilon).weights, *problem) - 1 > -1e-12
