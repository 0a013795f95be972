"""Sections 2 and 3: the variance of a user's mean, her weight, and what weights are worth.  The paper draws nothing."""

import sympy as sp

from hdp.explore import Axis, Curve, Parameter, Readout, Rule
from hdp.figures.shared import own_figure
from hdp.figures.style import DRAWN
from hdp.sym.user_level import model as sym

# With p in [0.1, 0.9] every standard deviation up to 0.3 is possible.
_P = Parameter.linear(sym.p, "p, mean of D", 0.1, 0.9, 0.05, 0.5)
_SIGMA = Parameter.logarithmic(sym.sigma_p, "σₚ, standard deviation of D", 0.003, 0.3, 0.1, per_decade=10)
_SHARE = Parameter.linear(sym.f, "f, share of users with K samples", 0.02, 0.98, 0.02, 0.1)
_K = Parameter.logarithmic(sym.K, "K, their number of samples", 2, 10_000, 100, per_decade=5)
_SAMPLES = "k, number of samples of a user"

variance = own_figure(
    name="cfmt-variance",
    title="Variance of a user's mean",
    x_symbol=sym.k,
    x=Axis(_SAMPLES, (1.0, 10_000.0), "log"),
    y=Axis("variance", None, "log"),
    layers=(
        Curve("variance of a user's mean, Var D(k)", sym.mean_variance, width=3),
        Curve("sampling alone, p(1 − p)/k", sym.bernoulli / sym.k, dash=(8, 4)),
        Rule("one sample, p(1 − p)", y=sym.bernoulli),
        Rule("between users, σₚ²", y=sym.sigma_p**2, below=True),
    ),
    parameters=(_P, _SIGMA),
    readouts=(
        Readout("samples after which a user's own mean dominates, p(1 − p)/σₚ²", sym.bernoulli / sym.sigma_p**2),
    ),
    caption=r"""
        Lower \(\sigma_p\): the line leaves the dashed one later, where \(k\) comes close to
        \(p(1-p)/\sigma_p^2\). It begins at \(p(1-p)\), which does not depend on \(\sigma_p\), and tends to
        \(\sigma_p^2\): more samples of one user do not tell what other users are like. The paper states Lemma
        2.1 and draws nothing.
    """,
    alt="""
        On logarithmic axes a line falls from one quarter at one sample and flattens at one hundredth beyond about one
        hundred samples; a dashed line goes on falling.
    """,
)

weights = own_figure(
    name="cfmt-weights",
    title="Weight of a user against her number of samples",
    x_symbol=sym.k,
    x=Axis(_SAMPLES, (1.0, 10_000.0), "log"),
    y=Axis("weight, user with one sample = 1", None, "log"),
    layers=(
        Curve("all samples alike, k", sym.k, **DRAWN["every sample alike"]),
        Curve("ideal, 1/σ²(k)", sym.bernoulli * sym.information, width=3),
        Curve("its cap, min(k, p(1 − p)/σₚ²)", sym.bernoulli * sym.cap, dash=(8, 4)),
        Curve("the paper's, min(k, 1/σₚ²)", sym.printed_cap, dash=(2, 3)),
    ),
    parameters=(_P, _SIGMA),
    readouts=(Readout("weight of a user with endless data", sym.bernoulli / sym.sigma_p**2),),
    caption=r"""
        Lower \(\sigma_p\) until the cap leaves the picture: samples count more and more alike. The ideal weight
        begins at 1 and tends to \(p(1-p)/\sigma_p^2\); it is at most the cap and at least half of it. The paper
        counts up to \(\sigma_p^{-2}\) samples instead, at least four times as many. Everybody alike would be a
        line at 1.
    """,
    alt="""
        On logarithmic axes four lines rise together from 1; the ideal weight bends to 25, the cap has a corner at 25,
        the paper's at 100, and the last goes on.
    """,
)

baselines = own_figure(
    name="cfmt-baselines",
    title="Error of the usual weights, over that of the ideal ones",
    x_symbol=sym.K,
    x=Axis("K, number of samples of a user who has many", (2.0, 10_000.0), "log"),
    y=Axis("mean squared error over the least", None, "log"),
    layers=(
        Curve("every sample alike", sym.proportional / sym.ideal, **DRAWN["every sample alike"]),
        Curve("every user alike", sym.uniform / sym.ideal),
        Curve("median number of samples", sym.median / sym.ideal, dash=(2, 3)),
    ),
    parameters=(_SHARE, _P, _SIGMA),
    caption=r"""
        Move \(f\) across one half: the median throws the many samples away before, and the users with one
        sample after. Counting every sample alike costs at most an eighth while \(K\) is at most \(p(1-p)/\sigma_p^2\),
        and more and more beyond; counting every user alike costs nothing where \(\sigma_p^2 = p(1-p)\), and
        elsewhere the more, the larger \(K\) is.
    """,
    alt="""
        On logarithmic axes: the line of equal samples stays near 1 up to ten samples and climbs to one and a third;
        those of equal users and of the median climb at once and flatten near three and three and a half.
    """,
)

cost = own_figure(
    name="cfmt-cost",
    title="Cost of a wrong variance of D",
    x_symbol=sym.factor,
    x=Axis("assumed variance of D over the true one", (0.1, 10.0), "log"),
    y=Axis("mean squared error over the least", (1.0, 1.5)),
    layers=(
        Curve("two groups of users", sym.misjudged / sym.ideal, width=3),
        Curve("bound for any users", sym.kantorovich, dash=(8, 4)),
        Rule("doubled, as in line 3", x=sp.Integer(2)),
    ),
    parameters=(_SHARE, _K, _P, _SIGMA),
    readouts=(Readout("cost of the doubled variance", (sym.misjudged / sym.ideal).subs(sym.factor, 2)),),
    caption=r"""
        Move \(f\), \(K\) and \(\sigma_p\) to see how close two groups come to the bound, which is approached if
        both seem to contribute equally and \(K\sigma_p^2\) is large. Weights are forgiving: a variance that is
        twice the true one, as if line 3 of Algorithm 1 counted each pair twice, costs at most one eighth of the
        error.
    """,
    alt="""
        A valley with its floor at 1 where the assumed variance is the true one, inside it a dashed steeper one; a
        vertical line marks two.
    """,
)
