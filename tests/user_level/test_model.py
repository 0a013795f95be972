"""Users with several samples: the variance of their means, and what is not linear in them."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from hdp import affine, user_level
from hdp.proof import assert_monte_carlo
from hdp.sym.user_level import model as sym
from tests.user_level.common import beta, samples


@pytest.mark.settles("cfmt-lemma-2-1", "cfmt-footnote-2", "hdp-bounded-samples")
@pytest.mark.parametrize(("p", "sigma"), [(0.5, 0.1), (0.01, 0.05), (0.9, 0.3)])
def test_variance_agrees_with_the_statement(p, sigma):
    """Library against `hdp.sym.user_level.model`."""
    for k in (1, 2, 7, 1000):
        point = {sym.p: sp.Rational(str(p)), sym.sigma_p: sp.Rational(str(sigma)), sym.k: k}
        found = user_level.sample_mean_variance(p, sigma, k)
        stated = [sym.mean_variance.subs(point), sym.information.subs(point)]
        assert [found, 1 / found] == pytest.approx(stated, rel=1e-13)


@pytest.mark.settles("cfmt-model", "cfmt-lemma-2-1")
def test_variance_agrees_with_simulation():
    """For D = Beta(2, 3) and for D on two points."""
    rng = np.random.default_rng(11)
    for k in (1, 3, 40):
        p_hat = samples(rng, 100_000, [k], beta)[:, 0]
        assert_monte_carlo(p_hat, 0.4)
        assert_monte_carlo((p_hat - 0.4) ** 2, user_level.sample_mean_variance(0.4, 0.2, k))
        ends = samples(rng, 100_000, [k], lambda g, size: (g.random(size) < 0.3) * 1.0)[:, 0]
        assert_monte_carlo((ends - 0.3) ** 2, user_level.sample_mean_variance(0.3, 0.21**0.5, k))


@pytest.mark.settles("cfmt-independence")
def test_numbers_of_samples_that_depend_on_the_means_give_a_bias():
    """Half of the users have 9 samples and mean 0.7, half one and 0.3: the mean of all samples tends to 0.66."""
    biases = [((K * Fraction(7, 10) + Fraction(3, 10)) / (K + 1)) - Fraction(1, 2) for K in (1, 2, 9, 1000)]
    assert biases == [sym.dependence_bias.subs({sym.K: K, sym.shift: sp.Rational(1, 5)}) for K in (1, 2, 9, 1000)]
    assert biases == sorted(biases) and biases[0] == 0
    rng, k = np.random.default_rng(9), np.repeat([9, 1], 10)
    p_hat = rng.binomial(k, np.repeat([0.7, 0.3], 10), (20_000, 20)) / k
    bias = float(sym.dependence_bias.subs({sym.K: 9, sym.shift: sp.Rational(1, 5)}))
    assert bias == 0.16
    assert_monte_carlo(p_hat @ user_level.ideal_weights(k, 0.5, 0), 0.5 + bias)
    assert_monte_carlo(p_hat.mean(axis=1), 0.5)


def test_numbers_of_samples_may_depend_on_the_means_without_a_bias():
    """Means 3/10, 1/2 and 7/10, and ten samples only at 1/2: a mean of all samples of two users has the mean 1/2."""
    users = [(Fraction(3, 10), 1), (Fraction(1, 2), 10), (Fraction(7, 10), 1)]
    pairs = [(k * p + j * q) / (k + j) for p, k in users for q, j in users]
    assert sum(pairs) / 9 == Fraction(1, 2)


@pytest.mark.settles("cfmt-definition-2-2", "cfmt-laplace-mechanism")
def test_linear_estimates_lose_their_weight_at_user_level():
    """Over all pairs of neighbours: all of a user's samples may change, or one."""
    k, scale = np.array([3, 2, 1]), 0.7
    w = user_level.ideal_weights(k, 0.5, 0.2)
    assert affine.privacy_loss(w, affine.noise_scale(w, np.full(3, 0.4))).max() == pytest.approx(0.4, rel=1e-14)
    for i, count in enumerate(k):
        answers = w[i] * np.arange(count + 1) / count  # by the number of ones
        gaps = np.abs(np.subtract.outer(answers, answers))
        at = {sym.weight: w[i], sym.eta: scale, sym.k: count}
        assert gaps.max() / scale == pytest.approx(affine.privacy_loss(w, scale)[i], rel=1e-14)
        assert gaps.max() / scale == pytest.approx(float(sym.user_loss.subs(at)), rel=1e-14)
        assert np.abs(np.diff(answers)).max() / scale == pytest.approx(float(sym.event_loss.subs(at)), rel=1e-14)


@pytest.mark.settles("hdp-bounded-samples")
@pytest.mark.parametrize("seed", range(10))
def test_samples_that_are_not_bits_vary_less(seed):
    """Users' samples on five values, D on two users: exact against the bound."""
    rng = np.random.default_rng(seed)
    values, share = rng.random(5), rng.random()
    laws = rng.dirichlet(np.ones(5), 2)
    own = laws @ values
    mean = share * own[0] + (1 - share) * own[1]
    spread = share * own[0] ** 2 + (1 - share) * own[1] ** 2 - mean**2
    for k in (1, 4):
        within = np.array([share, 1 - share]) @ (laws @ values**2 - own**2)
        square = np.array([share, 1 - share]) @ laws @ values**2
        missing = float(sym.missing_variance.subs({sym.p: mean, sym.second_moment: square, sym.k: k}))
        bits = user_level.sample_mean_variance(mean, np.sqrt(max(spread, 0)), k)
        assert within / k + spread == pytest.approx(bits - missing, rel=1e-9) and missing > 0
