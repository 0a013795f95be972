"""Least variances by the solver of the one lemma, caps and Corollary 5.5 user by user; p = 1/2."""

import numpy as np

from hdp import user_level
from hdp.explore.evaluate import expression_values
from tests.figures.captions import layer, line, says
from tests.figures.lemma import optimum


def least(sizes, users, epsilon, sigma_p):
    """Least variance for two groups, one item a group."""
    sizes, users = np.array(sizes), np.array(users)
    variance = user_level.sample_mean_variance(0.5, sigma_p, sizes) / users
    return optimum(variance, np.sqrt(variance / users) / epsilon)[1]


def each(k_1, k_2, N_1, N_2):
    return np.repeat([k_1, k_2], [round(N_1), round(N_2)])


def cap(epsilon, **groups):
    return user_level.effective_cap(each(**groups), epsilon)


def sample_cap(epsilon, **groups):
    return user_level.sample_cap(each(**groups), epsilon)


def over_least(bound):
    def ratio(sigma_p, epsilon, k_1, k_2, N_1, N_2):
        return bound(sigma_p, epsilon, k_1, k_2, N_1, N_2) / least((k_1, k_2), (N_1, N_2), epsilon, sigma_p)

    return ratio


def with_maximum(sigma_p, epsilon, k_1, k_2, N_1, N_2):
    n = N_1 + N_2
    return max(least((k_1, k_2), (N_1, N_2), epsilon, 0.0), sigma_p**2 / n + 2 * (sigma_p / (n * epsilon)) ** 2)


def in_samples(sigma_p, epsilon, k_1, k_2, N_1, N_2):
    """A user counts for at most 1/(4 sigma_p^2) samples."""
    most = 0.25 / sigma_p**2
    return least((min(k_1, most), min(k_2, most)), (N_1, N_2), epsilon, 0.0)


def equal_weights(epsilon, k_1, k_2, N_1, N_2):
    """Variance over p (1 - p) of the average of the users' means."""
    w = 1 / (N_1 + N_2)
    return w**2 * (N_1 / k_1 + N_2 / k_2) + 2 * (w / epsilon) ** 2 * max(1 / k_1, 1 / k_2)


def capped(most, epsilon, k_1, k_2, N_1, N_2):
    """Variance over p (1 - p) of the average of at most so many samples a user."""
    used = N_1 * min(k_1, most) + N_2 * min(k_2, most)
    return (2 * most / epsilon**2 + used) / used**2


def cost(variance):
    """Ratio of a variance over p (1 - p) to the least one, at sigma_p = 0."""

    def ratio(epsilon, k_1, k_2, N_1, N_2):
        found = variance(epsilon, k_1=k_1, k_2=k_2, N_1=N_1, N_2=N_2)
        return found / 4 / least((k_1, k_2), (N_1, N_2), epsilon, 0.0)

    return ratio


REFERENCES = {
    "cfmt-lower-bounds": {
        "Corollary 5.5": over_least(lambda sigma_p, epsilon, *k: user_level.corollary_5_5(each(*k), epsilon, sigma_p)),
        "with the maximum": over_least(with_maximum),
        "at most": over_least(in_samples),
        "one half": 0.5,
    },
    "cfmt-caps": {
        "K of the best weights": cap,
        "k* of the paper": sample_cap,
        "best cap K at ε = 1": lambda **groups: cap(1.0, **groups),
        "paper's cap k* at ε = 1": lambda **groups: sample_cap(1.0, **groups),
    },
    "cfmt-cap-costs": {
        "equal weights": cost(equal_weights),
        "average of all samples": cost(lambda epsilon, **groups: capped(groups["k_2"], epsilon, **groups)),
        "average of at most": cost(lambda epsilon, **groups: capped(sample_cap(epsilon, **groups), epsilon, **groups)),
    },
}


# -- What the captions say.


@says("cfmt-cap-costs", r"the better of the averages with the caps \(k_1\) and \(k_2\), but where it jumps")
def test_the_cap_jumps_too_early(figure):
    """By the root of two against these."""
    part = layer(figure, "average of at most").part
    for k_1, k_2, N_1, N_2 in ((1, 1000, 1000, 10), (10, 12, 100, 79)):
        few, all_used = (N_1 + N_2) * k_1, N_1 * k_1 + N_2 * k_2
        # 1 / S + 2 k / (b S)^2 for the budget b is the same for both caps at
        equal = np.sqrt(2 * (k_2 / all_used**2 - k_1 / few**2) / (1 / few - 1 / all_used))
        values = figure.values(k_1=k_1, k_2=k_2, N_1=N_1, N_2=N_2)
        beside = [expression_values(figure, part, values, equal / np.sqrt(2) * x) for x in (0.999, 1.001)]
        assert beside == [k_1, k_2]


@says("cfmt-caps", "moves to the left or vanishes")
def test_the_jump_of_the_papers_cap_moves_left_or_vanishes(figure):
    """With a thousand users in the second group there is none."""
    x = np.geomspace(1e-4, 10, 4000)
    places = [x[np.argmax(line(figure, "k*", x, N_2=N_2) > 1)] for N_2 in (1, 6, 10, 20, 1000)]
    assert (np.diff(places) < 0).all() and places[-1] == x[0]
