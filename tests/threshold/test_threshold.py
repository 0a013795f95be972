"""The unique-threshold estimator: its error, the best threshold, its privacy, and the affine estimator beside it."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import sympy as sp

from hdp import adpm, affine, minimax, simulate, threshold
from hdp.noise import Laplace
from hdp.sym.symbols import epsilon_1, epsilon_2
from hdp.sym.threshold import one_threshold as sym
from tests.oracles import inf


def exact_threshold_risk(epsilon):
    """Eq. (3) minimised by trying every budget, in exact fractions."""
    risks = {}
    for tau in set(epsilon) - {0}:
        count = sum(e >= tau for e in epsilon)
        risks[tau] = Fraction(1, 4 * count) + 2 / (count * Fraction(tau)) ** 2
    best = min(risks.values())
    return best, min(tau for tau, risk in risks.items() if risk == best)


@pytest.mark.settles("cz-theorem-1", "cz-appendix-b", "cz-theorem-2", "cz-appendix-d")
@pytest.mark.parametrize(
    ("n1", "n2", "e1", "e2"),
    [(99, 1, 0.001, 0.1), (50, 50, 0.1, 0.2), (5, 80, 0.5, 9), (3, 2, 1, 1), (40, 1, 2, 3), (30, 20, 3, 4)],
)
def test_two_levels_agree_with_the_statement(n1, n2, e1, e2):
    """Library against `hdp.sym.threshold.one_threshold`, below and above saturation."""
    epsilon = np.repeat([e1, e2], [n1, n2])
    values = {sym.N_1: n1, sym.N_2: n2, epsilon_1: sp.Rational(str(e1)), epsilon_2: sp.Rational(str(e2))}
    assert threshold.threshold_mse(epsilon) == pytest.approx(float(sym.two_level_threshold.subs(values)), rel=1e-13)
    assert threshold.affine_mse(epsilon) == pytest.approx(float(sym.two_level_affine.subs(values)), rel=1e-12)
    public = np.repeat([e1, inf], [n1, n2])
    assert threshold.threshold_mse(public) == pytest.approx(float(sym.public_threshold.subs(values)), rel=1e-13)
    assert threshold.affine_mse(public) == pytest.approx(float(sym.public_affine.subs(values)), rel=1e-12)


@pytest.mark.settles("cz-affine-optimal")
@pytest.mark.parametrize(("n1", "n2"), [(1, 1), (40, 3), (3, 40), (500, 500)])
@pytest.mark.parametrize("first", [1e-6, 0.01, 1.0, 20.0])
@pytest.mark.parametrize("ratio", [1.0, 3.0, 1e3, inf])
def test_the_best_weights_are_optimal_up_to_a_constant_once_capped(n1, n2, first, ratio):
    """The capped error is the bound of Theorem 1, at most 1560 times that of Theorem 2; public data need no cap."""
    error = threshold.affine_mse(np.repeat([first, first * ratio], [n1, n2]))
    setting = first, first * ratio, n1 + n2, n1 / (n1 + n2)
    assert adpm.two_group_bound(*setting) == pytest.approx(min(error, 0.25), rel=1e-9)
    assert 0 < minimax.lower_bound(*setting) <= min(error, 0.25) <= 1560 * (1 + 1e-9) * minimax.lower_bound(*setting)
    assert error <= 0.25 or ratio < inf


@pytest.mark.settles("cz-definition-2")
@pytest.mark.parametrize(("sensitivity", "epsilon"), [(1.0, 0.5), (3.0, 6.0), (0.02, 0.1)])
def test_calibrated_laplace_noise_costs_its_budget_and_no_more(sensitivity, epsilon):
    """The paper's Definition 2: log-ratios of densities for every shift, the bound attained, and draws of this law."""
    noise = Laplace.calibrated(sensitivity, epsilon)
    outputs = np.linspace(-3, 4, 701) * sensitivity
    losses = {}
    for share in (0.0, 0.3, 0.7, 1.0):
        shift = share * sensitivity
        losses[share] = np.log(noise.density(outputs) / noise.density(outputs - shift))
        np.testing.assert_allclose(noise.privacy_loss(outputs, shift), losses[share], rtol=1e-9, atol=1e-9)
        assert np.abs(losses[share]).max() <= epsilon * (1 + 1e-12)
    assert losses[1.0].max() == pytest.approx(epsilon, rel=1e-12) == -losses[1.0].min()
    drawn = np.abs(noise.sample(np.random.default_rng(8), 20_000))  # exponential, mean the scale
    assert abs(drawn.mean() * epsilon / sensitivity - 1) < 4 / np.sqrt(drawn.size)


@pytest.mark.settles("cz-definition-6")
@pytest.mark.parametrize("tau", [0.05, 0.3, 0.7, 0.5, inf])
def test_everybody_loses_the_threshold_or_nothing(tau):
    """Definition 6: the mean of the kept users plus noise of the scale at which they lose tau, which each allows."""
    epsilon = np.array([0.05, 0.3, 0.3, 0.7, inf])
    x, kept = np.array([0.5, -0.3, 0.2, 0.4, -0.1]), epsilon >= tau
    scale = 1 / (kept.sum() * tau)
    drawn = threshold.estimate(x, epsilon, 7, tau) - np.random.default_rng(7).laplace(0.0, scale)
    assert drawn == pytest.approx(x[kept].mean(), rel=1e-12)
    w = threshold.weights(epsilon, tau)
    if scale:
        loss = affine.privacy_loss(w, scale)
        np.testing.assert_allclose(loss, np.where(kept, tau, 0), rtol=1e-14)
        assert np.all(loss <= epsilon * (1 + 1e-14))


@pytest.mark.settles("cz-definition-6")
@pytest.mark.parametrize("seed", range(20))
def test_the_best_threshold_is_one_of_the_budgets(seed):
    """Definition 6: no threshold at all is better, in the library and by eq. (3) in exact fractions."""
    rng = np.random.default_rng(seed)
    epsilon = [Fraction(int(k), 16) for k in rng.choice([0, *rng.integers(1, 60, 5)], rng.integers(2, 12))]
    epsilon[0] += Fraction(1, 16)  # ties and unusable users occur, but one user is usable
    best, level = exact_threshold_risk(epsilon)
    for tau in (Fraction(k, 48) for k in range(1, int(48 * max(epsilon)) + 1)):
        count = sum(e >= tau for e in epsilon)
        risk = Fraction(1, 4 * count) + 2 / (count * tau) ** 2
        assert best < risk or (best == risk and tau in epsilon)
    floats = np.array([float(e) for e in epsilon])
    assert threshold.best_threshold(floats) == float(level)
    assert threshold.threshold_mse(floats, float(level)) == pytest.approx(float(best), rel=1e-14)
    others = [threshold.threshold_mse(floats, tau) for tau in np.linspace(0.01, 1, 300) * floats.max()]
    assert threshold.threshold_mse(floats) == pytest.approx(float(best), rel=1e-14)
    assert threshold.threshold_mse(floats) <= min(others) * (1 + 1e-14)


@pytest.mark.settles("cz-eq-3")
def test_equation_3_in_exact_fractions():
    """Every outcome of fair coins for those who are kept, plus the noise that their budgets need."""
    epsilon = [Fraction(1, 20), Fraction(3, 10), Fraction(3, 10), Fraction(7, 10), Fraction(2)]
    for tau in (Fraction(1, 20), Fraction(1, 5), Fraction(3, 10), Fraction(7, 10), Fraction(1)):
        count = sum(e >= tau for e in epsilon)
        means = [sum(coins, Fraction(0)) / count for coins in product((-Fraction(1, 2), Fraction(1, 2)), repeat=count)]
        exact = sum(mean**2 for mean in means) / len(means) + 2 / (count * tau) ** 2
        assert sym.group_risk(sp.Integer(count), sp.Rational(tau)) == sp.Rational(exact)
        found = threshold.threshold_mse([float(e) for e in epsilon], float(tau))
        assert found == pytest.approx(float(exact), rel=1e-14)
    assert threshold.threshold_mse([1.0, inf, inf], inf) == 1 / 8


@pytest.mark.settles("cz-eq-3")
@pytest.mark.parametrize("tau", [None, 0.2, 0.25, 3.0])
def test_the_estimate_has_the_error_of_equation_3(tau):
    """Monte Carlo with a fair coin on the ends, |z| < 4; also for a threshold that is no budget."""
    epsilon = np.repeat([0.05, 0.2, 0.4, 3.0], 25)
    coin = lambda rng, runs: rng.integers(0, 2, (runs, 100)) - 0.5  # noqa: E731
    mechanism = lambda x, rng: threshold.estimate(x, epsilon, rng, tau)  # noqa: E731
    mse, error = simulate.mean_squared_error(mechanism, coin, 0.0, runs=100_000, seed=6, n_jobs=1)
    assert abs(mse - threshold.threshold_mse(epsilon, tau)) < 4 * error


def test_extreme_budgets_do_not_overflow():
    """Noise alone decides where both errors exceed the range of floats."""
    with np.errstate(all="raise"):
        assert threshold.best_threshold([1e-300, 1e-300, 1.5e-300]) == 1e-300
        assert threshold.threshold_mse([1e-300]) == inf
        assert threshold.threshold_mse([1e300, 1e300]) == 0.125
        assert threshold.affine_mse([1e-10, 1e300]) == pytest.approx(0.25, rel=1e-9)
        assert threshold.affine_mse([1e308] * 10, 1e308) == pytest.approx(0.025, rel=1e-12)
        assert threshold.affine_mse([1e308] * 10 + [1.0], 1.7e308) == pytest.approx(0.025, rel=1e-12)
        assert threshold.affine_mse([5e-324], 5e-324) == inf


@pytest.mark.parametrize("size", [1023, 1024, 1025, 5000])
@pytest.mark.parametrize("spread", [0.001, 1.0, 6.0])
def test_the_search_by_blocks_misses_nothing(size, spread):
    """Every threshold tried, where the best one lies in any block, also beside ties."""
    epsilon = np.exp(np.random.default_rng(size).normal(0, spread, size)).round(3) + 1e-4
    levels = np.unique(epsilon)
    risks = [threshold.threshold_mse(epsilon, tau) for tau in levels]
    assert threshold.best_threshold(epsilon) == levels[np.argmin(risks)]
    assert threshold.threshold_mse(epsilon) == min(risks)


@pytest.mark.settles("cz-naive-budget")
def test_beside_one_strict_user_the_strictest_budget_is_any_number_of_times_worse():
    """The example of the introduction: dropping her is best, and a tenth of her budget makes it 100 times better."""
    better = []
    for strict in (1e-3, 1e-4, 1e-5):
        epsilon = np.append(np.ones(1000), strict)
        assert threshold.best_threshold(epsilon) == 1
        better.append(threshold.threshold_mse(epsilon, strict) / threshold.threshold_mse(epsilon))
    assert better[0] > 1000
    np.testing.assert_allclose(np.divide(better[1:], better[:-1]), 100, rtol=0.02)


@pytest.mark.settles("cz-free-privacy")
def test_a_threshold_leaves_the_generous_the_rest_but_not_always_more_than_the_best_weights():
    """Kept users lose the threshold; a public one who is kept alone loses all, and with the best weights 9."""
    epsilon = np.array([0.5, 1.0, 1.0, 2.0])
    tau = threshold.best_threshold(epsilon)
    w = threshold.weights(epsilon, tau)
    losses = affine.privacy_loss(w, affine.noise_scale(w, epsilon))
    np.testing.assert_allclose(losses, np.where(epsilon >= tau, tau, 0), rtol=1e-14)
    assert losses[3] < epsilon[3]
    beside_one = [1.0, inf]
    assert threshold.best_threshold(beside_one) == inf
    w = adpm.weights(beside_one)
    for losses in (affine.privacy_loss(w, affine.noise_scale(w, beside_one)), adpm.effective_epsilon(beside_one)):
        np.testing.assert_allclose(losses, [1, 9], rtol=1e-13)
    assert adpm.clipping_level(beside_one) == float(sym.saturation.subs({sym.N_1: 1, epsilon_1: 1})) == 9


@pytest.mark.settles("cz-equilibrium")
@pytest.mark.parametrize(("private", "public"), [(2, 1), (10, 3), (1000, 999), (10**5, 1)])
def test_where_both_averages_are_equally_good_the_ratio_is_as_stated(private, public):
    """Section 4: both parts add the same to the error of the best weights; 2 is only approached."""
    at = {sym.N_1: private, sym.N_2: public}
    budget = float(sym.equilibrium_budget.subs(at))
    for fewer in (public, 1):  # as many, or fewer, private users: nowhere
        assert not sym.equilibrium_budget.subs({sym.N_1: fewer, sym.N_2: public}).is_real
    epsilon, first = np.repeat([budget, inf], [private, public]), np.arange(private + public) < private
    alone = [threshold.threshold_mse(epsilon[group]) for group in (first, ~first)]
    assert alone[0] == pytest.approx(alone[1], rel=1e-12)
    best = float(sym.public_affine.subs(at | {epsilon_1: budget}))
    assert threshold.affine_mse(epsilon) == pytest.approx(best, rel=1e-9) == alone[0] / 2
    w = adpm.weights(epsilon)
    noise = 2 * affine.noise_scale(w, epsilon) ** 2
    parts = np.sum(w[first] ** 2) / 4 + noise, np.sum(w[~first] ** 2) / 4
    assert parts[0] == pytest.approx(parts[1], rel=1e-10)
    ratio = threshold.threshold_mse(epsilon) / sum(parts)
    assert ratio == pytest.approx(float(sym.equilibrium_ratio.subs(at)), rel=1e-10) and ratio < 2
