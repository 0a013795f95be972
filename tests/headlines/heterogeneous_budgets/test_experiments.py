"""Six estimators: their errors, what each wastes, and by how much the worst of the figures exceeds the others."""

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hdp import adpm, baselines, threshold
from hdp.baselines import expected_mse
from tests.populations import BUDGETS, PRIVATE, SIZES, groups, log_uniform, thorough

EXPERIMENTS, SIMULATIONS = (f"heterogeneous-budgets/{page}" for page in ("experiments", "simulations"))
RIVALS = (*baselines.NAMES[1:], "ldpe-users")
FEW = st.lists(st.one_of(st.floats(0.01, 20), st.just(np.inf)), min_size=1, max_size=6).map(np.array)
LEVELS = st.floats(1e-2, 30)


@thorough
@given(BUDGETS)
@example(np.repeat([0.1, 0.15], 1900))
@example(np.array([1.0, np.inf]))
def test_no_rival_errs_less_on_fair_coins(epsilon):
    for name in RIVALS:
        assert expected_mse(name, epsilon, 0.25) >= expected_mse("adpm", epsilon, 0.25) * (1 - 1e-9), name
        assert expected_mse(name, epsilon, 0.25) >= threshold.affine_mse(epsilon) * (1 - 1e-9), name


@settings(thorough, max_examples=25)
@given(FEW, st.sampled_from(baselines.NAMES[1:]))
@example(np.array([0.5, 1.0, 1.0]), "sm")
@example(np.array([0.5, 1.0, 1.0]), "ldpe")
def test_each_error_is_that_over_all_tosses_and_samples(epsilon, name):
    mechanism, t = baselines.BASELINES[name].mechanism(epsilon), epsilon.max()
    if isinstance(mechanism, baselines.sampling.Sampling):
        draws = [(np.prod(np.where(k, mechanism.kept, mechanism.dropped)), np.array(k)) for k in _all(epsilon)]
        draws = [(chance, k / max(k.sum(), 1), 1 / (max(k.sum(), 1) * t)) for chance, k in draws]
    else:
        draws = [(1.0, mechanism.weights, np.linalg.norm(mechanism.scales))]
    tosses = np.array(list(_all(epsilon))) - 0.5
    exact = sum(chance * (np.mean((tosses @ w) ** 2) + 2 * scale**2) for chance, w, scale in draws)
    assert exact == pytest.approx(expected_mse(name, epsilon), rel=1e-9)


def _all(epsilon):
    return product((0, 1), repeat=epsilon.size)


@thorough
@given(PRIVATE)
def test_with_one_strict_user_the_plain_average_is_worse_than_no_answer(others):
    epsilon = np.append(others, min(others.min(), 1 / (others.size + 1)))
    assert expected_mse("uni", epsilon) > 0.25 >= adpm.worst_case_mse(others)
    assert adpm.worst_case_mse(epsilon) <= adpm.worst_case_mse(others) * (1 + 1e-9)


@thorough
@given(st.tuples(SIZES, SIZES), st.one_of(st.just(0.0), LEVELS), st.one_of(st.floats(1.01, 1e3), st.just(np.inf)))
@example((70, 30), 0.1, 2.0)
@example((70, 30), 0.1, np.inf)
@example((70, 30), 0.0, 2.0)
def test_separate_means_err_more_if_both_need_noise(counts, first, ratio):
    epsilon = groups(counts, (first, (first or 1) * ratio))
    both = first > 0 and np.isfinite(ratio)
    separate, best = expected_mse("ldpe", epsilon), threshold.affine_mse(epsilon)
    assert separate > best if both else separate == pytest.approx(best, rel=1e-9)


@settings(thorough, max_examples=20)
@given(st.tuples(st.integers(1, 9), st.integers(1, 9)), st.floats(0.02, 0.2), st.floats(1.1, 1.4))
@example((1, 1), np.log(5 / 4), np.log(9 / 4) / np.log(5 / 4))
def test_the_strict_users_of_a_sample_lose_more_than_they_allow(counts, first, ratio):
    assert baselines.privacy_loss_witness(groups(counts, (first, first * ratio)))[0] > first


@thorough
@given(st.one_of(st.floats(0.17, 100), st.just(np.inf)))
def test_in_example_1_the_ratios_stop_at_the_root_of_2_and_at_17(second):
    epsilon = np.repeat([0.01, second], 5000)
    fme, best = (baselines.BASELINES[name].mechanism(epsilon).weights for name in ("fme", "adpm"))
    assert fme[-1] / fme[0] == pytest.approx(np.sqrt(2), rel=1e-9)
    assert best[-1] / best[0] == pytest.approx(17, rel=1e-9)


@settings(thorough, max_examples=10)
@given(st.integers(0, 10**6), st.sampled_from([(-4, 2), (-3, -2)]))
@example(0, (-4, 2))
@example(0, (-3, -2))
def test_no_rival_errs_less_in_table_2(seed, edges):
    epsilon, variance = log_uniform(seed, 1000, *np.exp(edges)), 1 / 25
    errors = {name: expected_mse(name, epsilon, variance) for name in (*baselines.NAMES, "ldpe-users")}
    assert errors["adpm"] <= min(errors.values()) * (1 + 1e-12)
    printed = {(-4, 2): (-9.3, -9.0, -5.1), (-3, -2): (-8.1, -8.1, -7.1)}[edges]
    np.testing.assert_allclose(np.log([errors[b] for b in ("adpm", "propdpm", "uni")]), printed, atol=0.2)


@thorough
@given(BUDGETS)
@example(1 / np.sqrt(np.arange(10**5, 0, -1)))
@example(np.full(1000, 50.0))
def test_fme_errs_at_most_nine_times_as_much_on_fair_coins(epsilon):
    others = [expected_mse(name, epsilon, 0.25) for name in RIVALS if name != "fme"]
    assert expected_mse("fme", epsilon, 0.25) <= 9 * min(*others, threshold.affine_mse(epsilon)) * (1 + 1e-9)


@thorough
@given(BUDGETS, st.floats(0, 0.25))
@example(np.array([0.0, 1.0]), 0.2)
def test_fme_errs_the_same_for_all_budgets_above_the_level(more, variance):
    epsilon = more + 1.001 / np.sqrt(more.size)
    assert expected_mse("fme", epsilon, variance) == pytest.approx((variance + 2) / more.size, rel=1e-9)


@settings(thorough, max_examples=20)
@given(st.floats(0.1, 100), st.integers(700, 20_000))
@example(0.2, 700)
def test_in_figure_3_fme_is_ten_times_worse_in_part_a_only(second, half):
    a, b = groups((half, half), (0.1, 0.15)), groups((700, 300), (0.1, second))
    for name in ("adpm", "sm", "ldpe", "uni"):
        assert expected_mse("fme", b) < 10 * expected_mse(name, b)
        in_a = [expected_mse(each, a, 1 / 12) - 1 / (12 * a.size) for each in ("fme", name)]
        assert in_a[0] > 10 * in_a[1]


@thorough
@given(st.tuples(SIZES, SIZES), LEVELS, st.floats(1.1, 10), st.floats(0.01, 0.25))
@example((200, 200), 0.1, 1.5, 1 / 12)
def test_a_sample_pays_for_what_it_discards(counts, first, ratio, variance):
    epsilon = groups(counts, (first, first * ratio))
    size = np.sum(np.expm1(epsilon) / np.expm1(epsilon.max()))
    assert expected_mse("sm", epsilon, variance) >= variance / size * (1 - 1e-9) > variance / epsilon.size


@thorough
@given(st.tuples(st.integers(1, 100), st.integers(1, 100)), LEVELS, st.floats(1.01, 100), st.floats(1.1, 10))
@example((70, 30), 0.1, 100.0, 2.0)
def test_separate_means_gain_from_every_larger_budget(counts, first, ratio, more):
    before, after = (expected_mse("ldpe", groups(counts, (first, first * r))) for r in (ratio, ratio * more))
    assert after < before
