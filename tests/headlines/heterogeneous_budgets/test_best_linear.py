"""The best linear release, and the best weights for given data."""

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import betabinom

from hdp import adpm, affine, given_data, linear
from hdp.affine import Affine
from tests.populations import BUDGETS, SIZES, groups, thorough

LINEAR, GIVEN = "heterogeneous-budgets/best-linear", "heterogeneous-budgets/given-data"
MORE, LESS = 1 + 1e-9, 1 - 1e-9  # what rounding may do
SEEDS, STEPS = st.integers(0, 99), st.sampled_from([1e-3, 0.1])


def linear_error(a, e):
    """The worst-case error of any weights with the least noise, by definition."""
    return max(a @ a, (1 - a.sum()) ** 2) / 4 + 2 * affine.noise_scale(a, e) ** 2


def given_error(w, e):
    """The error of any weights at the worst of all data."""
    return np.abs(w - 1 / w.size).sum() ** 2 / 4 + 2 * affine.noise_scale(w, e) ** 2


def others(w, seed, step):
    """Weights near these."""
    return w * (1 + step), w * (1 - step), w * (1 + step * np.random.default_rng(seed).uniform(-1, 1, w.size))


@thorough
@given(BUDGETS)
@example(np.array([np.inf]))
def test_the_best_linear_release_gains_up_to_four(e):
    assert linear.worst_case_mse(e) <= adpm.worst_case_mse(e) * MORE <= 4 * linear.worst_case_mse(e) * MORE**2


@thorough
@given(BUDGETS, SEEDS, STEPS)
def test_no_other_weighted_sum_errs_less(e, seed, step):
    a = linear.weights(e)
    assert all(linear_error(other, e) >= linear_error(a, e) * LESS for other in others(a, seed, step))


@thorough
@given(BUDGETS)
def test_weights_follow_the_budgets_up_to_a_level(e):
    a = linear.weights(e)
    loss = affine.privacy_loss(a, affine.noise_scale(a, e))
    assert loss == pytest.approx(np.minimum(e, loss.max()), rel=1e-9)


@thorough
@given(BUDGETS)
@example(np.full(1000, np.inf))
def test_weights_sum_to_less_than_one(e):
    assert linear.weights(e).sum() < 1


@thorough
@given(SIZES)
def test_for_public_users_nothing_errs_less(n):
    """Than the posterior mean does on average over a prior, which no worst case is below."""
    a, heads = np.sqrt(n) / 2, np.arange(n + 1)
    spread = (a + heads) * (a + n - heads) / ((n + 2 * a) ** 2 * (n + 2 * a + 1))
    assert linear.worst_case_mse(np.full(n, np.inf)) <= betabinom(n, a, a).pmf(heads) @ spread * MORE


@thorough
@given(st.lists(st.floats(-1, 1), min_size=1, max_size=5), st.floats(-0.5, 0.5), st.floats(0, 1))
@example([0.1], 0.5, 1.0)
@example([1.0], 0.0, 1.0)
def test_the_worst_case_is_a_fair_coin_or_a_value_at_an_end(a, mean, part):
    error = Affine(np.array(a), np.array([0.3])).mean_squared_error
    assert error(part * (0.25 - mean**2), mean) <= max(error(0.25, 0.0), error(0.0, 0.5)) * MORE


@thorough
@given(BUDGETS)
@example(np.array([1.0, 1.5]))
def test_both_worst_cases_err_equally_or_nobody_is_clipped(e):
    a, strength = linear.weights(e), e.sum() * np.linalg.norm(e)
    coin, end = np.linalg.norm(a), 1 - a.sum()
    if strength <= 8:
        assert affine.privacy_loss(a, affine.noise_scale(a, e)) == pytest.approx(e, rel=1e-9) and end >= coin * LESS
    else:
        assert coin == pytest.approx(end, rel=1e-6)


@thorough
@given(BUDGETS)
def test_nobody_loses_less_than_with_algorithm_1(e):
    assert np.all(linear.effective_epsilon(e) >= adpm.effective_epsilon(e) * LESS)
    assert linear.clipping_level(e) >= adpm.clipping_level(e) * LESS


@thorough
@given(SIZES, st.floats(9, 1000), BUDGETS)
@example(90, 9.0, np.array([np.inf]))
def test_beside_nine_equally_strict_nats_weights_gain_little(strict, nats, rest):
    e = np.append(np.full(strict, nats / strict), np.maximum(rest, nats / strict))
    assert given_error(np.full(e.size, 1 / e.size), e) < 1.1 * given_data.worst_case_mse(e)


@thorough
@given(BUDGETS.map(lambda e: e[:8]).filter(np.any))
@example(np.array([1.0, 2.0, 4.0]))
def test_the_worst_data_put_everybody_who_counts_too_little_at_one_end(e):
    missing = adpm.weights(e) - 1 / e.size
    data = np.array(list(product((-0.5, 0.5), repeat=e.size)))
    worst = data[np.abs(data @ missing) >= np.abs(data @ missing).max() * LESS]
    ends = worst[:, missing < -1e-6]
    assert np.all(ends == ends[:, :1])


@thorough
@given(BUDGETS)
@example(np.array([1.0]))
def test_no_level_is_higher_than_with_drawn_data(e):
    assert given_data.clipping_level(e) <= adpm.clipping_level(e) * MORE


@thorough
@given(BUDGETS, SEEDS, STEPS)
def test_for_given_data_the_best_weights_are_those_of_the_average(e, seed, step):
    w, tau = given_data.weights(e), given_data.clipping_level(e)
    assert w[e >= tau] == pytest.approx(1 / e.size)
    assert all(given_error(other, e) >= given_error(w, e) * LESS for other in others(w, seed, step))


@thorough
@given(BUDGETS.filter(lambda e: np.any((e > 0) & np.isfinite(e))))
@example(np.array([1.0, 5.0]))
def test_at_the_level_a_product_of_two_sums_crosses_8(e):
    tau = given_data.clipping_level(e)
    below, above = (e[e < t].sum() * np.maximum(t - e, 0).sum() for t in (tau * (1 - 1e-7), tau * (1 + 1e-7)))
    assert below <= 8 * (1 + 1e-6) and above >= 8 * (1 - 1e-6)


@thorough
@given(SIZES, st.floats(1e-3, 30), SIZES)
def test_the_level_exceeds_the_strict_budget_by_a_part(strict, budget, public):
    e = groups((strict, public), (budget, np.inf))
    drawn, found = adpm.clipping_level(e) - budget, given_data.clipping_level(e) - budget
    assert strict * found == pytest.approx(drawn, rel=1e-6, abs=1e-12 * strict * budget)
