"""What no figure shows of groups and of log-uniform budgets: sampling against brute force, and a branch of FME."""

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given

from hdp import adpm, baselines, threshold
from hdp.baselines.mechanisms import fme_level
from hdp.sym.heterogeneous_budgets import general_budgets as lu
from hdp.sym.heterogeneous_budgets import general_budgets as sym
from hdp.sym.symbols import n
from tests.oracles import budgets, thorough


@pytest.mark.settles("hdp-sampling-bracket")
def test_the_bracket_holds_the_exact_error_of_sampling():
    """Against the sum over every possible sample, few users; the lower end is met where nothing is random."""
    rng = np.random.default_rng(5)
    for _ in range(60):
        epsilon = np.exp(rng.uniform(-2, 1, 7))
        epsilon[: rng.integers(1, 5)] = epsilon.max()
        t = epsilon.max()
        p = np.expm1(epsilon) / np.expm1(t)
        exact = 0.0
        for kept in product((0, 1), repeat=p.size):
            chance, m = np.prod(np.where(kept, p, 1 - p)), sum(kept)
            exact += chance * (1 / (4 * m) + 2 / (m * t) ** 2) if chance > 0 else 0
        assert exact == pytest.approx(baselines.expected_mse("sm", epsilon), rel=1e-12)
        values = {sym.mu: p.sum(), sym.t: t}
        assert sym.sampling_lower.subs(values) < exact
        assert p.sum() <= 1 or exact < sym.sampling_upper.subs(values)
    many = np.append(np.full(500, 0.05 * 20 / 500), 0.05)  # where the cubic term is needed: 20 of 500 are kept
    sample = 1 + 500 * np.expm1(many[0]) / np.expm1(0.05)
    assert baselines.expected_mse("sm", many) < sym.sampling_upper.subs({sym.mu: sample, sym.t: 0.05})
    loose = np.append(np.full(10, 30 - np.log(2)), 30)  # where there is next to no noise: 1 and half of 10 are kept
    assert baselines.expected_mse("sm", loose) < sym.sampling_upper.subs({sym.mu: 6, sym.t: 30})
    lower = float(sym.sampling_lower.subs({sym.mu: 9.0, sym.t: 0.5}))
    assert lower == pytest.approx(baselines.expected_mse("sm", np.full(9, 0.5)), rel=1e-13)


def test_the_level_of_log_uniform_budgets_is_another_where_nobody_reaches_it():
    """A thousand users on [0.01, 0.02]: the first formula gives 0.115, above all budgets, and the level is 0.57."""
    values = {lu.low: 0.01, lu.high: 0.02, n: 1000.0}
    spread = 0.01 * 2 ** ((np.arange(1000) + 0.5) / 1000)
    assert float(lu.spread_level.subs(values)) == pytest.approx(adpm.clipping_level(spread), rel=1e-3)
    assert 0.02 < float(lu.level_inside.subs(values)) < 0.12 < 0.5 < float(lu.spread_level.subs(values))


@pytest.mark.parametrize("a, b, users", [(0.01, 0.02, 100), (0.001, 0.01, 1000)])
def test_nobody_is_clipped_by_fme_where_budgets_are_tiny(a, b, users):
    """The branch that no slider reaches."""
    values = {lu.low: a, lu.high: b, n: float(users)}
    assert float(lu.spread_fme_mse.subs(values)) == float(lu.spread_proportional_mse.subs(values))
    weight, proportional = (
        expr.subs(values | {sym.budget: a}) for expr in (lu.spread_fme_weight, lu.spread_proportional_weight)
    )
    assert float(weight) == float(proportional)


@pytest.mark.settles("hdp-log-uniform-errors")
@pytest.mark.parametrize("a, b, users", [(0.09, 0.1, 100), (0.08, 0.1, 130), (0.07, 0.1, 200), (0.009, 0.01, 10_000)])
def test_nobody_is_clipped_by_fme_where_budgets_hardly_differ(a, b, users):
    """The rule's left side passes L/n below the least budget only: it falls from there on."""
    values, peak = {lu.low: a, lu.high: b, n: float(users)}, b / np.sqrt(np.e)
    assert users * a**2 < 1 and peak**2 / 2 > np.log(b / a) / users
    spread = a * (b / a) ** ((np.arange(users) + 0.5) / users)
    assert fme_level(spread) == np.inf and float(lu.spread_fme_level.subs(values)) == b
    assert float(lu.spread_fme_mse.subs(values)) == pytest.approx(baselines.expected_mse("fme", spread), rel=1e-3)
    assert float(lu.spread_fme_weight.subs(values | {sym.budget: a})) < 1


@pytest.mark.parametrize(("a", "b"), [(0.01, 10.0), (0.0183, 7.39), (0.01, 0.6), (0.5, 0.6), (0.5, 10.0)])
def test_uni_is_the_worst_for_few_users_only_where_the_least_budget_is_small(a, b):
    """At both ends of the figure's axis; of all six only ADPM is better for very many users."""
    lines = [
        lu.spread_uniform_mse,
        lu.spread_adpm_mse,
        lu.spread_proportional_mse,
        lu.spread_local_mse,
        lu.spread_fme_mse,
        lu.spread_sampling_mse_lower,
    ]
    for users, place in ((100, 5 if a < 0.1 else None), (100_000, 1)):
        uni, *others = (float(line.subs({lu.low: a, lu.high: b, n: users})) for line in lines)
        better = sum(error < uni for error in others)
        assert better == place if place else better <= 2


def test_twice_the_largest_budget_adds_a_third_to_the_factor_of_proportional_weights():
    """0.34 for the range of Table II."""
    a, b = np.exp(-4), np.exp(2)
    factor = [4e9 * float(lu.spread_proportional_mse.subs({lu.low: a, lu.high: top, n: 10**9})) for top in (b, 2 * b)]
    assert round(factor[0], 2) == 3.01 and round(factor[1] - factor[0], 2) == 0.34


@pytest.mark.settles("hdp-no-rival")
@thorough
@given(budgets())
@example([1.0, 1.0078125])  # where SM errs hardly more than the best weights
@example([1.0, 7.0])  # where nobody is clipped, so that PropDPM is best
@example([0.5] * 3)  # where FME clips nobody
def test_no_rival_errs_less_on_a_fair_coin(epsilon):
    """Than the best weights before the cap, and than ADPM, which errs nothing there where it answers 0."""
    for name in (*baselines.NAMES[1:], "ldpe-users"):
        found = baselines.expected_mse(name, epsilon)
        assert found >= threshold.affine_mse(epsilon) * (1 - 1e-9), name
        assert found >= baselines.expected_mse("adpm", epsilon) * (1 - 1e-9), name


@pytest.mark.settles("hdp-no-rival")
def test_local_means_of_any_groups_err_no_less_either():
    """Groups drawn at random, each as protected as its strictest user, with the best weights for these means."""
    rng = np.random.default_rng(11)
    for _ in range(100):
        epsilon = np.exp(rng.uniform(-3, 3, rng.integers(2, 20)))
        groups = np.array_split(rng.permutation(epsilon), rng.integers(1, epsilon.size + 1))
        precision = sum(1 / (1 / (4 * g.size) + 2 / (g.size * g.min()) ** 2) for g in groups)
        assert 1 / precision >= threshold.affine_mse(epsilon) * (1 - 1e-12)
