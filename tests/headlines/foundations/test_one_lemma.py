"""The best weights, and their level."""

from itertools import chain, combinations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from hdp import adpm, affine, clipping
from tests.populations import BUDGETS, thorough
from tests.oracles import problems

SEEDS = st.integers(0, 10**6)
PLAIN = ([0.25, 0.25, 0.25], [4.0, 2.0, 0.5], 0.1)  # a variance-limited item beside two that noise limits


def objective(w, v, s, kappa):
    """Variance plus the noise that the worst item needs; no weight needs none."""
    noise = np.max(np.multiply(s, w, out=np.zeros(w.size), where=w > 0))
    return np.sum(np.asarray(v) * w**2) + kappa * noise**2


def others(s, seed):
    """Other weights of the items that are usable."""
    w = np.random.default_rng(seed).exponential(size=len(s)) * np.isfinite(s)
    return w / w.sum()


@thorough
@given(BUDGETS)
@example(np.array([1.0, 2.0, 20.0]))
def test_everybody_counts_by_her_budget_up_to_the_level(e):
    with np.errstate(divide="ignore"):
        w, private = clipping.optimal_weights(0.25, 1 / e, 2.0), e[np.isfinite(e)]
    level = adpm.clipping_level(e)
    clipped = np.minimum(e, level if level < np.inf else 1.0)
    np.testing.assert_allclose(w, clipped / clipped.sum(), rtol=1e-9)
    if private.any():
        poured = np.sum(private * np.maximum(level - private, 0))
        assert abs(poured - 8) <= 8e-9 + 1e-13 * np.sum(private * level)
    else:
        assert level == np.inf


@thorough
@given(BUDGETS, SEEDS, st.floats(0, 1))
@example(np.array([1.0, 3.0]), 1, 0.1)
def test_no_other_weights_err_less(e, seed, part):
    best, other = adpm.weights(e), np.random.default_rng(seed).exponential(size=e.size) * (e > 0)
    mixed = (1 - part) * best + part * other / other.sum()
    least, found = (affine.mean_squared_error(w, affine.noise_scale(w, e)) for w in (best, mixed))
    assert found >= least * (1 - 1e-12)


@thorough
@given(problems(), SEEDS)
@example(PLAIN, 1)
def test_nothing_else_is_as_good(problem, seed):
    v, s, kappa = problem
    w, other = clipping.optimal_weights(v, s, kappa), others(s, seed)
    mixed = 0.9 * w + 0.1 * other
    if np.abs(mixed - w).max() > 1e-4:
        assert objective(mixed, v, s, kappa) > objective(w, v, s, kappa)


@thorough
@given(problems())
@example(PLAIN)
def test_every_item_is_limited_by_its_variance_or_by_the_noise(problem):
    v, s, kappa = (np.asarray(x) for x in problem)
    w = clipping.optimal_weights(v, s, kappa)
    usable, least = np.isfinite(s), objective(w, v, s, kappa)
    noise = s[usable] * w[usable]
    by_noise, by_variance = noise.max() - noise, least - v[usable] * w[usable]
    assert np.all(by_variance >= -1e-9 * least)  # the multiplier of the noise is not negative
    assert np.all(np.minimum(by_noise / (noise.max() or 1), by_variance / least) <= 1e-9)


@thorough
@given(problems(max_size=5))
@example(PLAIN)
def test_no_set_of_items_gives_a_lower_level(problem):
    v, s, kappa = (np.asarray(x) for x in problem)
    private = (s > 0) & np.isfinite(s)
    v, s = v[private], s[private]
    sets = chain.from_iterable(combinations(range(s.size), size) for size in range(1, s.size + 1))
    each = ((kappa + sum(v[i] / s[i] ** 2 for i in chosen)) / sum(1 / s[i] for i in chosen) for chosen in sets)
    level = clipping.water_level(v / s, 1 / s, float(kappa)) if s.size else np.inf
    np.testing.assert_allclose(level, min(each, default=np.inf), rtol=1e-9)


@thorough
@given(BUDGETS.filter(lambda e: (np.isfinite(e) & (e > 0)).any()))
@example(np.array([1.0, 2.0, 5.0]))
def test_the_level_of_budgets_is_four_times_that_of_the_theorem(e):
    private = e[np.isfinite(e) & (e > 0)]
    level = clipping.water_level(0.25 * private, private, 2.0)
    np.testing.assert_allclose(adpm.clipping_level(e), 4 * level, rtol=1e-12)


@thorough
@given(problems())
@example(PLAIN)
def test_the_best_weights_are_cut_at_the_level(problem):
    v, s, kappa = (np.asarray(x) for x in problem)
    private = (s > 0) & np.isfinite(s)
    shares = (s == 0) / v
    if private.any():
        level = clipping.water_level(v[private] / s[private], 1 / s[private], float(kappa))
        shares = np.where(private, np.minimum(level / v, 1 / np.where(private, s, 1)), level * shares)
    np.testing.assert_allclose(clipping.optimal_weights(v, s, kappa), shares / shares.sum(), rtol=1e-8)


@thorough
@given(problems(), st.integers(1, 9), st.floats(0.01, 100))
@example(PLAIN, 3, 10.0)
def test_groups_are_items_and_widths_change_nothing(problem, size, width):
    v, s, kappa = (np.asarray(x) for x in problem)
    alone = clipping.optimal_weights(v, s, kappa)
    repeated = clipping.optimal_weights(np.repeat(size * v, size), np.repeat(size * s, size), kappa)
    np.testing.assert_allclose(repeated, np.repeat(alone / size, size), rtol=1e-9)
    np.testing.assert_allclose(clipping.optimal_weights(width**2 * v, width * s, kappa), alone, rtol=1e-9)


@thorough
@given(problems(), st.floats(1e-4, 1e4))
@example(PLAIN, 4.2)
def test_no_other_clip_errs_less(problem, clip):
    v, s, kappa = (np.asarray(x) for x in problem)
    with np.errstate(divide="ignore"):
        w = np.minimum(1 / v, clip / s)
    least = objective(clipping.optimal_weights(v, s, kappa), v, s, kappa)
    assert objective(w / w.sum(), v, s, kappa) >= least * (1 - 1e-12)
