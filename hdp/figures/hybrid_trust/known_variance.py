"""Section 4: Figure 1, and where the improvement of Corollary 4.4 is largest."""

import numpy as np
import sympy as sp
from scipy import stats
from scipy.optimize import brentq

from hdp import hybrid
from hdp.explore import Axis, Curve, FigureSpec, Marker, Parameter, Preset, Readout, Rule
from hdp.sym.hybrid_trust import baselines as models
from hdp.sym.hybrid_trust import known_variance as sym
from hdp.sym.hybrid_trust.baselines import c, epsilon, m, sigma
from hdp.sym.hybrid_trust.known_variance import u, y
from hdp.sym.symbols import n

__all__ = ["FIGURES", "corollary", "figure_1", "figure_1a"]

IMPROVEMENT = sp.Min(models.laplace_tcm_mse, models.laplace_full_lm_mse) / sym.kvh_mse.subs(models.laplace)
SHAPES = (sp.Rational(1, 10), sp.Integer(1), sp.Integer(10))
_ALPHA, _X = sp.symbols("alpha x", positive=True)
_OWN_SHAPES = tuple(float(f"{10 ** (k / 12):.2g}") for k in range(-10, 17) if k % 12)  # 0.1, 1, 10 are the paper's


def _deviation(alpha):
    """Standard deviation of Beta(alpha, alpha)."""
    return 1 / sp.sqrt(8 * alpha + 4)


def _density(alpha):
    """Elementary but for its constant, which is a number."""
    return (_X * (1 - _X)) ** (alpha - 1) / sp.beta(alpha, alpha).evalf(17)


def _own_density():
    """The density of each position of the slider; its shape is exact, so that the constant is."""
    pieces = [(_density(sp.nsimplify(a)), _ALPHA <= a) for a in _OWN_SHAPES]
    return sp.Piecewise(*pieces[:-1], (pieces[-1][0], True))


def _beta(alpha):
    return lambda x, **_: stats.beta.pdf(x, float(alpha), float(alpha))


figure_1a = FigureSpec(
    name="adk-figure-1a",
    title="Beta densities (Figure 1a)",
    x_symbol=_X,
    x=Axis("value of a user, x (in units of m)", (0.002, 0.998)),
    y=Axis("probability density", (0.0, 6.0)),
    layers=(
        Curve("Beta(0.1, 0.1): σ = 0.456", _density(SHAPES[0]), _beta(0.1), dash=(8, 4)),
        Curve("Beta(1, 1): σ = 0.289", _density(SHAPES[1]), _beta(1), dash=(3, 3)),
        Curve("Beta(10, 10): σ = 0.109", _density(SHAPES[2]), _beta(10), width=3),
        Curve("yours: Beta(α, α)", _own_density(), lambda x, alpha: stats.beta.pdf(x, alpha, alpha), width=1.6),
        Rule(
            "mean + σ",
            x=sp.Rational(1, 2) + _deviation(_ALPHA),
            reference=lambda alpha: 0.5 + stats.beta.std(alpha, alpha),
        ),
    ),
    parameters=(Parameter(_ALPHA, "α, shape of yours", _OWN_SHAPES, 3.2),),
    readouts=(Readout("σ of yours", _deviation(_ALPHA), lambda alpha: stats.beta.std(alpha, alpha)),),
    reset_label="Initial value",
    caption=r"""
        The paper&rsquo;s three symmetric laws on \([0, 1]\), and one of yours. Of all this the errors see only
        \(\sigma = 1/\sqrt{8\alpha+4}\). Lower \(\alpha\): the mass moves to the ends, and \(\sigma\) towards its
        largest value \(\tfrac12\), the fair coin.
    """,
    alt="Density of Beta(0.1, 0.1), high at both ends; of Beta(1, 1), flat; of Beta(10, 10), a bell; and one between.",
)


SHARES = sp.symbols("c_1 c_2", positive=True)
BUDGETS = sp.symbols("e_1 e_2", positive=True)
KINDS = {(0, 0): "c₁, ε₁", (0, 1): "c₁, ε₂", (1, 0): "c₂, ε₁", (1, 1): "c₂, ε₂"}
DASHES = {(0, 0): (), (0, 1): (8, 4), (1, 0): (), (1, 1): (8, 4)}


def setting(size, share, budget, deviation):
    """Equal groups on [0, 1]."""
    return hybrid.Setting(n=size, c=share, m=1, epsilon=budget, sigma_t=deviation)


def _improvement(size, share, budget, deviation):
    """R where at least one user trusts, NaN elsewhere."""
    enough = share * size >= 1
    s = setting(np.where(enough, size, 2 / share), share, budget, deviation)
    return np.where(enough, hybrid.relative_improvement(s, hybrid.mse_kvh(s)), np.nan)


def pick(kind, values):
    """Fraction, budget and deviation of one of the four lines, from the values of the sliders."""
    i, j = kind
    return values[f"c_{i + 1}"], values[f"e_{j + 1}"], values["sigma"]


def _case(kind, colour):
    share, budget = SHARES[kind[0]], BUDGETS[kind[1]]
    y_of_n = IMPROVEMENT.subs({c: share, epsilon: budget, m: 1})
    return Curve(
        KINDS[kind],
        sp.Piecewise((y_of_n, share * n >= 1), (sp.nan, True)),
        lambda x, **values: _improvement(x, *pick(kind, values)),
        dash=DASHES[kind],
        colour=colour,
    )


def _tied(size, share):
    """R at the budget that makes the baselines equal, found by root finding, for coins."""
    if share**2 * size <= 1 + 1e-9:
        return 1.0 if share**2 * size >= 1 - 1e-9 else np.nan

    def difference(log_budget):
        s = setting(size, share, np.exp(log_budget), 0.5)
        return hybrid.mse_tcm(s) / hybrid.mse_full_lm(s) - 1

    s = setting(size, share, np.exp(brentq(difference, -30, 15, xtol=1e-15)), 0.5)
    return hybrid.mse_full_lm(s) / hybrid.mse_kvh(s)


def _envelope(i, colour):
    share = SHARES[i]
    at = sym.envelope.subs(u, 1 / (c * n)).subs(c, share)
    return Curve(
        f"most that any σ and ε give with {'c₁ c₂'.split()[i]}",
        sp.Piecewise((at, share**2 * n >= 1), (sp.nan, True)),
        lambda x, **values: np.array([_tied(size, values[f"c_{i + 1}"]) for size in x]),
        dash=(2, 3),
        width=1.6,
        colour=colour,
    )


def _turn(kind):
    share, budget = SHARES[kind[0]], BUDGETS[kind[1]]
    at = {c: share, epsilon: budget, m: 1}
    turns = sp.Piecewise((models.laplace_n_crit.subs(at), share > models.laplace_c_crit.subs(at)), (sp.oo, True))
    return Readout(f"n_crit({KINDS[kind]})", turns, lambda **v: hybrid.laplace_n_crit(setting(1e6, *pick(kind, v))))


DEVIATIONS = {a: float(_deviation(a)) for a in reversed(SHAPES)}  # low, medium, high

figure_1 = FigureSpec(
    name="adk-figure-1",
    title="Relative improvement of KVH against the number of users (Figure 1b to 1d)",
    x_symbol=n,
    x=Axis("number of users, n", (200.0, 1e5), "log"),
    y=Axis("relative improvement R", (0.95, 2.5)),
    layers=(
        _case((0, 0), 0),
        _case((0, 1), 0),
        _case((1, 0), 1),
        _case((1, 1), 1),
        _envelope(0, 2),
        _envelope(1, 3),
        Rule("the paper from here", x=sp.Integer(1000), reference=lambda **_: 1000.0),
    ),
    parameters=(
        Parameter(
            sigma,
            "σ, standard deviation of the data",
            tuple(sorted({*(float(f"{k / 100:g}") for k in range(1, 51)), *DEVIATIONS.values()})),
            DEVIATIONS[SHAPES[2]],
        ),
        Parameter.logarithmic(SHARES[0], "c₁, smaller fraction of users who trust", 0.001, 0.02, 0.005),
        Parameter.logarithmic(SHARES[1], "c₂, larger fraction", 0.025, 0.3, 0.05),
        Parameter.logarithmic(BUDGETS[0], "ε₁, smaller budget", 0.02, 0.5, 0.1),
        Parameter.logarithmic(BUDGETS[1], "ε₂, larger budget", 0.6, 4, 1),
    ),
    readouts=tuple(_turn(kind) for kind in KINDS),
    presets=tuple(
        Preset(f"({panel}) Beta({float(a):g}, {float(a):g})", {"sigma": value})
        for panel, (a, value) in zip("bcd", DEVIATIONS.items(), strict=True)
    ),
    reset_label="Paper's values",
    caption=r"""
        Each line has its kink at its \(n_{crit}\), where TCM-Only becomes the better baseline, and touches the dotted
        line of its \(c\) there; for \(c < c_{crit}\) there is none (Infinity). The paper&rsquo;s figure begins at the
        vertical line and so cuts off the peaks of the lines that only fall in it. Move \(\sigma\), or a budget: a peak
        slides along its dotted line, and vanishes to the right. No line goes below 1.
    """,
    alt="""
        Four lines against the logarithm of n; one rises throughout, the others rise to a kink on one of two dotted
        curves and fall towards 1. Two of the kinks lie left of n = 1000.
    """,
)


_T = sp.Symbol("t", positive=True)
_RATIOS = {y: (epsilon * sigma) ** 2, u: 1 / _T}


def _ratio(baseline):
    def reference(x, epsilon, sigma, t):
        s = setting(t / x, x, epsilon, sigma)
        return baseline(s) / hybrid.mse_kvh(s)

    return reference


def _step(x, epsilon, sigma, t):
    """As in Appendix B, with m = 1."""
    return 2 * (2 - x) / (2 - (1 - x) * (epsilon * sigma) ** 2)


def _tie(epsilon, sigma, t):
    def difference(share):
        s = setting(t / share, share, epsilon, sigma)
        return hybrid.mse_tcm(s) / hybrid.mse_full_lm(s) - 1

    share = brentq(difference, 1e-9, min(1 - 1e-12, t / 2), xtol=1e-16, rtol=1e-15)
    return share, _ratio(hybrid.mse_full_lm)(share, epsilon, sigma, t)


corollary = FigureSpec(
    name="adk-corollary-4-4",
    title="Where the improvement is largest",
    x_symbol=c,
    x=Axis("fraction of users who trust the curator, c", (0.005, 0.995)),
    y=Axis("ratio of errors", (1.0, 2.5)),
    layers=(
        Curve("over Full-LM", sym.over_full_lm.subs(_RATIOS), _ratio(hybrid.mse_full_lm), width=3, colour=0),
        Curve("over TCM-Only", sym.over_tcm.subs(_RATIOS), _ratio(hybrid.mse_tcm), width=3, colour=1),
        Curve("bound in Appendix B", sym.step_bound.subs(_RATIOS), _step, dash=(8, 4), colour=3),
        Rule("16/7", y=sym.printed_upper, reference=lambda **_: 16 / 7),
        Rule("2 + ε²/8", y=sym.supremum, reference=lambda epsilon, **_: hybrid.best_improvement(epsilon), below=True),
        Marker("largest R", sym.crossing.subs(_RATIOS), sym.improvement_at_crossing.subs(_RATIOS), _tie),
    ),
    parameters=(
        Parameter.linear(epsilon, "ε, everybody's budget", 0.05, 1, 0.05, 1),
        Parameter.linear(sigma, "σ/m, standard deviation of the data", 0.02, 0.5, 0.02, 0.5),
        Parameter.logarithmic(_T, "cn, number of users who trust", 2, 1e5, 900, per_decade=6),
    ),
    readouts=(
        Readout("largest R", sym.improvement_at_crossing.subs(_RATIOS), lambda **v: _tie(**v)[1]),
        Readout("supremum 2 + ε²/8", sym.supremum, lambda epsilon, **_: hybrid.best_improvement(epsilon)),
    ),
    reset_label="Initial values",
    caption=r"""
        \(R\) is the lower of the two solid lines, at a fixed number \(cn\) of trusting users. One rises, the other
        falls, so \(R\) is largest where they meet. Raise \(cn\): the circle climbs to \(2+\epsilon^2/8\) and never
        gets there; 16/7 is out of reach. The dashed line is the bound that Appendix B claims for all parameters: right
        of \(c = 1 - y/2\) (0.875 here) it lies below \(R\). The paper has no such figure.
    """,
    alt="""
        Two solid lines against c, one rising from 1 and one falling steeply, cross near c = 0.11 just under the rule
        at 2.125; a dashed line through the crossing falls slowly, and below the falling line at the right end.
    """,
)

FIGURES = (figure_1a, figure_1, corollary)
