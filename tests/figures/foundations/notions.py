"""What two groups give up under each notion, from the weights of the solver."""

import numpy as np

from hdp import clipping, notions

KINDS = (*(notions.Notion(name) for name in ("pure", "gdp", "zcdp")), notions.renyi(10.0))


def solved(loss_2, kind, loss_1, n, d_dim):
    """Share of a member of group 2 in the noise, which is her reach, and the error; groups are items."""
    sizes = np.array([0.7 * n, 0.3 * n])
    notion = KINDS[int(kind)]
    cost = 1 / (sizes * notion.reach([loss_1, loss_2]))
    kappa = d_dim * (d_dim + 1) if int(kind) == 0 else d_dim
    w = clipping.optimal_weights(0.25 / sizes, cost, kappa)
    noise = np.max(w * cost)
    return w[1] / sizes[1] / noise, np.sum(w**2 / sizes) / 4 + kappa * noise**2


def given_up(loss_2, kind, loss_1, n, d_dim):
    used, error = solved(loss_2, kind, loss_1, n, d_dim)
    return KINDS[int(kind)].loss(used) if loss_2 >= loss_1 and error <= 0.25 else np.nan


def first(loss_2, kind, loss_1, n, d_dim):
    return loss_1 if loss_2 >= loss_1 and solved(loss_2, kind, loss_1, n, d_dim)[1] <= 0.25 else np.nan


def cut(kind, loss_1, n, d_dim):
    """What a public group would give up."""
    return KINDS[int(kind)].loss(solved(np.inf, kind, loss_1, n, d_dim)[0])


def ratio(i):
    return lambda loss_1, n, d_dim, **_: cut(i, loss_1, n, d_dim) / loss_1


REFERENCES = {
    "notions-given-up": {
        "group 2 allows": lambda loss_2: loss_2,
        "group 2 gives up": given_up,
        "group 1 allows": first,
        "group 2 is cut": cut,
        "saturation ratio: pure": ratio(0),
        "Gaussian": ratio(1),
        "zero-concentrated": ratio(2),
        "Rényi": ratio(3),
    },
}
