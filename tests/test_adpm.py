"""ADPM: the clipping level, weights, error, effective budgets, Theorem 1 and the algorithm itself."""

import math
import warnings
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from hdp import adpm, affine
from hdp.clipping import optimal_weights
from hdp.proof import assert_monte_carlo
from hdp.sym import symbols
from hdp.sym.heterogeneous_budgets import upper_bound as sym
from tests.oracles import (
    budgets,
    convex_weights,
    exact_level,
    exact_mse,
    exact_objective,
    exact_weights,
    inf,
    kkt_residual,
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


# Weights and level


@pytest.mark.settles("cz-appendix-a", "hdp-general-level")
@thorough
@given(budgets())
def test_weights_agree_with_exact_fractions(epsilon):
    """Algorithm 1, step 1: the minimiser, found by trying every set of clipped users."""
    assert relative_error(adpm.weights(epsilon), exact(epsilon, every_subset=True)[0]) < EXACT


@pytest.mark.settles("hdp-general-level")
@thorough
@given(budgets())
def test_clipping_level_agrees_with_exact_fractions(epsilon):
    """The level solves sum eps (tau - eps)_+ = 8 exactly, and is inf when every usable value is public."""
    level = exact_level(epsilon)
    if level is None:
        assert adpm.clipping_level(epsilon) == inf
        return
    assert sum(Fraction(e) * max(level - Fraction(e), 0) for e in epsilon if e < inf) == 8
    assert relative_error([adpm.clipping_level(epsilon)], [level]) < EXACT


@pytest.mark.settles("hdp-general-complexity")
def test_a_million_budgets_keep_the_residual_below_1e_12():
    """Rounding must not add up, even where every pivot of a sample by stride is an outlier among equals."""
    rng = np.random.default_rng(3)
    n = 10**6
    vectors = [rng.random(n), 10 ** rng.uniform(-6, 2, n), np.where(rng.random(n) < 0.5, 1e-6, 1e3)]
    for most, sampled in ((1e-6, 1e3), (1e-7, 1e3), (2.3e-6, 1e-9), (0.1, inf)):
        vectors.append(np.full(n, most))
        vectors[-1][:: n // 64] = sampled
        vectors[-1][1] = 1e3
    for problem in ((0.25, 1 / eps, 2.0) for eps in vectors):
        assert kkt_residual(optimal_weights(*problem), *problem) < 1e-12
    assert max(kkt_residual(adpm.weights(eps), 0.25, 1 / eps, 2.0) for eps in vectors) < 1e-12


# Properties


@thorough
@given(budgets(max_size=30))
def test_weights_lie_on_the_simplex_and_are_the_lemma(epsilon):
    """Nonnegative, sum to 1, sorted as the budgets; Algorithm 1 is the one lemma with v = 1/4, s = 1/eps, kappa = 2."""
    w = adpm.weights(epsilon)
    assert (w >= 0).all() and abs(math.fsum(w) - 1) < 1e-14
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(w, optimal_weights(0.25, 1 / np.array(epsilon), 2), rtol=EXACT)
    assert (np.diff(adpm.weights(np.sort(epsilon))) >= 0).all()


@thorough
@given(budgets(max_size=20), st.data())
def test_raising_a_budget_never_lowers_the_weight_nor_raises_the_error(epsilon, data):
    """One user becomes more generous: her weight, the effective budget she concedes, and everybody's error."""
    i = data.draw(st.integers(0, len(epsilon) - 1))
    raised = list(epsilon)
    # Of a subnormal number only the first digits are kept, and so of what is divided by it.
    raised[i] = data.draw(st.floats(epsilon[i], 1e7, allow_subnormal=False) if epsilon[i] <= 1e7 else st.just(inf))
    slack = 1 + EXACT
    assert adpm.weights(raised)[i] * slack >= adpm.weights(epsilon)[i]
    assert adpm.effective_epsilon(raised)[i] * slack >= adpm.effective_epsilon(epsilon)[i]
    assert adpm.worst_case_mse(raised) <= adpm.worst_case_mse(epsilon) * slack


@pytest.mark.settles("cc-theorem-1", "hdp-effective-budget", "hdp-general-level")
@thorough
@given(budgets(max_size=20))
def test_every_user_loses_exactly_her_effective_budget(epsilon):
    """Privacy: the loss of the release is min(eps, tau), so never above the budget."""
    w = adpm.weights(epsilon)
    loss = affine.privacy_loss(w, affine.noise_scale(w, epsilon))
    assert (loss <= np.array(epsilon) * (1 + 4e-16)).all()
    np.testing.assert_allclose(loss, adpm.effective_epsilon(epsilon), rtol=EXACT)


@pytest.mark.settles("hdp-general-saturation")
@thorough
@given(budgets(max_size=20))
def test_budgets_above_the_level_change_nothing(epsilon):
    """The privacy that is free: clip all budgets at tau and get the same weights, level and error."""
    effective = adpm.effective_epsilon(epsilon)
    np.testing.assert_allclose(adpm.weights(effective), adpm.weights(epsilon), rtol=EXACT)
    np.testing.assert_allclose(adpm.worst_case_mse(effective), adpm.worst_case_mse(epsilon), rtol=EXACT)
    level = adpm.clipping_level(epsilon)
    if level < inf:
        np.testing.assert_array_equal(effective == level, np.array(epsilon) >= level)  # and nobody loses more
        raised = np.where(np.array(epsilon) > level * (1 + EXACT), inf, epsilon)
        for other in (effective, raised):
            noise = [affine.noise_scale(adpm.weights(e), e) for e in (other, epsilon)]
            assert noise[0] == pytest.approx(noise[1], rel=EXACT)
            assert adpm.clipping_level(other) == pytest.approx(level, rel=EXACT)
        np.testing.assert_allclose(adpm.weights(raised), adpm.weights(epsilon), rtol=EXACT)


@pytest.mark.settles("hdp-one-formula", "hdp-general-level")
@thorough
@given(budgets(max_size=20))
def test_worst_case_error_agrees_with_exact_fractions(epsilon):
    """The minimum of the objective, capped at 1/4, equals tau / (4 sum min(eps, tau)); the branch follows it."""
    error = exact_error(epsilon)
    tau = exact_level(epsilon)
    if tau is not None:
        assert error == sym.one_formula(tau, [e if e == inf else Fraction(e) for e in epsilon])
    assert relative_error([adpm.worst_case_mse(epsilon)], [min(error, Fraction(1, 4))]) < EXACT
    if abs(error - Fraction(1, 4)) > EXACT:
        assert adpm.answers_zero(epsilon) == (error > Fraction(1, 4))


@pytest.mark.settles("hdp-one-formula")
def test_the_formula_for_two_groups_is_theorem_1():
    """Below and above the saturation ratio, in fractions: the expressions in (5) and (7)."""
    for sizes, pair, stated in (((3, 5), (1, 2), sym.bound_a_in_budgets), ((30, 5), (1, 2), sym.bound_b_in_budgets)):
        each = np.repeat(pair, sizes).tolist()
        found = sym.one_formula(exact_level(each), [Fraction(e) for e in each])
        at = {symbols.n: sum(sizes), symbols.f: sp.Rational(sizes[0], sum(sizes))}
        at |= {symbols.epsilon_1: pair[0], symbols.epsilon_2: pair[1]}
        assert stated.subs(at) == sp.Rational(found) == sp.Rational(exact_error(each))


def test_the_formula_is_the_error_before_the_cap():
    """One user with budget 1: it says 9/4, and the answer 0 errs 1/4; all public have no level."""
    assert sym.one_formula(exact_level([1.0]), [Fraction(1)]) == Fraction(9, 4)
    assert adpm.worst_case_mse([1.0]) == 0.25
    assert exact_level([inf, inf]) is None and adpm.worst_case_mse([inf, inf]) == 0.125


# Extremes: silent under errstate and right

EXTREMES = [[1e-300, 1e300, 1.0, 0.0, inf, 1e-160, 1e160, 8.0], [1e-300, 2e-300, 1e-300], [1e300, 2e300, 1e300]]
EXTREMES += [[1e-300, inf], [1e-300, 1e300], [1e-300, 1e-150, 1.0, 1e150, 1e300], [1.7e308] * 3]
EXTREMES += [[5e-324, 5e-324], [5e-324, 1.0, inf], [1e-160, 1e-155, 1e300]]  # the last one's products underflow


@pytest.mark.parametrize("epsilon", EXTREMES, ids=str)
def test_extreme_budgets_are_right_and_silent(epsilon):
    """Weights, level, effective budgets and error against fractions; what is below 1e-300 may vanish."""
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        w = adpm.weights(epsilon)
        level = adpm.clipping_level(epsilon)
        effective = adpm.effective_epsilon(epsilon)
        error = adpm.worst_case_mse(epsilon)
        loss = affine.privacy_loss(w, affine.noise_scale(w, epsilon))
        adpm.estimate(np.full(len(epsilon), 0.5), epsilon, 1)
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
    np.testing.assert_array_equal(adpm.weights([-0.0, 1.0]), [0.0, 1.0])


def test_public_groups_saturate_at_once():
    """At a ratio of 1, however few are in the stricter group, if anybody is."""
    for f, ratio in ((0.5, 1.0), (5e-324, 1.0), (0.0, inf)):
        assert adpm.saturation_ratio(inf, 80_000, f) == ratio
        assert adpm.two_group_bound(inf, inf, 80_000, f) == pytest.approx(1 / 320_000, rel=1e-14)


# Theorem 1, two groups

SIZES = (1, 1), (1, 0), (40, 40), (40, 0), (10, 1), (10, 9), (1000, 700), (5000, 2500)
GRID = product((0.01, 0.1, 1.0, 30.0), (1.0, 1.5, 20.0, 1e4, inf), SIZES)
GRID = [(e1, ratio * e1, n, n1) for e1, ratio, (n, n1) in GRID]


@pytest.mark.settles("cc-theorem-1", "cc-algorithm-1")
def test_two_group_bound_is_the_error_of_the_whole_vector():
    """Both cases of Theorem 1 and the cap, for whole n f; every kind occurs in the grid."""
    kinds = set()
    for e1, e2, n, n1 in GRID:
        bound = adpm.two_group_bound(e1, e2, n, n1 / n)
        assert bound == pytest.approx(adpm.worst_case_mse(np.repeat([e1, e2], [n1, n - n1])), rel=EXACT, abs=0)
        kinds.add("cap" if bound == 0.25 else "A" if e2 <= e1 * adpm.saturation_ratio(e1, n, n1 / n) else "B")
    assert kinds == {"A", "B", "cap"}


@pytest.mark.parametrize(
    "case",
    [
        ((0.0, 1.0, 100, 0.0), Fraction(1, 400) + Fraction(2, 100**2)),  # only group 2
        ((1.0, 5.0, 100, 1.0), Fraction(1, 400) + Fraction(2, 100**2)),  # only group 1
        ((inf, inf, 100, 0.5), Fraction(1, 400)),
        ((inf, inf, 100, 0.0), Fraction(1, 400)),
        ((0.0, 0.0, 100, 0.5), Fraction(1, 4)),
        ((0.0, 5.0, 100, 1.0), Fraction(1, 4)),
        ((0.1, 0.1, 10, 0.5), Fraction(1, 4)),
        ((1e-300, 1e300, 10, 0.5), Fraction(1, 20)),
        ((1e-300, 1e-300, 10, 0.5), Fraction(1, 4)),
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


@pytest.mark.parametrize(
    "point",
    list(product([(0.1, 1000, 700), (0.01, 5000, 50), (2.0, 10, 1)], [0.9, 0.999, 0.99999, 1.0, 1.00001, 1.001, 1.1])),
    ids=str,
)
def test_two_group_bound_switches_exactly_at_the_saturation_point(point):
    """The cases touch smoothly at R, so only points close to it tell where the switch is."""
    (e1, n, n1), off = point
    e2 = off * e1 * adpm.saturation_ratio(e1, n, n1 / n)
    error = exact_mse([e1] * n1 + [e2] * (n - n1))
    assert error < Fraction(1, 4)
    assert relative_error([adpm.two_group_bound(e1, e2, n, n1 / n)], [error]) < EXACT


def test_limits_of_the_saturation_ratio():
    """Documented values at the ends of every range, without a floating-point exception."""
    endless = (0, 10, 0.5), (1.0, 10, 0.0), (inf, 10, 0.0), (0, 1, 0.0), (1e-300, 1, 1), (1e-300, 1, 1e-300)
    with np.errstate(all="raise"):
        assert [adpm.saturation_ratio(*arguments) for arguments in endless] == [inf] * 6
        assert [adpm.saturation_ratio(*arguments) for arguments in ((inf, 10, 0.5), (1e300, 1, 1))] == [1, 1]


@pytest.mark.settles("cc-lemma-3", "cc-eq-24")
@pytest.mark.parametrize("point", list(product([0.01, 0.5, 4.0], [(700, 300), (1, 9), (50_000, 10)])), ids=str)
def test_two_groups_are_clipped_at_the_saturation_point(point):
    """tau = eps_1 R whenever group 2 is clipped (eqs. 4 and 24)."""
    e1, (n1, n2) = point
    saturation = e1 * adpm.saturation_ratio(e1, n1 + n2, n1 / (n1 + n2))
    for e2 in (saturation, 2 * saturation, inf):
        level = adpm.clipping_level(np.repeat([e1, e2], [n1, n2]))
        assert level == pytest.approx(saturation, rel=1e-13, abs=0)
    assert adpm.clipping_level(np.repeat([e1, 0.999 * saturation], [n1, n2])) < saturation


# The algorithm

USERS = np.array([0.3, 0.3, 0.5, 1.0, 1.0, 2.0, 4.0, inf, inf, 0.0])


@pytest.mark.settles("cc-algorithm-1")
@pytest.mark.parametrize(
    "draw, mean, variance",
    [
        (lambda rng, shape: rng.integers(0, 2, shape) - 0.5, 0.0, 0.25),
        (lambda rng, shape: rng.uniform(-0.5, 0.5, shape), 0.0, 1 / 12),
        (lambda rng, shape: rng.beta(2, 3, shape) - 0.5, -0.1, 0.04),
    ],
    ids=["fair coin", "uniform", "Beta(2,3) - 1/2"],
)
def test_estimate_is_unbiased_with_the_predicted_variance(draw, mean, variance):
    """Monte Carlo, 400 000 runs, within 4 standard errors; the fair coin attains the worst case."""
    rng = np.random.default_rng(42)
    estimates = adpm.estimate(draw(rng, (400_000, USERS.size)), USERS, rng)
    w = adpm.weights(USERS)
    predicted = affine.mean_squared_error(w, affine.noise_scale(w, USERS), variance)
    assert_monte_carlo(estimates, mean)
    assert_monte_carlo((estimates - mean) ** 2, predicted)
    if variance == 0.25:
        assert predicted == pytest.approx(adpm.worst_case_mse(USERS), rel=EXACT)


@pytest.mark.settles("cc-algorithm-1")
def test_return_zero_branch():
    """Where the affine error exceeds 1/4 the output is 0 for every data set, and the generator is not touched."""
    rng = np.random.default_rng(1)
    before = rng.bit_generator.state
    assert adpm.answers_zero([0.1, 0.2])
    assert adpm.estimate([0.5, 0.5], [0.1, 0.2], rng) == 0.0
    np.testing.assert_array_equal(adpm.estimate(np.full((2, 3, 2), 0.5), [0.1, 0.2], rng), np.zeros((2, 3)))
    assert rng.bit_generator.state == before
    with pytest.raises(ValueError, match="x must lie"):
        adpm.estimate([0.5, 0.7], [0.1, 0.2], rng)


@pytest.mark.settles("cc-algorithm-1")
def test_an_error_of_exactly_a_quarter_is_not_too_much():
    """One public user: step 2 of Algorithm 1 asks for an error above 1/4, so her value is the answer."""
    assert not adpm.answers_zero([inf])
    assert adpm.estimate([0.25], [inf], 1) == 0.25


@pytest.mark.settles("cc-algorithm-1")
def test_the_branch_switches_where_the_error_crosses_a_quarter():
    """n equal users: 1/(4n) + 2/(n eps)^2 = 1/4 at eps^2 = 8/(n(n-1)); what is said, and what is answered."""
    for n in (2, 10, 100):
        switch = math.sqrt(8 / (n * (n - 1)))
        for budget, zero in ((switch * 0.999999, True), (switch * 1.000001, False)):
            assert adpm.answers_zero([budget] * n) == zero == (adpm.estimate([0.5] * n, [budget] * n, 1) == 0)


# An empirical audit of privacy

AUDITED = np.array([1.0, 1.5, 3.0, 8.0, inf])


def audit(user, rng, runs=400_000):
    """Estimate one user's privacy loss from releases on two neighbouring data sets, with its standard error.

    The events s > t and s < -t with t at the outer answer attain the loss of the Laplace mechanism exactly.
    """
    high = np.zeros(AUDITED.size)
    high[user] = 0.5
    answer = adpm.weights(AUDITED) @ high
    one, other = (adpm.estimate(np.broadcast_to(x, (runs, x.size)), AUDITED, rng) for x in (high, -high))
    above, below = log_ratio(one, other, lambda s: s > answer), log_ratio(other, one, lambda s: s < -answer)
    return (above[0] + below[0]) / 2, np.hypot(above[1], below[1]) / 2


@pytest.mark.settles("cc-algorithm-1", "hdp-effective-budget")
@pytest.mark.parametrize("user", range(AUDITED.size))
def test_audit_agrees_with_the_effective_budget(user, monkeypatch):
    """The loss measured is min(eps, tau), within 4 standard errors; that of noise ten per cent too small is not."""
    assert not adpm.answers_zero(AUDITED)
    stated, right = adpm.effective_epsilon(AUDITED)[user], affine.least_scale
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
            assert adpm.clipping_level(np.repeat([strict, level], users)) == pytest.approx(level, rel=1e-12)


@pytest.mark.settles("hdp-performance-objective")
@pytest.mark.parametrize("n", [100, 1000])
@pytest.mark.parametrize("solver", ["CLARABEL", "OSQP", "SCS"])
def test_no_solver_at_its_default_tolerances_is_better(solver, n):
    """Objectives in exact fractions; `make bench` goes on to sizes at which some of them give up."""
    epsilon = np.exp(np.random.default_rng(n).uniform(-4, 2, n))
    problem = np.full(n, 0.25), 1 / epsilon, 2.0
    theirs = convex_weights(*problem, solver, tolerances={})
    assert exact_objective(theirs, *problem) / exact_objective(adpm.weights(epsilon), *problem) - 1 > -1e-12
