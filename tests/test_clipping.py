"""The one lemma: exact weights, their laws, and the solver with and without a sample."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hdp import clipping
from hdp.clipping import optimal_weights, water_level
from hdp.sym.foundations import one_lemma as sym
from tests.oracles import exact_objective, exact_weights, inf, problems, relative_error, thorough

EXACT = 1e-14  # a few units in the last place of a handful of operations

CASES = {
    "one public item": ([0.25], [0.0], 2.0),
    "ties at the level": ([1.0, 1.0, 1.0], [1.0, 0.5, 0.5], 1.0),
    "public and unusable only": ([1.0, 3.0, 1.0], [0.0, 0.0, inf], 1.0),
    "600 decades": ([0.25] * 4, [1e300, 1.0, 1e-300, 1e-150], 2.0),
    "a small penalty": ([1e-10, 1.0, 2.0, 4.0], [1e200, 1e-200, 0.0, inf], 1e-50),
    "a large penalty": ([1e100, 1e-100, 1.0], [1.0, 1.0, 0.0], 1e100),
    "v/s beyond the largest float": ([1e300, 1e300], [1e-300, 1e-301], 1.0),
    "level/v beyond the largest float": ([1.0, 1e-10, 2e-10], [1e300, 0, 0], 1.0),
    "tiny variances": ([1e-300, 2e-300], [1.0, 1.0], 1.0),
    "no reciprocal": ([1.0, 0.1], [1e-9, 1e-309], 2.0),
    "no reciprocal beside a large variance": ([1.0, 1e300], [5e-324, 1.0], 2.0),
    "a variance below the smallest normal float": ([1e-310], [0.0], 2.0),
    "the largest float": ([1.7976931348623157e308, 1.0], [1.0, 1.0], 2.0),
    "a public one of tiny variance beside a huge one": ([1e-300, 1e200], [0.0, 0.0], 2.0),
    "the largest float, public": ([1.7976931348623157e308] * 2, [0.0, 0.0], 2.0),
}


@pytest.mark.parametrize("case", CASES.items(), ids=lambda case: case[0])
def test_named_cases_agree_with_exact_fractions(case):
    """Right to the last digits, without overflow, underflow or division; a weight below 1e-300 may vanish."""
    with np.errstate(all="raise"):
        found = optimal_weights(*case[1])
    exact = exact_weights(*case[1], every_subset=True)
    assert all(abs(w - e) <= EXACT * e + 10**-300 for w, e in zip(found, exact, strict=True))


@pytest.mark.settles("hdp-one-lemma")
@thorough
@given(problems())
def test_weights_agree_with_exact_fractions_over_every_subset(problem):
    """The solver finds the one set of clipped items, of all subsets, that satisfies the KKT conditions."""
    assert relative_error(optimal_weights(*problem), exact_weights(*problem, every_subset=True)) < EXACT


@pytest.mark.settles("hdp-grouping")
@thorough
@given(problems(), st.lists(st.integers(1, 5), min_size=6, max_size=6))
def test_a_group_of_equal_items_is_one_item(problem, copies):
    """m items (v, s) together weigh as much as one item (v/m, s/m), each the m-th part of it."""
    v, s, kappa = (np.asarray(part) for part in problem)
    m = np.asarray(copies[: v.size])
    one_each = optimal_weights(v / m, s / m, kappa)
    expanded = optimal_weights(np.repeat(v, m), np.repeat(s, m), kappa)
    np.testing.assert_allclose(expanded, np.repeat(one_each / m, m), rtol=EXACT)


@pytest.mark.settles("hdp-grouping")
@thorough
@given(problems(max_size=20), st.integers(-20, 20))
def test_the_width_of_the_interval_does_not_change_the_weights(problem, power):
    """v -> W^2 v and s -> W s, and either with kappa: bit for bit for powers W of 2."""
    v, s, kappa = (np.asarray(part, dtype=float) for part in problem)
    width, expected = 2.0**power, optimal_weights(v, s, kappa)
    for scaled in ((width**2 * v, width * s, kappa), (width * v, s, width * kappa), (v, width * s, kappa / width**2)):
        np.testing.assert_array_equal(optimal_weights(*scaled), expected)
    least, wide = (exact_objective(expected, c * c * v, c * s, float(kappa)) for c in (1, width))
    assert wide == Fraction(width) ** 2 * least


@pytest.mark.settles("hdp-level-variational")
@thorough
@given(problems())
def test_the_level_is_the_least_that_any_set_of_items_gives(problem):
    """In fractions, over every set, for general variances; and it is that of the items below it."""
    v, s, kappa = problem
    items = [(Fraction(a), Fraction(b)) for a, b in zip(v, s, strict=True) if 0 < b < inf]
    if not items:
        return
    least = min(sym.level_of(chosen, Fraction(kappa)) for chosen in sym.sets_of(items))
    below = [(a, b) for a, b in items if a / b < least]
    own = (Fraction(kappa) + sum(a / b**2 for a, b in below)) / sum(1 / b for _, b in below)
    assert own == least
    with np.errstate(divide="ignore"):
        found = water_level(np.divide(v, s), 1 / np.array(s), kappa)
    assert relative_error([found], [least]) < EXACT


def _orders(n):
    rng = np.random.default_rng(n)
    missed, missed_high = np.full(n, 1e-3), np.full(n, 1e-3)
    missed[:: -(-n // 64)] = 1e-9  # whoever samples with a stride sees nothing but these
    missed_high[:: -(-n // 64)] = 1e3
    return {
        "uniform": rng.random(n),
        "constant, one public": np.append(np.full(n - 1, 0.1), inf),
        "two values": np.where(rng.random(n) < 0.5, 1e-3, 1e3),
        "nearly equal": 0.01 * (1 + 1e-12 * rng.random(n)),
        "600 decades": 10 ** rng.uniform(-300, 300, n),
        "missed low": missed,
        "missed high": missed_high,
        "mostly public": np.where(rng.random(n) < 0.99, inf, rng.random(n)),
    }


def test_large_items_a_rounding_error_apart_do_not_hide_the_level():
    """Their own level rounds to one of them, though the small items alone hold the volume far below."""
    large = 1e9 * (1 + 2.0**-52 * np.arange(9))
    for n in (0, 100, 5000):
        eps = np.concatenate([np.full(100, 1e-3), np.repeat(large, n + 1)])
        assert water_level(eps, eps, 8.0) == pytest.approx(80.001, rel=1e-13)


@pytest.mark.settles("hdp-general-complexity")
@pytest.mark.parametrize("hidden", [1e-300, 1e300, 0.0, inf])
def test_a_misleading_sample_costs_a_bounded_number_of_steps(hidden, monkeypatch):
    """The items looked at first say nothing of the others, which lie in every decade; medians bound the steps."""
    eps = 10 ** np.random.default_rng(4).uniform(-300, 300, 20 * clipping._FEW)
    eps[::20] = hidden
    sizes = {}
    for module, name in ((clipping, "_below"), (np, "partition"), (np, "argsort")):
        seen, function = sizes.setdefault(name, []), getattr(module, name)
        counted = lambda x, *a, seen=seen, function=function: (seen.append(x.size), function(x, *a))[1]  # noqa: E731
        monkeypatch.setattr(module, name, counted)
    assert _residual(eps, water_level(eps, eps, 8.0)) < 1e-12
    assert all(sizes.values()) and sum(sizes["argsort"]) <= clipping._FEW
    assert sum(sizes["_below"] + sizes["partition"]) < 40 * eps.size


def _residual(eps, level):
    """Tell how far the level is from (8 + sum_C eps^2) / sum_C eps with C the budgets below it."""
    below = eps[eps < level]
    return abs(level / ((8 + math.fsum(below * below)) / math.fsum(below)) - 1)


@pytest.mark.settles("hdp-general-complexity")
@pytest.mark.parametrize(
    "case",
    [(order, n) for n in (4097, 100_003) for order in _orders(n).items()],
    ids=lambda case: f"{case[0][0]}, {case[1]}",
)
def test_both_paths_agree_and_are_exact(case, monkeypatch):
    """With a sample to begin with and without one there is one level, and it is a fixed point of its equation."""
    (_, eps), n = case
    levels = []
    for threshold in (64, n):
        monkeypatch.setattr(clipping, "_FEW", threshold)
        levels.append(water_level(eps, eps, 8.0))
    np.testing.assert_allclose(*levels, rtol=1e-12)
    assert max(_residual(eps, level) for level in levels) < 1e-12


def test_slopes_whose_sum_is_no_float_are_refused():
    """Where the knots are infinite they do not matter."""
    with pytest.raises(ValueError, match="slopes must add up"):
        water_level(np.array([1.0, 1.0]), np.array([1e308, 1e308]), 1e308)
    assert water_level(np.array([3.0, inf]), np.array([1e308, inf]), 1e308) == 4.0
    found = water_level(np.array([1.0, 1.0, 1.5]), np.array([7e307, 7e307, 3e307]), 1e308)
    assert found == pytest.approx(1.5 + (1e308 - 0.5 * 1.4e308) / 1.7e308, rel=1e-15)


def test_water_level_is_infinite_without_a_vessel():
    """Nothing of positive width at a finite height holds no water."""
    assert water_level(np.array([inf, 1.0]), np.array([1.0, 0.0]), 1.0) == inf


@pytest.mark.parametrize(("low", "high", "many"), [(1e10, 1e165, 17), (5.706489744588195e61, 9.138915698919609e191, 5)])
def test_ties_that_nobody_can_tell_from_public_do_not_hide_the_level(low, high, many):
    """Their mean may round above themselves, and what they would hold is beyond any float."""
    eps = np.array([low] * 2 + [high] * many)
    for order in (eps, eps[::-1].copy()):
        assert water_level(order, order, 8.0) == low


def test_sums_beyond_the_largest_float_do_not_hide_the_level():
    """A million items that begin together: the products of their widths and knots add up to more than a float holds."""
    knots, slopes = np.full(10**6, 2.0**500), np.full(10**6, 2.0**515)
    assert water_level(knots, slopes, 2.0**1015) == pytest.approx((1 + 1e-6) * 2.0**500, rel=1e-12)
    assert water_level(knots, slopes, 2.0**1020) == pytest.approx((1 + 32e-6) * 2.0**500, rel=1e-15)
