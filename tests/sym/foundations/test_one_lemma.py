"""The statements of the foundations against the implementation at random points."""

import numpy as np
import pytest
import sympy as sp

from hdp import affine, clipping
from hdp.noise import Laplace
from hdp.sym.foundations import one_lemma as sym
from hdp.sym.symbols import eta
from tests.figures.lemma import optimum

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
    w, least = optimum(v, s, kappa[0])
    assert min(stated(T) for T in np.geomspace(1e-3, 1e3, 400)) >= least * (1 - 1e-14)
    best = 1 / clipping.water_level(v / s, 1 / s, kappa[0])
    assert float(stated(best)) == pytest.approx(least, rel=1e-13)
    proportions = [float(p.subs(at).subs(sym.T, sp.Rational(best))) for p in sym.proportions]
    np.testing.assert_allclose(proportions / np.sum(proportions), w, rtol=1e-13)
    total = float(sym.total.subs(at).subs(sym.T, sp.Rational(best)))
    assert total == pytest.approx(sum(proportions), rel=1e-14) and least == pytest.approx(1 / total, rel=1e-13)
