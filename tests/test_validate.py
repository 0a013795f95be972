"""The one entrance: what numbers are taken and how others are refused; input that once broke a promise of privacy."""

import re
from contextlib import nullcontext
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from hdp import ADPM, _validate, at_scale, baselines, buying, compare, hybrid, kmeans, release, user_level
from hdp.clipping import optimal_weights
from hdp.laplace_sum import LaplaceSum
from hdp.noise import Gaussian, Laplace, RandomizedResponse
from hdp.users import Users
from tests.oracles import inf

SMALL = {"iterations": 2, "epsilon": 7.0, "clusters": 2, "dimension": 1}


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.int16, np.float16, np.float32, int, float, Fraction, Decimal])
def test_settings_store_floats_whatever_number_they_get(kind):
    """The noise is that of the float; once 255 + 255 of eight bits were 254."""
    for change in ({"m": kind(100)}, {"low": kind(0)}, {"m": kind(100), "low": kind(0)}, {"epsilon": kind(100)}):
        given = kmeans.Setting(**SMALL | change)
        plain = kmeans.Setting(**SMALL | {name: float(value) for name, value in change.items()})
        assert given == plain and all(type(getattr(given, name)) is float for name in ("m", "low", "epsilon"))
        assert (given.tcm_scale, given.lm_scale) == (plain.tcm_scale, plain.lm_scale)
    for cls in (Laplace, Gaussian, RandomizedResponse):
        assert vars(cls(kind(100))) == vars(cls(100.0))
    assert LaplaceSum(kind(100), kind(100)) == LaplaceSum(100, 100.0)
    numbers = {"n": 100, "c": 0.5, "m": 100, "epsilon": 100, "sigma_t": 25, "mu_t": 100}
    given = hybrid.Setting(**{k: v if k == "c" else kind(v) for k, v in numbers.items()})
    assert given == hybrid.Setting(**numbers) and all(type(getattr(given, name)) is float for name in numbers)


@pytest.mark.parametrize("tcm", [["False", "False"], [0, 1], [0.0, 1.0], [None, None], np.ma.array([True, False])])
def test_nobody_trusts_the_curator_who_did_not_say_so(tcm):
    """Text and numbers are no truth values; what holds True and False is."""
    s = kmeans.Setting(**SMALL)
    draws = kmeans.Draws.sample(1, 2, s)
    with pytest.raises(ValueError, match="tcm must"):
        kmeans.run([[0.1], [0.2]], tcm, [[0.0], [0.1]], s, draws)
    expected = kmeans.run([[0.1], [0.2]], [True, False], [[0.0], [0.1]], s, draws)
    for good in (np.array([True, False]), np.array([True, np.False_], dtype=object)):
        np.testing.assert_array_equal(kmeans.run([[0.1], [0.2]], good, [[0.0], [0.1]], s, draws), expected)


def test_a_generous_budget_neither_overflows_nor_hangs():
    """The probability of a true answer, the loss of sampling, and the loss of a sum of Laplace noises."""
    assert kmeans.Setting(iterations=2, epsilon=2200.0).keep == 1.0
    np.testing.assert_allclose(baselines.privacy_loss_witness([800.0, 900.0]), [350 + np.log(2), 900.0], rtol=1e-12)
    found = LaplaceSum(5, 1e-3).epsilon(1e-5, 1.0)
    assert LaplaceSum(5, 1e-3).epsilon(1e-4, 1.0) < found < 1000
    assert LaplaceSum(5, 2e-3).epsilon(1e-5, 2.0) == pytest.approx(found)
    single = LaplaceSum(1, 1e-3).epsilon(1e-5, 1.0)  # of one: delta = 1 - exp((eps - 1000)/2)
    assert single == pytest.approx(1000 + 2 * np.log1p(-1e-5), rel=1e-12)


@pytest.mark.parametrize(
    "value",
    [10**400, Fraction(10**400), Decimal("1E999"), np.longdouble("1e400"), [1.0, 10**400], [10**5000]],
    ids=lambda value: type(value).__name__,
)
def test_a_number_that_no_float_holds_is_not_infinite(value):
    """Infinity would be a public value."""
    with pytest.raises(ValueError, match=r"epsilon must be at most 1.8e308 in size"):
        _validate.number("epsilon", value, 0)
    assert _validate.number("epsilon", Decimal("Infinity"), 0) == inf


def test_lists_that_contain_themselves_are_refused():
    """NumPy would follow them to 64 levels, 2^64 elements."""
    loop = []
    loop += [loop, loop]
    with pytest.raises(ValueError, match="x must be numeric, got lists of unequal depth"):
        _validate.number("x", loop)


@pytest.mark.parametrize("rng", [None, True, 1.5, "1", -1, object(), np.random.RandomState(1)])
def test_what_is_neither_a_generator_nor_a_seed_is_refused(rng):
    """Also by the noise itself, which once took generators only."""
    for sample in (Laplace(1.0).sample, Gaussian(1.0).sample, lambda r: RandomizedResponse(1.0).sample(r, [0, 1])):
        with pytest.raises(ValueError, match=r"rng must be a numpy.random.Generator or an integer in"):
            sample(rng)
        np.testing.assert_array_equal(sample(7), sample(np.random.default_rng(7)))


def test_one_rule_says_which_deviation_a_mean_allows():
    """p = 0.8 and sigma_p = 0.4 are on the boundary but for rounding, and every function takes them or none does."""
    people = Users([1.0] * 3)
    calls = [
        lambda p, s: user_level.sample_mean_variance(p, s, 3),
        lambda p, s: user_level.ideal_weights([3, 4], p, s),
        lambda p, s: user_level.baseline_variance("uniform", [3, 4], p, s),
        lambda p, s: user_level.private_ideal([3, 4], p, s, 1.0).variance,
        lambda p, s: user_level.lower_bound([3, 4], 1.0, p, s),
        lambda p, s: user_level.sample_variance([3, 4], 1.0, p, s),
        lambda p, s: compare.ranking(people, prior=(p, s))[0].error,
    ]
    for p in np.linspace(0.01, 0.99, 99):
        for call in calls:
            assert np.all(np.isfinite(call(p, np.sqrt(p * (1 - p)))))
    for call in calls:
        assert np.all(np.isfinite(call(0.8, 0.4)))
        with pytest.raises(ValueError, match=r"\[0, sqrt\(p \(1 - p\)\)\] = \[0, 0.4\] for p = 0.8, got 0.4001"):
            call(0.8, 0.4001)


def test_what_holds_arrays_can_be_compared():
    """Without the error that the truth of an array is ambiguous."""
    box = kmeans.Setting(**SMALL)
    makers = [
        lambda: user_level.private_ideal([3, 3], 0.5, 0.1, 1.0),
        lambda: user_level.private_estimate([[0.5] * 900] * 2, [100] * 900, 1.0, 1),
        lambda: user_level.groups([5, 1, 9, 3, 7]),
        lambda: kmeans.Draws.sample(1, 2, box),
        lambda: Users([1.0, 2.0]),
        lambda: hybrid.Setting(n=[4, 8], c=0.5, m=1, epsilon=1, sigma_t=0.5),
        lambda: compare.mixed_release(Users([1.0, 2.0])),
        lambda: buying.buy([1.0, 2.0], 1.0),
        lambda: baselines.BASELINES["sm"].mechanism([1.0, 2.0]),
        lambda: baselines.BASELINES["ldpe"].mechanism([1.0, 2.0]),
        lambda: release.plan([1.0, 2.0]),
        lambda: release.plan([1.0, 2.0]).kinds,
        lambda: release.receipts(release.plan([1.0, 2.0])),
        lambda: at_scale.Groups.of([1.0, 2.0]),
        lambda: compare.secret_release(Users([1.0, 2.0], ["curator", "local"])),
    ]
    for make in makers:
        one, other = make(), make()
        assert one == one and not (one != one) and (one == other) in (True, False) and one != 1
    assert len({hybrid.Setting(n=4, c=0.5, m=1, epsilon=1, sigma_t=0.5) for _ in range(2)}) == 1
    assert user_level.groups([5, 1, 9, 3, 7]) == makers[2]() != user_level.groups([1, 5, 9, 3, 7])


@pytest.mark.parametrize(
    "ends, left, right", [({}, "[", "]"), ({"open_low": True}, "(", "]"), ({"open_high": True}, "[", ")")]
)
def test_the_message_shows_the_range_and_the_ends_count(ends, left, right):
    """Open ends are excluded, closed ends are not, and the brackets say so."""
    with pytest.raises(ValueError, match=re.escape(f"{left}0, 1{right}")):
        _validate.number("a", 2.0, 0, 1, **ends)
    for end, is_open in ((0.0, "open_low" in ends), (1.0, "open_high" in ends)):
        with pytest.raises(ValueError, match="a must lie") if is_open else nullcontext():
            assert _validate.number("a", end, 0, 1, **ends) == end


def test_arguments_are_left_unchanged():
    """No function writes into its input, also not for inputs large enough for the second path."""
    epsilon = np.random.default_rng(1).random(10_000)
    epsilon.flags.writeable = False
    cost = 1 / epsilon
    cost.flags.writeable = False
    ADPM(epsilon).mse()
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


def test_of_no_data_set_there_is_no_answer():
    """An empty array is data as well: what is asked of its ends is asked of nobody."""
    for made in (ADPM([1.0, 2.0, 3.0]), baselines.estimator("sm", [1.0, 2.0, 3.0])):
        assert made.estimate(np.empty((0, 3)), 1).shape == (0,)
