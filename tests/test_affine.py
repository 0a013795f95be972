"""Affine estimators: noise scale, privacy loss, error and the release."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hdp import affine
from tests.oracles import inf, relative_error, thorough

EXACT = 4e-15

weights = st.floats(-10, 10).filter(lambda w: abs(w) > 1e-9 or w == 0)
users = st.lists(st.tuples(weights, st.floats(1e-3, 1e3)), min_size=1)
widths = st.sampled_from([0.5, 1.0, 3.0])


@pytest.mark.settles("cz-definition-4")
@thorough
@given(users, widths)
def test_noise_scale_is_the_smallest_that_keeps_every_promise(pairs, width):
    """max W |w| / eps and Lemma 1, W |w| / eta, in fractions; nobody loses more than her budget, and somebody all."""
    w, eps = zip(*pairs, strict=True)
    scale = affine.noise_scale(w, eps, width)
    assert relative_error([scale], [max(Fraction(width) * abs(Fraction(a)) / Fraction(e) for a, e in pairs)]) < EXACT
    if scale > 0:
        loss = affine.privacy_loss(w, scale, width)
        assert abs((loss / eps).max() - 1) < EXACT
        assert relative_error(loss, [Fraction(width) * abs(Fraction(a)) / Fraction(scale) for a in w]) < EXACT


@pytest.mark.parametrize(
    "weights, epsilon, scale",
    [
        ([0.5, 0.5], [inf, inf], 0.0),
        ([1.0, 0.0], [inf, 1.0], 0.0),
        ([0.0, 1.0], [0.0, 2.0], 0.5),
        ([0.5, 0.5], [0.0, 2.0], inf),
        ([0.0, 0.0], [0.0, 2.0], 0.0),
        ([0.5, 0.5], [1e-300, 1e300], 0.5 / 1e-300),
        ([-1.0, 1.0], [1.0, 4.0], 1.0),
    ],
)
def test_noise_scale_at_the_ends_of_the_range(weights, epsilon, scale):
    """Public and unusable users, no weight, signs, extreme budgets; silent under errstate."""
    with np.errstate(all="raise"):
        assert affine.noise_scale(weights, epsilon) == scale


@pytest.mark.parametrize("width", [1e-300, 1.0, 1e50])
@pytest.mark.parametrize(
    "weights, epsilon", [([1e-30], [1e300]), ([1e-20, 0.5], [1e300, inf]), ([0.3, 0.7], [1e308, 1.7e308])]
)
def test_no_noise_vanishes_where_floats_end(weights, epsilon, width):
    """In fractions: a scale that would be rounded to 0, or lack digits, is larger and keeps the budget."""
    scale = affine.noise_scale(weights, epsilon, width)
    for w, budget in zip(weights, epsilon, strict=True):
        loss = Fraction(width) * Fraction(w) / Fraction(scale)
        assert budget == inf or loss <= Fraction(budget) * (1 + Fraction(1, 2**50))
    assert affine.noise_scale(weights, [inf] * len(weights), width) == 0


def test_privacy_loss_at_the_ends_of_the_range():
    """Without noise whoever has weight loses everything; with infinite noise nobody loses anything."""
    with np.errstate(all="raise"):
        np.testing.assert_array_equal(affine.privacy_loss([0.5, 0.0, -0.5], 0.0), [inf, 0, inf])
        np.testing.assert_array_equal(affine.privacy_loss([0.5, 0.0, -0.5], inf), [0, 0, 0])
        np.testing.assert_array_equal(affine.privacy_loss([1e-300], 1e-300), [1.0])


def test_mean_squared_error_takes_a_variance_for_every_user_and_no_noise_or_infinite_noise():
    """The variances may differ; the default is 1/4."""
    assert affine.mean_squared_error([0.75, 0.25], 0.5, [4.0, 16.0]) == 2.25 + 1.0 + 0.5
    assert affine.mean_squared_error([0.5, 0.5], 0.0) == 0.125
    assert affine.mean_squared_error([0.5, 0.5], inf) == inf


def test_estimate_is_the_weighted_sum_without_noise():
    """Shapes (..., n) -> (...), and a float for a single data set."""
    x = np.random.default_rng(1).uniform(-0.5, 0.5, (2, 3, 4))
    w = np.array([0.1, 0.2, 0.3, 0.4])
    np.testing.assert_allclose(affine.estimate(x, w, 0.0, 1), (x * w).sum(axis=-1), rtol=1e-13)
    assert type(affine.estimate(x[0, 0], w, 1.0, 1)) is float
