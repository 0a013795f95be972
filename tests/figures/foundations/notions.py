"""What two groups give up under each notion, from the weights of the solver."""

import numpy as np
import pytest

from hdp import notions
from tests.figures.captions import line, positions, says
from tests.figures.lemma import of_groups
from tests.figures.threshold.one_threshold import ratio as other_privacy_ratio

KINDS = (*(notions.Notion(name) for name in ("pure", "gdp", "zcdp")), notions.renyi(10.0))


def solved(ell_2_loss, kind, ell_1_loss, n, d_dim):
    """Share of a member of group 2 in the noise, which is her reach, and the error; groups are items."""
    sizes = np.array([0.7 * n, 0.3 * n])
    notion = KINDS[int(kind)]
    reach = notion.reach([ell_1_loss, ell_2_loss])
    w, error = of_groups(sizes, reach, kappa=d_dim * (d_dim + 1) if int(kind) == 0 else d_dim)
    counts = w / sizes  # of each member
    return counts[1] / np.max(counts / reach), error


def given_up(ell_2_loss, kind, ell_1_loss, n, d_dim):
    used, error = solved(ell_2_loss, kind, ell_1_loss, n, d_dim)
    return KINDS[int(kind)].loss(used) if ell_2_loss >= ell_1_loss and error <= 0.25 else np.nan


def first(ell_1_loss, **at):
    """All that she allows, drawn where that of group 2 is."""
    return ell_1_loss if np.isfinite(given_up(ell_1_loss=ell_1_loss, **at)) else np.nan


def cut(kind, ell_1_loss, n, d_dim):
    """What a public group would give up."""
    return KINDS[int(kind)].loss(solved(np.inf, kind, ell_1_loss, n, d_dim)[0])


def ratio(i):
    return lambda ell_1_loss, n, d_dim, **_: cut(i, ell_1_loss, n, d_dim) / ell_1_loss


REFERENCES = {
    "notions-given-up": {
        "group 2 allows": lambda ell_2_loss: ell_2_loss,
        "group 2 gives up": given_up,
        "group 1 allows": first,
        "group 2 is cut": cut,
        "saturation ratio, pure": ratio(0),
        "saturation ratio, Gaussian": ratio(1),
        "saturation ratio, zero-concentrated": ratio(2),
        "saturation ratio, Rényi": ratio(3),
    },
}


# -- Two groups with Gaussian noise, by the definitions of both errors; with Laplace noise as on the pages before.


def gaussian_ratio(nu, rho, s):
    """The losses are those that have the effect of the pure budgets s and s times the root of rho."""
    strict, generous = np.sqrt(2 * (s / 2) ** 2 * np.array([1.0, rho]))  # one over the noise that a unit costs
    return other_privacy_ratio(nu, generous / strict, strict, kappa=1.0)


REFERENCES |= {
    "cz-gaussian-ratio": {
        "Laplace": other_privacy_ratio,
        "Gaussian": gaussian_ratio,
        "Theorem 2": 4.0,
    },
}


# -- What the captions say.


@says("cz-gaussian-ratio", "the dashed one ahead; it falls again, to at most 2, where group 2 is as good as public")
def the_dashed_hump_falls_to_two(figure):
    """The solid one has further to go than the slider: at its end it is still at 3.3."""
    x = np.geomspace(1e-4, 100, 2000)
    tops = {
        name: [line(figure, name, x, rho=r).max() for r in positions(figure, "rho", 11)]
        for name in ("Laplace", "Gaussian")
    }
    assert max(tops["Laplace"]) > 3.7 and tops["Laplace"][-1] == pytest.approx(2, abs=0.01)
    assert tops["Gaussian"][-1] == pytest.approx(3.3, abs=0.01)
