"""Sections 2 and 3: the variance of a user's mean, her weight, and what weights are worth.  The paper draws nothing."""

import numpy as np
import sympy as sp

from hdp import user_level
from hdp.explore import Axis, Curve, FigureSpec, Parameter, Readout, Rule
from hdp.sym.user_level import model as sym

__all__ = ["FIGURES", "baselines", "cost", "variance", "weights"]

# With p in [0.1, 0.9] every standard deviation up to 0.3 is possible.
_P = Parameter.linear(sym.p, "p, mean of D", 0.1, 0.9, 0.05, 0.5)
_SIGMA = Parameter.logarithmic(sym.sigma_p, "σ_p, standard deviation of D", 0.003, 0.3, 0.1, per_decade=10)
_SHARE = Parameter.linear(sym.f, "f, share of users with K samples", 0.02, 0.98, 0.02, 0.1)
_K = Parameter.logarithmic(sym.K, "K, their number of samples", 2, 10_000, 100, per_decade=5)
_SAMPLES = "k, number of samples of a user"


def _variance_at(k, p, sigma_p):
    return user_level.sample_mean_variance(p, sigma_p, k)


variance = FigureSpec(
    name="cfmt-variance",
    title="Variance of a user's mean",
    x_symbol=sym.k,
    x=Axis(_SAMPLES, (1.0, 10_000.0), "log"),
    y=Axis("variance", None, "log"),
    layers=(
        Curve("Var D(k)", sym.mean_variance, _variance_at, width=3),
        Curve(
            "sampling alone, p(1 − p)/k",
            sym.bernoulli / sym.k,
            lambda k, p, sigma_p: user_level.sample_mean_variance(p, 0, k),
            dash=(8, 4),
        ),
        Rule("p(1 − p)", y=sym.bernoulli, reference=lambda p, sigma_p: _variance_at(1, p, sigma_p)),
        Rule("σ_p²", y=sym.sigma_p**2, reference=lambda p, sigma_p: _variance_at(np.inf, p, sigma_p), below=True),
    ),
    parameters=(_P, _SIGMA),
    readouts=(
        Readout(
            "samples after which a user's own mean dominates, p(1 − p)/σ_p²",
            sym.bernoulli / sym.sigma_p**2,
            lambda p, sigma_p: _variance_at(1, p, sigma_p) / _variance_at(np.inf, p, sigma_p),
        ),
    ),
    reset_label="Initial values",
    caption=r"""
        The line leaves \(p(1-p)\) at \(k = 1\), where it does not depend on \(\sigma_p\), and ends at \(\sigma_p^2\):
        more samples of one user do not tell what other users are like. It leaves the dashed line where \(k\) comes
        close to \(p(1-p)/\sigma_p^2\). The paper states Lemma 2.1 and draws nothing.
    """,
    alt="""
        On logarithmic axes a line falls from one quarter at one sample and flattens at one hundredth beyond about one
        hundred samples; a dashed line goes on falling.
    """,
)


def _relative(k, p, sigma_p):
    shares = user_level.ideal_weights(np.append(k, 1.0), p, sigma_p)
    return shares[:-1] / shares[-1]


weights = FigureSpec(
    name="cfmt-weights",
    title="Weight of a user against her number of samples",
    x_symbol=sym.k,
    x=Axis(_SAMPLES, (1.0, 10_000.0), "log"),
    y=Axis("weight, user with one sample = 1", None, "log"),
    layers=(
        Curve("ideal, 1/σ²(k)", sym.bernoulli * sym.information, _relative, width=3),
        Curve(
            "its cap, min(k, p(1 − p)/σ_p²)",
            sym.bernoulli * sym.cap,
            lambda k, p, sigma_p: np.minimum(k, _variance_at(1, p, sigma_p) / sigma_p**2),
            dash=(8, 4),
        ),
        Curve(
            "the paper's, min(k, 1/σ_p²)",
            sym.printed_cap,
            lambda k, p, sigma_p: np.clip(k, None, 1 / sigma_p**2),
            dash=(2, 3),
        ),
        Curve("all samples alike, k", sym.k, lambda k, p, sigma_p: k, dash=(10, 3, 2, 3)),
    ),
    parameters=(_P, _SIGMA),
    readouts=(
        Readout(
            "weight of a user with endless data",
            sym.bernoulli / sym.sigma_p**2,
            lambda p, sigma_p: np.divide(*user_level.ideal_weights([np.inf, 1], p, sigma_p)),
        ),
    ),
    reset_label="Initial values",
    caption=r"""
        Everybody alike would be a line at 1. The ideal weight begins like \(k\) and ends at \(p(1-p)/\sigma_p^2\); it
        is at most the cap and at least half of it. The paper counts up to \(\sigma_p^{-2}\) samples instead, at least
        four times as many; lower \(\sigma_p\) until the cap leaves the picture and all samples count alike.
    """,
    alt="""
        On logarithmic axes four lines rise together from 1; the ideal weight bends to 25, the cap has a corner at 25,
        the paper's at 100, and the last goes on.
    """,
)


def _two_groups(name):
    """Error times the number of users, for a population of 50 users that has the share exactly (steps of 2 %)."""

    def one(K, p, sigma_p, f_K):
        heavy = round(50 * f_K)
        k = np.repeat([K, 1.0], [heavy, 50 - heavy])
        return 50 * user_level.baseline_variance(name, k, p, sigma_p)

    return np.vectorize(one, otypes=[float])


def _over_ideal(name):
    named, ideal = _two_groups(name), _two_groups("ideal")
    return lambda K, p, sigma_p, f_K: named(K, p, sigma_p, f_K) / ideal(K, p, sigma_p, f_K)


baselines = FigureSpec(
    name="cfmt-baselines",
    title="Error of the usual weights, over that of the ideal ones",
    x_symbol=sym.K,
    x=Axis("K, number of samples of a user who has many", (2.0, 10_000.0), "log"),
    y=Axis("mean squared error over the least", None, "log"),
    layers=(
        Curve("every user alike", sym.uniform / sym.ideal, _over_ideal("uniform")),
        Curve("every sample alike", sym.proportional / sym.ideal, _over_ideal("proportional"), dash=(8, 4)),
        Curve("median number of samples", sym.median / sym.ideal, _over_ideal("median"), dash=(2, 3)),
    ),
    parameters=(_SHARE, _P, _SIGMA),
    reset_label="Initial values",
    caption=r"""
        A share \(f\) of the users has \(K\) samples, the others have one. Counting every sample alike is nearly best
        while \(K\) is below \(p(1-p)/\sigma_p^2\), and loses beyond. Counting every user alike is nearly best only
        where \(\sigma_p^2\) is close to \(p(1-p)\) or almost all users are alike. The median throws the many samples
        away while \(f\) is below one half, and the users with one sample from there on. The number of users does not
        matter. The paper compares in words only.
    """,
    alt="""
        On logarithmic axes: the line of equal samples stays near 1 and climbs beyond one hundred samples; those of
        equal users and of the median climb at once and flatten near three and three and a half.
    """,
)


def _plug_in(factor, f_K, K, p, sigma_p):
    """Error of weights for a wrong variance of D over the least; the variances may be those of no distribution."""
    truth, share = np.array([_variance_at(K, p, sigma_p), p * (1 - p)]), np.array([f_K, 1 - f_K])
    between = np.multiply.outer(factor, sigma_p**2)
    w = share / np.stack([p * (1 - p) / K + (1 - 1 / K) * between, np.full_like(between, p * (1 - p))], axis=-1)
    w /= w.sum(axis=-1, keepdims=True)
    return np.sum(w**2 * truth / share, axis=-1) * np.sum(share / truth)


cost = FigureSpec(
    name="cfmt-cost",
    title="Cost of a wrong variance of D",
    x_symbol=sym.factor,
    x=Axis("assumed variance of D over the true one", (0.1, 10.0), "log"),
    y=Axis("mean squared error over the least", (1.0, 1.5)),
    layers=(
        Curve("two groups of users", sym.misjudged / sym.ideal, _plug_in, width=3),
        Curve(
            "bound for any users", sym.kantorovich, lambda factor, **_: factor / 4 + 0.5 + 1 / (4 * factor), dash=(8, 4)
        ),
        Rule("line 3", x=sp.Integer(2), reference=lambda **_: 2.0),
    ),
    parameters=(_SHARE, _K, _P, _SIGMA),
    readouts=(
        Readout(
            "cost of the doubled variance",
            (sym.misjudged / sym.ideal).subs(sym.factor, 2),
            lambda **values: float(_plug_in(2.0, **values)),
        ),
    ),
    reset_label="Initial values",
    caption=r"""
        Weights are forgiving: a variance that is twice the true one, as line 3 of Algorithm 1 has it, costs at most
        one eighth of the error. Move \(f\), \(K\) and \(\sigma_p\) to see how close two groups come to the bound,
        which is approached if both groups seem to contribute equally and \(K\sigma_p^2\) is large.
    """,
    alt="""
        A valley with its floor at 1 where the assumed variance is the true one, below a dashed wider valley; a
        vertical line marks two.
    """,
)

FIGURES = (variance, weights, baselines, cost)
