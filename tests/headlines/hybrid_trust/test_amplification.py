"""What the noise of all adds to the privacy of each, in one sum."""

from dataclasses import replace

import numpy as np
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy import integrate, special

from hdp import amplification, gaussian, hybrid, salaries
from hdp.hybrid import Setting
from hdp.laplace_sum import LaplaceSum
from hdp.noise import Gaussian
from tests.populations import thorough
from tests.hybrid.common import settings as groups

SHOWN = "it names a computation, which the page shows"
DELTA = 1e-7
SALARIES = Setting(salaries.USERS, 0.01, salaries.MAXIMUM, 1, salaries.DEVIATION, delta=DELTA)
ALPHA, BUDGET = st.floats(0, 0.99), st.floats(0.01, 1)


@st.composite
def gaussian_settings(draw):
    """Groups of any distributions, with Gaussian noise for budgets up to 1."""
    return replace(draw(groups()), epsilon=draw(BUDGET), delta=DELTA)


def steps(s, w):
    """How far one user of each group moves the answer."""
    return s.m * w / s.tcm_users, s.m * (1 - w) / s.lm_users


def two_scales(x, first, second):
    """Density of the sum of two Laplace variables at x > 0, by integration."""
    reach = 60 * max(first, second)

    def at(y):
        return np.exp(-abs(y) / first - abs(x - y) / second) / (4 * first * second)

    return integrate.quad(at, -reach, x + reach, points=[0, x], epsabs=0, epsrel=1e-11, limit=200)[0]


@thorough
@given(gaussian_settings(), st.floats(0.01, 0.99), ALPHA)
@example(SALARIES, 0.005, 0.0)
@example(SALARIES, 0.5, 0.0)
def test_those_who_weigh_more_hide_less(s, w, alpha):
    """What each loses, from the noise that a coalition does not know; and what the two formulas promise."""
    assume((1 - alpha) * s.lm_users >= 1)  # somebody honest
    noise = np.sqrt(w**2 * s.noise_t + (1 - w) ** 2 * (1 - alpha) * s.noise_l / s.lm_users)
    losses = [gaussian.factor(DELTA) * step / noise for step in steps(s, w)]
    assert max(losses) <= s.epsilon * (1 + 1e-9) and ((losses[0] > losses[1]) == (w > s.c) or np.isclose(w, s.c))
    assert np.isclose(amplification.amplified_epsilon(s, w, DELTA, alpha), max(losses))
    assert np.isclose(amplification.printed_epsilon(s, w, DELTA, alpha), min(losses))


@thorough
@given(st.integers(1, 9), st.integers(1, 9), BUDGET, st.sampled_from(["kvh", "pwh", "naive"]))
@example(3, 9, 1.0, "kvh")
def test_one_sum_moves_more_for_those_who_weigh_more(trusting, local, epsilon, name):
    """As the estimator is run, with the same noise."""
    n = trusting + local
    s, data = Setting(n, trusting / n, 1, epsilon, 0.3), np.vstack([np.zeros(n), np.eye(n)])
    found = [float(hybrid.deviation(name, row, s, 5) + row.mean()) for row in data]
    moves = np.abs(np.subtract(found[1:], found[0]))
    weight = {"kvh": hybrid.kvh_weight, "pwh": hybrid.pwh_weight, "naive": hybrid.naive_weight}[name](s)
    expected = np.repeat(steps(s, weight), [trusting, local])
    assert np.allclose(moves, expected, atol=1e-10 / epsilon)


@thorough
@given(gaussian_settings().filter(lambda s: s.tcm_users >= 2), ALPHA)
@example(SALARIES, 0.99)
def test_the_best_weights_favour_those_who_trust(s, alpha):
    for weight in (hybrid.kvh_weight(s), hybrid.pwh_weight(s)):
        assert weight > s.c
        tcm, lm = amplification.group_epsilons(s, weight, DELTA, alpha)
        assert lm < tcm
    one = replace(s, n=max(s.n, 3), c=1 / max(s.n, 3))  # with one who trusts all hide alike
    assert np.isclose(*amplification.group_epsilons(one, hybrid.kvh_weight(one), DELTA, 0.0))
    laplace = replace(s, delta=0.0)
    assert min(hybrid.kvh_weight(laplace), hybrid.pwh_weight(laplace)) > s.c


@thorough
@given(st.integers(0, 10**6), st.integers(2, 5), st.integers(2, 5))
@example(0, 2, 2)
def test_later_noise_does_not_hide_what_has_been_shown(seed, shown, later):
    """Neither if the later step sees her value, nor if it does not."""
    rng = np.random.default_rng(seed)
    first, second = 0.9 * rng.dirichlet(np.ones(shown), 2) + 0.1 / shown
    sees, other = 0.9 * rng.dirichlet(np.ones(later), (2, shown)) + 0.1 / later
    alone = (first / second).max()
    assert (first[:, None] * sees / (second[:, None] * other)).max() >= alone * (1 - 1e-12)
    assert np.isclose((first[:, None] * sees / (second[:, None] * sees)).max(), alone)


@thorough
@given(st.floats(2 / salaries.USERS, 0.99), BUDGET)
@example(0.01, 1.0)
@example(0.02, 1.0)
@example(2 / salaries.USERS, 1.0)
def test_on_the_salaries_the_local_users_gain_most(share, epsilon):
    """Well above is ten times; hundreds of times is 400 and more."""
    s = replace(SALARIES, c=share, epsilon=epsilon)
    tcm, lm = np.divide(amplification.group_epsilons(s, hybrid.kvh_weight(s), DELTA), epsilon)
    assert lm < 1 / 400 and lm < tcm and (share < 0.01 or tcm > 0.97)
    assert s.tcm_users < 10 * s.n**0.5 or tcm > 0.99
    all_know = amplification.group_epsilons(s, hybrid.kvh_weight(s), DELTA, 1 - 1 / s.lm_users)
    assert s.tcm_users > 10 or all_know[1] > epsilon / 20  # but where almost all collude


@thorough
@given(st.floats(-12, -0.1))
@example(-7.0)
def test_the_classic_formula_is_safe_at_1_but_not_at_10(digits):
    """At 10 it is also safe where delta is below 1e-10."""
    delta = 10**digits
    noise = np.sqrt(2 * np.log(1.25 / delta))
    assert Gaussian(noise).delta(1.0, 1.0) < delta
    assert Gaussian(noise / 10).delta(10.0, 1.0) > delta or digits < -10


@thorough
@given(st.integers(2, 100), st.floats(0.01, 10))
@example(2, 1.0)
def test_pure_privacy_is_not_amplified(users, epsilon):
    noise = LaplaceSum(users, 1 / epsilon)
    losses = noise.privacy_loss(np.geomspace(1e-3, 1e7 * users, 300) / epsilon, 1.0)
    assert losses.max() <= epsilon * (1 + 1e-9) and losses[-1] > epsilon * (1 - 1e-6)
    assert losses[:200].max() < epsilon
    hidden = [two_scales(x / epsilon, 1 / epsilon, 10 / epsilon) for x in (30, 30 + epsilon)]
    assert np.log(hidden[0] / hidden[1]) < 0.11 * epsilon  # beside a user with a tenth of her budget


@thorough
@given(st.integers(2, 7), st.floats(0.1, 10))
@example(3, 1.0)
def test_the_density_is_a_polynomial_times_an_exponential(users, scale):
    """Through n points of the characteristic function's Bessel form goes one polynomial of degree n - 1."""
    z = np.linspace(0.5, 6, users + 4)
    order = users - 0.5
    bessel = (z / 2) ** order * special.kve(order, z) / (np.sqrt(np.pi) * special.gamma(users) * scale)
    through = np.polynomial.Polynomial.fit(z[:users], bessel[:users], users - 1)
    assert np.allclose(through(z), bessel, rtol=1e-6)
    assert np.allclose(LaplaceSum(users, scale).density(z * scale) * np.exp(z), bessel, rtol=1e-9)


@thorough
@given(st.floats(1.2, 4), st.floats(0.1, 2))
@example(2.0, 1.0)
def test_a_user_who_weighs_less_loses_less(times, epsilon):
    """Two reports, one of which counts more by a factor; losses where the noise is large."""
    for step, allowed in ((1.0, epsilon / times), (times, epsilon)):
        for x in np.array([0.1, 1, 25]) * times / epsilon * np.maximum(1, 1 / (times - 1)):
            now, moved = (two_scales(at, times / epsilon, 1 / epsilon) for at in (x, x + step))
            loss = np.log(now / moved)
            assert loss < allowed * (1 + 1e-6)
        assert loss > 0.98 * allowed


@settings(deadline=None, max_examples=15)
@given(st.integers(2, 60), st.floats(0.1, 2), st.sampled_from([1e-9, 1e-7, 1e-5]))
@example(40, 1.0, 1e-7)
def test_with_a_small_risk_laplace_noise_does_amplify(users, epsilon, delta):
    """The more, the more users there are; found is a guarantee, by integration of the density."""
    p = LaplaceSum(users, 1 / epsilon)
    found, more = p.epsilon(delta, 1.0), LaplaceSum(2 * users, 1 / epsilon).epsilon(delta, 1.0)
    assert more < found < epsilon * (0.99 if users > 10 else 1)
    x = np.linspace(-1, 1, 8001) * (40 + 12 * users**0.5) / epsilon
    excess = np.maximum(p.density(x) - np.exp(found) * p.density(x + 1), 0)
    assert np.isclose(np.trapezoid(excess, x), delta, rtol=0.1)
