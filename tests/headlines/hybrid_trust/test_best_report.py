"""The best local report, what no report can do, and reports that stay secret."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hdp import adpm
from hdp.clipping import optimal_weights
from hdp.compare import LOCAL_REPORTS, Population, best_report, mixed_release, report_variance, secret_release
from hdp.laplace_sum import LaplaceSum
from tests.populations import SIZES, people, thorough
from tests.sym.hybrid_trust.test_best_report import best_of_all

REPORT, SECRET = "hybrid-trust/best-report", "hybrid-trust/secret-reports"
MORE, LESS = 1 + 1e-9, 1 - 1e-9  # what rounding may do
few = settings(thorough, max_examples=15)
EPSILON, SHARE = st.floats(1e-3, 30), st.floats(0, 1)
VARIANCE, REACH = st.floats(1e-3, 0.25), st.floats(1e-3, 5)


def two_groups(trusting, local, b_T, b_L):
    """Some who trust the curator, others who do not."""
    return Population(np.repeat([b_T, b_L], [trusting, local]), np.repeat(["curator", "local"], [trusting, local]))


@thorough
@given(EPSILON, SHARE, st.one_of(st.none(), SHARE))
def test_laplace_noise_is_never_the_best_report(epsilon, part, mean):
    v = part * (0.25 if mean is None else mean * (1 - mean))
    assert report_variance("staircase", epsilon, v, mean) < report_variance("laplace", epsilon, v, mean)
    assert best_report(epsilon, v, mean) != "laplace"
    assert report_variance("laplace", np.inf, v, mean) == report_variance("staircase", np.inf, v, mean)  # no noise


@thorough
@given(st.floats(0.05, 12), st.floats(0, 0.5))
def test_the_published_window_is_never_the_best(epsilon, away):
    odds = np.exp(epsilon)

    def variance(z):
        window, middle = 1 / (z * odds - 1), away / (1 - z)
        ends, high = np.array([middle - window / 2, middle + window / 2]), (1 - z) / window
        return high * np.diff(ends**3)[0] / 3 + high / (odds - 1) * (window + 1 / (1 - z)) ** 3 / 12 - away**2

    assert variance(odds**-0.5) == pytest.approx(report_variance("piecewise", epsilon, 0.0, 0.5 + away), rel=1e-6)
    assert variance((1 - 1e-5) * odds**-0.5) < variance(odds**-0.5)


@thorough
@given(EPSILON, SHARE)
@example(5.0, 0.5)
def test_three_lines_divide_the_plane(epsilon, mean):
    v = np.linspace(0, mean * (1 - mean), 41)
    order = [("piecewise", "staircase", "one-bit").index(name) for name in best_report(np.full(41, epsilon), v, mean)]
    lines = [report_variance(name, np.full(41, epsilon), v, mean) for name in ("piecewise", "staircase", "one-bit")]
    assert order == sorted(order)
    assert np.diff(lines, 2) == pytest.approx(0, abs=1e-9 * np.max(lines))


@thorough
@given(st.floats(1e-3, 0.6), SHARE, SHARE)
@example(0.6, 0.0, 0.5)
def test_one_bit_is_best_for_small_budgets(epsilon, part, mean):
    v = part * mean * (1 - mean)
    assert best_report(epsilon, v, mean) == "one-bit"
    half = report_variance("one-bit", epsilon, v, mean) / report_variance("laplace", epsilon, v, mean)
    assert half == pytest.approx(0.5, abs=0.05)


@thorough
@given(EPSILON, st.floats(0.001, 0.999))
@example(8.0, 0.5)
def test_one_bit_is_best_for_coins_and_others_can_be(epsilon, mean):
    assert best_report(epsilon, mean * (1 - mean), mean) == "one-bit"
    assert best_report([3.0, 9.0], [0.01, 0.1], 0.5).tolist() == ["piecewise", "staircase"]


@few
@given(st.floats(0.05, np.log(2)), SHARE, SHARE)
@example(0.5, 0.0, 0.0)
def test_one_bit_is_within_a_quarter_of_the_best_report(epsilon, ends, ones):
    """Of all on a grid, which has the outcomes of the best one."""
    odds = np.exp(epsilon)
    outcomes = np.multiply.outer([1, -1], [odds / (odds - 1), 1 / (odds - 1)]).ravel()
    found = best_of_all(epsilon, [ends * (1 - ones), 1 - ends, ends * ones], outcomes)
    assert report_variance("one-bit", epsilon, 0.0, 0.5) <= found + 0.25 + 1e-6 * found


@few
@given(st.floats(0.05, 8), SHARE)
@example(1.0, 0.5)
def test_for_coins_no_report_varies_less_than_one_bit(epsilon, ones):
    """Of all on a grid, which has the outcomes of one bit."""
    size = 0.5 / np.tanh(epsilon / 2)
    found = best_of_all(epsilon, [1 - ones, 0, ones], [-size, size]) - (ones - 0.5) ** 2
    assert found >= report_variance("one-bit", epsilon, ones * (1 - ones), ones) * (1 - 1e-6)


@thorough
@given(people(records=False), VARIANCE)
@example(Population([2.0] * 10, "local"), 0.01)
@example(Population([0.5, 6.0], "local"), 0.01)
def test_the_best_report_for_each_errs_no_more_than_one_for_all(population, variance):
    best, local = mixed_release(population, variance, "best").error(), population.local & (population.epsilon > 0)
    with np.errstate(divide="ignore"):
        costs = np.where(local, 0, 1 / population.epsilon)
    for name in LOCAL_REPORTS:
        sent = np.full(population.size, variance)
        sent[local] = report_variance(name, population.epsilon[local], sent[local])
        w = optimal_weights(sent, costs, 2.0)
        noise = np.max(w[w > 0] * costs[w > 0])
        assert best <= (sent @ w**2 + 2 * noise**2) * MORE


@thorough
@given(people(records=False), VARIANCE)
@example(two_groups(40, 960, 0.2, 0.2), 0.25)
@example(two_groups(1, 1, 1.0, 0.01), 0.25)
def test_the_larger_of_two_noises_is_enough(population, variance):
    plan = secret_release(population, "gdp", variance)
    trusts = population.trusting & np.isfinite(population.epsilon)
    reports = np.sum((plan.weights * plan.report_scale) ** 2)
    needed = np.max((plan.weights[trusts] / population.epsilon[trusts]) ** 2, initial=0)
    assert reports + plan.curator_scale**2 == pytest.approx(max(reports, needed), rel=1e-6)
    assert np.all(plan.privacy_loss() <= population.epsilon * (1 + 1e-6))


@thorough
@given(people(records=False), VARIANCE, SHARE)
@example(two_groups(265, 735, 0.02, 0.2), 0.25, 0.0)
@example(two_groups(265, 735, 0.02, 0.2), 0.25, 0.5)
def test_secrecy_at_most_halves_the_error(population, variance, part):
    local = int(np.sum(population.local & (population.epsilon > 0)))
    pooled = int(part * local)
    secret, published = (secret_release(population, "gdp", variance, m).error() for m in (pooled, local))
    assert secret * LESS <= published <= (2 - pooled / max(local, 1)) * secret * MORE


@thorough
@given(SIZES, SIZES, REACH, REACH)
def test_secrecy_turns_ldpe_into_adpm(trusting, local, b_T, b_L):
    as_if = np.repeat([b_T, b_L / np.sqrt(local)], [trusting, local])
    found = secret_release(two_groups(trusting, local, b_T, b_L)).error()
    assert min(found, 0.25) == pytest.approx(adpm.worst_case_mse(as_if, notion="gdp"), rel=1e-6)
    assert secret_release(two_groups(trusting, local, b_T, b_L), "gdp", 0.09).error() < found  # of unfair ones


@thorough
@given(SIZES, SIZES, REACH, VARIANCE, st.floats(0.001, 0.999))
@example(40, 960, 0.2, 0.25, 0.999)
def test_every_point_from_equal_weights_to_kvh_is_best_for_some_budget(trusting, local, b_L, variance, part):
    most = 1 + 1 / (variance * b_L**2)
    much = most**part
    plan = secret_release(two_groups(trusting, local, much * b_L / np.sqrt(local), b_L), "gdp", variance)
    assert plan.weights[0] / plan.weights[-1] == pytest.approx(much, rel=1e-6)
    assert plan.curator_scale**2 <= 1e-6 * plan.error()


@thorough
@given(st.integers(1, 100), st.floats(0.01, 10), st.floats(0.01, 10), st.floats(0.01, 10))
@example(10, 1.0, 1.0, 1.0)
def test_pure_privacy_gains_no_more_than_the_noise_of_one_report(reports, scale, weight, epsilon):
    needed = 2 * (weight / epsilon) ** 2
    saved = needed if LaplaceSum(reports, scale).epsilon(0.0, weight) <= epsilon else 0.0
    assert saved <= LaplaceSum(1, scale).variance * MORE
