"""Level and total against fractions, and against themselves in other parts."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hdp import adpm
from hdp.at_scale import Groups, Weights, round_down, weigh
from hdp.at_scale.grids import Rules
from hdp.at_scale.sums import Window, merge, tally, units
from tests.oracles import exact_level

INF = float("inf")


def exactly(budgets):
    """The float nearest to the level, and the one nearest to the sum of what is clipped there, in fractions."""
    level = exact_level(budgets)
    nearest = float(level)
    return nearest, float(sum(min(Fraction(nearest), Fraction(b) if b < INF else level, key=float) for b in budgets))


def populations():
    """Budgets of all sizes and spreads; many alike, on a grid, on both sides of the level by one bit."""
    rng = np.random.default_rng(1)
    for number in range(120):
        n = int(rng.integers(2, 300))
        budgets = np.exp(rng.normal(0, rng.choice([1e-9, 0.01, 1, 4]), n)) * 10.0 ** rng.integers(-3, 3)
        if number % 3 == 0:
            budgets[1 + np.flatnonzero(rng.random(n - 1) < 0.2)] = INF
        if number % 4 == 0:
            budgets = round_down(budgets, int(rng.integers(0, 5)))
        if number % 5 == 0:
            level = adpm.clipping_level(budgets)
            budgets = np.append(budgets, level * (1 + np.arange(-6, 7) * 2.0**-52))
        yield budgets
    yield np.array([5e-324, 2.5e-310, 1e-200, 1.0])
    yield np.array([1e-160, 1e-155, 3e-155, INF])
    yield np.array([1e150, 2e150, 1e308])


@pytest.mark.settles("hdp-scale-sums")
def test_level_and_total_are_the_floats_nearest_to_the_exact_numbers():
    """In every population; groups come to the same by another way."""
    for budgets in populations():
        found = weigh(budgets)
        assert (found.level, found.total) == exactly(budgets.tolist())
        assert found == weigh(Groups.of(budgets))


def test_the_total_is_that_of_the_rounded_level():
    """The exact one is 40/3, but budgets are clipped at the float nearest to 22/3."""
    found = weigh([[6.0, 10.0]])
    assert exact_level([6.0, 10.0]) == Fraction(22, 3)
    assert found.total == float(6 + Fraction(found.level)) != float(Fraction(40, 3))


@pytest.mark.settles("hdp-scale-sums")
@given(cuts=st.lists(st.integers(0, 500), max_size=9), seed=st.integers(0, 2**32), grid=st.sampled_from([None, 2]))
@settings(max_examples=30, deadline=None)
def test_neither_cuts_nor_order_change_a_bit(cuts, seed, grid):
    """Parts of any sizes, empty ones too, as arrays, as functions, as functions that give several in turn."""
    rng = np.random.default_rng(seed)
    budgets = rng.lognormal(0, 3, 500)
    budgets[rng.random(500) < 0.1] = INF
    whole = weigh(budgets, bits=grid)
    parts = np.split(rng.permutation(budgets), sorted(cuts))
    assert weigh(parts, bits=grid) == whole
    assert weigh([part.copy for part in parts], bits=grid) == whole
    assert weigh([lambda: iter(parts)], bits=grid) == whole
    assert np.array_equal(np.concatenate([whole.of(budgets[:7]), whole.of(budgets[7:])]), whole.of(budgets))


def test_the_level_of_all_is_at_most_that_of_a_part():
    """And it is that of a part if all others lie above it."""
    assert weigh([1.0]).level == weigh([1.0, 100.0]).level == 9.0 < weigh([100.0]).level
    for budgets in populations():
        parts = [part for part in np.array_split(budgets, 2) if np.isfinite(part[part > 0]).any()]
        assert all(weigh(budgets).level <= weigh(part).level for part in parts)


@pytest.mark.settles("hdp-scale-sums")
def test_more_budgets_than_one_block_holds():
    """Sums of two hundred thousand with all digits set, against fractions of Python."""
    rng = np.random.default_rng(4)
    budgets = np.nextafter(np.ldexp(1.0, rng.integers(-30, 3, 200_000)), 0)
    values, counts = np.unique(budgets, return_counts=True)
    found = weigh([budgets[:150_001], budgets[150_001:]])
    assert found == weigh(Groups(values, counts))
    spread = rng.lognormal(0, 1, 200_000)
    exact = sum(map(Fraction, np.minimum(spread, weigh(spread).level).tolist()))
    assert weigh(spread).total == float(exact)


def test_sums_of_a_thousand_million_users_are_exact():
    """The last digits but one are carried on too: a block of users is merged with itself again and again."""
    budget = np.nextafter(2.0, 0)
    found = tally(np.full(2**16, budget), Window(), Rules(None, None))
    for _ in range(14):
        found = merge([found, found])
    ((_, _, users, first, second),) = found.bins(Window())
    assert (users, first, second) == (2**30, 2**30 * units(budget), 2**30 * units(budget) ** 2)


def reads(budgets):
    """How often the budgets are read."""
    calls = []
    weigh([lambda: calls.append(1) or budgets.copy()])
    return len(calls)


@pytest.mark.settles("hdp-scale-passes")
def test_four_passes_are_enough_and_two_the_rule():
    """Twenty of 63 bits are decided in each; budgets that crowd around the level need all."""
    rng = np.random.default_rng(5)
    assert {reads(rng.lognormal(0, 1, 10_000)) for _ in range(20)} <= {1, 2}
    assert reads(np.full(100_000, 0.3)) == reads(round_down(rng.lognormal(size=1000), 3)) == 1
    level = adpm.clipping_level(rng.lognormal(size=1000))
    most = 0
    for near in (0.1, 0.5, level):
        crowd = np.append(np.full(20, near), near * (1 + rng.integers(1, 200, 50) * 2.0**-52))
        for scale in np.linspace(0.5, 2, 30):
            most = max(most, reads(np.append(crowd, np.full(int(300 * scale), near / 3))))
    small = np.full(100, 0.2)  # their level, and a crowd of different budgets around it
    level = weigh(small).level
    crowd = level * (1 + np.arange(-40, 40) * 2.0**-52)
    assert reads(np.append(small, crowd)) == 4 and most <= 4
    for n in range(100, 140):  # two different budgets above the level, which share so many bits with it and no more
        small = np.full(n, 0.2)
        bits = np.array([weigh(small).level]).view(np.int64)[0]
        for shared in range(36, 44):
            if not bits >> (62 - shared) & 1:
                first = (bits >> (62 - shared) | 1) << (62 - shared)
                two = np.array([first, first + 1]).view(float)
                assert reads(np.append(small, two)) == 2 + (shared >= 40)


@pytest.mark.settles("hdp-scale-order")
def test_the_level_of_the_whole_vector_is_near_and_depends_on_the_order():
    """That of `hdp.adpm` is within four units of the last digit, and not always the same for the same users."""
    furthest, moved = 0.0, 0
    for budgets in populations():
        exact, order = weigh(budgets).level, np.random.default_rng(6)
        with np.errstate(over="ignore"):
            levels = {adpm.clipping_level(order.permutation(budgets)) for _ in range(5)}
        furthest = max(furthest, *(abs(level - exact) / np.spacing(exact) for level in levels))
        moved += len(levels) > 1
        usual = np.abs(adpm.weights(budgets) / np.maximum(weigh(budgets).of(budgets), 1e-300) - 1)
        assert np.all(usual[weigh(budgets).of(budgets) > 1e-290] < 8 * 2.0**-52)
    assert 1 <= furthest <= 4 and moved > 10


@pytest.mark.settles("hdp-scale-sums")
def test_noise_and_error_are_those_of_the_weights():
    """Against `hdp.adpm`, both branches, and with public values only."""
    zeros = 0
    for budgets in populations():
        if budgets.min() < 1e-100 or budgets[budgets < INF].max() > 1e100:
            continue
        found = weigh(budgets)
        assert found.mse == pytest.approx(adpm.worst_case_mse(budgets), rel=1e-12)
        assert found.answers_zero == adpm.answers_zero(budgets)
        assert found.noise_scale == pytest.approx(np.max(adpm.weights(budgets) / budgets), rel=1e-12)
        assert np.array_equal(found.loss(budgets), np.minimum(budgets, found.level))
        zeros += found.answers_zero
    assert zeros > 5
    free = weigh([0.0, INF, INF, INF])
    assert free == Weights(INF, 3.0, 4, 3) and free.of([0.0, INF]).tolist() == [0, 1 / 3]
    assert free.free and free.noise_scale == 0 and free.mse == 1 / 12 and not free.answers_zero


def test_no_weight_is_rounded_to_more_than_the_budget_where_floats_end():
    """A weight below the least normal float is none; in fractions, against the noise."""
    rng, none = np.random.default_rng(3), 0
    for _ in range(300):
        budgets = 10.0 ** rng.uniform(-300, 300, int(rng.integers(1, 7)))
        found = weigh(budgets)
        for w, budget in zip(found.of(budgets).tolist(), budgets.tolist(), strict=True):
            assert Fraction(w) <= Fraction(budget) * Fraction(found.noise_scale) * (1 + Fraction(1, 2**50))
            none += w == 0
    assert none > 50


def test_budgets_of_a_part_are_refused_as_such():
    with pytest.raises(ValueError, match=r"epsilon must lie in \[0, inf\], got -1.0"):
        weigh([[1.0], [-1.0]])
    with pytest.raises(ValueError, match="epsilon must be a vector"):
        weigh([[[1.0]]])


class Changing:
    """A part that is another one whenever it is read again."""

    def __init__(self, *readings):
        self.readings, self.times = readings, 0

    def __call__(self):
        found = self.readings[min(self.times, len(self.readings) - 1)]
        self.times += 1
        return found


STEADY = np.random.default_rng(5).uniform(0.1, 0.2, 3000)  # so many that one pass does not find the level
UP = np.nextafter(STEADY, INF)


@pytest.mark.filterwarnings("ignore:.* budgets are missing")
@pytest.mark.parametrize(
    "again",
    [
        np.where(np.arange(3000) == 77, STEADY * (1 + 1e-8), STEADY),
        np.where(np.arange(3000) == 2999, UP, STEADY),
        np.where(np.arange(3000) == 0, UP, np.where(np.arange(3000) == 1, np.nextafter(STEADY, 0), STEADY)),
        STEADY[1:],
        np.append(STEADY, 0.0),
        np.append(STEADY[:-1], INF),
        np.append(STEADY[:-1], np.nan),
        np.concatenate([STEADY[:1], STEADY[:1], STEADY[2:]]),
        [],
    ],
    ids=["eighth digit", "last bit", "last bits of two", "fewer", "more", "public", "missing", "twice", "none"],
)
def test_a_part_that_changes_between_passes_is_refused(again):
    """By its place: one bit of one budget, one user more or fewer, one missing; whatever other parts there are."""
    message = "^parts must hold the same budgets whenever they are read, got others from part 2, counted from 0, when"
    for before in ([UP, STEADY], [STEADY, np.zeros(3)]):
        with pytest.raises(ValueError, match=message):
            weigh([*before, Changing(STEADY, again), UP], missing=0.5)
    two = Changing(iter([STEADY, UP]), iter([STEADY, again]))
    with pytest.raises(ValueError, match=message):
        weigh([STEADY, STEADY, two], missing=0.5)


def test_an_iterator_that_can_be_read_once_is_no_part():
    """Its second reading is empty."""
    once = iter([STEADY, UP])
    with pytest.raises(ValueError, match="got others from part 0"):
        weigh([lambda: once])


def test_a_missing_budget_is_not_the_one_that_counts_for_it():
    """The sums are the same, and who is missing is not."""
    part = Changing(np.append(STEADY, np.nan), np.append(STEADY, 0.5))
    with pytest.raises(ValueError, match="others from part 0"):
        weigh([part], missing=0.5)


def test_a_part_may_be_read_in_another_order_and_in_other_pieces():
    """It holds the same budgets."""
    whole = np.concatenate([STEADY, [0.0, INF], UP])
    sevenths = (iter(np.array_split(whole, 7)) for _ in range(2))
    part = Changing(iter([STEADY, [0.0, INF], UP]), iter([whole[::-1]]), *sevenths)
    assert weigh([part]) == weigh(whole)
