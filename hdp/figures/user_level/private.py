"""Section 4: the truncation of weights and of data."""

from dataclasses import replace
from functools import partial

import sympy as sp

from hdp.explore import Axis, Curve, Parameter, Points, Readout, Rule
from hdp.figures.shared import own_figure, users
from hdp.sym.user_level import private as sym
from hdp.sym.user_level.lower_bound import k_1, k_2
from hdp.sym.user_level.model import sigma_p
from hdp.user_level.model import BETA

RARE = sp.Rational(str(BETA))  # the same, exact
USERS = 10_000
EPSILON = Parameter.logarithmic(sym.epsilon, "ε, budget of every user (nats)", 0.1, 10.0, 1.0, per_decade=10)

# The objective of eq. 6 in T, two kinds of users whose widths are proportional to sigma

share, width_ratio = sp.symbols("f r", positive=True)  # not those of `symbols`, but addresses of figures name them so
SHARE = Parameter.linear(share, "f, share of users with k₁ samples", 0.2, 0.6, 0.05, 0.2)
K_1 = Parameter.logarithmic(k_1, "k₁, samples of the rich", 100, 2000, 400, per_decade=10, multiple_of=10)
K_2 = Parameter.logarithmic(k_2, "k₂, samples of the others", 2, 80, 20, per_decade=10, multiple_of=1)
SIGMA_P = Parameter.linear(sigma_p, "σₚ, spread of the users' means", 0.01, 0.2, 0.01, 0.03)


def variance(samples):
    return sym.variance.subs({sym.k: samples, sym.P: sp.Rational(1, 4), sym.V: sigma_p**2})


SCALES = sp.ceiling(sp.log(k_1, 2)) + 7  # among which the first variance is looked for


def simulated(figure, line, found, colour=None):
    """The figure with simulated values at one of its lines: a dict from x to (value, standard error)."""
    bars = tuple(2 * bar for _, bar in found.values())
    y, label = tuple(value for value, _ in found.values()), figure.curves[line].label
    points = Points(label, tuple(map(float, found)), y, bars, colour, figure.paper_values)
    caption = " Points: simulated, with bars of two standard errors, at the initial values of the sliders only."
    return replace(figure.with_points(points, caption=caption), name=f"{figure.name}-simulated")


_FEW = users(100, 20_000, 1000, multiple_of=20)
_WIDTH = Parameter.linear(width_ratio, "r, width over σ", 2.0, 20.0, 1.0, 10.0)
_t1, _t2 = (1 / sp.sqrt(variance(samples)) for samples in (k_1, k_2))
_sizes = (share * sym.n, (1 - share) * sym.n)
_G = sym.objective_of(_sizes, (_t1, _t2), width_ratio)
_T_STAR = sp.Max(_t2, sp.Min(_t1, sym.best_T.subs({sym.D: _sizes[0] * _t1, sym.c: _sizes[0], sym.r: width_ratio})))

objective = own_figure(
    name="cfmt-objective",
    title="What the threshold T trades",
    x_symbol=sym.T,
    x=Axis("truncation parameter T", (2.0, 100.0), "log"),
    y=Axis("objective of eq. 6", None, "log"),
    layers=(
        Curve("Laplace variance 2b² (true)", _G.subs({sym.kappa: 2, k_2: 20}), width=3),
        Curve("Laplace variance b² (as printed)", _G.subs({sym.kappa: 1, k_2: 20}), dash=(8, 4)),
        Rule("best T", x=_T_STAR.subs({sym.kappa: 2, k_2: 20})),
        Rule("as printed", x=_T_STAR.subs({sym.kappa: 1, k_2: 20})),
    ),
    parameters=(EPSILON, _FEW, SHARE, K_1, SIGMA_P, _WIDTH),
    readouts=(
        Readout("best T, T*", _T_STAR.subs({sym.kappa: 2, k_2: 20})),
        Readout("best T as printed, T*", _T_STAR.subs({sym.kappa: 1, k_2: 20})),
    ),
    caption=r"""
        Raise \(\epsilon\) or \(n\): both optima, unless they are at \(1/\sigma_2\) still, move right, towards
        \(1/\sigma_1\). The printed objective
        counts half of the noise, so its \(T^*\) lies at or right of the true one and never clips more. Left of
        \(1/\sigma_2\) everybody is clipped and the curve is flat; right of \(1/\sigma_1\) nobody is.
    """,
    alt="""
        Two curves on logarithmic axes, flat on the left, with a dip at a vertical line, and flat again on the right;
        the dashed one, which counts half the noise, is lower and has its dip further right.
    """,
)

# Intervals and weights of users sorted by their number of samples, most first

_SHAPE = Parameter.linear(sym.exponent, "s, shape of the samples, kᵢ = (n/i)ˢ", 0.0, 1.5, 0.1, 1.0)
_SORTED = Axis("i/n, rank of the user over n, most samples first", (1e-4, 1.0), "log")
_K = sym.samples_by_rank

_USERS = users(100, 1_000_000, 10_000, per_decade=3, multiple_of=100)
_BETA = Parameter.logarithmic(sym.beta, "β, probability of truncating anybody", 0.001, 0.5, BETA, per_decade=6)
_f = sym.half_width.subs({sym.V: sigma_p**2, sym.L: sp.log(4 * sym.n / sym.beta), sym.k: _K})
_HALF = sp.Rational(1, 2)

intervals = own_figure(
    name="cfmt-intervals",
    title="Truncation intervals of users sorted by their number of samples",
    x_symbol=sym.rank,
    x=_SORTED,
    y=Axis("user mean", (-0.5, 1.5)),
    layers=(
        Curve("upper end of the interval, p + f", _HALF + _f, width=3, colour=0),
        Curve("one deviation up, p + σᵢ", _HALF + sp.sqrt(variance(_K)), dash=(8, 4), colour=1),
        Curve("one deviation down, p − σᵢ", _HALF - sp.sqrt(variance(_K)), dash=(2, 3), colour=2),
        Curve("lower end of the interval, p − f", _HALF - _f, width=1.6, colour=3),
        Rule("mean p", y=_HALF),
    ),
    parameters=(_USERS, _BETA, SIGMA_P, _SHAPE),
    caption=r"""
        Move \(s\): at 0 all users are alike, at 1 they have Example 1&rsquo;s numbers of samples, the richest
        on the left. The interval \([p - f^k, p + f^k]\) is wider than \([0, 1]\) for users with few samples,
        whose data are so not truncated; for many samples \(\sigma_p\) sets the width, and more data hardly
        shorten it.
    """,
    alt="""
        Two pairs of lines about one half that open from the users with most samples on the left to those with one
        sample on the right: a wide truncation interval and a narrow one of one standard deviation.
    """,
)

_LEVEL = Parameter.logarithmic(sym.T, "T, truncation of weights", 1.0, 50.0, 5.0, per_decade=12)

_v, _v_one = variance(_K), sp.Rational(1, 4)
_d = _f.subs({sym.n: USERS, sym.beta: RARE})
_by_width = sp.Min(1 / _v, 2 * sym.T * _d.subs(sym.rank, 1) / _d)
_one = sp.Min(4, 2 * sym.T)

weight_shapes = own_figure(
    name="cfmt-weight-shapes",
    title="Weights of users sorted by their number of samples",
    x_symbol=sym.rank,
    x=_SORTED,
    y=Axis("weight, relative to a user with one sample", (1.0, 1000.0), "log"),
    layers=(
        Curve("1/σ² (no privacy)", _v_one / _v, dash=(8, 4)),
        Curve("min(1/σ², T/σ), eq. 4", sp.Min(1 / _v, sym.T / sp.sqrt(_v)) / _one, width=3),
        Curve("min(1/σ², T′/d), best for widths d", _by_width / _one, dash=(2, 3)),
    ),
    parameters=(_LEVEL, SIGMA_P, _SHAPE),
    caption=r"""
        The larger \(T\), the fewer are clipped; lower \(s\) and the users become alike. Read from the right, where
        users have one sample: without privacy weights grow with \(k\) up to \(p(1-p)/\sigma_p^2\); from
        where a threshold clips they grow at half the slope, on logarithmic axes, and level off lower.
    """,
    alt="""
        Three falling lines on logarithmic axes, flat on the left, where users have most samples, and equal to one on
        the right; the two truncated ones stay below the first from a bend on.
    """,
)


# -- Section 4: Example 1, errors in closed form.

_AT = {sym.P: sp.Rational(1, 4), sym.beta: RARE}
_private = (sym.example_sampling + sym.example_noise).subs(_AT)

example_1 = own_figure(
    name="cfmt-example-1-error",
    title="Example 1: error against the number of users",
    x_symbol=sym.n,
    x=Axis("n, number of users", (1e3, 1e7), "log"),
    y=Axis("mean squared error", (1e-9, 1.0), "log"),
    layers=(
        Curve("naive sensitivity", sym.example_naive.subs(_AT), dash=(8, 4)),
        Curve("data truncated only (m = 1)", _private.subs(sym.m, 1), dash=(10, 3, 2, 3)),
        Curve("data truncated, m weights cut", _private, width=3),
        Curve("equal weights, no privacy", sym.example_uniform.subs(_AT), dash=(2, 3)),
        Curve("best without privacy", sym.example_ideal.subs(_AT), width=1.6),
    ),
    parameters=(EPSILON, Parameter.logarithmic(sym.m, "m, users whose weight is cut", 1, 300, 30, multiple_of=1)),
    caption=r"""
        Move \(m\): with a budget of 1, only cutting the weights of the richest users as well brings the
        private line near the lowest one. Truncating the data alone gives the right slope, with a budget of 1 at
        almost 160 times its height.
    """,
    alt="""
        Five lines on logarithmic axes: the naive error falls very slowly, the others with slope about minus one;
        the private one with cut weights lies near the best without privacy and, for large n, below equal weights.
    """,
)

example_1_simulated = partial(simulated, example_1, 2)
