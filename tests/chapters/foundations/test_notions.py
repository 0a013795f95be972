"""Notions of privacy: the statements against the library, integrals and draws."""

import numpy as np
import pytest

from hdp import adpm, notions
from hdp.proof import assert_monte_carlo
from hdp.sym.foundations import notions as sym
from hdp.sym.foundations.one_lemma import kappa
from hdp.sym.symbols import f, n, order
from tests.chapters.threshold.test_one_threshold import ratio as other_privacy_ratio
from tests.figures.captions import line, positions, says
from tests.figures.lemma import of_groups

KINDS = {"pure": "pure", "gdp": "gdp", "zcdp": "zcdp", "renyi": notions.renyi(10.0)}
ENDS = np.array([-0.5, 0.5])


@pytest.mark.settles("hdp-every-notion", "hdp-any-noise")
@pytest.mark.parametrize("name", sym.NAMES)
@pytest.mark.parametrize("dimension", [1, 4, 30])
def test_statements_agree_with_the_library(name, dimension):
    """Reach, loss, length of the noise, pure budget, and the saturation ratio in two ways."""
    kind = notions.resolve(KINDS[name])
    at = {order: 10, sym.loss: 0.3, sym.reach: 0.7, sym.d: dimension, sym.loss_1: 0.2, n: 500, f: 0.6}
    assert kind.reach(0.3) == pytest.approx(float(sym.reaches[name].subs(at)))
    assert kind.loss(0.7) == pytest.approx(float(sym.losses[name].subs(at)))
    length = float(sym.penalties[name].subs(at))
    assert kind.noise_penalty(dimension) == pytest.approx(length)
    pure = kind.reach(kind.loss(0.7)) * notions.unit(kind, dimension)
    assert pure == pytest.approx(float(sym.equivalent.subs(at | {kappa: length})))
    stated = float(sym.saturation_ratios[name].subs(at))
    assert adpm.saturation_ratio(0.2, 500, 0.6, measure=KINDS[name], dimension=dimension) == pytest.approx(stated)
    assert float(sym.saturation_ratio(name).subs(at)) == pytest.approx(stated)
    of_reaches = float(sym.reach_ratio.subs(at | {kappa: length, sym.reach_1: kind.reach(0.2)}))
    assert kind.loss(kind.reach(0.2) * of_reaches) / 0.2 == pytest.approx(stated)


@pytest.mark.settles("hdp-notion-cube")
@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_noise_in_the_cube_is_as_long_as_in_the_library(dimension):
    """If pure, it is less than with Laplace noise for each coordinate, and than in the ball through the corners."""
    for name, kind in (("pure", "pure"), ("gaussian", "gdp")):
        stated = float(sym.cube_penalties[name].subs(sym.d, dimension))
        assert notions.Notion(kind).noise_penalty(dimension, "cube") == pytest.approx(stated)
    stated, others = sym.cube_penalties["pure"].subs(sym.d, dimension), (2 * dimension**2, dimension * (dimension + 1))
    assert stated < min(others) if dimension > 1 else stated == 2 == min(others)


@pytest.mark.settles("hdp-add-remove")
@pytest.mark.parametrize("reach", [0.1, 0.7])
def test_who_is_absent_moves_the_answer_half_as_far(reach):
    """The largest loss of density under the weight that the doubled reach allows, over her values or none, is hers."""
    weight = float(sym.present_or_not.subs(sym.reach, reach))  # with noise of scale 1
    y = np.linspace(-9, 9, 2001)
    moves = [weight * x for x in (*ENDS, 0.2)]
    assert max(np.max(np.abs(y - move) - np.abs(y)) for move in moves) == pytest.approx(reach)


@pytest.mark.settles("hdp-add-remove")
@pytest.mark.parametrize("kappa", [1.0, 2.0])
def test_two_sums_err_no_more_if_somebody_is_below_the_clip(kappa):
    """At every mean, many times."""
    rng = np.random.default_rng(2)

    def errors(b, clip, mean):
        omega = np.minimum(b, clip)
        total, squares = omega.sum(), omega @ omega
        noise = kappa / 2 * float(sym.ratio_penalty.subs(sym.m, mean))
        w = omega / total
        return ((0.25 - mean**2) * squares + noise) / total**2, w @ w / 4 + kappa * np.max(w / b) ** 2

    for _ in range(50):
        b = np.exp(rng.normal(0, 2, 5))
        ours, theirs = errors(b, b.min() * rng.uniform(1, 9), rng.uniform(-0.5, 0.5))
        assert ours <= theirs * (1 + 1e-12)


@pytest.mark.settles("hdp-add-remove")
@pytest.mark.parametrize("laplace", [True, False])
def test_two_sums_keep_the_promise_and_err_as_stated(laplace):
    """Any value of a user who leaves, and the error of the ratio at several means, of the sample and of drawn users."""
    x = np.linspace(-0.5, 0.5, 101)
    step = np.abs([0.5 + x, 0.5 - x])
    assert np.max(step.sum(axis=0) if laplace else np.hypot(*step)) == pytest.approx(1.0)
    rng, users, omega = np.random.default_rng(12), 150, np.array([0.5, 2.5])  # so many with each weight
    total = users * omega.sum()
    for mean in (-0.5, -0.2, 0.0, 0.4):
        noise = rng.laplace(size=(2, 60_000)) if laplace else rng.normal(size=(2, 60_000))
        drawn = rng.binomial(users, 0.5 + mean, (60_000, 2)) @ omega / total - 0.5
        noise_alone = float(sym.ratio_penalty.subs(sym.m, mean)) / total**2 / (1 if laplace else 2)
        for of_values, variance in ((mean, 0.0), (drawn, (0.25 - mean**2) * users * (omega @ omega) / total**2)):
            A, B = (total * (0.5 + sign * of_values) + part for sign, part in zip((1, -1), noise, strict=True))
            ratio = (A - B) / (2 * (A + B))
            found = np.clip(ratio, -0.5, 0.5) if abs(mean) < 0.5 else ratio  # half of it is cut off there
            assert_monte_carlo((found - mean) ** 2, noise_alone + variance)


# -- What the figures draw, by the library.


DRAWN = (*(notions.Notion(name) for name in ("pure", "gdp", "zcdp")), notions.renyi(10.0))


def solved(ell_2_loss, kind, ell_1_loss, n, d_dim):
    """Share of a member of group 2 in the noise, which is her reach, and the error; groups are items."""
    sizes = np.array([0.7 * n, 0.3 * n])
    notion = DRAWN[int(kind)]
    reach = notion.reach([ell_1_loss, ell_2_loss])
    w, error = of_groups(sizes, reach, kappa=d_dim * (d_dim + 1) if int(kind) == 0 else d_dim)
    counts = w / sizes  # of each member
    return counts[1] / np.max(counts / reach), error


def given_up(ell_2_loss, kind, ell_1_loss, n, d_dim):
    used, error = solved(ell_2_loss, kind, ell_1_loss, n, d_dim)
    return DRAWN[int(kind)].loss(used) if ell_2_loss >= ell_1_loss and error <= 0.25 else np.nan


def first(ell_1_loss, **at):
    """All that she allows, drawn where that of group 2 is."""
    return ell_1_loss if np.isfinite(given_up(ell_1_loss=ell_1_loss, **at)) else np.nan


def cut(kind, ell_1_loss, n, d_dim):
    """What a public group would give up."""
    return DRAWN[int(kind)].loss(solved(np.inf, kind, ell_1_loss, n, d_dim)[0])


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
def test_the_dashed_hump_falls_to_two(figure):
    """The solid one has further to go than the slider: at its end it is still at 3.3."""
    x = np.geomspace(1e-4, 100, 2000)
    tops = {
        name: [line(figure, name, x, rho=r).max() for r in positions(figure, "rho", 11)]
        for name in ("Laplace", "Gaussian")
    }
    assert max(tops["Laplace"]) > 3.7 and tops["Laplace"][-1] == pytest.approx(2, abs=0.01)
    assert tops["Gaussian"][-1] == pytest.approx(3.3, abs=0.01)
