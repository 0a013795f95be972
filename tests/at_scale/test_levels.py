"""Level, total and budgets on a grid against fractions, and against themselves in other parts."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hdp import ADPM, threshold
from hdp.at_scale import Groups, Weights, count, round_down, weigh
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
            level = ADPM(budgets).level
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
    small = np.full(100, 0.2)  # their level, and a crowd of different budgets around it
    level = weigh(small).level
    crowd = level * (1 + np.arange(-40, 40) * 2.0**-52)
    assert reads(np.append(small, crowd)) == 4
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
            levels = {ADPM(order.permutation(budgets)).level for _ in range(5)}
        furthest = max(furthest, *(abs(level - exact) / np.spacing(exact) for level in levels))
        moved += len(levels) > 1
        usual = np.abs(ADPM(budgets).weights / np.maximum(weigh(budgets).of(budgets), 1e-300) - 1)
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
        assert found.mse == pytest.approx(ADPM(budgets).mse(), rel=1e-12)
        assert found.answers_zero == ADPM(budgets).constant
        assert found.noise_scale == pytest.approx(np.max(ADPM(budgets).weights / budgets), rel=1e-12)
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
        np.append(STEADY, 0.0),
        np.append(STEADY[:-1], np.nan),
        np.concatenate([STEADY[:1], STEADY[:1], STEADY[2:]]),
    ],
    ids=["eighth digit", "last bit", "last bits of two", "more", "missing", "twice"],
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


def spreads(count=60):
    """Budgets of many sizes and spreads, some public, some unusable."""
    rng = np.random.default_rng(1)
    for number in range(count):
        n = int(rng.integers(1, 200))
        budgets = np.exp(rng.normal(rng.uniform(-3, 1), rng.choice([0.01, 1, 3]), n))
        budgets[rng.random(n) < 0.1 * (number % 3)] = np.inf
        yield np.append(budgets, [0.1, 0.0])


@pytest.mark.settles("hdp-scale-grid")
@pytest.mark.parametrize("bits", [0, 1, 3, 8, 51, 52])
def test_the_grid_is_the_one_that_is_promised(bits):
    """In fractions: on the grid, not above the budget, and less than one step of the grid below it."""
    rng = np.random.default_rng(2)
    drawn = [*np.exp(rng.uniform(-740, 700, 300)), 5e-324, 1.5e-320, 2.0, 1.7e308, np.nextafter(1, 0), 0.1]
    for given, found in zip(map(Fraction, drawn), map(Fraction, round_down(drawn, bits).tolist()), strict=True):
        octave = Fraction(2) ** (math.floor(math.log2(given.numerator) - math.log2(given.denominator)) - 1)
        while octave * 2 <= given:
            octave *= 2
        step = octave / 2**bits
        assert found == given // step * step and 0 <= given - found < step <= found / 2**bits
    assert round_down([np.inf, 0.0], bits).tolist() == [np.inf, 0.0], "public and unusable budgets stay"


@pytest.mark.settles("hdp-scale-grid")
@pytest.mark.parametrize("bits", [0, 1, 2, 4, 8])
def test_rounding_down_costs_no_more_than_the_bound(bits):
    """For any population, by the error of the whole vector; and it never lessens it."""
    ratio, closest = 1 + 2.0**-bits, 0.0
    for budgets in spreads():
        fine, coarse = (threshold.affine_mse(budgets) for budgets in (budgets, round_down(budgets, bits)))
        noise = 2 * max(w / e for w, e in zip(ADPM(budgets).weights, budgets, strict=True) if e) ** 2
        bound = fine + (ratio**2 - 1) * noise
        assert fine * (1 - 1e-12) <= coarse <= bound * (1 + 1e-12) <= fine * ratio**2 * (1 + 1e-11)
        assert min(fine, 0.25) * (1 - 1e-12) <= min(coarse, 0.25) <= min(fine, 0.25) * ratio**2 * (1 + 1e-11), "capped"
        closest = max(closest, (coarse / fine - 1) / (bound / fine - 1))
    assert closest > 0.5


@pytest.mark.settles("hdp-scale-grid")
def test_no_smaller_bound_holds():
    """Budgets that are just below the grid, of so many users that sampling errs by next to nothing."""
    for bits in (0, 3):
        ratio = 1 + 2.0**-bits
        below = np.nextafter(ratio, 0) * 1e-6
        crowd, rounded = ([(budget, 10**8)] for budget in (below, below / ratio))
        found = [weigh(Groups(*zip(*groups, strict=True))).mse for groups in (crowd, rounded)]
        assert 0.999 * ratio**2 < found[1] / found[0] < ratio**2


def test_the_weights_of_rounded_budgets_keep_the_given_ones():
    """Each user's loss, by the definition, against what she allowed."""
    for budgets in spreads(20):
        found = weigh(budgets, bits=2)
        kept = weigh(round_down(budgets, 2))
        assert (found.level, found.total) == (kept.level, kept.total)
        w = found.of(budgets)
        assert np.isclose(w.sum(), 1, rtol=1e-12) and np.array_equal(w, kept.of(round_down(budgets, 2)))
        if found.noise_scale:
            assert np.all(w / found.noise_scale <= budgets * (1 + 1e-15)) and np.all(found.loss(budgets) <= budgets)


def test_groups_can_be_rounded_too():
    """What falls together is one group."""
    groups = Groups([0.1, 0.13, 0.9, 1.0, np.inf], [1, 2, 3, 4, 5])
    coarse = groups.rounded(0)
    assert coarse.epsilon.tolist() == [0.0625, 0.125, 0.5, 1.0, np.inf] and coarse.users.tolist() == [1, 2, 3, 4, 5]
    assert groups.rounded(None) is groups and Groups([1.0, 1.5], [2, 3]).rounded(0).users.tolist() == [5]
    everyone = np.repeat(groups.epsilon, groups.users)
    for bits in (0, 1):
        assert weigh(groups, bits=bits) == weigh(everyone, bits=bits)


def test_counting_gives_the_groups_of_the_whole():
    """Whatever the parts; and their weights are those of the users."""
    for budgets in spreads(20):
        whole = Groups.of(round_down(budgets, 2))
        for parts in ([budgets], np.array_split(budgets, 5), [lambda budgets=budgets: iter(np.split(budgets, [1]))]):
            found = count(parts, bits=2)
            assert np.array_equal(found.epsilon, whole.epsilon) and np.array_equal(found.users, whole.users)
        on_a_grid = weigh(budgets, bits=2)
        assert (weigh(whole).level, weigh(whole).total) == (on_a_grid.level, on_a_grid.total)


def test_a_table_of_too_many_lines_is_refused(monkeypatch):
    """And says what makes it shorter; one without a usable budget too."""
    monkeypatch.setattr("hdp.at_scale.groups.MOST", 10)
    budgets = np.linspace(1, 2, 11)
    assert count([budgets[:5], budgets[5:]], bits=3).users.sum() == 11
    with pytest.raises(ValueError, match="bits must make at most 10 budgets different, got 11"):
        count([budgets[:5], budgets[5:]])
    with pytest.raises(ValueError, match="parts must hold at least one budget"):
        count([[0.0], []])
    with pytest.raises(ValueError, match="None for 1 of 2 users"):
        count([[1.0], [np.nan]])


@pytest.mark.settles("hdp-scale-missing")
def test_a_missing_budget_is_refused():
    """With how many there are, be it one, however they are cut."""
    for missing, parts in (1, [1.0, 0.3, np.nan]), (2, [[1.0, np.nan], [np.nan]]), (2, [[1.0, np.nan, np.nan]]):
        with pytest.raises(ValueError, match=rf"missing must be the budget .* got None for {missing} of 3 users"):
            weigh(parts)
    with pytest.raises(ValueError, match="epsilon must not be missing, got 1"):
        weigh([1.0]).of([1.0, np.nan])


@pytest.mark.settles("hdp-scale-missing")
@pytest.mark.parametrize("default", [0.0, 0.05])
def test_a_default_for_missing_budgets_is_never_silent(default):
    """A warning with their number; and the result is that of the default in their place."""
    budgets, filled = np.array([1.0, np.nan, 0.3, np.nan]), np.array([1.0, default, 0.3, default])
    with pytest.warns(UserWarning, match=f"2 of 4 budgets are missing and count as {default:g}"):
        found = weigh([budgets[:3], budgets[3:]], missing=default)
    assert (found.level, found.total, found.lacking) == (weigh(filled).level, weigh(filled).total, 2)
    assert np.array_equal(found.of(budgets), weigh(filled).of(filled))
    with pytest.warns(UserWarning, match=f"2 of 4 budgets are missing and count as {default:g}"):
        table = count([budgets[:3], budgets[3:]], missing=default)
    assert dict(zip(table.epsilon.tolist(), table.users.tolist(), strict=True)) == {default: 2, 0.3: 1, 1.0: 1}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        weigh(filled, missing=default)
