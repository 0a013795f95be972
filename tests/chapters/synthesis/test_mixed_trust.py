"""What trust is worth, with the library alone; KVH over ADPM group by group."""

import itertools

import numpy as np

from hdp import baselines, hybrid, user_level
from tests.chapters.heterogeneous_budgets.test_upper_bound import optimum
from tests.chapters.synthesis.test_one_picture import setting
from tests.figures.captions import line, positions, says
from tests.figures.lemma import of_groups


def two_groups(f, n, epsilon_1, r, k, sigma_p):
    """Sizes, budgets and variances of the two groups, alike but for their budgets."""
    v = user_level.sample_mean_variance(0.5, sigma_p, k)
    return n * np.array([f, 1 - f]), epsilon_1 * np.array([1, r]), np.array([v, v])


def all_reports(**at):
    """A report is an item of the solver whose noise is in its variance, and has no cost."""
    sizes, budgets, v = two_groups(**at)
    return np.sqrt(of_groups(sizes, np.inf, v + 2 / budgets**2)[1])


def kvh(**at):
    """Only group 1 sends reports."""
    sizes, (strict, generous), v = two_groups(**at)
    return np.sqrt(of_groups(sizes, np.array([np.inf, generous]), v + np.array([2 / strict**2, 0.0]))[1])


def all_trust(**at):
    """Of both groups as items of the solver."""
    sizes, budgets, v = two_groups(**at)
    return np.sqrt(of_groups(sizes, budgets, v)[1])


def sampling(n, k, sigma_p):
    """Without any noise, all users alike."""
    return np.sqrt(user_level.sample_mean_variance(0.5, sigma_p, k) / n)


def over_adpm(error):
    """Ratio to the error of ADPM, whose stricter group is local, with epsilon over the root of its size."""
    return lambda c, n, epsilon: error(c, n, epsilon) / optimum(epsilon / np.sqrt((1 - c) * n), epsilon, n, 1 - c)[1]


def kvh_share(c, n, epsilon):
    s = hybrid.Setting(n, c, 1, epsilon, 0.5)
    return hybrid.true_mean_mse(s, hybrid.kvh_weight(s))


def equal(name):
    """Error of a baseline where all have one budget."""
    return over_adpm(lambda c, n, epsilon: baselines.expected_mse(name, np.full(round(n), epsilon)))


REFERENCES = {
    "synthesis-trust": {
        "nobody trusts": all_reports,
        "only group 2": kvh,
        "group 2 without": lambda **at: np.sqrt(hybrid.true_mean_mse(setting(*two_groups(**at)), 1.0)),
        "all trust": all_trust,
        "sampling error alone": sampling,
        "root of the sampling error": sampling,
    },
    "adk-relations": {
        "nobody trusts": equal("ldpe-users"),
        "KVH": over_adpm(kvh_share),
        "everybody trusts": equal("uni"),
        "ADPM": 1.0,
        "2 × ADPM": 2.0,
    },
}


# -- What the captions say.


@says("synthesis-trust", "the reports of group 1 count for less")
def test_reports_count_for_less(figure):
    for f, more in itertools.product((0.1, 0.5, 0.9), ({}, {"epsilon_1": 2.0, "k": 1.0})):
        gain = [
            float(np.divide(*(line(figure, name, f, r=r, **more) for name in ("only group 2", "group 2 without"))))
            for r in positions(figure, "r", 5)
        ]
        assert (np.diff(gain) > 0).all() and gain[-1] < 1


@says("synthesis-trust", "full trust comes down towards the sampling error")
def test_full_trust_comes_down_towards_the_sampling_error(figure):
    """For a budget of 0.01 it is still five times as high at the end of the slider."""
    for e in positions(figure, "epsilon_1", 3):
        over = [
            float(line(figure, "all trust", 0.5, n=n, epsilon_1=e) / line(figure, "sampling", 0.5, n=n, epsilon_1=e))
            for n in positions(figure, "n", 4)
        ]
        assert (np.diff(over) < 0).all() and (over[-1] > 5) == (e == 0.01)
