"""The one entrance: which numbers are taken, which are refused, and how the refusal says so."""

import re

import numpy as np
import pytest

from hdp import _validate, adpm
from hdp.clipping import optimal_weights
from tests.each import each

nan = float("nan")


@pytest.mark.parametrize(
    "ends, left, right",
    [
        ({}, "[", "]"),
        ({"open_low": True}, "(", "]"),
        ({"open_high": True}, "[", ")"),
    ],
)
def test_the_message_shows_the_range_and_the_ends_count(ends, left, right):
    """Open ends are excluded, closed ends are not, and the brackets say so."""
    with pytest.raises(ValueError, match=re.escape(f"{left}0, 1{right}")):
        _validate.number("a", 2.0, 0, 1, **ends)
    for end, is_open in ((0.0, "open_low" in ends), (1.0, "open_high" in ends)):
        if is_open:
            with pytest.raises(ValueError, match="a must lie"):
                _validate.number("a", end, 0, 1, **ends)
        else:
            assert _validate.number("a", end, 0, 1, **ends) == end


@each([[1, 2], (1, 2), np.array([1, 2]), np.array([1, 2], dtype=np.float32), [True, 2]], repr)
def test_array_likes_are_taken_as_floats(epsilon):
    """Lists, tuples, integers and other precisions; the argument is not changed."""
    before = np.array(epsilon, copy=True)
    np.testing.assert_array_equal(adpm.weights(epsilon), adpm.weights([1.0, 2.0]))
    np.testing.assert_array_equal(epsilon, before)


def test_arguments_are_left_unchanged():
    """No function writes into its input, also not for inputs large enough for the second path."""
    epsilon = np.random.default_rng(1).random(10_000)
    epsilon.flags.writeable = False
    cost = 1 / epsilon
    cost.flags.writeable = False
    adpm.worst_case_mse(epsilon)
    optimal_weights(0.25, cost, 2.0)


@each([3, 3.0, np.int8(3), np.float32(3), np.array(3)], repr)
def test_whole_numbers_are_taken_in_any_type(value):
    """And come back as int."""
    count = _validate.whole("n", value, 1)
    assert count == 3 and type(count) is int


@each([0, -1, 2.5, np.nan, np.inf, True, np.True_, "3", None, [3], 1j], repr)
def test_what_is_no_whole_number_is_refused(value):
    """By name, value and range."""
    with pytest.raises(ValueError, match=re.escape(f"n must be an integer in [1, 2^53), got {value!r}")):
        _validate.whole("n", value, 1)
