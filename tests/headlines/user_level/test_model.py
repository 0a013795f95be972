"""What users with several samples are worth, and what weights without privacy are."""

from itertools import product

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from pytest import approx
from scipy.stats import binom

from hdp import affine, user_level
from tests.populations import thorough
from tests.headlines.user_level.common import APART, LAWS, RECORDS, law

_UNIT = st.floats(0, 1).map(lambda x: round(x, 6))


def chance(ones, k, means):
    """Of so many ones of a user with k samples, whose own mean is each of these with the same probability."""
    return np.mean([binom.pmf(ones, k, mean) for mean in means], axis=0)


@thorough
@given(APART)
@example(law(0.5, 0.01))
def test_beyond_a_number_of_samples_endlessly_many_do_not_help_as_much_as_one_more_person(people):
    p, spread = people
    enough = max(1.0, np.ceil(p * (1 - p) / spread**2))
    now, endless = user_level.sample_mean_variance(*people, [enough, np.inf])
    assert endless > now / 2
    assert user_level.baseline_variance("uniform", [enough] * 2, *people) == approx(now / 2)


@thorough
@given(st.lists(_UNIT, min_size=1, max_size=5), st.integers(1, 40))
@example([0.0, 0.5], 7)
def test_her_data_reduce_the_sampling_noise_alone(means, k):
    ones, p, between = np.arange(k + 1), np.mean(means), np.var(means)
    variance = chance(ones, k, means) @ (ones / k - p) ** 2
    assert variance == approx((p * (1 - p) - between) / k + between, abs=1e-12)
    assert variance == approx(user_level.sample_mean_variance(p, np.sqrt(between), k), abs=1e-12)


@thorough
@given(st.sets(st.integers(1, 10**6), min_size=2, max_size=6), st.sets(st.integers(0, 1000), min_size=6, max_size=6))
def test_samples_that_come_with_larger_means_count_too_much(samples, thousandths):
    k = np.array(sorted(samples), dtype=float)
    means = np.array(sorted(thousandths))[: k.size] / 1000
    assert (k / k.sum()) @ means > means.mean()


@thorough
@given(st.floats(1e-6, 1), st.floats(0.01, 30), st.integers(1, 3000))
def test_noise_that_hides_a_user_follows_her_weight(weight, epsilon, k):
    for part in (1, 1 / 2):
        noise = affine.noise_scale([part * weight, 1 - part * weight], [epsilon, np.inf])  # the other is public
        assert noise == approx(part * weight / epsilon)
        assert part * weight * (np.ones(k).mean() - np.zeros(k).mean()) / noise == approx(epsilon)


@thorough
@given(st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=4), min_size=1, max_size=4), st.integers(1, 50))
@example([[0.0, 1.0], [0.0, 0.0]], 2)
def test_values_within_the_unit_interval_vary_no_more_than_bits(users, k):
    means = [np.mean(values) for values in users]
    variance = np.mean([np.var(values) for values in users]) / k + np.var(means)
    bits = user_level.sample_mean_variance(np.mean(means), np.std(means), k)
    assert variance <= bits + 1e-12


@thorough
@given(APART)
@example(law(0.5, 0.02))
def test_a_hundred_samples_count_less_than_a_hundredfold(people):
    many, one = user_level.ideal_weights([100, 1], *people)
    assert many < 100 * one


@thorough
@given(RECORDS, LAWS)
@example(np.repeat([1e4, 100.0], [1, 100]), law(0.0101, 0.1))
def test_no_weights_save_more_than_a_ninth_of_the_error_of_samples_up_to_a_cap(k, people):
    p, spread = people
    counted = np.minimum(k, p * (1 - p) / spread**2) if spread else k
    error = user_level.variance_of(counted / counted.sum(), k, *people)
    assert user_level.baseline_variance("ideal", k, *people) >= (1 - 1 / 9) * error * (1 - 1e-12)


@thorough
@given(RECORDS, LAWS, st.integers(0, 99))
@example(np.array([8.0, 1.0, 1.0]), law(0.5, 0.0), 0)
def test_no_weights_are_better_than_the_ideal_ones(k, people, seed):
    rng = np.random.default_rng(seed)
    for proportions in (rng.exponential(size=k.size), np.ones(k.size), k, np.sqrt(k)):
        error = user_level.variance_of(proportions / proportions.sum(), k, *people)
        assert user_level.baseline_variance("ideal", k, *people) <= error * (1 + 1e-12)


@thorough
@given(RECORDS, LAWS)
@example(np.ones(3), law(0.5, 0.0))
def test_the_least_error_is_that_of_capped_samples_up_to_two(k, people):
    p, spread = people
    total = np.sum(np.minimum(k / (p * (1 - p)), spread**-2 if spread else np.inf))
    assert 1 - 1e-12 <= user_level.baseline_variance("ideal", k, *people) * total <= 2 + 1e-12


@thorough
@given(st.floats(1e-9, 0.2), st.integers(1, 1000))
def test_the_printed_sum_is_wrong_by_any_constant(constant, n):
    p = constant / 2
    assert user_level.baseline_variance("ideal", np.ones(n), p, 0.0) * n < constant


@thorough
@given(st.floats(1, 1e4))
def test_every_simpler_rule_is_worse_by_any_factor(factor):
    n = int(4 * factor) + 4
    worst = {"uniform": ([n, 1], 0.0), "median": ([n, 1, 1], 0.0), "proportional": ([n**2, *[1] * n], 0.5)}
    for rule, (k, spread) in worst.items():
        least = user_level.baseline_variance("ideal", k, 0.5, spread)
        assert user_level.baseline_variance(rule, k, 0.5, spread) > factor * least


@thorough
@given(st.lists(st.integers(1, 2), min_size=5, max_size=6), st.lists(_UNIT, min_size=1, max_size=2))
@example([2, 2, 1, 1, 1], [0.2])
def test_algorithm_1_is_unbiased(k, means):
    ones = np.array(list(product(*[range(size + 1) for size in k])))
    p_hat, chances = ones / k, np.prod([chance(ones[:, i], size, means) for i, size in enumerate(k)], axis=0)
    assert chances @ user_level.estimate(p_hat, k, top=2, bottom=2) == approx(np.mean(means), abs=1e-12)


@thorough
@given(RECORDS.filter(lambda k: k.size > 4))
def test_the_three_groups_are_disjoint_and_sorted(k):
    top, middle, bottom = user_level.groups(k, 2, 2)
    assert sorted([*top, *middle, *bottom]) == list(range(k.size))
    assert k[top].min() >= k[middle].max() >= k[middle].min() >= k[bottom].max()


@thorough
@given(RECORDS, LAWS)
@example(np.repeat([1e9, 1.0], [10, 125]), law(0.5, 0.2))
def test_twice_the_true_spread_costs_at_most_an_eighth(k, people):
    p, spread = people
    error = user_level.variance_of(user_level.plug_in_weights(k, p, 2 * spread**2), k, *people)
    assert error <= 9 / 8 * user_level.baseline_variance("ideal", k, *people) * (1 + 1e-12)


@thorough
@given(RECORDS.filter(lambda k: k.size > 4), LAWS, st.floats(0.01, 100))
@example(np.array([1e6, 1e6, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]), law(0.5, 0.0), 1.0)
@example(np.array([1e6, 1e6, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]), law(0.5, 1.0), 1.0)
def test_who_is_set_aside_with_most_of_the_information_doubles_the_error(k, people, wrong):
    top, middle, bottom = user_level.groups(k, 2, 1)
    information = 1 / user_level.sample_mean_variance(*people, k)
    w = user_level.plug_in_weights(k[middle], people[0], wrong * people[1] ** 2)
    if information[[*top, *bottom]].sum() > information.sum() / 2 * (1 + 1e-9):
        error = user_level.variance_of(w, k[middle], *people)
        assert error > 2 * user_level.baseline_variance("ideal", k, *people)


@thorough
@given(st.integers(21, 2000), st.floats(0, 1), LAWS, st.floats(0.5, 2))
@example(1000, 1.0, law(0.5, 0.0), 1.0)
def test_the_error_is_within_a_constant_if_nobody_has_too_much(n, part, people, wrong):
    most = 1 + part * (n / np.log(n) - 1)  # as many as that for those who are set aside, one for all others
    k = np.repeat([most, 1.0], [int(np.ceil(np.log(n))), n - int(np.ceil(np.log(n)))])
    middle = user_level.groups(k).middle
    w = user_level.plug_in_weights(k[middle], people[0], wrong * people[1] ** 2)
    assert user_level.variance_of(w, k[middle], *people) < 7 * user_level.baseline_variance("ideal", k, *people)
