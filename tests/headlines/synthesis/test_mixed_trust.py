"""What trust is worth, and one release for users who trust and users who do not."""

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pytest import approx

from hdp import affine, baselines, compare, hybrid
from tests.populations import PRIVATE, SIZES, groups, thorough

CURATOR, LOCAL = compare.TRUST


def least(epsilon, trust, **options):
    """Error of the best release, the values being coins."""
    return compare.mixed_release(compare.Population(epsilon, trust), **options).error()


@settings(deadline=None, max_examples=25)
@given(st.floats(0.1, 0.9), st.floats(0.1, 2), st.floats(0.1, 30))
@example(0.1, 2.0, 30.0)
@example(0.1, 0.1, 0.1)
def test_many_users_make_privacy_cheap_and_never_missing_trust(share, doubting, trusting):
    for n in (10, 1000, 100_000):
        sizes = round(share * n), n - round(share * n)
        e, trust = groups(sizes, (doubting, trusting)), np.repeat([LOCAL, CURATOR], sizes)
        assert 4 * n * least(e, trust) > 1.04  # over the error without privacy
    assert 4 * n * least(e, CURATOR) < 1.01


@thorough
@given(st.integers(1, 1000), st.integers(0, 1000))
@example(10, 0)
def test_missing_trust_of_public_users_costs_nothing_and_that_of_unusable_ones_too(public, unusable):
    """So both are excepted."""
    e = groups((public, unusable), (np.inf, 0.0))
    assert least(e, LOCAL) == approx(least(e, CURATOR)) == approx(1 / (4 * public))


@thorough
@given(st.floats(0.1, 10), st.integers(2, 30))
def test_reports_keep_their_noise_and_a_release_loses_it(epsilon, more):
    few, many = (100, 100 * more)
    released, reported = (
        [n * least(np.full(n, epsilon), trust) - 1 / 4 for n in (few, many)] for trust in compare.TRUST
    )
    assert released[1] == approx(released[0] / more, rel=1e-6)
    assert reported[1] == approx(reported[0], rel=1e-6)


@thorough
@given(st.floats(0.01, 20), st.floats(0, 1))
@example(20.0, 0.5)
def test_one_bit_is_unbiased_and_varies_less_than_noise(epsilon, value):
    lie, size = 1 / (1 + np.exp(epsilon)), 1 / np.tanh(epsilon / 2) / 2
    ones = value * (1 - lie) + (1 - value) * lie
    mean = 1 / 2 + size * (2 * ones - 1)
    assert mean == approx(value, abs=1e-9)
    variance = ones * (1 / 2 + size - mean) ** 2 + (1 - ones) * (1 / 2 - size - mean) ** 2
    assert variance <= least([epsilon], LOCAL) * (1 + 1e-9)  # the worst mean is one half
    assert least([epsilon], LOCAL) < least([epsilon], LOCAL, reports="laplace")


@settings(deadline=None, max_examples=20)
@given(PRIVATE, SIZES, st.integers(0, 99))
@example(np.array([1.0, 1.0, 0.1]), 2, 0)
def test_no_other_weights_of_values_and_reports_are_better(e, doubting, seed):
    rng = np.random.default_rng(seed)
    trust = np.where(np.arange(e.size) < doubting, LOCAL, CURATOR)
    both, local = compare.mixed_release(compare.Population(e, trust)), trust == LOCAL
    for who in (local, ~local):
        assert not who.any() or both.error() <= least(e[who], trust[who]) * (1 + 1e-9)
    budgets, kind = np.unique(e, return_inverse=True)
    v = np.where(local, np.array([least([budget], LOCAL) for budget in budgets])[kind], 1 / 4)
    for w in (rng.exponential(size=e.size), np.ones(e.size), e, np.minimum(e, 1)):
        scale = affine.noise_scale(w / w.sum(), np.where(local, np.inf, e))
        assert both.error() <= affine.mean_squared_error(w / w.sum(), scale, v) * (1 + 1e-9)


# -- Trust as a smaller budget: the hybrid, LDPE and ADPM, of which each has a module of its own.

PAGE = "hybrid-trust/trust-as-budget"
GROUPS = given(st.integers(1, 400), st.integers(1, 400), st.floats(1e-3, 30))


def hybrid_error(trusting, local, epsilon):
    """Of the best hybrid on fair coins, by search over its weight, and everybody's budget or what stands for it."""
    s = hybrid.Setting(trusting + local, trusting / (trusting + local), 1, epsilon, 0.5)
    weights = np.append(np.linspace(0, 1, 101), hybrid.kvh_weight(s))
    smaller = epsilon / np.sqrt(local) * (1 - 1e-12)  # also for one local user another group than those who trust
    return min(hybrid.true_mean_mse(s, w) for w in weights), np.repeat([epsilon, smaller], [trusting, local])


def weighted_mean(weights, epsilon):
    """Worst error of a weighted mean with one Laplace noise."""
    return weights @ weights / 4 + 2 * affine.noise_scale(weights, epsilon) ** 2


@thorough
@GROUPS
@example(20, 80, 0.5)
def test_the_hybrid_is_ldpe_with_smaller_budgets(trusting, local, epsilon):
    error, budgets = hybrid_error(trusting, local, epsilon)
    assert np.isclose(error, baselines.expected_mse("ldpe", budgets), rtol=1e-9)
    assert (budgets[-1] < 0.9 * epsilon) == (local > 1)


@thorough
@GROUPS
@example(20, 80, 0.5)
def test_one_noise_in_place_of_two_at_most_halves_the_error(trusting, local, epsilon):
    error, budgets = hybrid_error(trusting, local, epsilon)
    shares = np.linspace(0, 1, 61)[:, None] * np.append(np.full(trusting, 1 / trusting), np.zeros(local))
    all_weights = shares + (1 - shares.sum(axis=1))[:, None] * np.append(np.zeros(trusting), np.full(local, 1 / local))
    best = min(weighted_mean(w, budgets) for w in all_weights)
    assert error / 2 * (1 - 1e-9) <= best and weighted_mean(np.asarray(all_weights[30]), budgets) >= error / 2
    assert baselines.expected_mse("adpm", budgets) <= error * (1 + 1e-9)


@thorough
@given(st.integers(2, 10**4), st.floats(1e-3, 30))
def test_with_one_who_trusts_or_almost_all_nothing_is_new(n, epsilon):
    one = hybrid.Setting(n, 1 / n, 1, epsilon, 0.5)
    assert np.isclose(hybrid.mse_kvh(one), hybrid.mse_full_lm(one))
    nearly = hybrid.Setting(10**5, 1 - 1e-5, 1, epsilon, 0.5)
    alone = weighted_mean(np.full(10**5, 1e-5), np.full(10**5, epsilon))
    assert np.isclose(hybrid.true_mean_mse(nearly, hybrid.kvh_weight(nearly)), alone, rtol=1e-4)
