"""The prediction by matrices, circles by angles, and sums of squares from the data."""

from functools import partial

import numpy as np

from hdp.figures.hybrid_trust import k_means_data
from hdp.figures.hybrid_trust import k_means_trials as trials
from tests.figures.hybrid_trust.k_means_prediction import predicted_wcss


def predicted(name, J, epsilon, c):
    return predicted_wcss(name, trials.CLUSTERS, trials.SIZE, trials.SPREAD, J, epsilon, c)


def arc(centre, sign, u):
    """Upper or lower half of a circle of two standard deviations about a cluster."""
    radius = 2 * trials.SPREAD
    if abs(u - centre[0]) > radius:
        return np.nan
    return centre[1] + sign * radius * np.sin(np.arccos((u - centre[0]) / radius))


def shown(variant, t, c, undone):
    words = [variant, "answers undone" if undone and variant != "tcm" else "", "" if variant == "lm" else f"{c}"]
    path = k_means_data.load()["run"][" ".join(filter(None, words))]
    return trials.sum_of_squares(np.array(path[round(t)]))


NAMES = ("LM", "TCM", "hybrid")
REFERENCES = {
    "adk-figure-6": {name: partial(predicted, name.lower()) for name in NAMES}
    | {f"{name}, undone": partial(predicted, f"{name.lower()} undone") for name in ("LM", "hybrid")},
    "adk-kmeans-iterations": {f"WCSS, {name}": partial(shown, name.lower()) for name in NAMES}
    | {"clusters": [partial(arc, centre, sign) for centre in trials.CLUSTERS for sign in (1, -1)]},
}
