"""Bad input: every public function raises ValueError that names the argument and shows the value."""

import re

import numpy as np
import pytest

from hdp import _validate, adpm, affine
from hdp.clipping import optimal_weights
from hdp.noise import Gaussian, Laplace, RandomizedResponse
from tests.oracles import inf

nan = float("nan")

# function, good arguments, {argument: [(bad value, what the message must show)]}
NEGATIVE = [(-1.0, "-1"), (nan, "nan"), (-inf, "-inf"), ("many", "many")]
BUDGETS = [
    ([1.0, nan], "nan"),
    ([1.0, -0.5], "-0.5"),
    ([1.0, -inf], "-inf"),
    ([], "(0,)"),
    (1.0, "()"),
    ([[1.0, 2.0]], "(1, 2)"),
    ([0.0, 0.0], "zero"),
    (["a", "b"], "'a'"),
    ([1.0, None], "nan"),
    ([1.0, 2j], "2j"),
]
NOT_WEIGHTS = [([0.5, nan], "nan"), ([], "(0,)"), (1.0, "()"), ([[0.5, 0.5]], "(1, 2)"), ("half", "half")]
DATA = [([0.1, 0.6], "0.6"), ([0.1, nan], "nan"), ([0.1], "(1,)"), (0.1, "()"), ([[0.1] * 3] * 2, "(2, 3)"), ("x", "x")]
GROUP = [*NEGATIVE, ([0.1, -2.0], "-2")]
PEOPLE = [(0.5, "0.5"), (0, "0"), (-3, "-3"), (inf, "inf"), (nan, "nan"), ("many", "many")]
FRACTION = [(-0.1, "-0.1"), (1.1, "1.1"), (nan, "nan"), (inf, "inf"), ("half", "half")]
POSITIVE = [(0.0, "0"), *NEGATIVE]
SCALAR = [([1.0, 2.0], "(2,)")]
COLUMN = [([1.0, -1.0], "-1"), ([1.0, nan], "nan"), ("x", "x")]
COLUMN += [([1.0] * 3, "(3,)"), ([], "(0,)"), ([[1.0, 1.0]], "(1, 2)")]
CATEGORIES = [(1, "1"), (0, "0"), (-2, "-2"), (2.5, "2.5"), (nan, "nan"), (inf, "inf"), ("a", "a"), (None, "None")]
TWO_GROUPS = dict(epsilon_1=0.1, n=10, f=0.5)
PAIR = dict(weights=[0.5, 0.5], epsilon=[1.0, 2.0])

BAD = [
    *[(f, dict(epsilon=[1.0, 2.0]), {"epsilon": BUDGETS}) for f in (adpm.clipping_level, adpm.weights)],
    *[(f, dict(epsilon=[1.0, 2.0]), {"epsilon": BUDGETS}) for f in (adpm.effective_epsilon, adpm.worst_case_mse)],
    (adpm.answers_zero, dict(epsilon=[1.0, 2.0]), {"epsilon": BUDGETS}),
    (adpm.estimate, dict(x=[0.1, 0.2], epsilon=[5.0, 5.0], rng=1), {"epsilon": BUDGETS, "x": DATA}),
    (adpm.estimate, dict(x=[0.1, 0.2], epsilon=[0.1, 0.1], rng=1), {"x": DATA}),
    (adpm.saturation_ratio, TWO_GROUPS, {"epsilon_1": GROUP, "n": PEOPLE, "f": FRACTION}),
    (
        adpm.two_group_bound,
        dict(epsilon_2=1.0, **TWO_GROUPS),
        {"epsilon_1": GROUP, "epsilon_2": [*GROUP, (0.05, "0.05"), ([1.0, 0.05], "0.05")], "n": PEOPLE, "f": FRACTION},
    ),
    (
        optimal_weights,
        dict(variance=[0.25, 0.25], noise_cost=[1.0, 2.0], penalty=2.0),
        {
            "variance": [([1.0, 0.0], "0.0"), ([1.0, inf], "inf"), *COLUMN],
            "noise_cost": [([inf, inf], "inf"), *COLUMN],
            "penalty": [*POSITIVE, (inf, "inf"), *SCALAR],
        },
    ),
    (
        affine.noise_scale,
        PAIR | dict(width=1.0),
        {
            "weights": [*NOT_WEIGHTS, ([1.0] * 3, "(3,)")],
            "epsilon": [*[b for b in BUDGETS if b[1] != "zero"], ([1.0] * 3, "(3,)")],
            "width": [*POSITIVE, (inf, "inf"), *SCALAR],
        },
    ),
    (
        affine.privacy_loss,
        dict(weights=[0.5, 0.5], scale=1.0, width=1.0),
        {"weights": NOT_WEIGHTS, "scale": [*NEGATIVE, *SCALAR], "width": [*POSITIVE, (inf, "inf"), *SCALAR]},
    ),
    (
        affine.mean_squared_error,
        dict(weights=[0.5, 0.5], scale=1.0, variance=0.25),
        {
            "weights": [*NOT_WEIGHTS, ([0.5, 0.6], "1.1")],
            "scale": [*NEGATIVE, *SCALAR],
            "variance": [*NEGATIVE, (inf, "inf"), ([1.0] * 3, "(3,)"), ([[1.0], [2.0]], "(2, 1)")],
        },
    ),
    (
        affine.estimate,
        dict(x=[0.1, 0.2], weights=[0.5, 0.5], scale=1.0, rng=1),
        {"x": DATA, "weights": NOT_WEIGHTS, "scale": [*NEGATIVE, (inf, "inf"), *SCALAR]},
    ),
    (Laplace, dict(scale=1.0), {"scale": [*NEGATIVE, *SCALAR]}),
    (
        Laplace.calibrated,
        dict(sensitivity=1.0, epsilon=1.0),
        {"sensitivity": [*NEGATIVE, (inf, "inf"), *SCALAR], "epsilon": [*POSITIVE, *SCALAR]},
    ),
    (Gaussian, dict(scale=1.0), {"scale": [*POSITIVE, (inf, "inf"), *SCALAR]}),
    (
        Gaussian(1.0).delta,
        dict(epsilon=1.0, sensitivity=1.0),
        {"epsilon": [*NEGATIVE, *SCALAR], "sensitivity": [*POSITIVE, (inf, "inf"), *SCALAR]},
    ),
    (
        RandomizedResponse,
        dict(epsilon=1.0, categories=2),
        {
            "epsilon": [*NEGATIVE, (inf, "inf"), *SCALAR],
            "categories": [*CATEGORIES, ([2, 3], "2")],
        },
    ),
]

CASES = [
    pytest.param(call, good, name, value, shown, id=f"{call.__qualname__}-{name}-{value}".replace(" ", ""))
    for call, good, arguments in BAD
    for name, values in arguments.items()
    for value, shown in values
]


@pytest.mark.parametrize("call, good, name, value, shown", CASES)
def test_bad_input_is_refused_by_name_and_value(call, good, name, value, shown):
    """The message tells which argument, and what was wrong with it."""
    call(**good)
    with pytest.raises(ValueError) as refusal:
        call(**good | {name: value})
    message = str(refusal.value)
    assert re.search(rf"\b{name}\b", message) and shown in message


@pytest.mark.parametrize("call", [adpm.saturation_ratio, adpm.two_group_bound])
def test_arguments_that_do_not_broadcast_are_refused_by_name(call):
    """Two and three entries do not fit together."""
    more = {} if call is adpm.saturation_ratio else {"epsilon_2": 1.0}
    with pytest.raises(ValueError, match=r"epsilon_1.*\(2,\)"):
        call(epsilon_1=[0.1, 0.2], n=[1, 2, 3], f=0.5, **more)


@pytest.mark.parametrize("complex_", [np.array([1j, 1.0]), np.array([1.0 + 0j])])
def test_complex_arrays_are_refused(complex_):
    """Not silently cut down to their real part."""
    with pytest.raises(ValueError, match="epsilon"):
        adpm.weights(complex_)


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


@pytest.mark.parametrize("epsilon", [[1, 2], (1, 2), np.array([1, 2]), np.array([1, 2], dtype=np.float32), [True, 2]])
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


@pytest.mark.parametrize("value", [3, 3.0, np.int8(3), np.float32(3), np.array(3)])
def test_whole_numbers_are_taken_in_any_type(value):
    """And come back as int."""
    count = _validate.whole("n", value, 1)
    assert count == 3 and type(count) is int


@pytest.mark.parametrize("value", [0, -1, 2.5, np.nan, np.inf, True, np.True_, "3", None, [3], 1j])
def test_what_is_no_whole_number_is_refused(value):
    """By name, value and range."""
    with pytest.raises(ValueError, match=re.escape(f"n must be an integer in [1, 2^53), got {value!r}")):
        _validate.whole("n", value, 1)
