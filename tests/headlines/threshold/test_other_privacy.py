"""One threshold under other notions of privacy, with Gaussian noise, and in more dimensions."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from hdp import clipping, notions, threshold
from hdp.noise import Gaussian
from tests.headlines.common import BUDGETS, PRIVATE, groups, says, thorough

NOT_ASKED = {
    "threshold/other-privacy": {
        "The library finds both errors at the translated budgets": "names the computation that the page shows",
    },
}

DELTA = 1e-6
NOTION = st.sampled_from([notions.Notion("zcdp"), notions.approximate(DELTA)])
ZCDP = notions.Notion("zcdp")


def errors(b, kappa=1.0):
    """Of best weights and best threshold, where each user may move the answer by so many scales of the noise."""
    with np.errstate(divide="ignore"):
        cost = 1 / b
    w = clipping.optimal_weights(0.25, cost, kappa)
    noise = np.max(w[b > 0] * cost[b > 0])
    kept = [(np.count_nonzero(b >= level), level) for level in np.unique(b[b > 0])]
    one = min(0.25 / users + kappa / (users * level) ** 2 for users, level in kept)
    return w @ w / 4 + kappa * noise**2, one


@says(
    "threshold/other-privacy",
    "With Gaussian noise each user has one number, too",
    "every user still has one number",
    "Under zero-concentrated and approximate privacy Gaussian noise gives every user one number",
)
@thorough
@given(st.floats(1e-4, 30))
@example(0.5)
def test_what_a_user_allows_is_one_number(budget):
    zcdp, approximate = ZCDP.reach(budget), notions.approximate(DELTA).reach(budget)
    y = np.linspace(-40, 40, 8001)
    moments = np.exp(-(y**2) / 2 + Gaussian(1.0).privacy_loss(y, zcdp)) / np.sqrt(2 * np.pi)  # of order 2
    if budget < 10:  # beyond, the moment lies outside the grid
        np.testing.assert_allclose(np.log(np.trapezoid(moments, y)), 2 * budget, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(Gaussian(1.0).delta(budget, approximate), DELTA, rtol=1e-6)


@says(
    "threshold/other-privacy",
    "Gaussian noise changes the unit, not the loss",
    "both errors are those of other budgets",
    "which a pure budget could have been",
)
@thorough
@given(BUDGETS.filter(lambda e: e.size < 100), NOTION)
@example(np.array([0.1, 1.0]), ZCDP)
def test_both_errors_are_those_of_pure_budgets(e, notion):
    pure = notions.equivalent_epsilon(e, notion)
    best, one = errors(np.asarray(notion.reach(e)))
    np.testing.assert_allclose([threshold.affine_mse(pure), threshold.threshold_mse(pure)], [best, one], rtol=1e-9)


@says(
    "threshold/other-privacy",
    "the bounds 2, 4 and $k^2$ on what one threshold loses hold as they stand",
    "So the bounds on the price of one threshold hold under these notions, too",
)
@thorough
@given(BUDGETS.filter(lambda e: np.unique(e).size < 9), NOTION)
@example(groups((3000, 1), (2e-14, 1.8e-7)), ZCDP)
@example(groups((3000, 1), (2 / 3000 / 3001, np.inf)), ZCDP)
def test_the_bounds_hold_with_gaussian_noise(e, notion):
    b = np.asarray(notion.reach(e))
    levels, (best, one) = np.unique(b[b > 0]), errors(b)
    bound = 2 if levels.size == 2 and np.isinf(levels[-1]) else levels.size**2
    assert one <= bound * best * (1 + 1e-9)


@says("threshold/other-privacy", "Neither dimension nor noise changes what one threshold loses at worst")
@thorough
@given(PRIVATE, st.integers(1, 5), st.integers(2, 400), st.integers(1, 100), st.sampled_from(notions.SHAPES))
@example(np.ones(2), 3, 400, 3, "ball")
def test_whatever_the_dimension_the_worst_is_the_same(b, k, n, dimension, shape):
    kappa = notions.Notion("pure").noise_penalty(dimension, shape)
    best, one = errors(b, kappa)
    assert one <= threshold.worst_case_ratio(np.unique(b).size, b.size) * best * (1 + 1e-12)
    best, one = errors(threshold.worst_case_budgets(k, n, 1e-5), kappa)
    np.testing.assert_allclose(one / best, threshold.worst_case_ratio(k, n), rtol=1e-6)
