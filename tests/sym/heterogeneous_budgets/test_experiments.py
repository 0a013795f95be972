"""The statements about the baselines, in exact rationals, against the implementation and against each other."""

import numpy as np
import pytest
import sympy as sp

from hdp import baselines
from hdp.baselines.mechanisms import fme_level
from hdp.proof import assert_identity
from hdp.sym.heterogeneous_budgets import experiments as c
from hdp.sym.heterogeneous_budgets import upper_bound as sym
from hdp.sym.symbols import R, epsilon_1, epsilon_2, f, n

POINTS = [(0.03125, 0.0625, 16, 0.5), (0.125, 0.5, 64, 0.25), (1.0, 1.5, 8, 0.5), (0.0625, 4.0, 1024, 0.75)]
POINTS += [(2.0, 32.0, 4, 0.25)]
STATEMENTS = {"uni": c.uniform_mse, "fme": c.fme_mse, "propdpm": c.proportional_mse, "ldpe": c.local_mse}
STATEMENTS |= {"stretching": c.stretched_mse}


@pytest.mark.parametrize("name", STATEMENTS)
@pytest.mark.parametrize("point", POINTS, ids=str)
def test_errors_are_implemented_as_stated(name, point):
    """At budgets that floats hold exactly, for variance 1/16 and mean 1/4."""
    e1, e2, users, share = point
    epsilon = np.repeat([e1, e2], [round(users * share), round(users * (1 - share))])
    symbols = dict(zip((epsilon_1, epsilon_2, n, f), map(sp.Rational, point), strict=True))
    exact = STATEMENTS[name].subs(symbols).subs({c.v: sp.Rational(1, 16), c.mu: sp.Rational(1, 4)})
    assert baselines.expected_mse(name, epsilon, 1 / 16, 0.25) == pytest.approx(float(exact), rel=1e-14)


@pytest.mark.parametrize("variance", [0.0, 0.04, 0.25])
def test_remark_2_holds_for_the_implementation(variance):
    """For every variance of the data, and the noise is the same."""
    epsilon = np.repeat([0.1, np.inf], [700, 300])
    at = {epsilon_1: sp.Rational(1, 10), n: 1000, f: sp.Rational(7, 10)}
    at[R] = sym.saturation_ratio.subs(at)
    ours, theirs = (baselines.expected_mse(name, epsilon, variance) for name in ("ldpe", "adpm"))
    assert ours == pytest.approx(theirs, rel=1e-13)
    if variance == 0.25:
        assert theirs == pytest.approx(float(c.remark_2.subs(at)), rel=1e-13)
        assert theirs == pytest.approx(float(c.public_local_mse.subs(at)), rel=1e-13)
    local, optimal = (baselines.BASELINES[name].mechanism(epsilon) for name in ("ldpe", "adpm"))
    np.testing.assert_allclose(local.weights, optimal.weights, rtol=1e-13)
    for shares in (c.public_shares, c.public_adpm_shares):
        stated = [float(share.subs(at)) for share in shares]
        np.testing.assert_allclose([local.weights[:700].sum(), local.weights[700:].sum()], stated, rtol=1e-12)
    assert local.scales.max() == pytest.approx(optimal.scales[0], rel=1e-13)


def test_local_noise_never_saturates():
    """The error of LDPE falls at every step of epsilon_2, over seven decades, towards that with a public group."""
    budgets = np.geomspace(0.11, 1e6, 40)  # equal budgets would be one group
    errors = [baselines.expected_mse("ldpe", np.repeat([0.1, e], [70, 30])) for e in budgets]
    symbols = {epsilon_1: sp.Rational(1, 10), n: 100, f: sp.Rational(7, 10)}
    stated = [float(sym.local_mse.subs({**symbols, epsilon_2: e})) for e in budgets]
    np.testing.assert_allclose(errors, stated, rtol=1e-12)
    assert sym.local_mse.subs(epsilon_2, epsilon_1).subs(symbols) > sym.uniform_mse.subs(symbols)  # for equal budgets
    assert (np.diff(errors) < 0).all()
    assert errors[-1] == pytest.approx(baselines.expected_mse("ldpe", np.repeat([0.1, np.inf], [70, 30])), rel=1e-6)


def test_a_public_group_makes_sampling_disregard_the_private_one():
    """Nobody else is kept in the limit, whatever she allows; the library at the limit is the mean of the public."""
    assert sp.limit(c.inclusion, c.t, sp.oo) == 0
    for strict in (0.1, 3.0, 20.0):
        epsilon = np.repeat([strict, np.inf], [70, 30])
        assert baselines.expected_mse("sm", epsilon, 0.2) == pytest.approx(0.2 / 30, rel=1e-14)
        x = np.random.default_rng(1).uniform(-0.5, 0.5, (5, 100))
        np.testing.assert_allclose(baselines.estimate("sm", x, epsilon, 1), x[:, 70:].mean(axis=1), rtol=1e-12)


def test_example_2():
    """81/1600 + 200/n^2; the paper prints 0.05."""
    assert_identity(c.stretched_mse.subs(c.example_2), c.example_2_mse)
    assert c.stretched_bias.subs(c.example_2) == -sp.Rational(9, 40)
    for users in (10, 100, 1000):
        found = baselines.stretched_mse(np.repeat([0.01, 0.1], users // 2), variance=0.0, mean=0.5)
        assert found == pytest.approx(float(c.example_2_mse.subs(n, users)), rel=1e-13)
    assert baselines.stretched_mse([0.01, 0.1]) == baselines.stretched_mse([0.01, 0.1], variance=0.25, mean=0.0)


def test_example_1():
    """FME's ratio stops at sqrt 2, by the statement and by the implementation; ADPM's at R = 17."""
    assert c.fme_ratio.subs(c.example_1).subs(epsilon_2, 1) == sp.sqrt(2)
    assert sym.saturation_ratio.subs(c.example_1) == 17
    for e2 in (0.012, 0.0142, 0.1, 1.0):
        epsilon = np.repeat([0.01, e2], [5000, 5000])
        w = baselines.BASELINES["fme"].mechanism(epsilon).weights
        stated = float(c.fme_ratio.subs(c.example_1).subs(epsilon_2, e2))
        assert w[-1] / w[0] == pytest.approx(stated, rel=1e-14)
    assert fme_level(np.full(10, 1e-3)) == np.inf  # nobody is clipped


@pytest.mark.parametrize("m, t", [(2, 0.1), (2, 1.3), (5, 0.7), (50, 1.0)])
def test_sampling_loss_is_implemented_as_stated(m, t):
    """One strict user beside m - 1 with the largest budget: the witness is the closed form."""
    exact = float(c.sampling_loss.subs({c.m: m, c.t: sp.Rational(t), epsilon_1: sp.Rational(t) / 3}).evalf(30))
    found = baselines.privacy_loss_witness([t / 3, *[t] * (m - 1)])[0]
    assert found == pytest.approx(exact, rel=1e-10)
    assert (found > t / 3) == (t < float(c.sampling_threshold.subs(c.m, m)))


def test_the_example_of_a_broken_promise():
    """Budgets ln(5/4) and ln(9/4): the strict user loses ln(21/16)."""
    example = [float(c.sampling_example[s]) for s in (epsilon_1, c.t)]
    for found in (baselines.privacy_loss_witness(example)[0], float(c.sampling_loss.subs(c.sampling_example))):
        assert found == pytest.approx(float(c.sampling_example_loss), rel=1e-12)


def test_a_public_group_makes_stretching_disregard_the_private_one():
    """Its share of the mean is lost, however many users there are: the error is (f mu)^2 and what sampling adds."""
    assert_identity(sp.limit(c.stretched_bias, epsilon_2, sp.oo), -f * c.mu)
    for users in (10, 1000):
        epsilon = np.repeat([0.3, np.inf], [3 * users, 7 * users])
        found = baselines.stretched_mse(epsilon, variance=0.09, mean=0.4)
        assert found == pytest.approx((0.3 * 0.4) ** 2 + 0.09 * 0.7 / (10 * users), rel=1e-13)
