"""Section 4: Example 1, and the truncation of weights and of data."""

import numpy as np
import sympy as sp
from scipy import special

from hdp import user_level
from hdp.clipping import optimal_weights
from hdp.explore import Axis, Curve, FigureSpec, Parameter, Points, Readout, Rule
from hdp.sym import cfmt_private as sym

__all__ = [
    "FIGURES",
    "example_1",
    "example_1_simulated",
    "intervals",
    "objective",
    "weight_shapes",
]

BETA, USERS = 0.05, 10_000
EPSILON = Parameter.logarithmic(sym.epsilon, "ε, budget of every user", 0.1, 10.0, 1.0, per_decade=10)

# Example 1: sums over users by special functions, with NumPy


def _example(n, m):
    """Weight in total, slope of the variances times n, and error without noise for the weights 1 / max(i, m)."""
    slope = 0.25 - 1 / n
    total = 1 + special.digamma(n + 1) - special.digamma(m + 1)
    squares = special.zeta(2.0, m + 1) - special.zeta(2.0, n + 1)
    summed = (slope * (m + 1) / 2 + 1) / m + slope * (total - 1) + squares
    return total, slope, summed / (n * total**2)


def _example_private(n, m, epsilon):
    total, _, sampling = _example(n, m)
    width = 2 * user_level.half_width(n / m, 1, 0, BETA)  # only the shape: the two logarithms are put in below
    log = np.log(4 * n / BETA)
    width = 2 * np.sqrt(2 * log / n) + width * np.sqrt(log / np.log(2 / BETA))
    return sampling + 2 * (width / (m * total * epsilon)) ** 2


def _example_ideal(n, epsilon, m):
    slope = 0.25 - 1 / n
    return slope / (n * (special.digamma(n + 1 + 1 / slope) - special.digamma(1 + 1 / slope)))


_AT = {sym.P: sp.Rational(1, 4), sym.beta: sp.Rational(1, 20)}
_private = (sym.example_sampling + sym.example_noise).subs(_AT)

example_1 = FigureSpec(
    name="cfmt-example-1-error",
    title="Example 1: error against the number of users",
    x_symbol=sym.n,
    x=Axis("n, number of users", (1e3, 1e7), "log"),
    y=Axis("mean squared error", (1e-9, 1.0), "log"),
    layers=(
        Curve(
            "naive sensitivity",
            sym.example_naive.subs(_AT),
            lambda n, epsilon, m: _example(n, 1)[2] + 2 / (epsilon * _example(n, 1)[0]) ** 2,
            dash=(8, 4),
        ),
        Curve(
            "data truncated only (m = 1)",
            _private.subs(sym.m, 1),
            lambda n, epsilon, m: _example_private(n, 1, epsilon),
            dash=(10, 3, 2, 3),
        ),
        Curve(
            "data truncated, m weights cut",
            _private,
            lambda n, epsilon, m: _example_private(n, m, epsilon),
            width=3,
        ),
        Curve(
            "equal weights, no privacy",
            sym.example_uniform.subs(_AT),
            lambda n, epsilon, m: ((0.25 - 1 / n) * (n + 1) / 2 + 1) / n**2,
            dash=(2, 3),
        ),
        Curve("best without privacy", sym.example_ideal.subs(_AT), _example_ideal, width=1.6),
    ),
    parameters=(EPSILON, Parameter.logarithmic(sym.m, "m, users whose weight is cut", 1, 300, 30, multiple_of=1)),
    reset_label="Initial values",
    caption=r"""
        \(k_i = n/i\), \(p = 1/2\), \(\sigma_p = 1/\sqrt n\), \(\beta = 0.05\), in closed form; weights proportional to
        \(1/\max(i, m)\). The naive line hardly falls. Truncating the data brings the right slope, parallel to the
        lowest line, at a hundred times its height; only cutting the weights of the richest users as well brings the
        private line down to it. The paper states the rates in words and has no figure.
    """,
    alt="""
        Five lines on logarithmic axes: the naive error falls very slowly, the others with slope about minus one;
        the private one with cut weights lies near the best without privacy and, for large n, below equal weights.
    """,
)

# The objective of eq. 6 in T, two kinds of users whose widths are proportional to sigma

k_1, k_2 = sp.symbols("k_1 k_2", positive=True)
share, sigma_p, width_ratio = sp.symbols("f sigma_p r", positive=True)
SHARE = Parameter.linear(share, "f, share of users with k₁ samples", 0.2, 0.6, 0.05, 0.2)
K_1 = Parameter.logarithmic(k_1, "k₁, samples of the rich", 100, 2000, 400, per_decade=10, multiple_of=10)
K_2 = Parameter.logarithmic(k_2, "k₂, samples of the others", 2, 80, 20, per_decade=10, multiple_of=1)
SIGMA_P = Parameter.linear(sigma_p, "σₚ, spread of the users' means", 0.01, 0.2, 0.01, 0.03)


def variance(samples):
    return sym.variance.subs({sym.k: samples, sym.P: sp.Rational(1, 4), sym.V: sigma_p**2})


def numeric_variance(samples, spread):
    return 0.25 / samples + (1 - 1 / samples) * spread**2


_FEW = Parameter.logarithmic(sym.n, "n, number of users", 100, 20_000, 1000, per_decade=10, multiple_of=20)
_t1, _t2 = (1 / sp.sqrt(variance(samples)) for samples in (k_1, k_2))
_parts = [sp.Min(t**2, sym.T * t) for t in (_t1, _t2)]
_sizes = (share * sym.n, (1 - share) * sym.n)
_cost = sym.kappa * (width_ratio * sp.Min(_t1, sym.T) / sym.epsilon) ** 2
_G = (sum(size * q**2 / t**2 for size, q, t in zip(_sizes, _parts, (_t1, _t2), strict=True)) + _cost) / sum(
    size * q for size, q in zip(_sizes, _parts, strict=True)
) ** 2
_T_STAR = sp.Max(_t2, sp.Min(_t1, sym.best_T.subs({sym.D: _sizes[0] * _t1, sym.c: _sizes[0], sym.r: width_ratio})))


def _objective(penalty):
    def reference(T, epsilon, n, f, k_1, sigma_p, r):
        size, sigma = np.array([f * n, (1 - f) * n]), np.sqrt(numeric_variance(np.array([k_1, 20.0]), sigma_p))
        found = []
        for level in np.atleast_1d(T):
            w = np.minimum(1 / sigma**2, level / sigma)
            w = w / (size @ w)
            found.append(size @ (w * sigma) ** 2 + penalty * np.max(r * w * sigma / epsilon) ** 2)
        return np.array(found)

    return reference


def _t_star(penalty):
    def reference(epsilon, n, f, k_1, sigma_p, r):
        size, sigma = np.array([f * n, (1 - f) * n]), np.sqrt(numeric_variance(np.array([k_1, 20.0]), sigma_p))
        w = optimal_weights(sigma**2 / size, r * sigma / (size * epsilon), penalty) / size
        level = w[0] * sigma[0] / (w[1] * sigma[1] ** 2)  # T, if the other kind is not clipped
        return min(max(level, 1 / sigma[1]), 1 / sigma[0])

    return reference


objective = FigureSpec(
    name="cfmt-objective",
    title="What the threshold T trades",
    x_symbol=sym.T,
    x=Axis("truncation parameter T", (2.0, 100.0), "log"),
    y=Axis("objective of eq. 6", None, "log"),
    layers=(
        Curve("Laplace variance 2b² (true)", _G.subs({sym.kappa: 2, k_2: 20}), _objective(2), width=3),
        Curve("Laplace variance b² (as printed)", _G.subs({sym.kappa: 1, k_2: 20}), _objective(1), dash=(8, 4)),
        Rule("T*", x=_T_STAR.subs({sym.kappa: 2, k_2: 20}), reference=_t_star(2)),
        Rule("T* printed", x=_T_STAR.subs({sym.kappa: 1, k_2: 20}), reference=_t_star(1)),
    ),
    parameters=(
        EPSILON,
        _FEW,
        SHARE,
        K_1,
        SIGMA_P,
        Parameter.linear(width_ratio, "r, width over σ", 2.0, 20.0, 1.0, 10.0),
    ),
    readouts=(
        Readout("T*", _T_STAR.subs({sym.kappa: 2, k_2: 20}), _t_star(2)),
        Readout("T* as printed", _T_STAR.subs({sym.kappa: 1, k_2: 20}), _t_star(1)),
    ),
    reset_label="Initial values",
    caption=r"""
        Two kinds of users, with \(k_1\) and 20 samples, \(p = 1/2\), intervals of width \(r\sigma_i\). Left of
        \(1/\sigma_2\) everybody is clipped and the curve is flat: no T is better than another. Right of \(1/\sigma_1\)
        nobody is. The printed objective counts half of the noise, so its T* lies at or right of the true one and clips
        too little. Raise \(\epsilon\) or \(n\): both move right towards \(1/\sigma_1\). The paper has no such figure.
    """,
    alt="""
        Two curves on logarithmic axes, flat on the left, with a dip at a vertical line, and flat again on the right;
        the dashed one, which counts half the noise, is lower and has its dip further right.
    """,
)

# Intervals and weights by the number of samples

_USERS = Parameter.logarithmic(sym.n, "n, number of users", 100, 1_000_000, 10_000, per_decade=3, multiple_of=100)
_BETA = Parameter.logarithmic(sym.beta, "β, probability of truncating anybody", 0.001, 0.5, 0.05, per_decade=6)
_f = sym.half_width.subs({sym.V: sigma_p**2, sym.L: sp.log(4 * sym.n / sym.beta)})
_HALF = sp.Rational(1, 2)


def _interval(sign, of_sigma):
    def reference(k, n, beta, sigma_p):
        sigma = np.sqrt(numeric_variance(k, sigma_p))
        return 0.5 + sign * (sigma if of_sigma else user_level.half_width(k, n, sigma_p**2, beta))

    return reference


intervals = FigureSpec(
    name="cfmt-intervals",
    title="Truncation intervals of users by their number of samples",
    x_symbol=sym.k,
    x=Axis("k, samples of the user", (1.0, 1e5), "log"),
    y=Axis("user mean", (-0.5, 1.5)),
    layers=(
        Curve("b = p + f", _HALF + _f, _interval(1, False), width=3, colour=0),
        Curve("p + σᵢ", _HALF + sp.sqrt(variance(sym.k)), _interval(1, True), dash=(8, 4), colour=1),
        Curve("p − σᵢ", _HALF - sp.sqrt(variance(sym.k)), _interval(-1, True), dash=(2, 3), colour=2),
        Curve("a = p − f", _HALF - _f, _interval(-1, False), width=1.6, colour=3),
        Rule("p", y=_HALF, reference=lambda n, beta, sigma_p: 0.5),
    ),
    parameters=(_USERS, _BETA, SIGMA_P),
    reset_label="Initial values",
    caption=r"""
        The interval \([p - f^k, p + f^k]\) for sub-Gaussian means and \(p = 1/2\), and one standard deviation about
        \(p\). Users with few samples get an interval wider than \([0, 1]\), so their data are not truncated; cut to
        \([0, 1]\) it is shorter and costs less noise. For many samples \(\sigma_p\) sets the width and more data no
        longer help. The ratio of the two widths varies, so eq. 4 is not exactly optimal. Our own figure.
    """,
    alt="""
        Two pairs of lines that close in on one half as the number of samples grows: a wide truncation interval and a
        narrow one of one standard deviation.
    """,
)

_LEVEL = Parameter.logarithmic(sym.T, "T, truncation of weights", 1.0, 50.0, 5.0, per_decade=12)


def _relative(rule):
    def reference(k, T, sigma_p):
        s, one = np.sqrt(numeric_variance(k, sigma_p)), 0.5
        d, d_one = (user_level.half_width(x, USERS, sigma_p**2, BETA) for x in (k, 1.0))
        return {
            "none": one**2 / s**2,
            "sigma": np.minimum(1 / s**2, T / s) / min(1 / one**2, T / one),
            "width": np.minimum(1 / s**2, T * d_one / (one * d)) / min(1 / one**2, T / one),
        }[rule]

    return reference


_v, _v_one = variance(sym.k), sp.Rational(1, 4)
_d = _f.subs({sym.n: USERS, sym.beta: sp.Rational(1, 20)})
_one = sp.Min(4, 2 * sym.T)

weight_shapes = FigureSpec(
    name="cfmt-weight-shapes",
    title="Weights of users by their number of samples",
    x_symbol=sym.k,
    x=Axis("k, samples of the user", (1.0, 1e5), "log"),
    y=Axis("weight, relative to a user with one sample", (1.0, 1000.0), "log"),
    layers=(
        Curve("1/σ² (no privacy)", _v_one / _v, _relative("none"), dash=(8, 4)),
        Curve("min(1/σ², T/σ), eq. 4", sp.Min(1 / _v, sym.T / sp.sqrt(_v)) / _one, _relative("sigma"), width=3),
        Curve(
            "min(1/σ², T′/d), best for widths d",
            sp.Min(1 / _v, 2 * sym.T * _d.subs(sym.k, 1) / _d) / _one,
            _relative("width"),
            dash=(2, 3),
        ),
    ),
    parameters=(_LEVEL, SIGMA_P),
    reset_label="Initial values",
    caption=r"""
        \(p = 1/2\), \(n = 10\,000\), \(\beta = 0.05\). Without privacy weights grow with \(k\) up to
        \(p(1-p)/\sigma_p^2\). With a threshold the lines turn from slope 1 to slope 1/2 and then level off. The dotted
        line clips where the length of the interval asks for it, with \(T'\) such that a user with one sample is
        treated alike; it parts from eq. 4 where clipping sets in. Raise \(T\) and nobody is clipped. Our own figure.
    """,
    alt="""
        Three rising lines on logarithmic axes that level off for many samples; the two truncated ones leave the
        first at a bend and level off lower.
    """,
)

# Algorithm 2, predicted with the first estimates at their typical values


BARS = " The points are simulated, with bars of two standard errors, at the initial values of the sliders only."


def example_1_simulated(found):
    """Example 1 with simulated errors: a dict from n to (error, standard error)."""
    bars = tuple(2 * bar for _, bar in found.values())
    y = tuple(error for error, _ in found.values())
    points = Points("data truncated, m weights cut", tuple(map(float, found)), y, bars, at=example_1.paper_values)
    return example_1.with_points(points, caption=BARS)


FIGURES = (example_1, objective, intervals, weight_shapes)
