"""Secret reports: weights by a convex solver and by duality, losses by the exact curve and for every coalition."""

from fractions import Fraction
from itertools import combinations

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hdp import ADPM, notions
from hdp.clipping import optimal_weights
from hdp.compare import secret_release
from hdp.proof import assert_monte_carlo
from hdp.users import Users
from tests.oracles import inf, thorough

BUDGETS = st.sampled_from([0.01, 0.1, 0.3, 1.0, 1.0, 2.5, 20.0])
VARIANCES = st.sampled_from([0.02, 0.1, 0.25, 0.25])
USERS = st.lists(st.tuples(BUDGETS, st.sampled_from(["curator", "local"]), VARIANCES), min_size=1, max_size=8)


@pytest.mark.settles("hdp-secret-weights", "hdp-secret-two-groups")
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("pooled", [0, 1, 3])
def test_a_convex_solver_finds_nothing_better(seed, pooled):
    """It may take any weights, also negative ones, and any noise of the curator's."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(5, 12))
    reach, v = np.exp(rng.uniform(-3, 1.5, size)), rng.uniform(0.02, 0.25, size)
    trust = np.resize(["curator", "local", "local"], size)
    local = trust == "local"
    w = cp.Variable(reach.size)
    squares = cp.square(cp.multiply(w, 1 / reach))
    known = cp.sum_largest(squares[np.flatnonzero(local)], pooled) if pooled else 0
    noises = [cp.sum(squares[np.flatnonzero(local)])] + [squares[i] + known for i in np.flatnonzero(~local)]
    problem = cp.Problem(cp.Minimize(cp.sum(cp.multiply(v, cp.square(w))) + cp.maximum(*noises)), [cp.sum(w) == 1])
    problem.solve(solver=cp.CLARABEL, tol_gap_rel=1e-9, tol_gap_abs=1e-11, tol_feas=1e-10)
    plan = secret_release(Users(reach, trust), "gdp", v, pooled)
    assert plan.mse() == pytest.approx(problem.value, rel=1e-6)
    assert plan.weights == pytest.approx(w.value, abs=1e-4)


def mixed_weights(reach, local, v):
    """Best with published reports and Gaussian noise, by the one lemma."""
    return optimal_weights(v + local / reach**2, ~local / reach, 1.0)


@pytest.mark.settles("hdp-secret-reports")
@thorough
@given(USERS, st.integers(0, 8))
def test_nobody_loses_more_than_she_allows(users, pooled):
    """Each user's reach against every coalition of local users, none of whom she is."""
    reach, trust, v = (np.array(column) for column in zip(*users, strict=True))
    local, plan = trust == "local", secret_release(Users(reach, trust), "gdp", v, pooled)
    noise = (plan.weights * plan.report_scale) ** 2
    worst = np.zeros(reach.size)
    for known in combinations(np.flatnonzero(local), min(pooled, int(local.sum()))):
        hidden = plan.curator_scale**2 + np.delete(noise, known).sum()
        worst = np.maximum(worst, np.divide(plan.weights, np.sqrt(hidden), where=~local, out=np.zeros(reach.size)))
    assert np.all(worst <= reach * (1 + 1e-9))
    assert plan.curator_scale == 0 or np.max(worst / reach) == pytest.approx(1, rel=1e-9)  # less would not do
    assert plan.loss_to(pooled)[~local] == pytest.approx(worst[~local], rel=1e-9)
    assert plan.loss_to(pooled)[local] == pytest.approx(reach[local], rel=1e-12)


@pytest.mark.parametrize("seed", range(60))
def test_without_noise_of_the_curator_nobody_is_over_her_budget_by_more_than_rounding(seed):
    """In fractions: where the reports hide just enough, the multiplier is a root that is found to 1e-12 only."""
    rng = np.random.default_rng(seed)
    for pooled in (0, 2):
        size = int(rng.integers(4, 30))
        epsilon = 10.0 ** rng.uniform(-10, 6, size)
        local = rng.random(size) < 0.5
        users = Users(epsilon, np.where(local, "local", "curator"))
        plan = secret_release(users, "gdp", rng.uniform(0.001, 0.25, size), pooled)
        noise = sorted((Fraction(w) * Fraction(s)) ** 2 for w, s in zip(plan.weights, plan.report_scale, strict=True))
        hidden = sum(noise[: size - pooled]) + Fraction(plan.curator_scale) ** 2
        for w, budget in zip(plan.weights[~local].tolist(), epsilon[~local].tolist(), strict=True):
            assert Fraction(w) ** 2 <= hidden * Fraction(budget) ** 2 * (1 + Fraction(1, 10**14))


@pytest.mark.settles("hdp-secret-weights")
@thorough
@given(USERS)
def test_when_the_curator_adds_nothing_and_when_nobody_is_clipped(users):
    """Two sums over the users, if nobody pools."""
    reach, trust, v = (np.array(column) for column in zip(*users, strict=True))
    local, plan = trust == "local", secret_release(Users(reach, trust), "gdp", v)
    ground = v * reach
    hide = np.sqrt(np.sum(ground[local] ** -2.0))
    need = np.sum(np.maximum(reach / hide - reach * ground, 0)[~local]) if local.any() else inf * (~local).any()
    assert (plan.curator_scale > 0) == (need > 1) or need == pytest.approx(1, rel=1e-9)
    shown, most = np.sum((reach / (1 + ground * reach))[local] ** 2), np.max(ground[~local] ** -2.0, initial=0)
    free = np.allclose(plan.weights, optimal_weights(v + local / reach**2, 0 * v, 1.0), rtol=1e-9, atol=0)
    assert free == (shown >= most) or shown == pytest.approx(most, rel=1e-6) or not local.any()


@pytest.mark.settles("hdp-secret-reports")
@pytest.mark.parametrize("notion", ["gdp", "zcdp", notions.renyi(4.0), notions.approximate(1e-6)])
def test_the_release_errs_as_stated_under_every_notion(notion):
    budgets = np.repeat([0.5, 1.5, 0.8, inf, 0.0], [6, 3, 12, 1, 2])
    people = Users(budgets, np.repeat(["curator", "local"], [9, 15]))
    plan = secret_release(people, notion, 0.25, 2)
    coins = np.random.default_rng(5).integers(0, 2, (200_000, 24)).astype(float)
    answers = plan.estimate(coins, 6, clamp=False)
    assert_monte_carlo(answers, 0.5)
    assert_monte_carlo((answers - 0.5) ** 2, plan.mse())
    private = np.isfinite(budgets) & (budgets > 0)
    assert np.all(plan.loss_to(2)[private] <= budgets[private] * (1 + 1e-8))
    assert plan.weights[-2:].tolist() == [0, 0] and plan.weights.sum() == pytest.approx(1)
    assert np.all((plan.estimate(coins[:50], 6) >= 0) & (plan.estimate(coins[:50], 6) <= 1))


@pytest.mark.settles("hdp-secret-gain")
@thorough
@given(USERS)
def test_secrecy_gains_at_most_its_bound_and_trust_never_hurts(users):
    """With every size of a coalition; published reports are those that all pool."""
    reach, trust, v = (np.array(column) for column in zip(*users, strict=True))
    local = trust == "local"
    count = int(local.sum())
    errors = [secret_release(Users(reach, trust), "gdp", v, m).mse() for m in range(count + 1)]
    w = mixed_weights(reach, local, v)
    squares = (w / reach) ** 2
    noise = squares[local].sum() + np.max(squares[~local], initial=0)
    published = np.sum(v * w**2) + noise if local.any() else errors[0]
    assert errors[-1] == pytest.approx(published, rel=1e-9)
    for pooled, error in enumerate(errors):
        bound = 2 - pooled / count if count else 1
        assert error * (1 - 1e-9) <= published <= bound * error * (1 + 1e-9)
        for i in np.flatnonzero(local):
            more = np.where(np.arange(local.size) == i, "curator", trust)
            changed = secret_release(Users(reach, more), "gdp", v, pooled).mse()
            assert changed <= error * (1 + 1e-9)


@pytest.mark.settles("hdp-secret-two-groups")
@pytest.mark.parametrize("sizes", [(3, 9), (20, 400), (400, 20)])
@pytest.mark.parametrize("budgets", [(0.3, 0.3), (0.02, 2.0), (1.5, 0.1)])
def test_two_groups_are_adpm_with_gaussian_noise(sizes, budgets):
    """The reports' noise is that of one release with the budget of each divided by the root of their number."""
    plan = secret_release(Users(np.repeat(budgets, sizes), np.repeat(["curator", "local"], sizes)))
    translated = np.repeat([budgets[0], budgets[1] / sizes[1] ** 0.5], sizes)
    w = ADPM(translated, measure="gdp").weights
    assert plan.weights == pytest.approx(w, rel=1e-9)
    assert min(plan.mse(), 0.25) == pytest.approx(ADPM(translated, measure="gdp").mse(), rel=1e-9)


def test_extremes():
    """Everybody trusts, nobody does, or all values are public; budgets of very different sizes."""
    reach = np.array([0.1, 0.5, 2.0])
    assert secret_release(Users(reach)).weights == pytest.approx(ADPM(reach, measure="gdp").weights)
    nobody = secret_release(Users(reach, "local"), coalition=1)
    assert nobody.weights == pytest.approx(mixed_weights(reach, np.full(3, True), 0.25)) and nobody.curator_scale == 0
    public = secret_release(Users([inf, inf], "local"))
    assert public.weights.tolist() == [0.5, 0.5] and public.loss.tolist() == [inf, inf]
    wide = secret_release(Users(10.0 ** np.arange(-20, 20), ["curator", "local"] * 20), coalition=3)
    assert np.isfinite(wide.weights).all() and wide.weights.sum() == pytest.approx(1)
    assert np.all(wide.loss_to(3) <= 10.0 ** np.arange(-20, 20) * (1 + 1e-9))
