"""The statements of the foundations against the implementation at random points."""

import numpy as np
import pytest
import sympy as sp

from hdp import ADPM, affine, clipping, notions
from hdp.noise import Laplace
from hdp.sym.foundations import one_lemma as sym
from hdp.sym.symbols import eta
from tests.figures import lemma
from tests.figures.captions import number, says

NUMBERS = np.random.default_rng(4).integers((1, 1, -16, -16), (17, 32, 17, 17), (8, 4)).tolist()
USERS = [
    {sym.w: sp.Rational(a, 16), eta: sp.Rational(b, 16), sym.x: sp.Rational(c, 32), sym.x_prime: sp.Rational(d, 32)}
    for a, b, c, d in NUMBERS
] + [{sym.w: sp.Rational(3, 5), eta: sp.Rational(2, 5), sym.x: sp.Rational(1, 2), sym.x_prime: -sp.Rational(1, 2)}]
OUTPUTS = [sp.Rational(k, 8) for k in range(-16, 17)]


@pytest.mark.settles("cc-eq-11")
@pytest.mark.parametrize("user", USERS, ids=str)
def test_privacy_loss_is_implemented_as_stated(user):
    """Eq. (11) is the log-ratio of the two stated densities, and what `Laplace.privacy_loss` returns."""
    w, scale, x, x_prime = (float(user[s]) for s in (sym.w, eta, sym.x, sym.x_prime))
    stated = []
    for s in OUTPUTS:
        at = {**user, sym.s: s}
        loss = sym.privacy_loss.subs(at)
        assert sp.simplify(sp.exp(loss) * sym.density_prime.subs(at) - sym.density.subs(at)) == 0
        stated.append(float(loss))
    found = Laplace(scale).privacy_loss(np.array(OUTPUTS, dtype=float) - w * x, w * (x_prime - x))
    np.testing.assert_allclose(found, stated, rtol=1e-12, atol=1e-14)


@pytest.mark.settles("cc-lemma-1", "cc-eq-11")
@pytest.mark.parametrize("user", USERS, ids=str)
def test_guarantee_bounds_the_loss_and_is_attained_at_the_ends(user):
    """Lemma 1: |loss| <= w/eta, with equality for the two ends of the interval, and it is `affine.privacy_loss`."""
    bound = sym.guarantee.subs(user)
    moved = abs(user[sym.w] * (user[sym.x_prime] - user[sym.x])) / user[eta]
    assert max(abs(sym.privacy_loss.subs({**user, sym.s: s})) for s in OUTPUTS) == moved <= bound
    ends = {**user, sym.x: sp.Rational(1, 2), sym.x_prime: -sp.Rational(1, 2)}
    assert sym.privacy_loss.subs({**ends, sym.s: 5}) == bound == -sym.privacy_loss.subs({**ends, sym.s: -5})
    found = affine.privacy_loss([float(user[sym.w])], float(user[eta]))
    np.testing.assert_allclose(found, [float(bound)], rtol=1e-15)


@pytest.mark.settles("hdp-one-lemma")
@pytest.mark.parametrize("seed", range(8))
def test_the_solver_attains_the_stated_objective_at_the_best_clip(seed):
    """The one lemma for three items: no clip T does better than the solver, and its own clip does as well."""
    v, s = np.exp(np.random.default_rng(seed).normal(0, 1, (2, 3)))
    kappa = np.array([0.01 if seed % 2 else 1.0])  # some items stay below the clip, or none does
    at = dict(zip((*sym.v_i, *sym.s_i, sym.kappa), map(sp.Rational, (*v, *s, *kappa)), strict=True))
    stated = sp.lambdify(sym.T, sym.objective_at_clip.subs(at), "mpmath")
    w, least = lemma.optimum(v, s, kappa[0])
    assert min(stated(T) for T in np.geomspace(1e-3, 1e3, 400)) >= least * (1 - 1e-14)
    best = 1 / clipping.water_level(v / s, 1 / s, kappa[0])
    assert float(stated(best)) == pytest.approx(least, rel=1e-13)
    proportions = [float(p.subs(at).subs(sym.T, sp.Rational(best))) for p in sym.proportions]
    np.testing.assert_allclose(proportions / np.sum(proportions), w, rtol=1e-13)
    total = float(sym.total.subs(at).subs(sym.T, sp.Rational(best)))
    assert total == pytest.approx(sum(proportions), rel=1e-14) and least == pytest.approx(1 / total, rel=1e-13)


# -- What the figures draw, by the library.


def parts(T, kappa, s_1, s_2, s_3):
    """Variance and noise of the weights clipped at T."""
    s = np.array([s_1, s_2, s_3])
    w = np.minimum(4.0, T / s)
    w /= w.sum()
    return 0.25 * np.sum(w**2), kappa * np.max(s * w) ** 2


def clip_and_value(kappa, s_1, s_2, s_3):
    """Clip and value there."""
    s = np.array([s_1, s_2, s_3])
    return 1 / clipping.water_level(0.25 / s, 1 / s, kappa), lemma.optimum(0.25, s, kappa)[1]


def vessel(x_vessel, budgets):
    """The budget whose vessel stands at a place: the height of its floor; inf between vessels."""
    left = 0.0
    for e in budgets:
        if left <= x_vessel <= left + e:
            return e
        left += e + 0.5
    return np.inf


def floor(x_vessel, b_1, b_2, b_3):
    return vessel(x_vessel, (b_1, b_2, b_3))


def water(x_vessel, tau_water, b_1, b_2, b_3):
    return tau_water if floor(x_vessel, b_1, b_2, b_3) < tau_water else np.nan


def full(V_poured, b_1, b_2, b_3):
    return ADPM([b_1, b_2, b_3], measure={8: "pure", 4: "gdp"}[V_poured]).level


REFERENCES = {
    "water-level": {
        "floor of a vessel": floor,
        "water": water,
        "water poured": lambda tau_water, b_1, b_2, b_3: sum(e * max(tau_water - e, 0) for e in (b_1, b_2, b_3)),
        "water that there is": lambda V_poured: 4 * notions.Notion({8: "pure", 4: "gdp"}[V_poured]).noise_penalty(),
        "here all is poured": full,
        "drag this level": lambda tau_water: tau_water,
        "the level where": full,
    },
    "one-lemma": {
        "sum F": lambda **at: sum(parts(**at)),
        "variance of the data": lambda **at: parts(**at)[0],
        "noise of the worst item": lambda **at: parts(**at)[1],
        "optimum": clip_and_value,
        "optimal clip T": lambda **at: clip_and_value(**at)[0],
    },
}


# -- What the captions say.


@says("water-level", "for three small budgets that is above the picture")
def test_small_budgets_need_a_high_level(figure):
    """For three of 0.25 it is 10.9, and the picture ends at 8."""
    small = {f"b_{i}": 0.25 for i in (1, 2, 3)}
    assert number(figure, "the level where", **small) == pytest.approx(0.25 + 8 / 0.75)
    assert number(figure, "the level where", **small) > figure.y.domain[1] > number(figure, "the level where")
