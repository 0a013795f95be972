"""Algorithm 2 with personal budgets: losses, and errors by the sums that define them."""

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hdp import adpm, affine, clipping, user_level
from hdp.user_level.algorithm_2 import final_release
from tests.populations import thorough

PAGE = "user-level/personal-budgets"
SEEDS = st.integers(0, 10**6)
few = settings(deadline=None, max_examples=25)


def population(seed, n=3000):
    """Numbers of samples and budgets: a few of each, mixed in any way."""
    rng = np.random.default_rng(seed)
    k = rng.choice(rng.integers(1, 1000, 3), n).astype(float)
    return k, rng.choice(np.exp(rng.uniform(-1.5, 2, 3)), n), rng


@few
@given(SEEDS)
@example(1)
def test_everybody_pays_once_and_no_more_than_she_allows(seed):
    k, e, rng = population(seed)
    parts = user_level.personal_groups(k, e)
    assert np.array_equal(np.sort(np.concatenate(parts[:3])), np.arange(k.size))
    w, lost = adpm.weights(e[parts.tail]), np.full(k.size, parts.head_budget)
    lost[parts.tail] = w / affine.noise_scale(w, e[parts.tail])
    rough = rng.uniform(0.1, 0.9), rng.uniform(1e-4, 0.05), rng.uniform(0.001, 0.2)
    plan = final_release(k[parts.middle], k.size, *rough, e[parts.middle], 0.05)
    lost[parts.middle] = plan.weights * (plan.upper - plan.lower) / plan.scale
    assert (lost <= e * (1 + 1e-9)).all()


def estimates(seed, g, n=30):
    """Variances, widths and budgets of users, and first estimates within the bounds of g."""
    rng = np.random.default_rng(seed)
    v, d, e = (np.exp(rng.normal(scale=s, size=n)) for s in (1, 1, 2))
    return v, d, e, v * rng.uniform(0.5, g - 1, n), d * np.sqrt(g) * rng.uniform(0, 1, n) ** 0.2


def paid(w, v, d, e):
    return w**2 @ v + 2 * np.max(w * d / e) ** 2


@thorough
@given(SEEDS, st.floats(2, 50))
def test_first_estimates_cost_at_most_the_factor_and_may_cost_it(seed, g):
    v, d, e, rough, wide = estimates(seed, g)
    w, best = clipping.optimal_weights(rough, wide / e, 2.0), clipping.optimal_weights(v / 2, d / e, 2.0)
    assert paid(w, v, wide, e) <= (g + 1 / (4 * (g - 1))) * paid(best, v / 2, d, e) * (1 + 1e-9)
    first = 1 / (2 * (g - 1))  # the weight of a user without noise; the other has nothing but noise
    v, cost = np.array([1.0, 1e-12]), np.array([1e-9, np.sqrt(first / (1 - first) / (4 * g))])
    wide = np.sqrt([1.0, g]) * cost
    w = clipping.optimal_weights(v * [0.5, 1], wide, 2.0)
    best = clipping.optimal_weights(v / 2, cost, 2.0)
    if g > 2.1:
        assert paid(w, v, wide, 1) >= (g + 1 / (4 * (g - 1))) * paid(best, v / 2, cost, 1) * (1 - 1e-4)


@thorough
@given(SEEDS, st.floats(2, 50), st.floats(0, 0.2), st.floats(0.01, 0.9))
@example(1, 16.0, 0.01, 0.5)
def test_the_error_is_within_a_public_factor(seed, g, between, outside):
    rng = np.random.default_rng(seed)
    k, e = rng.integers(1, 1000, 40).astype(float), np.exp(rng.normal(size=40))
    v, d = 0.2 / k + between, np.sqrt(between) + np.sqrt(3 / k)  # fall with k, and times k they rise
    middle = rng.permutation(40)[: max(1, int(40 * (1 - outside)))]
    rough, wide = v * rng.uniform(0.5, g - 1, 40), d * np.sqrt(rng.uniform(0.5, g, 40))
    omega = user_level.least_share(k, e, middle)
    level = np.exp(rng.normal(scale=3))
    weights = np.minimum(1 / v, level * e / d)
    assert omega <= weights[middle].sum() / weights.sum() * (1 + 1e-9)
    w = clipping.optimal_weights(rough[middle], (wide / e)[middle], 2.0)
    best = clipping.optimal_weights(v / 2, d / e, 2.0)
    factor = (g + 1 / (4 * (g - 1))) / omega**2
    assert paid(w, v[middle], wide[middle], e[middle]) <= factor * paid(best, v / 2, d, e) * (1 + 1e-9)
