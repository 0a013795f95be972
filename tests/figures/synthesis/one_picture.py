"""Errors of every estimator user by user, and what trust is worth, with the library alone."""

from functools import lru_cache, partial

import numpy as np

from hdp import adpm, affine, baselines, clipping, hybrid, threshold, user_level
from hdp.explore.evaluate import expression_values
from hdp.sym.synthesis import mixed_trust as sym
from tests.figures.captions import line, positions, says
from tests.figures.lemma import average, of_groups

NAMES, TRUST = [name for name, *_ in sym.ESTIMATORS], [trust for _, trust, _ in sym.ESTIMATORS]
TIE = 1e-9  # relative difference below which two errors count as equal, and the order of the list decides


@lru_cache(maxsize=256)
def errors(n, f, epsilon_1, r, k_1, k_2, sigma_p):
    """Expected squared errors of all estimators, in their order."""
    users = np.array([round(n * f), round(n) - round(n * f)])
    budgets, counts = epsilon_1 * np.array([1.0, r]), np.array([k_1, k_2])
    v = user_level.sample_mean_variance(0.5, sigma_p, counts)
    cut = np.minimum(1.0, 2 * user_level.half_width(counts, round(n), sigma_p**2, float(sym.FAILURE)))
    each = [np.repeat(values, users) for values in (budgets, v, counts, cut)]
    found = released(*each) | by_mechanism(each[0], each[1]) | grouped(users, budgets, v) | mixed(users, budgets, v)
    found["Full-LM"] = np.mean(each[1] + 2 / each[0] ** 2) / each[0].size
    return np.array([found[name] for name in NAMES])


def released(epsilon, v, counts, cut):
    """One release of a weighted sum; the noise for intervals shorter than 1 is that for larger budgets."""

    def error(weights, budgets=epsilon):
        w = weights / weights.sum()
        return affine.mean_squared_error(w, affine.noise_scale(w, budgets), v)

    kept = threshold.weights(epsilon, threshold.best_threshold(epsilon))
    return {
        "best weights (the one lemma)": error(clipping.optimal_weights(v, 1 / epsilon, 2.0)),
        "best weights, values cut": error(clipping.optimal_weights(v, cut / epsilon, 2.0), epsilon / cut),
        "ADPM": error(adpm.weights(epsilon)),
        "best threshold": error(kept, np.where(kept > 0, epsilon, np.inf)),
        "weights 1/σ²": error(1 / v),
        "every sample alike": error(counts),
    }


def by_mechanism(epsilon, v):
    """The baselines of `cc` as the library runs them, with their weights and the scales of all their noises."""
    names = {"propdpm": "PropDPM", "fme": "FME (reconstruction)", "uni": "UNI"}
    names["ldpe-users"] = "reports, weighted (LDPE alone)"
    run = {label: baselines.BASELINES[name].mechanism(epsilon) for name, label in names.items()}
    return {label: np.sum(m.weights**2 * v) + 2 * np.sum(m.scales**2) for label, m in run.items()}


def grouped(users, budgets, v):
    """LDPE with its two groups, also if their budgets agree; sampling at the mean size of its sample."""
    assumed = 1 / (0.25 / users + 2 / (users * budgets) ** 2)
    w = assumed / assumed.sum()
    kept = users * np.expm1(budgets) / np.expm1(budgets[1])
    return {
        "LDPE": np.sum(w**2 * (v / users + 2 / (users * budgets) ** 2)),
        "SM (at its mean sample size)": np.average(v, weights=kept) / kept.sum() + 2 / (kept.sum() * budgets[1]) ** 2,
    }


def mixed(users, budgets, v):
    """The hybrid estimators against the true mean, KVH with the best weight for that; each group has its own noise."""
    s = setting(users, budgets, v)
    ends = hybrid.true_mean_mse(s, np.array([0.0, 1.0]))
    weights = {
        "KVH": ends[0] / ends.sum(),
        "PWH": hybrid.pwh_weight(s),
        "TCM-Only": 1.0,
        "naive: every user alike": hybrid.naive_weight(s),
        "LM-Only (group 1 alone)": 0.0,
    }
    return {name: hybrid.true_mean_mse(s, w) for name, w in weights.items()}


def setting(users, budgets, v):
    """Group 2 trusts the curator, group 1 sends reports."""
    noise = 2 / (users[1] * budgets[1]) ** 2, 2 / budgets[0] ** 2
    (reports, trusted), total = np.sqrt(v), users.sum()
    return hybrid.Setting(total, users[1] / total, 1, budgets[1], trusted, reports, s_t2=noise[0], s_l2=noise[1])


def place(i, **population):
    """How many of the others have a larger error than estimator i."""
    found = errors(**population)
    larger = [found[j] > found[i] * (1 + TIE if j < i else 1 - TIE) for j in range(found.size) if j != i]
    return float(np.count_nonzero(larger))


def bar(i, **population):
    """As long as the ratio of root errors, at the estimator's place."""
    found = errors(**population)
    return np.array([np.sqrt(found.min() / found[i]), place(i, **population)])


def least(trust, **population):
    """Root of the smallest error of the estimators that need this trust."""
    return np.sqrt(min(error for error, needed in zip(errors(**population), TRUST, strict=True) if needed == trust))


REFERENCES = {
    "synthesis-ranking": {name: partial(bar, i) for i, name in enumerate(NAMES)}
    | {f"least root mean squared error, {trust}": partial(least, trust) for trust in set(TRUST) - {sym.IDEAL}},
}


# -- Six arrows of the map user by user, or group by group, with the library alone.


def halves(n, *budgets):
    """Least error of one release for two groups of equal size."""
    return of_groups(np.array([n / 2, n / 2]), np.array(budgets))[1]


def fifteen_limits_kvh(n, epsilon_1, share, scale=1.0):
    """Fair coins, so many of whom trust; the best weight against the true mean."""
    noise = {"s_t2": 2 / (share * n * epsilon_1) ** 2, "s_l2": 2 * (scale / epsilon_1) ** 2}
    s = hybrid.Setting(n=n, c=share, m=1, epsilon=epsilon_1, sigma_t=0.5, **noise)
    ends = hybrid.true_mean_mse(s, np.array([0.0, 1.0]))
    return hybrid.true_mean_mse(s, ends[0] / ends.sum())


def public(t_step, n, epsilon_1):
    return halves(n, epsilon_1, t_step * epsilon_1) / halves(n, epsilon_1, np.inf)


def arrival(n, epsilon_1):
    return adpm.saturation_ratio(epsilon_1, n, 0.5)


def spread(t_step, K):
    """Means of K samples and single ones with the best weights, over all samples alike without a spread."""
    records = np.array([K, 1.0])
    varied, even = (user_level.sample_mean_variance(0.5, s, records) for s in (0.2 / t_step, 0.0))
    w = records / records.sum()
    return 1 / np.sum(1 / varied) / np.sum(w**2 * even)


REFERENCES |= {
    "synthesis-steps": {
        "3:": public,
        "4:": lambda t_step, n, epsilon_1: halves(n, epsilon_1, (1 + 9 / t_step) * epsilon_1) / average(n, epsilon_1),
        "8:": lambda t_step, n, epsilon_1: (
            fifteen_limits_kvh(n, epsilon_1, 0.5, 1 / t_step) / halves(n, epsilon_1, np.inf)
        ),
        "9:": lambda t_step, n, epsilon_1: fifteen_limits_kvh(n, epsilon_1, 1 - 0.5 / t_step) / average(n, epsilon_1),
        "13:": spread,
        "15:": lambda t_step, n, epsilon_1: average(n, t_step * epsilon_1) / (0.25 / n),
        "3 arrives": arrival,
        "R, the step": arrival,
        "error with equal budgets": lambda n, epsilon_1: public(1, n, epsilon_1),
    },
}


# -- What the captions say.


@says("synthesis-ranking", "then SM, ADPM and LDPE")
def the_places_are_as_told(figure):
    """From the top: the number of the place is 17."""
    place = {b.label.split("|")[0]: float(expression_values(figure, b.y, figure.paper_values)) for b in figure.bars}
    order = [
        "best weights",
        "PropDPM",
        "weights 1/σ²",
        "KVH",
        "PWH",
        "TCM-Only",
        "SM",
        "ADPM",
        "LDPE",
        "best threshold",
        "LM-Only",
    ]
    assert sorted(order, key=place.get, reverse=True) == order and place["LM-Only"] == 0


@says("synthesis-ranking", r"Raise \(k_2\), the rest as first drawn: ADPM, LDPE and the threshold")
def who_chooses_for_the_largest_variance_falls_behind(figure):
    """Where the users' own means are 0 or 1, more samples change nothing."""
    bars = [next(b for b in figure.bars if b.label == name) for name in ("ADPM", "LDPE", "best threshold")]
    for bar in bars:
        first, alike = (
            [float(expression_values(figure, bar.x, figure.values(k_2=k, **rest))) for k in positions(figure, "k_2")]
            for rest in ({}, {"sigma_p": 0.5})
        )
        assert (np.diff(first) < 0).all() and np.ptp(alike) < 1e-9


@says("synthesis-steps", r"noise keeps all lines but that of arrow 13 away from 1 for longer")
def noise_keeps_lines_away_from_one(figure):
    """Without privacy it has nothing to do."""
    for curve in figure.curves:
        far = [np.abs(np.log(line(figure, curve.label, [1, 2, 10, 50], epsilon_1=e))) for e in (0.01, 0.05, 0.2, 1)]
        assert (np.diff(far, axis=0) <= 1e-12).all()
        assert (np.ptp(far, axis=0).max() < 1e-12) == curve.label.startswith("13")
