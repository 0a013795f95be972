"""Budgets in pieces against exact fractions, cuts and orders."""

from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hdp import adpm, affine
from hdp.at_scale import count, round_down, weigh
from tests.populations import BUDGETS, PRIVATE, thorough

PAGE = "use/at-scale"
SOME_PRIVATE = BUDGETS.filter(lambda e: np.isfinite(e[e > 0]).any())
few = settings(deadline=None, max_examples=30)


@few
@given(SOME_PRIVATE, st.integers(0, 99), st.integers(2, 9))
@example(np.random.default_rng(4).lognormal(size=1000), 1, 7)
def test_cuts_and_orders_do_not_show(e, seed, parts):
    shuffled = np.random.default_rng(seed).permutation(e)
    cut = [part for part in np.array_split(shuffled, parts) if part.size]
    assert weigh(cut) == weigh(e) == weigh(count(cut))
    apart = np.concatenate([weigh(e).of(part) for part in cut])
    assert np.array_equal(apart, weigh(shuffled).of(shuffled))


@few
@given(SOME_PRIVATE.filter(lambda e: e.size <= 300))
@example(np.random.default_rng(4).lognormal(size=300))
def test_level_and_total_are_rounded_correctly(e):
    finite = sorted(Fraction(float(x)) for x in e if 0 < x < np.inf)
    below, first, second = 0, Fraction(0), Fraction(0)
    while below < len(finite) and (not below or finite[below] < (8 + second) / first):
        first, second, below = first + finite[below], second + finite[below] ** 2, below + 1
    level = (8 + second) / first
    total = first + level * (np.count_nonzero(e > 0) - below)
    found = weigh(e)
    assert found.level == float(level)
    assert found.total == pytest.approx(float(total), rel=1e-15)
    assert found.of([1.0])[0] == min(1.0, found.level) / found.total


@thorough
@given(SOME_PRIVATE, st.integers(0, 8))
@example(np.full(20_000, 1.9999 * 2.0**-11), 0)
def test_a_grid_costs_at_most_the_square_of_its_step(e, bits):
    exact, rough, g = weigh(e), weigh(e, bits=bits), 1 + 2.0**-bits
    w = exact.of(e)
    noise = 2 * affine.noise_scale(w, e) ** 2 / affine.mean_squared_error(w, affine.noise_scale(w, e), 0.25)
    assert 1 - 1e-12 <= rough.mse / exact.mse <= (1 + (g**2 - 1) * noise) * (1 + 1e-9) <= g**2 * (1 + 1e-8)


@thorough
@given(PRIVATE, st.integers(0, 8), st.integers(1, 10**9))
@example(np.random.default_rng(4).lognormal(size=3000), 2, 10**9)
def test_a_rounded_table_is_short(e, bits, _):
    down = round_down(e, bits)
    assert (down <= e).all() and (down * (1 + 2.0**-bits) > e).all()
    octaves = np.log2(e.max() / e.min()) + 2
    assert count([e], bits=bits).epsilon.size <= 2**bits * octaves


@few
@given(SOME_PRIVATE)
def test_a_missing_budget_is_refused_or_said(e):
    with pytest.raises(ValueError, match="missing"):
        weigh(np.append(e, np.nan))
    with pytest.warns(UserWarning, match="missing"):
        assert weigh(np.append(e, np.nan), missing=0.0).level == weigh(np.append(e, 0.0)).level


# -- How exact the weights are; how long they take, the page measures.

MEASURED = "a time, which the page measures anew in every build, and of which no test may depend"


@settings(deadline=None, max_examples=8)
@given(PRIVATE.filter(lambda e: e.size <= 40 and e.min() > 1e-2 and e.max() < 1e2))
@example(np.repeat([0.1, 0.5, 9.0], [5, 5, 5]))
def test_no_solver_finds_a_smaller_objective(e):
    objective = lambda w: w @ w / 4 + 2 * affine.noise_scale(w, e) ** 2  # noqa: E731
    w, scale = cp.Variable(e.size, nonneg=True), cp.Variable()
    goal = cp.Minimize(cp.sum_squares(w) / 4 + 2 * cp.square(scale))
    cp.Problem(goal, [cp.sum(w) == 1, w <= cp.multiply(e, scale)]).solve(solver="CLARABEL")
    found = np.maximum(w.value, 0)
    assert objective(adpm.weights(e)) <= objective(found / found.sum()) * (1 + 1e-12)
