"""What the figures of the synthesis share: sliders, and the errors user by user, with the library alone."""

from functools import lru_cache

import numpy as np

from hdp import adpm, affine, baselines, clipping, hybrid, threshold, user_level
from hdp.explore import Parameter
from hdp.sym import synthesis_population as sym
from hdp.sym.cc_baselines import v as variance
from hdp.sym.symbols import epsilon_1, epsilon_2, n, r

SIZE = Parameter.logarithmic(n, "n, number of users", 100, 20_000, 1000, per_decade=10, multiple_of=20)
BUDGET = Parameter.logarithmic(epsilon_1, "ε₁, budget of group 1", 0.01, 2, 0.1, per_decade=10, also=(0.5,))
RATIO = Parameter.logarithmic(r, "ε₂/ε₁, ratio of the budgets", 1, 100, 10, per_decade=10)
SAMPLES = Parameter.logarithmic(sym.k, "k, samples of every user", 1, 10_000, 10, per_decade=4)
DEVIATION = Parameter.logarithmic(sym.sigma_p, "σ_p, deviation of the users' means", 0.01, 0.5, 0.1, per_decade=6)
VALUES = ((epsilon_2, r * epsilon_1), (variance, sym.value_variance))  # what the statements need, from the sliders


def sampling(n, k, sigma_p, **_):
    """Root mean squared error without any noise, all users alike."""
    return np.sqrt(user_level.sample_mean_variance(0.5, sigma_p, k) / n)


@lru_cache(maxsize=256)
def errors(n, f, epsilon_1, r, k, sigma_p):
    """Expected squared errors of `ESTIMATORS`, in their order."""
    users = np.array([round(n * f), round(n) - round(n * f)])
    budgets = epsilon_1 * np.array([1.0, r])
    epsilon, v = np.repeat(budgets, users), user_level.sample_mean_variance(0.5, sigma_p, k)
    length = interval(n, k, sigma_p)
    found = _trusted(epsilon, v, length) | _grouped(users, budgets, v) | _mixed(users, budgets, v)
    reports = v + 2 / epsilon**2
    found["Full-LM"] = reports.mean() / epsilon.size
    found["reports, weighted (LDPE alone)"] = baselines.expected_mse("ldpe-users", epsilon, v)
    return np.array([found[name] for name, *_ in sym.ESTIMATORS])


def interval(n, k, sigma_p):
    """Length of the interval around p that no value leaves, but with probability 1/20."""
    return min(1.0, 2 * float(user_level.half_width(k, round(n), sigma_p**2, float(sym.FAILURE))))


def _trusted(epsilon, v, length):
    """One release of a weighted sum; the noise for intervals shorter than 1 is that for larger budgets."""

    def released(weights, budgets=epsilon):
        return affine.mean_squared_error(weights, affine.noise_scale(weights, budgets), v)

    best = threshold.weights(epsilon, threshold.best_threshold(epsilon))
    kept = np.where(best > 0, epsilon, np.inf)  # a threshold keeps a promise to those only whose data it uses
    return {
        "best weights (the one lemma)": released(clipping.optimal_weights(v, 1 / epsilon, 2.0)),
        "best weights, values cut around p": released(
            clipping.optimal_weights(v, length / epsilon, 2.0), epsilon / length
        ),
        "ADPM": released(adpm.weights(epsilon)),
        "best threshold": released(best, kept),
        "PropDPM": baselines.expected_mse("propdpm", epsilon, v),
        "FME (reconstruction)": baselines.expected_mse("fme", epsilon, v),
        "UNI": baselines.expected_mse("uni", epsilon, v),
    }


def _grouped(users, budgets, v):
    """LDPE with its two groups, also if their budgets agree; sampling at the mean size of its sample."""
    assumed = 1 / (0.25 / users + 2 / (users * budgets) ** 2)
    w = assumed / assumed.sum()
    size = np.sum(users * np.expm1(budgets)) / np.expm1(budgets[1])
    return {
        "LDPE": np.sum(w**2 * (v / users + 2 / (users * budgets) ** 2)),
        "SM (a lower bound)": v / size + 2 / (size * budgets[1]) ** 2,
    }


def _mixed(users, budgets, v):
    """The hybrid estimators against the true mean; each group has the noise of its own budget."""
    n, deviation = int(users.sum()), v**0.5
    noise = 2 / (users[1] * budgets[1]) ** 2, 2 / budgets[0] ** 2
    s = hybrid.Setting(n, users[1] / n, 1, budgets[1], deviation, s_t2=noise[0], s_l2=noise[1])
    weights = {
        "KVH": hybrid.kvh_weight(s),
        "PWH": hybrid.pwh_weight(s),
        "TCM-Only": 1.0,
        "naive: every user alike": hybrid.naive_weight(s),
        "LM-Only": 0.0,
    }
    return {name: hybrid.true_mean_mse(s, w) for name, w in weights.items()}
