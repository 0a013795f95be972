"""What tests of the hybrid model share: settings drawn at random, and the value of a statement at a setting."""

from dataclasses import replace

import mpmath
import numpy as np
import pytest
import sympy as sp
from hypothesis import strategies as st

from hdp import hybrid
from hdp.hybrid import Setting

RELATIVE = 1e-9  # for inequalities between numbers that rounding may bring together
BELIEVED = 0.02  # the variance that a curator believes in, in units of m^2


@st.composite
def settings(draw, diverging=True, own_noise=True):
    """The whole space: tiny and huge groups, variances 0 and m^2/4, diverging means, any noise."""
    users = draw(st.one_of(st.integers(2, 50), st.floats(2, 1e7)))
    c = draw(st.floats(1 / users, 1 - 1e-6).filter(lambda c: c < 1))
    m = draw(st.sampled_from([1.0, 2.0, 1e-3, 2349033.0]))
    share = st.one_of(st.floats(0, 0.5), st.sampled_from([0.0, 0.25, 0.5]))
    sigma_t, sigma_l = draw(share), draw(share) if diverging else None
    mu_l = None
    if diverging:
        room = sum(np.sqrt(max(0.25 - v * v, 0)) for v in (sigma_t, sigma_l))
        mu_l = m * min(1, room) * draw(st.floats(0, 1))
        sigma_l *= m
    noise = {}
    if not own_noise:
        noise = {"s_t2": m * m * draw(st.floats(1e-6, 1e3)), "s_l2": m * m * draw(st.floats(1e-6, 1e3))}
    return Setting(users, c, m, draw(st.floats(1e-2, 1e2)), m * sigma_t, sigma_l, 0.0, mu_l, **noise)


def drawn(seed):
    """A setting with Laplace noise: groups of other means and variances, and a c on either side of c_crit."""
    rng = np.random.default_rng(seed)
    n, m = float(rng.integers(30, 3000)), rng.choice([0.5, 2.0, 7.0])
    sigma, gap = m * rng.uniform(0.05, 0.3, 2), m * rng.uniform(-0.3, 0.3)
    return Setting(n, rng.uniform(0.1, 0.9), m, np.exp(rng.uniform(-1, 2)), *sigma, 0.4 * m, 0.4 * m + gap)


def with_noise(s, seed):
    """The setting with noise of any other variances."""
    trusted, local = np.exp(np.random.default_rng(seed).uniform(-2, 1, 2)) * [s.noise_t, s.noise_l]
    return replace(s, s_t2=trusted, s_l2=local)


def alike(s, sigma=None):
    """The setting with the TCM group's law for both groups, or with another deviation."""
    return replace(s, sigma_t=s.sigma_t if sigma is None else sigma, sigma_l=None, mu_l=s.mu_t)


DIVERGING = [drawn(seed) for seed in range(8)]
DIVERGING += [with_noise(s, seed) for seed, s in enumerate(DIVERGING[:4])] + [replace(DIVERGING[0], sigma_l=None)]
EQUAL = [alike(s) for s in DIVERGING]
LAPLACE = EQUAL[:8]
ENOUGH = [(s, hybrid.laplace_n_crit(s)) for s in LAPLACE]
TIED = [replace(s, n=users) for s, users in ENOUGH if 2 < users < 1e4]  # TCM-Only is as good as Full-LM


def value(statement, s, **more):
    """A statement at a setting, in 30 digits: all its symbols by their names."""
    names = {"E": 0.5, "w": 0.3, "n": s.n, "c": s.c, "m": s.m, "epsilon": s.epsilon, "delta": s.delta}
    names |= {"sigma": s.sigma_t, "sigma_T": s.sigma_t, "sigma_L": s.variance_l**0.5, "s_T": s.noise_t**0.5}
    names |= {"s_L": s.noise_l**0.5, "mu_T": s.mu_t, "mu_L": s.mu_t + s.gap, "d": s.gap}
    names |= {"v_believed": BELIEVED * s.m**2, "y": (s.epsilon * s.sigma_t / s.m) ** 2, "u": 1 / s.tcm_users} | more
    symbols = sorted(sp.sympify(statement).free_symbols, key=str)
    with mpmath.workdps(30):
        found = sp.lambdify(symbols, statement, "mpmath")(*(mpmath.mpf(float(names[x.name])) for x in symbols))
    return float(found)


def curvature(s):
    """Half the second derivative of the error in the weight, by differences of a parabola."""
    ends = hybrid.mse_hybrid(s, 0.0) + hybrid.mse_hybrid(s, 1.0)
    return 2 * (ends - 2 * hybrid.mse_hybrid(s, 0.5))


def noise_alone(s):
    """The setting with constant data."""
    return replace(alike(s, 0.0), s_t2=s.noise_t, s_l2=s.noise_l)


def improvement(s):
    """KVH's over the better baseline."""
    return hybrid.relative_improvement(s, hybrid.mse_kvh(s))


def assert_defined(module, definitions, settings):
    """Every statement of the table has the value of its definition, at every setting."""
    for s in settings:
        for name, definition in definitions.items():
            found = value(getattr(module, name), s)
            assert found == pytest.approx(definition(s), rel=RELATIVE), name
