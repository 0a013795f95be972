"""The statements of hybrid K-means against the NumPy routes."""

from functools import partial

import numpy as np
import pytest
import sympy as sp

from hdp.figures.hybrid_trust import k_means_data
from hdp.figures.hybrid_trust import k_means_trials as trials
from hdp.sym.hybrid_trust import k_means as sym
from tests.figures.captions import line, says

# -- WCSS of the variants of hybrid K-means to first order, when every point finds its cluster: NumPy, by matrices.

NAMES = ("lm", "lm undone", "tcm", "hybrid", "hybrid undone")


def predicted_wcss(name, centres, size, spread, iterations, epsilon, fraction=None, m=1.0):
    """Sum over the clusters of size times the expected squared distance of a point to the centre found.

    The noise of counts enters linearly, and local optima not at all.  The `centres`, of shape (K, d), lie in the
    centred box of side m; `size` points are in each cluster, with the standard deviation `spread` in each coordinate;
    the number of iterations need not be whole; `fraction`, of TCM users in (0, 1), is not used by "lm".
    "Undone" is the reading that undoes the random answers.
    """
    k, d = centres.shape
    within = d * spread**2
    local_size = size if name.startswith("lm") else (1 - (fraction or 0)) * size
    answer_epsilon = epsilon / (iterations + 1)
    truth = 1 / (1 + (k - 1) * np.exp(-answer_epsilon))
    answer = np.where(np.eye(k, dtype=bool), truth, (1 - truth) / (k - 1))  # columns: nearest centre; rows: answer
    undo = np.linalg.inv(answer) if "undone" in name else np.eye(k)
    counts = undo @ (answer @ np.full(k, local_size))
    found = (undo @ (answer @ (local_size * centres))) / counts[:, None]
    scale = m * d * (iterations + 1) / epsilon
    local_noise = 2 * scale**2 * (undo**2 @ (answer @ np.full(k, local_size))) / counts**2
    if name.startswith("lm"):
        share, central, central_noise = np.zeros(k), np.zeros(k), np.ones(k)
    else:
        central_count = fraction * size
        central_noise = np.full(k, 2 * ((m * d + 2) * iterations / epsilon / central_count) ** 2)
        central = central_noise * (d + (centres**2).sum(axis=1)) + within / central_count
        share = np.ones(k) if name == "tcm" else local_noise / (local_noise + central_noise)
    bias = ((found - centres) ** 2).sum(axis=1)
    return float(np.sum(size * (within + share**2 * central + (1 - share) ** 2 * (d * local_noise + bias))))


def predicted(name, J, epsilon, c):
    return predicted_wcss(name, trials.CLUSTERS, trials.SIZE, trials.SPREAD, J, epsilon, c)


def shown(variant, t, c, undone):
    words = [variant, "answers undone" if undone and variant != "tcm" else "", "" if variant == "lm" else f"{c}"]
    path = k_means_data.load()["run"][" ".join(filter(None, words))]
    return trials.sum_of_squares(np.array(path[round(t)]))


K_MEANS_NAMES = {"local model": "lm", "trusted curator": "tcm", "hybrid": "hybrid"}
REFERENCES = {
    "adk-figure-6": {label: partial(predicted, name) for label, name in K_MEANS_NAMES.items()}
    | {f"{label}, random": partial(predicted, f"{K_MEANS_NAMES[label]} undone") for label in ("local model", "hybrid")},
    "adk-kmeans-iterations": {
        f"sum of squares for centres of the {label}": partial(shown, name) for label, name in K_MEANS_NAMES.items()
    },
}


# -- What changes among the counts and sums of two clusters, added up.


def published(value, border, middle):
    """Counts and sums of both clusters, with one user in them."""
    cluster = np.array([value <= border, value > border], dtype=float)
    return np.concatenate([cluster, (value - middle) * cluster])


def loss(scale, middle=0.0):
    def of_change(value_after, value_before, border):
        before, after = (published(value, border, middle) for value in (value_before, value_after))
        return np.abs(before - after).sum() / scale

    return of_change


REFERENCES |= {
    "adk-k-means-budget": {
        "noise as printed": loss(2.0),
        "noise corrected, box from": loss(4.0),
        "noise corrected, box about": loss(3.0, middle=0.5),
        "what she allows": 1.0,
    }
}


# -- What the captions say.


@says("adk-figure-6", "with its random answers left in is highest throughout, the hybrid almost on it")
def test_the_local_model_is_highest(figure):
    """Lines and points."""
    lines = {c.label: line(figure, c.label, np.arange(1, 11)) for c in figure.curves}
    points = {
        part.label: part.y
        for part in figure.layers
        if getattr(part, "at", {}).get("c", 0.001) == 0.001 and hasattr(part, "error")
    }
    for found in (lines, points):
        local = np.array(found.pop("local model (LM)"))
        assert len(found) >= 4 and all((local > y).all() for y in found.values())


@pytest.mark.settles("adk-figure-6")
@pytest.mark.parametrize("name", NAMES)
def test_first_order_wcss(name):
    """Closed form with symbols against matrices, at random centres and settings."""
    rng = np.random.default_rng(NAMES.index(name))
    for clusters, dimension in ((2, 1), (4, 2), (5, 3)):
        centres = [[sp.Rational(int(v), 100) for v in row] for row in rng.integers(-40, 40, (clusters, dimension))]
        statement = sym.wcss(name, centres)
        j, eps, c, size, spread = rng.integers(1, 12), rng.uniform(0.5, 15), rng.uniform(0.001, 0.5), 5000, 0.03
        at = {sym.J: j, sym.epsilon: eps, sym.c: c, sym.N: size, sym.sigma: spread}
        expected = predicted_wcss(name, np.array(centres, dtype=float), size, spread, j, eps, c)
        assert np.isclose(float(statement.subs(at)), expected, rtol=1e-10)


def test_the_hybrid_keeps_up_with_the_better_group_only_if_answers_are_undone():
    """After every number of iterations that the experiment has, at both fractions."""
    mean = {name: np.array(values) for name, values in k_means_data.load()["mean"].items()}
    for c in trials.FRACTIONS:
        left_in = mean[f"hybrid {c}"] / np.minimum(mean["lm"], mean[f"tcm {c}"])
        undone = mean[f"hybrid answers undone {c}"] / np.minimum(mean["lm answers undone"], mean[f"tcm {c}"])
        assert left_in.min() > 1.03 and undone.max() < 0.981
