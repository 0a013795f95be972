"""Budgets on a grid, by fractions and by what the error becomes."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest

from hdp import adpm, threshold
from hdp.at_scale import Groups, count, round_down, weigh


def populations(count=60):
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
    for budgets in populations():
        fine, coarse = (threshold.affine_mse(budgets) for budgets in (budgets, round_down(budgets, bits)))
        noise = 2 * max(w / e for w, e in zip(adpm.weights(budgets), budgets, strict=True) if e) ** 2
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
    for budgets in populations(20):
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
    for budgets in populations(20):
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
    with pytest.warns(UserWarning, match=f"1 of 3 budgets are missing and count as {default:g}"):
        weigh(budgets[:3], missing=default)
    with pytest.warns(UserWarning, match=f"2 of 4 budgets are missing and count as {default:g}"):
        table = count([budgets[:3], budgets[3:]], missing=default)
    assert dict(zip(table.epsilon.tolist(), table.users.tolist(), strict=True)) == {default: 2, 0.3: 1, 1.0: 1}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        weigh(filled, missing=default)
