"""Trust as a smaller budget: the hybrid, LDPE and ADPM, of which each has a module of its own."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from hdp import affine, baselines, hybrid
from tests.headlines.common import says, thorough

PAGE = "hybrid-trust/trust-as-budget"
NOT_ASKED = {PAGE: {"The library's two routes agree": "it names a table that the page computes and asserts"}}
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


@says(
    PAGE,
    "For two users or more, not trusting the curator is like having a smaller budget",
    "On fair coins the best hybrid has the error of LDPE of two groups",
)
@says(PAGE, "has the error of a method in which all trust her")
@says(PAGE, "The mean of many reports is one release with a smaller budget")
@thorough
@GROUPS
@example(20, 80, 0.5)
def test_the_hybrid_is_ldpe_with_smaller_budgets(trusting, local, epsilon):
    error, budgets = hybrid_error(trusting, local, epsilon)
    assert np.isclose(error, baselines.expected_mse("ldpe", budgets), rtol=1e-9)
    assert (budgets[-1] < 0.9 * epsilon) == (local > 1)


@says(PAGE, "the best weighted mean at these budgets at most halves this error")
@says(PAGE, "This error lies between that of ADPM with these budgets, before its cap")
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


@says(PAGE, "At the extremes trust and budgets agree")
@thorough
@given(st.integers(2, 10**4), st.floats(1e-3, 30))
def test_with_one_who_trusts_or_almost_all_nothing_is_new(n, epsilon):
    one = hybrid.Setting(n, 1 / n, 1, epsilon, 0.5)
    assert np.isclose(hybrid.mse_kvh(one), hybrid.mse_full_lm(one))
    nearly = hybrid.Setting(10**5, 1 - 1e-5, 1, epsilon, 0.5)
    alone = weighted_mean(np.full(10**5, 1e-5), np.full(10**5, epsilon))
    assert np.isclose(hybrid.true_mean_mse(nearly, hybrid.kvh_weight(nearly)), alone, rtol=1e-4)
