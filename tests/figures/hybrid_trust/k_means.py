"""The prediction by matrices, and sums of squares from the data."""

from functools import partial

import numpy as np

from hdp.figures.hybrid_trust import k_means_data
from hdp.figures.hybrid_trust import k_means_trials as trials
from tests.figures.hybrid_trust.k_means_prediction import predicted_wcss


def predicted(name, J, epsilon, c):
    return predicted_wcss(name, trials.CLUSTERS, trials.SIZE, trials.SPREAD, J, epsilon, c)


def shown(variant, t, c, undone):
    words = [variant, "answers undone" if undone and variant != "tcm" else "", "" if variant == "lm" else f"{c}"]
    path = k_means_data.load()["run"][" ".join(filter(None, words))]
    return trials.sum_of_squares(np.array(path[round(t)]))


NAMES = {"local model": "lm", "trusted curator": "tcm", "hybrid": "hybrid"}
REFERENCES = {
    "adk-figure-6": {label: partial(predicted, name) for label, name in NAMES.items()}
    | {f"{label}, random": partial(predicted, f"{NAMES[label]} undone") for label in ("local model", "hybrid")},
    "adk-kmeans-iterations": {
        f"sum of squares for centres of the {label}": partial(shown, name) for label, name in NAMES.items()
    },
}
