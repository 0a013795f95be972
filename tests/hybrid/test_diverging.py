"""Diverging groups, the estimators as they are run, and how they relate to those of Chaudhuri & Courtade."""

from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import brentq

from hdp import baselines, hybrid, simulate, threshold
from hdp.hybrid import Setting
from hdp.noise import Laplace
from hdp.sym.hybrid_trust import baselines as trust
from hdp.sym.hybrid_trust import diverging_groups as diverging
from hdp.sym.hybrid_trust import known_variance as known
from tests.hybrid.common import value
from tests.oracles import thorough

USERS = np.geomspace(1e3, 1e5, 1001)
LOW, MEDIUM, HIGH = 84**-0.5, 12**-0.5, 4.8**-0.5
CURVES = tuple(product((0.005, 0.05), (0.1, 1)))


def improvement(s, w):
    """R of the hybrid estimator with weight w."""
    return hybrid.relative_improvement(s, hybrid.mse_hybrid(s, w))


def shifted(t, c, epsilon, n=USERS):
    """The settings of Figure 5."""
    return Setting(n, c, 2, epsilon, MEDIUM, mu_t=1 - t, mu_l=1 + t)


@pytest.fixture(scope="module")
def figure_4():
    """R of every estimator on the eight lines, by the TCM group's deviation, c and epsilon."""
    lines = {}
    for (low, high), (c, epsilon) in product(((LOW, HIGH), (HIGH, LOW)), CURVES):
        s = Setting(USERS, c, 1, epsilon, low, high)
        equal = replace(s, sigma_l=None)
        of_each = {"kvh": (s, hybrid.kvh_weight), "pwh": (s, hybrid.pwh_weight)}
        of_each |= {"equal": (equal, hybrid.kvh_weight), "equal pwh": (equal, hybrid.pwh_weight)}
        lines[low, c, epsilon] = {name: improvement(at, weight(at)) for name, (at, weight) in of_each.items()}
    return lines


@pytest.mark.settles("adk-figure-4-text")
def test_most_of_figure_4_differs_by_less_than_a_hundredth(figure_4):
    """5 of the 8 lines throughout; both with c = 5 percent and epsilon = 1 nowhere, and one of them by 0.0982."""
    gaps = {key: np.abs(line["kvh"] - line["equal"]) for key, line in figure_4.items()}
    shares = {key: np.mean(gap < 0.01) for key, gap in gaps.items()}
    assert sum(v == 1 for v in shares.values()) == 5
    assert [k for k, v in shares.items() if v == 0] == [(LOW, 0.05, 1), (HIGH, 0.05, 1)]
    assert 0.65 < shares[LOW, 0.005, 1] < 0.68
    assert max(gap.max() for gap in gaps.values()) == pytest.approx(0.0982, abs=1e-4)


@pytest.mark.settles("adk-section-6-pwh")
def test_what_unequal_groups_change_is_small_for_both(figure_4):
    """Another variance of the local group moves R of PWH by at most 0.061; a gap sinks both."""
    assert max(np.abs(line["pwh"] - line["equal pwh"]).max() for line in figure_4.values()) < 0.061
    for (c, epsilon), t in product(CURVES, (0.25, 0.5)):
        s = shifted(t, c, epsilon, 1e5)
        assert max(improvement(s, f(s)) for f in (hybrid.homogeneous_weight, hybrid.pwh_weight)) < 0.07


@pytest.mark.settles("adk-section-6-pwh")
def test_pwh_is_close_to_kvh_in_figure_4_for_the_small_budget_only(figure_4):
    """For epsilon = 0.1 the two values of R differ by 3.5 percent at most, for epsilon = 1 by up to 91."""
    for budget, most, digits in ((0.1, 0.0347, 1e-4), (1, 0.912, 1e-3)):
        lines = [line for (_, _, epsilon), line in figure_4.items() if epsilon == budget]
        assert max((1 - line["pwh"] / line["kvh"]).max() for line in lines) == pytest.approx(most, abs=digits)


@pytest.mark.settles("hdp-tolerated-gap")
@pytest.mark.parametrize(("c", "epsilon"), CURVES)
def test_the_homogeneous_weight_always_beats_tcm_and_full_lm_up_to_a_gap(c, epsilon):
    """A root search finds the tolerated gap; beyond it Full-LM is better, never TCM-Only."""
    for users in (1e3, 1e4, 1e5):
        at = {trust.c: c, trust.epsilon: epsilon, trust.m: 2, trust.sigma: MEDIUM, diverging.n: users}
        tolerated = float(diverging.tolerated_gap_squared.subs(trust.laplace).subs(at)) ** 0.5

        def excess(gap, users=users):
            s = Setting(users, c, 2, epsilon, MEDIUM, mu_l=gap)
            return hybrid.mse_hybrid(s, hybrid.homogeneous_weight(s)) / hybrid.mse_full_lm(s) - 1

        if tolerated < 1.9:
            assert brentq(excess, 0, 1.9, xtol=1e-14) == pytest.approx(tolerated, rel=1e-9)
        else:
            assert excess(1.9) < 0
        s = Setting(users, c, 2, epsilon, MEDIUM, mu_l=np.linspace(0, 1.9, 50))
        assert np.all(hybrid.mse_hybrid(s, hybrid.homogeneous_weight(s)) < hybrid.mse_tcm(s))


@pytest.mark.settles("hdp-unbounded-improvement")
def test_improvement_without_bound_at_a_small_budget():
    """Definition 6.1 at epsilon = 1 and 0.1 on data of two values: R = 10.9 for c = 9/10, and more for larger c."""
    for epsilon, share in product((1, 0.1), (0.9, 0.99, 0.999)):
        c, n = share, 10**11
        s = Setting(n, c, 1, epsilon, 0, mu_l=(2 / n) ** 0.5 / (epsilon * (1 - c)))
        assert improvement(s, hybrid.kvh_weight(s)) == pytest.approx(1 + 1 / (1 - c), rel=0.01)


@pytest.mark.settles("hdp-believed-variance")
@thorough
@given(st.integers(2, 10**6), st.floats(0, 1), st.floats(-3, 3), st.floats(0, 1), st.floats(0, 1), st.floats(-3, 3))
@example(100, 0.3, 0.0, 0.5, 1.0, -np.inf)
@example(100, 0.3, 0.0, 0.5, 1.0, 0.0)
def test_what_a_wrong_belief_costs(users, place, log_epsilon, sigma, gap, log_belief):
    """Of the effective variance v times a factor, also 0 and 1: below it TCM-Only is never better, above it Full-LM."""
    c = 1 / users + place * (0.999 - 1 / users)
    s = Setting(users, c, 1, 10**log_epsilon, sigma / 4, sigma / 3, 0, gap / 3)
    believed = min(s.effective_variance * 10**log_belief, 1e6)
    assume(s.tcm_users > 1.001 and s.effective_variance > 1e-9)
    found = hybrid.mse_hybrid(s, hybrid.homogeneous_weight(s, believed))
    if log_belief <= 0:
        assert found <= hybrid.mse_tcm(s) * (1 + 1e-9)
    if believed >= s.effective_variance:
        assert found <= hybrid.mse_full_lm(s) * (1 + 1e-9)
    spread = 1 / (s.c * (1 - s.c) * s.n)
    noise, advantage = s.noise_t + s.noise_l / s.lm_users, (s.noise_l - s.tcm_users * s.noise_t) / s.n
    mine, true = (v * spread + noise for v in (believed, s.effective_variance))
    bound = mine * (2 + s.c * mine / advantage)
    assume(abs(true / bound - 1) > 1e-6 and abs(found / hybrid.mse_full_lm(s) - 1) > 1e-9)
    assert (found > hybrid.mse_full_lm(s)) == (true > bound)


N, C, TRUSTING = 20, 0.25, 5
RUNS = 20_000
empirical_mean = partial(np.mean, axis=1)


def law(distribution, width=1.0):
    """Of a group: how it is drawn, its mean, its variance, for a distribution of SciPy stretched to this width."""
    draw = lambda rng, shape: width * distribution.rvs(shape, random_state=rng)  # noqa: E731
    return draw, width * distribution.mean(), width**2 * distribution.var()


COIN, MOSTLY, BETA = law(stats.bernoulli(0.5)), law(stats.bernoulli(0.9)), law(stats.beta(2, 5))
UNIFORM, NARROW = law(stats.uniform()), law(stats.uniform(0.125, 0.25))
THREE = law(stats.binom(2, 0.5), 0.5)
ALIKE = {"coins": COIN, "beta": BETA, "uniform": UNIFORM, "three points": THREE}
PAIRS = {name: (law, law) for name, law in ALIKE.items()}
PAIRS |= {"other variance": (COIN, UNIFORM), "other mean": (NARROW, MOSTLY), "other way": (MOSTLY, BETA)}
EXACT = {"tcm": hybrid.mse_tcm, "full-lm": hybrid.mse_full_lm, "lm": hybrid.mse_lm, "kvh": hybrid.mse_kvh}
EXACT |= {"pwh": hybrid.mse_pwh, "naive": lambda s: hybrid.mse_hybrid(s, s.c)}
EXACT |= {"homogeneous": lambda s: hybrid.mse_hybrid(s, hybrid.homogeneous_weight(s))}


def sampler(groups, rng, runs):
    """Data sets of which the first columns are the TCM group."""
    (draw_t, *_), (draw_l, *_) = groups
    return np.hstack([draw_t(rng, (runs, TRUSTING)), draw_l(rng, (runs, N - TRUSTING))])


def setting(groups, **more):
    (_, mu_t, variance_t), (_, mu_l, variance_l) = groups
    return Setting(N, C, 1, 3.0, variance_t**0.5, variance_l**0.5, mu_t, mu_l, **more)


def z_score(name, groups, s, against, exact, seed):
    """Distance of the simulated error from the exact one, in standard errors."""

    def error(x, rng):
        return hybrid.estimate(name, x[:, :TRUSTING], x[:, TRUSTING:], s, rng) - against(x)

    found = simulate.mean_squared_error(error, partial(sampler, groups), 0.0, RUNS, seed)
    return (found.mse - exact) / found.standard_error


@pytest.mark.settles("adk-definition-2-2", "adk-estimators")
@pytest.mark.parametrize("name", hybrid.NAMES)
@pytest.mark.parametrize("pair", PAIRS)
def test_simulated_error_is_the_exact_one(pair, name):
    """Against the empirical mean of the same data (Definition 2.2)."""
    groups = PAIRS[pair]
    s = setting(groups)
    assert abs(z_score(name, groups, s, empirical_mean, EXACT[name](s), seed=20 + len(pair))) < 4


@pytest.mark.parametrize("noise", [{"delta": 1e-3}, {"s_t2": 0.01, "s_l2": 0.3}, {"s_t2": 0, "s_l2": 0.3}], ids=str)
def test_other_noise_has_its_variance(noise):
    """Gaussian noise, given variances, a curator without noise."""
    groups = PAIRS["other variance"]
    s = setting(groups, **noise)
    for seed, name in enumerate(("kvh", "full-lm")):
        assert abs(z_score(name, groups, s, empirical_mean, EXACT[name](s), seed)) < 4


TWO = (lambda rng, shape: 0.5 + 0.125**0.5 * rng.choice([-1.0, 1.0], size=shape), 0.5, 0.125)


@pytest.mark.settles("adk-section-4-salaries")
@pytest.mark.parametrize("law", [THREE, TWO, law(stats.beta(0.5, 0.5))], ids=["3", "2", "arcsine"])
def test_errors_see_only_size_range_and_deviation(law):
    """Laws of one variance have one error, wherever their mean is; it is that of section 4."""
    s = Setting(N, C, 1, 3.0, 0.125**0.5)
    exact = value(known.kvh_mse.subs(trust.laplace), s)
    assert abs(z_score("kvh", (law, law), s, empirical_mean, exact, seed=8)) < 4
    for mean in (0.25, 0.5, 0.75):
        assert hybrid.mse_kvh(replace(s, mu_t=mean, mu_l=mean)) == pytest.approx(exact, rel=1e-12)


@pytest.fixture
def drawn(monkeypatch):
    """Scale and shape of every noise that is drawn."""
    found = []

    def sample(self, rng, size=None):
        found.append((self.scale, size))
        return rng.laplace(0.0, self.scale, size)

    monkeypatch.setattr(Laplace, "sample", sample)
    return found


@pytest.mark.settles("adk-laplace-mechanism", "hdp-hybrid-privacy")
@pytest.mark.parametrize("name", hybrid.NAMES)
def test_everything_that_is_released_is_private(name, drawn):
    """What one user changes is the mean of the TCM group or her own report, and its noise costs epsilon for that.

    The log-ratio of the densities under neighbours is |y| - |y - change| over the scale: epsilon at most, and attained.
    """
    s = Setting(N, C, 3, 0.5, 1.0, mu_t=1, mu_l=2)
    x = np.random.default_rng(1).uniform(0, 3, (2, N))
    before = hybrid.estimate(name, x[:, :TRUSTING], x[:, TRUSTING:], s, 1)
    changes = {size: s.m if len(size) == 2 else s.m / TRUSTING for _, size in drawn}
    for scale, size in drawn:
        loss = Laplace(scale).privacy_loss(np.linspace(-9, 9, 41) * s.m, changes[size])
        assert loss.max() == pytest.approx(s.epsilon, rel=1e-12) == -loss.min()
    reports = {(2, N - TRUSTING), (2, TRUSTING)} if name == "full-lm" else {(2, N - TRUSTING), (2,)}
    assert set(changes) == reports and len(drawn) == 2  # one noise for each release, in each data set
    w = {"tcm": 1.0, "lm": 0.0, "kvh": hybrid.kvh_weight(s), "pwh": hybrid.pwh_weight(s), "naive": C, "full-lm": C}
    w["homogeneous"] = hybrid.homogeneous_weight(s)
    for user in range(N):  # her value enters one of the two, with the weight of its mean
        y = x.copy()
        y[:, user] = 3 - x[:, user]
        moved = hybrid.estimate(name, y[:, :TRUSTING], y[:, TRUSTING:], s, 1) - before
        share = w[name] / TRUSTING if user < TRUSTING else (1 - w[name]) / (N - TRUSTING)
        assert moved == pytest.approx(share * (y - x)[:, user], rel=1e-9, abs=1e-12)


def test_the_noise_is_for_as_many_users_as_there_are():
    """Rounding of c n is let pass, and no more: for 1.0000009 users the noise would be too little for a single one.

    Nor may (1-c) n be near a whole number that is 0.
    """
    with pytest.raises(ValueError, match=r"c n must be a whole number of users, at least 1, got 1\.0000009"):
        hybrid.estimate("tcm", [1.0], [0.0] * 9, Setting(10, 0.10000009, 1, 1.0, 0.5), 1)
    with pytest.raises(ValueError, match=r"\(1-c\) n must be a whole number of users, at least 1"):
        hybrid.estimate("tcm", [0.1, 0.2], [], Setting(2, 1 - 2.0**-50, 1, 1, 0.5), 1)
    for size in (3, 49, 1000, 10**5):
        for count in {1, size // 7 or 1, size // 2, size - 1}:
            s = Setting(size, count / size, 1, 1.0, 0.5)
            assert isinstance(hybrid.estimate("tcm", np.zeros(count), np.zeros(size - count), s, 1), float)
            assert s.m / count <= s.epsilon * (s.noise_t / 2) ** 0.5 * (1 + 1e-12)


@pytest.mark.settles("adk-definition-2-2")
def test_estimates_work_on_the_last_axis():
    """One data set gives a float, many an array; seeds repeat."""
    s = setting(PAIRS["coins"])
    x = np.random.default_rng(0).random((2, 3, N))
    for name in hybrid.NAMES:
        many = hybrid.estimate(name, x[..., :TRUSTING], x[..., TRUSTING:], s, 1)
        again = hybrid.estimate(name, x[..., :TRUSTING], x[..., TRUSTING:], s, np.random.default_rng(1))
        assert many.shape == (2, 3) and np.array_equal(many, again)
        assert isinstance(hybrid.estimate(name, x[0, 0, :TRUSTING], x[0, 0, TRUSTING:], s, 1), float)
        assert hybrid.deviation(name, x, s, 1) == pytest.approx(many - x.mean(axis=-1))


WORST = 0.25  # variance of a fair coin on the ends of an interval of width 1


# Chaudhuri & Courtade: their data lie in [-1/2, 1/2], their errors are against the true mean (`true_mean_mse`), m is 1.


@st.composite
def whole_groups(draw):
    """Whole group sizes, a budget, and a standard deviation."""
    trusting, local = draw(st.integers(1, 60)), draw(st.integers(1, 60))
    users = trusting + local
    return Setting(users, trusting / users, 1, draw(st.floats(0.05, 20)), draw(st.floats(0, 0.5)))


def as_budgets(s):
    """A central group for each trust group: the mean of l local reports is as noisy as a curator's at eps/sqrt(l)."""
    trusting, local = round(s.tcm_users), round(s.lm_users)
    apart = 1 - 1e-13  # one local user has the budget of the others, with whom LDPE would put her
    return np.repeat([s.epsilon, apart * s.epsilon / np.sqrt(local)], [trusting, local])


def worst(s):
    """Error of LDPE's counterpart: the weight of a curator who assumes the worst variance."""
    return hybrid.true_mean_mse(s, hybrid.homogeneous_weight(s, WORST))


@pytest.mark.settles("hdp-kvh-ldpe")
@thorough
@given(whole_groups())
def test_ldpe_is_kvh_for_the_worst_variance(s):
    """LDPE with the budgets eps and eps/sqrt(l) has the error of the KVH that assumes 1/4, whatever the variance."""
    ldpe = baselines.expected_mse("ldpe", as_budgets(s), s.variance_t)
    assert worst(s) == pytest.approx(ldpe, rel=2e-12)


@pytest.mark.settles("hdp-kvh-ldpe", "hdp-baselines-relations")
@thorough
@given(whole_groups())
def test_adpm_lies_below_by_a_factor_of_two_at_most(s):
    """One noise of the larger scale instead of two: ADPM before its cap <= LDPE <= 2 ADPM, on the worst data."""
    coins = Setting(s.n, s.c, 1, s.epsilon, 0.5)
    optimal = threshold.affine_mse(as_budgets(s))
    assert optimal * (1 - 1e-9) <= worst(coins) <= 2 * optimal * (1 + 1e-9)


@pytest.mark.settles("hdp-hybrid-limits")
@thorough
@given(whole_groups())
def test_a_public_group_makes_them_one(s):
    """With s_T = 0 and coins KVH is ADPM with public users (Remark 2 of Chaudhuri & Courtade)."""
    coins = Setting(s.n, s.c, 1, s.epsilon, 0.5, s_t2=0, s_l2=s.noise_l)
    budgets, found = as_budgets(s), hybrid.true_mean_mse(coins, hybrid.kvh_weight(coins))
    case_b = (s.epsilon**2 + 8) / (4 * s.n * (s.epsilon**2 + 8 * s.c))  # with f n = l and l eps_1^2 = eps^2
    assert found == pytest.approx(case_b, rel=1e-9)
    for ratio in (1 + 8 / s.epsilon**2, np.inf):  # from R on
        budgets[: round(s.tcm_users)] = ratio * s.epsilon / np.sqrt(s.lm_users)
        assert found == pytest.approx(threshold.affine_mse(budgets))


@pytest.mark.settles("hdp-pwh-kvh")
@thorough
@given(whole_groups())
def test_all_weights_lie_on_one_curve(s):
    """KVH's weight in the assumed variance: PWH's at 0, the naive one at infinity, between them the mean as stated."""
    assert hybrid.homogeneous_weight(s, 0.0) == pytest.approx(hybrid.pwh_weight(s), rel=1e-12)
    assert hybrid.homogeneous_weight(s, 1e15) == pytest.approx(hybrid.naive_weight(s), rel=1e-6)
    S, P = s.variance_t / (s.c * s.lm_users), s.noise_t + s.noise_l / s.lm_users
    g, best, naive = (s.noise_l - s.tcm_users * s.noise_t) / s.n, hybrid.mse_kvh(s), hybrid.mse_hybrid(s, s.c)
    assert hybrid.kvh_weight(s) == pytest.approx((S * s.c + P * hybrid.pwh_weight(s)) / (S + P), rel=1e-9)
    assert hybrid.pwh_weight(s) == pytest.approx(s.c + g / P, rel=1e-9)
    for found, lost in (
        (hybrid.mse_pwh(s) - best, S**2 * g**2 / ((S + P) * P**2)),
        (naive - best, g**2 / (S + P)),
        (hybrid.mse_full_lm(s) - naive, s.c * g),
    ):
        assert found == pytest.approx(lost, rel=1e-6, abs=1e-12 * (best + naive + hybrid.mse_pwh(s)))
