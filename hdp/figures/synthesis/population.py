"""What the figures of the synthesis share: sliders, and the errors user by user, with the library alone."""

from functools import lru_cache

import numpy as np

from hdp import adpm, affine, baselines, clipping, hybrid, threshold, user_level
from hdp.explore import Parameter
from hdp.sym.symbols import epsilon_1, epsilon_2, n, r
from hdp.sym.synthesis import ranking as sym

SIZE = Parameter.logarithmic(n, "n, number of users", 100, 20_000, 1000, per_decade=10, multiple_of=20)
BUDGET = Parameter.logarithmic(epsilon_1, "ε₁, budget of group 1", 0.01, 2, 0.1, per_decade=10, also=(0.5,))
RATIO = Parameter.logarithmic(r, "ε₂/ε₁, ratio of the budgets", 1, 100, 10, per_decade=10)
DEVIATION = Parameter.logarithmic(sym.sigma_p, "σ_p, deviation of users' means", 0.01, 0.5, 0.1, per_decade=6)
SECOND_BUDGET = (epsilon_2, r * epsilon_1)


def samples(symbol, label, value):
    """A slider for a number of samples."""
    return Parameter.logarithmic(symbol, label, 1, 10_000, value, per_decade=4)


@lru_cache(maxsize=256)
def errors(n, f, epsilon_1, r, k_1, k_2, sigma_p):
    """Expected squared errors of `ESTIMATORS`, in their order."""
    users = np.array([round(n * f), round(n) - round(n * f)])
    budgets, counts = epsilon_1 * np.array([1.0, r]), np.array([k_1, k_2])
    v = user_level.sample_mean_variance(0.5, sigma_p, counts)
    cut = np.minimum(1.0, 2 * user_level.half_width(counts, round(n), sigma_p**2, float(sym.FAILURE)))
    each = [np.repeat(values, users) for values in (budgets, v, counts, cut)]
    found = _released(*each) | _by_mechanism(each[0], each[1]) | _grouped(users, budgets, v) | _mixed(users, budgets, v)
    found["Full-LM"] = np.mean(each[1] + 2 / each[0] ** 2) / each[0].size
    return np.array([found[name] for name, *_ in sym.ESTIMATORS])


def _released(epsilon, v, counts, cut):
    """One release of a weighted sum; the noise for intervals shorter than 1 is that for larger budgets."""

    def error(weights, budgets=epsilon):
        w = weights / weights.sum()
        return np.sum(w**2 * v) + 2 * affine.noise_scale(w, budgets) ** 2

    kept = threshold.weights(epsilon, threshold.best_threshold(epsilon))
    return {
        "best weights (the one lemma)": error(clipping.optimal_weights(v, 1 / epsilon, 2.0)),
        "best weights, values cut": error(clipping.optimal_weights(v, cut / epsilon, 2.0), epsilon / cut),
        "ADPM": error(adpm.weights(epsilon)),
        "best threshold": error(kept, np.where(kept > 0, epsilon, np.inf)),
        "weights 1/σ²": error(1 / v),
        "every sample alike": error(counts),
    }


def _by_mechanism(epsilon, v):
    """The baselines of `cc` as the library runs them, with their weights and the scales of all their noises."""
    names = {"propdpm": "PropDPM", "fme": "FME (reconstruction)", "uni": "UNI"}
    names["ldpe-users"] = "reports, weighted (LDPE alone)"
    run = {label: baselines.BASELINES[name].mechanism(epsilon) for name, label in names.items()}
    return {label: np.sum(m.weights**2 * v) + 2 * np.sum(m.scales**2) for label, m in run.items()}


def _grouped(users, budgets, v):
    """LDPE with its two groups, also if their budgets agree; sampling at the mean size of its sample."""
    assumed = 1 / (0.25 / users + 2 / (users * budgets) ** 2)
    w = assumed / assumed.sum()
    kept = users * np.expm1(budgets) / np.expm1(budgets[1])
    return {
        "LDPE": np.sum(w**2 * (v / users + 2 / (users * budgets) ** 2)),
        "SM (at its mean sample size)": np.average(v, weights=kept) / kept.sum() + 2 / (kept.sum() * budgets[1]) ** 2,
    }


def _mixed(users, budgets, v):
    """The hybrid estimators against the true mean, KVH with the best weight for that; each group has its own noise."""
    total, deviation = int(users.sum()), np.sqrt(v)
    noise = 2 / (users[1] * budgets[1]) ** 2, 2 / budgets[0] ** 2
    s = hybrid.Setting(total, users[1] / total, 1, budgets[1], deviation[1], deviation[0], s_t2=noise[0], s_l2=noise[1])
    ends = hybrid.true_mean_mse(s, np.array([0.0, 1.0]))
    weights = {
        "KVH": ends[0] / ends.sum(),
        "PWH": hybrid.pwh_weight(s),
        "TCM-Only": 1.0,
        "naive: every user alike": hybrid.naive_weight(s),
        "LM-Only (group 1 alone)": 0.0,
    }
    return {name: hybrid.true_mean_mse(s, w) for name, w in weights.items()}
