"""What changes among the counts and sums of two clusters, added up."""

import numpy as np


def published(value, border, middle):
    """Counts and sums of both clusters, with one user in them."""
    cluster = np.array([value <= border, value > border], dtype=float)
    return np.concatenate([cluster, (value - middle) * cluster])


def loss(scale, middle=0.0):
    def of_change(value_after, value_before, border):
        before, after = (published(value, border, middle) for value in (value_before, value_after))
        return np.abs(before - after).sum() / scale

    return of_change


REFERENCES = {
    "adk-k-means-budget": {
        "noise as printed": loss(2.0),
        "noise corrected, box from": loss(4.0),
        "noise corrected, box about": loss(3.0, middle=0.5),
        "what she allows": 1.0,
    }
}
