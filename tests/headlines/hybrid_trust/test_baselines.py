"""The two baselines, every mix of them, and which one is better."""

from dataclasses import replace

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from hdp import hybrid
from hdp.hybrid import Setting
from hdp.sym.hybrid_trust import baselines as trust
from tests.populations import thorough
from tests.hybrid.common import settings

GROUP = st.integers(1, 12)


def tcm_wins(s):
    """Whether asking those who trust is at least as good as asking everybody."""
    return hybrid.mse_tcm(s) <= hybrid.mse_full_lm(s)


def over_users(s, **noise):
    """The same for a thousand numbers of users, from the least that leaves somebody who trusts."""
    return replace(s, n=np.geomspace(2 / s.c, 1e30, 1000), **noise)


@thorough
@given(GROUP, GROUP, st.floats(0.01, 30), st.integers(0, 99), st.sampled_from(hybrid.NAMES))
@example(2, 3, 1.0, 0, "tcm")
def test_beside_the_noise_only_the_disagreement_counts(trusting, local, epsilon, seed, name):
    """As the estimators are run, with the same noise for these data and for zeros."""
    n = trusting + local
    s, x = Setting(n, trusting / n, 1, epsilon, 0.3), np.random.default_rng(seed).random(n)
    w = {"tcm": 1, "lm": 0, "kvh": hybrid.kvh_weight(s), "homogeneous": hybrid.kvh_weight(s)}.get(name, s.c)
    w = hybrid.pwh_weight(s) if name == "pwh" else w
    part = hybrid.deviation(name, x, s, 7) - hybrid.deviation(name, 0 * x, s, 7)
    assert np.isclose(part, (w - s.c) * (x[:trusting].mean() - x[trusting:].mean()), atol=1e-9 * (1 + n / epsilon))


@thorough
@given(GROUP, GROUP, st.floats(0.01, 30), st.integers(0, 99))
def test_the_curator_hears_only_from_those_who_trust(trusting, local, epsilon, seed):
    n, rng = trusting + local, np.random.default_rng(seed)
    s, x_t = Setting(n, trusting / n, 1, epsilon, 0.3), rng.random(trusting)
    one, other = (hybrid.estimate("tcm", x_t, rng.random(local), s, 7) for _ in range(2))
    assert one == other


@thorough
@given(GROUP, GROUP, st.integers(0, 99))
def test_the_printed_variance_is_a_second_moment(trusting, local, seed):
    x_t, x_l = (np.random.default_rng([seed, size]).random(size) for size in (trusting, local))
    at = {trust.c: trusting / (trusting + local), trust.mu_T: x_t.mean(), trust.mu_L: x_l.mean()}
    at |= {trust.sigma_T: x_t.std(), trust.sigma_L: x_l.std()}
    everybody = np.append(x_t, x_l)
    assert np.isclose(float(trust.printed_mixture_variance.subs(at)), np.mean(everybody**2))
    assert np.mean(everybody**2) > everybody.var()


@thorough
@given(settings(), settings(own_noise=False), st.floats(0.5, 0.999))
@example(Setting(1e6, 0.5, 1, 1, 0.5), Setting(1e6, 0.5, 1, 1, 0.5, s_t2=1e-30, s_l2=1.0), 0.999)
def test_below_the_critical_fraction_full_lm_wins(own, fixed, times):
    """However many users there are, with their own noise and with noise that is held fixed."""
    for s in (own, fixed):
        c = times * hybrid.c_crit(s)
        if c > 1e-12:
            assert not tcm_wins(over_users(replace(s, c=c, n=2 / c))).any()


@thorough
@given(settings())
@example(Setting(1e4, 0.145, 1, 1, 0.289, mu_l=0.02))
def test_with_a_gap_the_curator_wins_in_a_window(s):
    wins = tcm_wins(over_users(s))
    assert np.count_nonzero(np.diff(wins.astype(int)) > 0) <= (not wins[0])
    assert s.gap**2 < 1e-12 * s.m**2 or not wins[-1]


@thorough
@given(settings(own_noise=False))
@example(Setting(1e4, 0.5, 1, 1, 0.3, s_t2=1e-3, s_l2=1.0))
@example(Setting(1e4, 0.5, 1, 1, 0.3, s_t2=0.0, s_l2=1.0))  # always, however many there are
def test_with_fixed_noise_the_curator_wins_when_users_are_few(s):
    assert (np.diff(tcm_wins(over_users(s)).astype(int)) <= 0).all()


@thorough
@given(settings(diverging=False))
@example(Setting(1e4, 0.06, 1, 1, 0.289))
@example(Setting(1e4, 0.035, 1, 1, 0.289))
@example(Setting(1e4, 0.9, 1, 1, 0.0))  # already with three
def test_with_laplace_noise_the_curator_wins_when_users_are_many(s):
    wins = tcm_wins(over_users(s))
    assert (np.diff(wins.astype(int)) >= 0).all()
    assert wins[-1] or s.c < 1.01 * hybrid.c_crit(s)


@thorough
@given(settings(diverging=False), st.booleans())
@example(Setting(100, 0.5, 1, 1, 0.3), True)
def test_both_critical_numbers_tell_the_better_baseline(s, fixed):
    turn = hybrid.n_crit(s) if fixed else hybrid.laplace_n_crit(s)
    for n in (2 / s.c, 0.99 * turn, 1.01 * turn, 1e12):
        if 2 / s.c <= n < 1e30:
            other = replace(s, n=n, **({"s_t2": s.noise_t, "s_l2": s.noise_l} if fixed else {}))
            assert tcm_wins(other) == (n <= turn if fixed else n >= turn) or abs(n / turn - 1) < 1e-6
