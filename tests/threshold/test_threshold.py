"""One threshold: its error, its privacy, the best weights beside it, the trivial answer, other notions of privacy."""

from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import norm

from hdp import ADPM, Threshold, affine, clipping, threshold
from hdp.noise import Gaussian, Laplace
from hdp.sym.symbols import N_1, N_2, epsilon_1, epsilon_2
from hdp.sym.symbols import n as users
from hdp.sym.threshold import one_threshold as sym
from hdp.sym.threshold import worst_case as worst
from tests.oracles import every_sequence, inf


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
    assert Threshold(epsilon).mse() == pytest.approx(float(sym.two_level_threshold.subs(values)), rel=1e-13)
    assert threshold.affine_mse(epsilon) == pytest.approx(float(sym.two_level_affine.subs(values)), rel=1e-12)
    public = np.repeat([e1, inf], [n1, n2])
    assert Threshold(public).mse() == pytest.approx(float(sym.public_threshold.subs(values)), rel=1e-13)
    assert threshold.affine_mse(public) == pytest.approx(float(sym.public_affine.subs(values)), rel=1e-12)


@pytest.mark.settles("cz-definition-2")
@pytest.mark.parametrize(("sensitivity", "epsilon"), [(1.0, 0.5), (3.0, 6.0), (0.02, 0.1)])
def test_calibrated_laplace_noise_costs_its_budget_and_no_more(sensitivity, epsilon):
    """The paper's Definition 2: log-ratios of densities for every shift, and the bound attained."""
    noise = Laplace.calibrated(sensitivity, epsilon)
    outputs, shifts = np.linspace(-3, 4, 701) * sensitivity, np.array([[0.0], [0.3], [0.7], [1.0]]) * sensitivity
    losses = np.log(noise.density(outputs) / noise.density(outputs - shifts))
    assert losses.max() == pytest.approx(epsilon, rel=1e-12) == -losses.min()


@pytest.mark.settles("cz-definition-6")
@pytest.mark.parametrize("tau", [0.05, 0.3, 0.7, 0.5, inf, None])
def test_everybody_loses_the_threshold_or_nothing(tau):
    """Definition 6: the mean of the kept users plus noise of the scale at which they lose tau, which each allows."""
    epsilon = np.array([0.05, 0.3, 0.3, 0.7, inf])
    estimate = Threshold(epsilon, tau=tau).estimate(x := np.array([0.5, -0.3, 0.2, 0.4, -0.1]), 7)
    tau = Threshold(epsilon).tau if tau is None else tau
    kept = epsilon >= tau
    scale = 1 / (kept.sum() * tau)
    drawn = estimate - np.random.default_rng(7).laplace(0.0, scale)
    assert drawn == pytest.approx(x[kept].mean(), rel=1e-12)
    w = Threshold(epsilon, tau=tau).weights
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
    assert Threshold(floats).tau == float(level)
    assert Threshold(floats, tau=float(level)).mse() == pytest.approx(float(best), rel=1e-14)
    assert Threshold(floats).mse() == pytest.approx(float(best), rel=1e-14)


@pytest.mark.settles("cz-eq-3")
def test_equation_3_in_exact_fractions():
    """Every outcome of fair coins for those who are kept, plus the noise that their budgets need."""
    epsilon = [Fraction(1, 20), Fraction(3, 10), Fraction(3, 10), Fraction(7, 10), Fraction(2)]
    for tau in (Fraction(1, 20), Fraction(1, 5), Fraction(3, 10), Fraction(7, 10), Fraction(1)):
        count = sum(e >= tau for e in epsilon)
        means = [sum(coins, Fraction(0)) / count for coins in product((-Fraction(1, 2), Fraction(1, 2)), repeat=count)]
        exact = sum(mean**2 for mean in means) / len(means) + 2 / (count * tau) ** 2
        assert sym.group_risk(sp.Integer(count), sp.Rational(tau)) == sp.Rational(exact)
        found = Threshold([float(e) for e in epsilon], tau=float(tau)).mse()
        assert found == pytest.approx(float(exact), rel=1e-14)
    assert Threshold([1.0, inf, inf], tau=inf).mse() == 1 / 8


def test_extreme_budgets_do_not_overflow():
    """Noise alone decides where both errors exceed the range of floats."""
    with np.errstate(all="raise"):
        assert Threshold([1e-300, 1e-300, 1.5e-300]).tau == 1e-300
        assert Threshold([1e-300]).mse() == inf
        assert Threshold([1e300, 1e300]).mse() == 0.125
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
    risks = [Threshold(epsilon, tau=tau).mse() for tau in levels]
    assert Threshold(epsilon).tau == levels[np.argmin(risks)]
    assert Threshold(epsilon).mse() == min(risks)


@pytest.mark.settles("cz-naive-budget")
def test_beside_one_strict_user_the_strictest_budget_is_any_number_of_times_worse():
    """The example of the introduction: dropping her is best, and a tenth of her budget makes it 100 times better."""
    better = []
    for strict in (1e-3, 1e-4, 1e-5):
        epsilon = np.append(np.ones(1000), strict)
        assert Threshold(epsilon).tau == 1
        better.append(Threshold(epsilon, tau=strict).mse() / Threshold(epsilon).mse())
    assert better[0] > 1000
    np.testing.assert_allclose(np.divide(better[1:], better[:-1]), 100, rtol=0.02)


@pytest.mark.settles("cz-free-privacy")
def test_a_threshold_leaves_the_generous_the_rest_but_not_always_more_than_the_best_weights():
    """Kept users lose the threshold; a public one who is kept alone loses all, and with the best weights 9."""
    epsilon = np.array([0.5, 1.0, 1.0, 2.0])
    tau = Threshold(epsilon).tau
    w = Threshold(epsilon, tau=tau).weights
    losses = affine.privacy_loss(w, affine.noise_scale(w, epsilon))
    np.testing.assert_allclose(losses, np.where(epsilon >= tau, tau, 0), rtol=1e-14)
    beside_one = [1.0, inf]
    assert Threshold(beside_one).tau == inf
    w = ADPM(beside_one).weights
    for losses in (affine.privacy_loss(w, affine.noise_scale(w, beside_one)), ADPM(beside_one).loss):
        np.testing.assert_allclose(losses, [1, 9], rtol=1e-13)
    assert ADPM(beside_one).level == float(sym.saturation.subs({sym.N_1: 1, epsilon_1: 1})) == 9


@pytest.mark.settles("cz-equilibrium")
@pytest.mark.parametrize(("private", "public"), [(2, 1), (10, 3), (1000, 999), (10**5, 1)])
def test_where_both_averages_are_equally_good_the_ratio_is_as_stated(private, public):
    """Section 4: both parts add the same to the error of the best weights; 2 is only approached."""
    at = {sym.N_1: private, sym.N_2: public}
    budget = float(sym.equilibrium_budget.subs(at))
    for fewer in (public, 1):  # as many, or fewer, private users: nowhere
        assert not sym.equilibrium_budget.subs({sym.N_1: fewer, sym.N_2: public}).is_real
    epsilon, first = np.repeat([budget, inf], [private, public]), np.arange(private + public) < private
    alone = [Threshold(epsilon[group]).mse() for group in (first, ~first)]
    assert alone[0] == pytest.approx(alone[1], rel=1e-12)
    best = float(sym.public_affine.subs(at | {epsilon_1: budget}))
    assert threshold.affine_mse(epsilon) == pytest.approx(best, rel=1e-9) == alone[0] / 2
    w = ADPM(epsilon).weights
    noise = 2 * affine.noise_scale(w, epsilon) ** 2
    parts = np.sum(w[first] ** 2) / 4 + noise, np.sum(w[~first] ** 2) / 4
    assert parts[0] == pytest.approx(parts[1], rel=1e-10)
    ratio = Threshold(epsilon).mse() / sum(parts)
    assert ratio == pytest.approx(float(sym.equilibrium_ratio.subs(at)), rel=1e-10) and ratio < 2


@pytest.mark.settles("hdp-capped-two")
@pytest.mark.parametrize("n", [2, 3, 10, 200, 5000])
def test_two_levels_with_the_trivial_answer_agree_with_the_statement(n):
    """NumPy against `hdp.sym`, for every number of generous users on a grid."""
    for m in {1, *np.unique(np.geomspace(1, n - 1, 12).astype(int)).tolist()}:
        found = 0.25 / threshold.affine_mse(threshold.saturating_budgets([m, n]))
        statement = worst.two_level_public if m == 1 else worst.two_level_capped.subs(worst.m, m)
        assert found == pytest.approx(float(statement.subs(users, n)), rel=1e-12)


@pytest.mark.settles("hdp-capped-all")
@pytest.mark.parametrize("n", [2, 3, 5, 30, 400])
def test_all_different_with_the_trivial_answer_agrees_with_the_statement(n):
    """J from the clipping level."""
    epsilon = threshold.saturating_budgets(np.arange(1, n + 1))
    clipped = int(np.sum(epsilon >= ADPM(epsilon).level * (1 - 1e-12)))
    tail = sum(1 / np.sqrt(j * (j - 1)) for j in range(clipped + 1, n + 1))
    expected = float(worst.all_different_capped.subs({worst.J: clipped, worst.A_J: tail, users: n}))
    assert 0.25 / threshold.affine_mse(epsilon) == pytest.approx(expected, rel=1e-12)


def two_level_worst(n):
    """Largest `two_level_capped` over whole numbers of generous users, in 40 digits, and who attains it."""
    value = sp.lambdify((worst.m, users), worst.two_level_capped, "mpmath")
    with mpmath.workdps(40):
        middle = int(mpmath.sqrt(n / 2))
        near = range(max(2, middle - 3), min(middle + 5, n - 1))
        far = {max(2, min(n - 2, int(middle * factor))) for factor in (0.01, 0.5, 0.9, 1.1, 2, 100)}
        found = {m: value(mpmath.mpf(m), mpmath.mpf(n)) for m in {*near, *far}}
    best = max(found, key=found.get)
    return found[best], best


@pytest.mark.settles("hdp-capped-two")
def test_two_levels_with_the_trivial_answer_lose_four_but_for_the_root():
    """4 - 4 sqrt(2/n) to first order: what is left is of the next order, 1/n; the best m approaches sqrt(n/2)."""
    for n in (10**2, 10**4, 10**6, 10**9, 10**12, 10**15):
        largest, generous = two_level_worst(n)
        with mpmath.workdps(40):
            left = (largest - mpmath.mpf(worst.two_level_expansion.subs(users, n).evalf(40))) * n / 2
        assert 0.4 < left < 1
        assert abs(generous - float(worst.two_level_generous.subs(users, n))) < 2


def all_different_root(log_n):
    """Root of G(n, n) between two bounds, for n = exp(log_n): A_J lies between ln(n/J) and that plus 1/(2J)."""
    value = sp.lambdify((worst.J, worst.A_J, users), worst.all_different_capped, "mpmath")
    with mpmath.workdps(40):
        log_n, ends = mpmath.mpf(log_n), []
        for excess in (0, mpmath.mpf(1) / 2):
            tail = lambda J: log_n - mpmath.log(J) + excess / J  # noqa: B023, E731
            J = int(mpmath.findroot(lambda J: tail(J) - J, log_n - mpmath.log(log_n)))  # noqa: B023
            ends.append([value(mpmath.mpf(j), tail(mpmath.mpf(j)), mpmath.exp(log_n)) for j in range(J - 2, J + 4)])
        return mpmath.sqrt(min(ends[0])), mpmath.sqrt(max(ends[1]))


@pytest.mark.settles("hdp-capped-all")
def test_all_different_with_the_trivial_answer_grow_as_stated():
    """The root of G(n, n) exceeds ln n - ln ln n by what tends to 0: exactly to a million, by bounds on A_J beyond."""
    excess = []
    for n in (10, 10**3, 10**6):
        exact = 0.25 / threshold.affine_mse(threshold.saturating_budgets(np.arange(1, n + 1)))
        excess.append(exact**0.5 - float(sp.sqrt(worst.all_different_growth.subs(users, n))))
        if n > 10:
            low, high = all_different_root(np.log(n))
            assert low * (1 - 1e-3) < exact**0.5 < high * (1 + 1e-3)
    for log_n in (10**3, 10**5, 10**7):
        with mpmath.workdps(40):
            stated = mpmath.sqrt(mpmath.mpf(worst.all_different_growth.subs(users, sp.exp(log_n)).evalf(40)))
            low, high = all_different_root(log_n)
        assert 0 < low - stated and high - stated < 3 * np.log(log_n) / log_n
        excess.append(float(high - stated))
    assert excess == sorted(excess, reverse=True) and excess[-1] < 1e-5


@pytest.mark.settles("hdp-capped")
@pytest.mark.parametrize("seed", range(12))
def test_nothing_beats_the_saturating_budgets(seed):
    """Random budgets, and random sizes saturated at another risk, stay below the best sizes at risk 1/4."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    for k in range(1, n + 1):
        best = max(0.25 / threshold.affine_mse(threshold.saturating_budgets(s)) for s in every_sequence(k, n))
        for _ in range(40):
            sizes = np.append(np.sort(rng.choice(n - 1, k - 1, replace=False) + 1), n)
            levels = np.sort(np.exp(rng.normal(-1, 1.5, k)))[::-1]
            levels[1:][-1:] *= rng.integers(2)  # 0 may be a budget
            saturated = threshold.saturating_budgets(sizes, rng.uniform(0.26 / n, 0.25))
            near = saturated * np.repeat(np.exp(rng.normal(0, 0.1, k)), np.diff(sizes, prepend=0))
            for epsilon in (np.repeat(levels, np.diff(sizes, prepend=0)), saturated, near):
                one, affine = Threshold(epsilon).mse(), threshold.affine_mse(epsilon)
                assert min(one, 0.25) / min(affine, 0.25) <= best * (1 + 1e-12)
        assert best < threshold.worst_case_ratio(k, n) or k == 1


@pytest.mark.settles("hdp-capped")
def test_the_worst_case_with_the_trivial_answer_is_attained():
    """At the stated budgets every threshold errs exactly 1/4, and the ratio exceeds 1; it comes near k^2."""
    for sizes in ([2, 4, 90], [3, 5, 17], [2, 30, 31, 400]):
        epsilon = threshold.saturating_budgets(sizes)
        stated = [float(worst.saturating_budget.subs(worst.m, size)) for size in sizes]
        np.testing.assert_allclose(epsilon[np.array(sizes) - 1], stated, rtol=1e-14)
        risks = [Threshold(epsilon, tau=epsilon[size - 1]).mse() for size in sizes]
        np.testing.assert_allclose(risks, 0.25, rtol=1e-13)
        assert 0.25 / threshold.affine_mse(epsilon) > 1
    for k, sizes in ((2, [10**3, 10**6]), (3, [500, 30_000, 2_000_000])):
        ratio = 0.25 / threshold.affine_mse(threshold.saturating_budgets(sizes))
        assert 0.97 * k**2 < ratio < k**2


BUDGETS = st.lists(st.sampled_from([1e-4, 0.003, 0.02, 0.3, 1.0, 4.0]), min_size=1, max_size=40)


def concentrated(rho):
    """How many deviations a user may move the answer under zero-concentrated privacy."""
    return float(sym.concentrated_share.subs(sym.rho_i, rho))


def approximate(epsilon, delta):
    """The same under approximate privacy: the exact guarantee of Gaussian noise, solved for the move."""
    return brentq(lambda b: Gaussian(1.0).delta(epsilon, sensitivity=b) - delta, 1e-9, 50, xtol=1e-14)


def errors(shares, kappa=1.0):
    """The best affine estimator and the best threshold, by nothing but their definitions; 1 is Gaussian noise."""
    best = clipping.optimal_weights(0.25, 1 / shares, kappa)
    affine = np.sum(best**2) / 4 + kappa * np.max(best / shares) ** 2
    kept = ((np.count_nonzero(shares >= level), level) for level in np.unique(shares))
    return affine, min(0.25 / users + kappa / (users * level) ** 2 for users, level in kept)


def divergence(order, share):
    """Rényi divergence of two normal laws of deviation 1, as an integral."""
    moment = quad(lambda y: np.exp(order * norm.logpdf(y, share) + (1 - order) * norm.logpdf(y)), -30, 30)[0]
    return np.log(moment) / (order - 1)


@pytest.mark.settles("cz-section-7")
@pytest.mark.parametrize("rho", [0.003, 0.3, 1.0])
@pytest.mark.parametrize("order", [1.1, 2.0, 8.0])
def test_concentrated_privacy_allows_so_many_deviations(order, rho):
    """The divergence at this order is the budget times the order: no less noise would do."""
    found = divergence(order, concentrated(rho))
    assert np.isclose(found, rho * order, rtol=1e-7)
    at = {sym.order: order, sym.share: concentrated(rho)}
    assert np.isclose(found, float(sym.gaussian_divergence.subs(at)), rtol=1e-7)


@pytest.mark.settles("cz-section-7")
@settings(deadline=None, max_examples=40)
@given(BUDGETS, st.sampled_from([None, 1e-8, 1e-3]))
def test_the_bounds_hold_with_gaussian_noise(budgets, delta):
    """Both errors are those of pure budgets, and their ratio obeys the bounds, Theorem 1 beside a public user."""
    levels = {e: concentrated(e) if delta is None else approximate(e, delta) for e in set(budgets)}
    shares = np.array([levels[e] for e in budgets])
    pure = np.array([float(sym.laplace_budget.subs(sym.share, b)) for b in shares])
    affine, one = errors(shares)
    assert np.isclose(affine, threshold.affine_mse(pure), rtol=1e-10)
    assert np.isclose(one, Threshold(pure).mse(), rtol=1e-10)
    assert one <= affine * threshold.worst_case_ratio(len(levels), len(budgets)) * (1 + 1e-12)
    affine, one = errors(np.append(np.full(len(budgets), shares[0]), np.inf))
    assert one < 2 * affine


@pytest.mark.settles("hdp-any-noise")
@settings(deadline=None, max_examples=40)
@given(st.lists(st.floats(1e-3, 20.0) | st.just(np.inf), min_size=1, max_size=30), st.floats(0.01, 200.0))
def test_thresholds_lose_as_much_whatever_the_noise(reaches, kappa):
    """Both errors by their definitions are those of pure budgets, with the trivial answer too."""
    b = np.array(reaches)
    best, one = errors(b, kappa)
    same = b * float(sym.with_noise[sym.strictness].subs({sym.strictness: 1, sym.kappa: kappa}))
    assert np.isclose(best, threshold.affine_mse(same), rtol=1e-10)
    assert np.isclose(one, Threshold(same).mse(), rtol=1e-10)
    k, n = len(set(reaches)), b.size
    assert one <= best * threshold.worst_case_ratio(k, n) * (1 + 1e-9)
    assert min(one, 0.25) <= min(best, 0.25) * threshold.worst_case_ratio(k, n) * (1 + 1e-9)


@pytest.mark.settles("hdp-any-noise")
@pytest.mark.parametrize("kappa", [0.5, 1.0, 12.0, 100.0])
def test_the_worst_cases_are_reached_whatever_the_noise(kappa):
    """2, F for few budgets and G for two, by the definitions, at reaches that the extremal budgets translate to."""
    back = np.sqrt(kappa / 2)
    at = {N_1: 10**4, N_2: 1}
    best, one = errors(np.append(np.full(10**4, float(sym.public_worst_budget.subs(at))) * back, np.inf), kappa)
    assert one / best == pytest.approx(2, rel=1e-3)
    for k in (2, 3):
        best, one = errors(threshold.worst_case_budgets(k, 1000, 1e-4) * back, kappa)
        assert one / best == pytest.approx(threshold.worst_case_ratio(k, 1000), rel=1e-5)
    eps = threshold.saturating_budgets([20, 800])
    best, one = errors(eps * back, kappa)
    assert min(one, 0.25) / best == pytest.approx(0.25 / threshold.affine_mse(eps), rel=1e-9)
