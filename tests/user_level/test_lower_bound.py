"""Section 5 of Cummings et al.: best noisy linear estimators, caps on samples, lower bounds, unbiased estimators."""

from itertools import combinations_with_replacement, permutations, product

import mpmath
import numpy as np
import pytest
import sympy as sp
from scipy.special import betaln, digamma, gammaln
from scipy.stats import binom, laplace, norm

from hdp import user_level
from hdp.proof import assert_monte_carlo
from hdp.sym.user_level import lower_bound as sym
from hdp.sym.user_level.model import K, bernoulli, k, p, sigma_p
from tests.oracles import convex_weights


def families(n):
    """Numbers of samples of n users in five shapes."""
    i = np.arange(1, n + 1)
    return {
        "constant": np.full(n, 20.0),
        "Zipf": np.ceil(n / i),
        "geometric": np.maximum(1.0, 2.0 ** (12 - i)),
        "two-point": np.where(i <= n // 20 + 1, 1000.0, 1.0),
        "heavy tail": np.ceil((n / i) ** 2),
    }


def random_instance(rng):
    """Numbers of samples, budget, mean and spread, over many orders of magnitude."""
    k = np.ceil(np.exp(rng.uniform(0, 8, rng.integers(1, 40)) * rng.random()))
    mean = rng.uniform(0.05, 0.95)
    spread = np.sqrt(mean * (1 - mean)) * rng.random() ** rng.choice([0.2, 1, 8])
    return k, float(np.exp(rng.uniform(-4, 3))), mean, spread


def hard(cap, k, epsilon, penalty=1.0):
    """Variance over p (1 - p) of the plain average of at most `cap` samples a user."""
    used = np.minimum(k, cap)
    return (penalty * cap / epsilon**2 + used.sum()) / used.sum() ** 2


def soft(cap, k, epsilon, penalty=1.0):
    """Expression of the corollary's first term at any cap."""
    used = np.minimum(k, cap).sum()
    return (penalty * cap / epsilon**2 + used) / np.minimum(k, np.sqrt(k * cap)).sum() ** 2


@pytest.mark.settles("cfmt-nle", "cfmt-lemma-5-2")
def test_ideal_weights_solve_the_convex_programme():
    """Lemma 5.2 against cvxpy, and its closed minimum against both."""
    rng = np.random.default_rng(52)
    for _ in range(10):
        size, epsilon, mean, spread = random_instance(rng)
        variance = user_level.sample_mean_variance(mean, spread, size)
        w = convex_weights(variance, np.sqrt(variance) / epsilon, 2.0)
        best = w**2 @ variance + 2 * np.max(w * np.sqrt(variance) / epsilon) ** 2
        assert user_level.ideal_variance(variance, epsilon) == pytest.approx(best, rel=1e-5)


@pytest.mark.settles("cfmt-lemma-5-2", "cfmt-minimax-formula")
def test_the_clip_and_the_minimum_agree_with_the_statement():
    """Both sums of Lemma 5.2 in 30 digits."""
    rng = np.random.default_rng(53)
    term = sp.lambdify((sym.sigma, sym.T), sym.clip_term, "mpmath")
    least = sp.lambdify((sym.sigma, sym.T), sym.ideal_term, "mpmath")
    with mpmath.workdps(30):
        for _ in range(20):
            variance = np.exp(rng.uniform(-9, -1, 12))
            epsilon = float(np.exp(rng.uniform(-3, 2)))
            clip = user_level.ideal_clip(variance, epsilon)
            sigma = [mpmath.sqrt(v) for v in variance]
            assert mpmath.almosteq(sum(term(s, clip) for s in sigma), 2 / mpmath.mpf(epsilon) ** 2, 1e-11)
            one_over = sum(least(s, clip) for s in sigma)
            assert mpmath.almosteq(1 / one_over, user_level.ideal_variance(variance, epsilon), 1e-12)
            w = np.array([float(least(s, clip) / one_over) for s in sigma])  # the weights attain it
            attained = user_level.noisy_linear_variance(w, variance, epsilon)
            assert attained == pytest.approx(float(1 / one_over), rel=1e-11)


@pytest.mark.settles("hdp-effective-cap")
def test_the_cap_and_the_minimum_agree_with_the_statement_for_every_family():
    """Without spread between users: p (1 - p) over a sum of capped numbers of samples, whatever p."""
    term, counted = (sp.lambdify((k, K), e, "mpmath") for e in (sym.cap_term, sym.sample_term))
    for (name, size), epsilon in product(families(60).items(), (0.05, 0.5, 3.0)):
        cap = user_level.effective_cap(size, epsilon)
        assert mpmath.almosteq(sum(term(v, cap) for v in size), 2 / epsilon**2, 1e-11), name
        for mean in (0.1, 0.5):
            variance = user_level.sample_mean_variance(mean, 0.0, size)
            least = mean * (1 - mean) / float(sum(counted(v, cap) for v in size))
            assert user_level.ideal_variance(variance, epsilon) == pytest.approx(least, rel=1e-12)
            assert user_level.lower_bound(size, epsilon, mean, 0.0) == pytest.approx(least, rel=1e-12)
            terms = np.array([float(counted(v, cap)) for v in size])  # as weights they attain it
            attained = user_level.noisy_linear_variance(terms / terms.sum(), variance, epsilon)
            assert attained == pytest.approx(least, rel=1e-11)


@pytest.mark.settles("cfmt-corollary-5-5", "hdp-capped-samples")
def test_two_group_statements_agree_with_the_solver():
    """Least variance, both caps, both forms of the corollary and the capped samples, for groups of random sizes."""
    rng = np.random.default_rng(54)
    symbols = (sym.N_1, sym.N_2, sym.k_1, sym.k_2, sym.epsilon, p, sigma_p)
    routes = {
        "ideal_two_sizes": lambda size, e, mean, spread: user_level.ideal_variance(
            user_level.sample_mean_variance(mean, spread, size), e
        ),
        "cap_two_groups": lambda size, e, *_: user_level.effective_cap(size, e),
        "sample_cap_two_groups": lambda size, e, *_: user_level.sample_cap(size, e),
        "printed_two_sizes": lambda size, e, _, spread: user_level.corollary_5_5(size, e, min(spread, 0.5)),
        "lower_two_sizes": user_level.lower_bound,
        "sample_two_sizes": user_level.sample_variance,
    }
    statements = {name: sp.lambdify(symbols, getattr(sym, name), "numpy") for name in routes}
    for _ in range(100):
        users, sizes = rng.integers(1, 30, 2), np.sort(rng.choice(500, 2, replace=False) + 1.0)
        epsilon, mean = float(np.exp(rng.uniform(-3, 2))), rng.uniform(0.1, 0.9)
        spread = np.sqrt(mean * (1 - mean)) * rng.random() ** 3
        for name, route in routes.items():
            stated = float(statements[name](*users, *sizes, epsilon, mean, spread))
            assert stated == pytest.approx(route(np.repeat(sizes, users), epsilon, mean, spread), rel=1e-11), name


@pytest.mark.settles("cfmt-k-star")
def test_the_papers_cap_is_one_of_the_numbers_of_samples():
    """Against every whole number up to the largest, and a fine grid of real ones."""
    rng = np.random.default_rng(55)
    for _ in range(100):
        size = np.ceil(np.exp(rng.uniform(0, 6, rng.integers(1, 15))))
        epsilon = float(np.exp(rng.uniform(-3, 2)))
        cap = user_level.sample_cap(size, epsilon)
        best = hard(cap, size, epsilon)
        everywhere = np.concatenate([np.arange(1, size.max() + 2), np.exp(np.linspace(-3, 7, 500))])
        assert cap in size and best <= min(hard(c, size, epsilon) for c in everywhere) * (1 + 1e-12)
        apart = everywhere[np.min(np.abs(np.log(everywhere[:, None] / size)), axis=1) > 1e-3]
        assert best < min(hard(c, size, epsilon) for c in apart)  # nothing else is as good
        for c in (cap, 1.0, (1 + size.max()) / 2, size.max()):
            used = np.minimum(size, c)  # all used samples alike, p = 0.3 and no spread: the noise counts twice
            plain = user_level.noisy_linear_variance(used / used.sum(), 0.21 / used, epsilon)
            assert plain == pytest.approx(0.21 * hard(c, size, epsilon, penalty=2.0), rel=1e-12)


@pytest.mark.settles("hdp-k-star-loss")
def test_the_papers_cap_loses_at_most_the_square_of_the_number_of_octaves():
    """And a family with all octaves alike makes it lose more and more."""
    rng, losses = np.random.default_rng(56), []
    for _ in range(300):
        size, epsilon, _, _ = random_instance(rng)
        cap = user_level.effective_cap(size, epsilon * np.sqrt(2))  # the cap for noise of the printed variance
        octaves = np.floor(np.log2(size.max() / cap)) + 1
        best = soft(cap, size, epsilon)
        others = cap * np.exp(np.linspace(-3, np.log(size.max() / cap) + 3, 60))
        assert best <= min(soft(c, size, epsilon) for c in others) * (1 + 1e-12), "it minimises L"
        printed = user_level.sample_cap(size, epsilon)
        assert hard(printed, size, epsilon) <= min(hard(k, size, epsilon) for k in (*size, cap)) * (1 + 1e-12)
        assert best * (1 - 1e-12) <= soft(printed, size, epsilon) <= hard(printed, size, epsilon)
        assert hard(printed, size, epsilon) <= float(sym.k_star_loss.subs(sym.J, octaves)) * best
    for top in (3, 6, 9):
        j = np.arange(top + 1)
        size = np.repeat(4.0**j, 2 ** (top - j))
        epsilon = (top * 2.0**top) ** -0.5
        best = soft(user_level.effective_cap(size, epsilon * np.sqrt(2)), size, epsilon)
        losses.append(hard(user_level.sample_cap(size, epsilon), size, epsilon) / best)
    assert 1.2 < losses[0] < losses[1] - 0.5 < losses[2] - 1


@pytest.mark.settles("cfmt-minimax-formula", "hdp-capped-samples")
def test_capped_samples_give_the_least_variance_up_to_a_factor_of_two():
    """B <= least variance <= 2 B, and equality where users do not differ."""
    rng, ratios = np.random.default_rng(57), []
    for _ in range(1000):
        size, epsilon, mean, spread = random_instance(rng)
        variance = user_level.sample_mean_variance(mean, spread, size)
        least = user_level.ideal_variance(variance, epsilon)
        ratios.append(least / user_level.sample_variance(size, epsilon, mean, spread))
    assert 1 - 1e-12 < min(ratios) and 1.6 < max(ratios) < 2
    worst = np.full(10, 1000.0), np.sqrt(0.25 / 1000)  # k sigma_p^2 = p (1 - p)
    least = user_level.ideal_variance(user_level.sample_mean_variance(0.5, worst[1], worst[0]), 1.0)
    assert least / user_level.sample_variance(worst[0], 1.0, 0.5, worst[1]) == pytest.approx(2 - 1 / 1000)


@pytest.mark.settles("cfmt-corollary-5-5", "cfmt-minimax-formula")
def test_the_maximum_is_a_lower_bound_and_the_printed_minimum_a_weak_one():
    """Every family and random instances: printed <= sigma_p^2 / n <= maximum <= least variance."""
    rng = np.random.default_rng(58)
    instances = [(size, e, 0.4, s) for size in families(80).values() for e in (0.1, 1.0) for s in (0.0, 1e-3, 0.1)]
    for size, epsilon, mean, spread in instances + [random_instance(rng) for _ in range(300)]:
        printed = user_level.corollary_5_5(size, epsilon, spread)
        between = spread**2 / size.size
        bound = user_level.lower_bound(size, epsilon, mean, spread)
        least = user_level.ideal_variance(user_level.sample_mean_variance(mean, spread, size), epsilon)
        assert printed <= between * (1 + 1e-12) and between <= bound <= least * (1 + 1e-12)


def clipped_binomial(size, mean, half):
    """Mean and variance of a clipped user mean, and the chance that it is clipped; exact."""
    x, weight = np.arange(size + 1) / size, binom.pmf(np.arange(size + 1), size, mean)
    y = np.clip(x, mean - half, mean + half)
    centre = weight @ y
    return centre, weight @ (y - centre) ** 2, weight[np.abs(x - mean) > half].sum()


@pytest.mark.settles("cfmt-lemma-5-4")
def test_clipping_keeps_variance_and_bias_within_lemma_5_4():
    """Exact, for half-widths of c_i sigma_i with c_i <= c: 4 c^2 is approached for much noise, bias <= beta."""
    rng, ratios = np.random.default_rng(61), []
    for c in (0.3, 0.5, 0.8, 1.5, 3.0):
        for epsilon in (0.01, 0.3, 1.0, 10.0):
            size, w, mean = rng.integers(1, 80, 6), rng.dirichlet(np.ones(6)), rng.uniform(0.1, 0.9)
            sigma = np.sqrt(user_level.sample_mean_variance(mean, 0.0, size))
            half = c * sigma * np.append(1.0, rng.uniform(0.5, 1, 5))
            half = np.where(w * sigma == np.max(w * sigma), c * sigma, half)
            centre, variance, beta = np.array(
                [clipped_binomial(*user) for user in zip(size, [mean] * 6, half, strict=True)]
            ).T
            total = w**2 @ variance + 2 * (2 * np.max(w * half) / epsilon) ** 2
            ratio = total / user_level.noisy_linear_variance(w, sigma**2, epsilon)
            cost = float(sym.truncation_cost.subs(sym.c, sp.Rational(str(c))))
            assert ratio <= cost * (1 + 1e-12)
            ratios.append(ratio / cost)
            assert abs(w @ centre - mean) <= w @ beta * (1 + 1e-12)
            assert np.all(np.abs(centre - mean) <= beta * np.maximum(np.maximum(mean, 1 - mean) - half, 0) + 1e-12)
    assert max(ratios) > 0.999
    centre, _, beta = clipped_binomial(1, 0.01, 0.01)  # a rare 1 is clipped by nearly 1
    assert 0.97 * beta < 0.01 - centre < beta
    _, variance, beta = clipped_binomial(500, 0.5, 0.5)  # nothing is clipped and nothing gained
    assert variance == pytest.approx(0.25 / 500) and beta == 0


@pytest.mark.settles("cfmt-concentration")
def test_half_widths_that_hold_the_data_are_of_the_order_of_deviations():
    """Ten variances hold a mean of 10 000 fair coins with probability 4 %, ten deviations practically always.

    With 1/v users alike and beta = 1/3 the half-width exceeds the square root of v/2; for one user and 2/3 it need not.
    """
    size, variance = 10_000, 1 / 40_000
    assert user_level.sample_mean_variance(0.5, 0.0, size) == pytest.approx(variance, rel=1e-12)
    held = [1 - clipped_binomial(size, 0.5, 10 * v)[2] for v in (variance, variance**0.5)]
    assert f"{held[0]:.0%}" == "4%" and held[1] > 1 - 1e-12
    for size, mean in product((60, 400), (0.2, 0.5)):  # for many users no half-width is of the order of the variance
        variance = mean * (1 - mean) / size
        for users, chance, wide in ((np.ceil(1 / variance), 2 / 3, True), (1, 1 / 3, False)):
            tried = ((half, clipped_binomial(size, mean, half)[2]) for half in np.arange(1, size) / size + 1e-9)
            half, outside = next(found for found in tried if (1 - found[1]) ** users >= chance)
            assert (half**2 > variance / 2) == wide == (outside < variance / 2)
    for size in (1, 100, 10_000, 10**6):  # those of the library hold everybody, and are so many deviations wide
        half = float(user_level.half_width(size, 1, 0.0, 0.05))
        deviation = user_level.sample_mean_variance(0.5, 0.0, size) ** 0.5
        assert half / deviation == pytest.approx(np.sqrt(2 * np.log(40)), rel=1e-12)
        assert clipped_binomial(size, 0.5, half)[2] <= 0.05
    for spread, size in product((0.01, 0.1, 0.3), (1, 100, 10_000, 10**6)):  # also where the users' own means differ
        half = float(user_level.half_width(size, 1, spread**2, 0.05)) / np.sqrt(2 * np.log(80))
        assert half == pytest.approx(spread + 0.5 / size**0.5, rel=1e-12)
        deviation = user_level.sample_mean_variance(0.5, spread, size) ** 0.5
        assert 1 <= half / deviation <= (2 / (1 - 4 * spread**2)) ** 0.5


@pytest.mark.settles("cfmt-fisher")
def test_one_sample_has_the_information_of_one_over_its_variance():
    """Squared slopes of the log-density, by differences: a bit with mean p, a normal sample of known variance."""
    for mean in (0.1, 1 / 3, 0.5):
        near = mean + np.array([-1e-6, 1e-6])
        slopes = [np.diff(np.log(chance))[0] / 2e-6 for chance in (near, 1 - near)]
        bit = mean * slopes[0] ** 2 + (1 - mean) * slopes[1] ** 2
        assert bit == pytest.approx(1 / user_level.sample_mean_variance(mean, 0.0, 1), rel=1e-6)
        assert bit == pytest.approx(1 / float(bernoulli.subs(p, mean)), rel=1e-6)
    x = np.linspace(-3, 3, 20_001)
    slope = (norm.logpdf(x, 1e-4, 0.3) - norm.logpdf(x, -1e-4, 0.3)) / 2e-4
    normal = np.trapezoid(slope**2 * norm.pdf(x, 0, 0.3), x)
    assert normal == pytest.approx(1 / norm(0, 0.3).var(), rel=1e-6)


@pytest.mark.settles("cfmt-theorem-5-1-printed")
@pytest.mark.parametrize("beta", [0.9, 0.05])
def test_without_privacy_the_factor_of_theorem_5_1_depends_on_the_budget(beta):
    """One sample each and p = 1/2: an interval of length 1 holds everybody, none shorter anybody; its noise has 2."""
    one = np.ones(100)
    assert clipped_binomial(1, 0.5, 0.4999)[2] == 1 and clipped_binomial(1, 0.5, 0.5)[2] == 0
    assert 2 <= user_level.private_ideal(one, 0.5, 0.0, 1 / 100, beta).variance < 2.01
    assert user_level.baseline_variance("ideal", one, 0.5, 0) == pytest.approx(1 / 400, rel=1e-12)


@pytest.mark.settles("cfmt-eq-9", "cfmt-lemma-5-4")
def test_the_truncated_estimate_is_private_for_whole_users():
    """The largest log-ratio of densities when one user's mean moves from 0 to 1 is at most epsilon, and reaches it."""
    w, half, epsilon, mean = np.array([0.5, 0.3, 0.2]), np.array([0.05, 0.2, 0.3]), 0.7, 0.5
    scale = 2 * np.max(w * half) / epsilon
    at, losses = np.linspace(-3, 4, 2001), []
    for user in range(3):
        ends = [np.where(np.arange(3) == user, end, 0.5) for end in (0.0, 1.0)]
        totals = [np.clip(x, mean - half, mean + half) @ w for x in ends]
        noiseless = [user_level.truncated_estimate(x, w, mean, half, 1e12, 0) for x in ends]
        np.testing.assert_allclose(noiseless, totals, atol=1e-9)
        losses.append(np.max(laplace.logpdf(at, totals[0], scale) - laplace.logpdf(at, totals[1], scale)))
    assert max(losses) == pytest.approx(epsilon)
    draws = user_level.truncated_estimate(np.full((100_000, 3), 0.5), w, mean, half, epsilon, 60) - 0.5
    assert_monte_carlo(np.abs(draws), scale)  # the mean absolute value of Laplace noise is its scale


@pytest.mark.settles("hdp-no-unbiased")
def test_no_unbiased_private_estimator_stays_in_the_unit_interval():
    """Infeasible for every k tried; for one bit feasible from 1/2 +- coth(eps/2)/2 on, and no sooner."""
    for size in ([1], [3], [1, 1], [3, 1]):
        assert user_level.best_unbiased_variance(size, 1.0, np.linspace(0, 1, 11)) == np.inf
        assert np.isfinite(user_level.best_unbiased_variance(size, 1.0, np.linspace(-1, 2, 31)))
    for epsilon in (0.5, 1.0, 3.0):
        edge = 1 / np.tanh(epsilon / 2) / 2
        least = [
            user_level.best_unbiased_variance([1], epsilon, [0.5 - x * edge, 0.5 + x * edge]) for x in (0.99, 1.01)
        ]
        assert least[0] == np.inf > least[1]


@pytest.mark.settles("hdp-no-unbiased")
def test_all_ones_are_likely_near_the_end_for_equal_and_for_beta_means():
    """As p tends to 1 all data are 1 with probability tending to 1, so that an unbiased answer in [0, 1] must be 1."""
    for size, precision in product((1, 3, 50), (0.1, 2.0, 100.0)):
        chances = []
        for power in (2, 4, 6, 8):
            rest = mpmath.mpf(10) ** -power
            a, b = (1 - rest) * precision, rest * precision
            chances.append(float(mpmath.beta(a + size, b) / mpmath.beta(a, b)))  # beta means of mean p
            assert chances[-1] >= 1 - size * 10.0**-power - 1e-12
        assert np.all(np.diff(chances) > 0)
        least = float(sym.all_ones.subs({p: 1 - sp.Rational(1, 10**8), k: size}))
        assert least <= chances[-1] and least <= (1 - 1e-8) ** size + 1e-12


@pytest.mark.settles("cfmt-theorem-5-1", "cfmt-lemma-5-3")
def test_no_unbiased_private_estimator_tried_is_much_better_than_the_best_noisy_linear_one():
    """The probe of Theorem 5.1: few users, three budgets, by linear programming; one bit at 4 is a little better."""
    for size, epsilon in product(([1], [4], [1, 1], [4, 1], [1, 1, 1]), (0.5, 2.0, 4.0)):
        least = user_level.ideal_variance(0.25 / np.array(size), epsilon)
        best = user_level.best_unbiased_variance(size, epsilon, np.linspace(-3, 4, 36))
        assert 0.1 < least / best < 1.06 and (least > best) == (size == [1] and epsilon == 4.0)


def information(mean, precision, size):
    """Fisher information about the mean in a beta-binomial count, for a fixed precision a + b of the beta law."""
    a, b, j = mean * precision, (1 - mean) * precision, np.arange(size + 1)
    ways = gammaln(size + 1) - gammaln(j + 1) - gammaln(size - j + 1)
    log_weight = ways + betaln(a + j, b + size - j) - betaln(a, b)
    score = precision * (digamma(a + j) - digamma(a) - digamma(b + size - j) + digamma(b))
    return np.exp(log_weight) @ score**2


@pytest.mark.settles("cfmt-eq-8")
def test_beta_distributions_meet_the_condition_on_fisher_information():
    """Eq. (8): information times variance lies between 1 (Cramer-Rao) and 1.6 in the middle third; not near p = 0."""
    products = []
    for mean, precision, size in product((1 / 3, 0.5, 2 / 3), np.logspace(-3, 4, 22), (1, 2, 7, 50, 1000, 30_000)):
        spread = np.sqrt(mean * (1 - mean) / (precision + 1))
        variance = user_level.sample_mean_variance(mean, spread, size)
        products.append(information(mean, precision, size) * variance)
    np.testing.assert_allclose(products[::6], 1, rtol=1e-6)  # one sample has no more than Cramer and Rao allow
    assert 1 - 1e-9 < min(products) and 1.59 < max(products) < 1.6
    for mean in (1e-3, 1e-4):  # of the mean of one user herself, at the precision 1
        own = mpmath.polygamma(1, mean) + mpmath.polygamma(1, 1 - mean)
        assert float(own * mean * (1 - mean) / 2) == pytest.approx(1 / (2 * mean), rel=0.01)


@pytest.mark.settles("cfmt-corollary-5-5-printed")
def test_the_printed_minimum_bounds_every_unbiased_estimator():
    """Cramer and Rao, for beta distributions at p = 1/2: no number of samples informs more than p_i itself."""
    for spread in (0.01, 0.1, 0.3, 0.49):
        precision = 1 / (4 * spread**2) - 1
        own = precision**2 * 2 * float(mpmath.polygamma(1, precision / 2))
        alone = float(sym.unbiased_floor.subs({sigma_p: spread, sym.N_1: 1, sym.N_2: 0}))
        assert 1 / own > alone
        by_samples = [information(0.5, precision, size) for size in (1, 5, 100, 10_000)]
        assert np.all(np.diff(by_samples) > 0) and by_samples[-1] < own < (1 + 4 * spread**2) / spread**2
        for size in families(50).values():
            least = 1 / sum(information(0.5, precision, int(k)) for k in np.minimum(size, 10_000))
            floor = float(sym.unbiased_floor.subs({sigma_p: spread, sym.N_1: size.size, sym.N_2: 0}))
            cap = user_level.sample_cap(size, 0.5)
            first = (4 * cap + np.sum(np.minimum(size, cap))) / np.sum(np.sqrt(size * np.minimum(size, cap))) ** 2
            printed = user_level.corollary_5_5(size, 0.5, spread)
            assert least > floor >= printed / 2 and printed == pytest.approx(min(first, spread**2 / size.size))
    assert 1 / own < 1.1 * alone  # so that the floor cannot be much higher, as the last spread shows


@pytest.mark.settles("cfmt-corollary-5-5-printed")
def test_at_a_small_mean_an_unbiased_estimator_has_less_than_half_the_variance_of_an_average():
    """The best polynomial of degree 6 in three p_i of the law Beta(2p, 2 - 2p), at p = 1/20, in exact fractions."""
    degree, q = 6, sp.Symbol("q")
    terms = [a for a in combinations_with_replacement(range(degree + 1), 3) if sum(a) <= degree]

    def moment(powers, at):
        return sp.prod(sp.rf(2 * at, a) / sp.rf(2, a) for a in powers)

    def product_mean(a, b):
        each = [moment([x + y for x, y in zip(a, order, strict=True)], sp.Rational(1, 20)) for order in permutations(b)]
        return sum(each) / len(each)

    means = [sp.Poly(sp.expand_func(moment(a, q)), q) for a in terms]
    unbiased = sp.Matrix(degree + 1, len(terms), lambda k, j: means[j].nth(k))
    gram = sp.Matrix(len(terms), len(terms), lambda i, j: product_mean(terms[i], terms[j]))
    solved = gram.LUsolve(unbiased.T)
    wanted = sp.Matrix([0, 1] + [0] * (degree - 1))
    best = solved * (unbiased * solved).LUsolve(wanted)
    assert unbiased * best == wanted
    variance = (best.T * gram * best)[0] - sp.Rational(1, 400)
    assert 0.49 < 3 * variance / (sp.Rational(19, 400) / 3) < 0.5
