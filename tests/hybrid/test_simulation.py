"""The hybrid estimators as they are run, against their exact errors, on equal and on diverging groups."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy import stats

from hdp import hybrid, simulate
from hdp.hybrid import Setting
from hdp.noise import Laplace
from hdp.sym.hybrid_trust import baselines as trust
from hdp.sym.hybrid_trust import known_variance as known
from hdp.sym.hybrid_trust.baselines import c, epsilon, m, sigma
from hdp.sym.symbols import n

N, C, TRUSTING = 20, 0.25, 5
RUNS = 20_000
empirical_mean = partial(np.mean, axis=1)


def law(distribution, width=1.0):
    """Of a group: how it is drawn, its mean, its variance, for a distribution of SciPy stretched to this width."""
    draw = lambda rng, shape: width * distribution.rvs(shape, random_state=rng)  # noqa: E731
    return draw, width * distribution.mean(), width**2 * distribution.var()


COIN, HIGH, BETA = law(stats.bernoulli(0.5)), law(stats.bernoulli(0.9)), law(stats.beta(2, 5))
UNIFORM, NARROW = law(stats.uniform()), law(stats.uniform(0.125, 0.25))
THREE = law(stats.binom(2, 0.5), 0.5)
ALIKE = {"coins": COIN, "beta": BETA, "uniform": UNIFORM, "three points": THREE}
PAIRS = {name: (law, law) for name, law in ALIKE.items()}
PAIRS |= {"other variance": (COIN, UNIFORM), "other mean": (NARROW, HIGH), "other way": (HIGH, BETA)}
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
    exact = float(known.kvh_mse.subs(trust.laplace).subs({n: N, c: C, m: 1, epsilon: 3, sigma: 0.125**0.5}))
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
    """Rounding of c n is let pass, and no more: for 1.0000009 users the noise would be too little for a single one."""
    with pytest.raises(ValueError, match=r"c n must be a whole number of users, at least 1, got 1\.0000009"):
        hybrid.estimate("tcm", [1.0], [0.0] * 9, Setting(10, 0.10000009, 1, 1.0, 0.5), 1)
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


def test_a_group_of_less_than_one_user_is_refused():
    """Also of so much less that the size is near a whole number, which is 0."""
    with pytest.raises(ValueError, match=r"\(1-c\) n must be a whole number of users, at least 1"):
        hybrid.estimate("tcm", [0.1, 0.2], [], hybrid.Setting(2, 1 - 2.0**-50, 1, 1, 0.5), 1)
