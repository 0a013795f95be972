"""The experiments of Chaudhuri & Courtade (2023): Figure 1(A) in closed form, points for it, and Figure 4."""

import numpy as np
import sympy as sp

from hdp import affine, baselines
from hdp.explore import Axis, Curve, FigureSpec, Parameter, Points, Readout, Rule
from hdp.figures.cc.groups import RATIO, SATURATION
from hdp.sym import cc
from hdp.sym import cc_baselines as sym
from hdp.sym.symbols import R, epsilon_1, epsilon_2, f, n

_UNIFORM = {sym.v: sp.Rational(1, 12)}  # variance of the uniform distribution on [-1/2, 1/2]
_WEIGHTS_B = [w.subs(R, RATIO) for w in cc.weights_b]
_CLIPPED = n * (f * _WEIGHTS_B[0] ** 2 + (1 - f) * _WEIGHTS_B[1] ** 2) * sym.v + 2 * (_WEIGHTS_B[0] / epsilon_1) ** 2
_ADPM = sp.Piecewise((sym.proportional_mse, epsilon_2 <= SATURATION), (_CLIPPED, True))


def excess_curves(power, *names):
    """Curves of (error - 1/(12 n)) n^power against n for uniform data, of these estimators."""
    drawn = {
        "uni": ("UNI (ε₁ for all)", sym.uniform_mse, dict(width=1.6, colour=4)),
        "ldpe": ("LDPE (noise for each group)", sym.local_mse, dict(dash=(3, 3), colour=2)),
        "sm": ("SM (sampling; lower bound)", sym.sampling_bound, dict(dash=(10, 3, 2, 3), colour=3)),
        "adpm": ("ADPM (optimal weights)", _ADPM, dict(width=3, colour=0)),
        "fme": ("FME (our reconstruction)", sym.fme_mse, dict(dash=(12, 3), colour=6)),
    }

    def curve(name):
        label, error, style = drawn[name]
        excess = (error.subs(_UNIFORM) - 1 / (12 * n)) * n**power
        return Curve(label, excess, lambda x, **at: (_error(name, x, **at) - 1 / (12 * x)) * x**power, **style)

    return tuple(map(curve, names))


def _error(name, sizes, epsilon_1, epsilon_2, f):
    """The same from the library; at fractional group sizes by scaling a population of 100 with the same shares."""
    if name == "sm":
        kept = sizes * (1 - f + f * np.expm1(epsilon_1) / np.expm1(epsilon_2))
        return np.array([affine.mean_squared_error([1.0], 1 / (m * epsilon_2), variance=1 / 12 / m) for m in kept])
    budgets = np.repeat([epsilon_1, epsilon_2], [round(100 * f), 100 - round(100 * f)])
    scales = np.sqrt(sizes / 100)  # n users with budgets e have 100/n times the error of 100 with e sqrt(n/100)
    return np.array([baselines.expected_mse(name, budgets * s, 1 / 12) / s**2 for s in scales])


def simulated(figure, found, factor, offset=lambda x: 0.0):
    """Add simulated errors to a figure, where its sliders stand at the paper's values.

    Parameters
    ----------
    figure : FigureSpec
        Curves whose labels begin with the name of a baseline get points.
    found : dict of dict of hdp.simulate.Result
        For each position on the horizontal axis the errors of the baselines, by name.
    factor, offset : callable
        What is drawn at x is factor(x) (error - offset(x)), with bars of two standard errors.

    Returns
    -------
    FigureSpec
    """
    points = []
    for curve in figure.curves:
        name = curve.label.split()[0].lower()
        if name in baselines.NAMES:
            y = tuple(float(factor(x) * (errors[name].mse - offset(x))) for x, errors in found.items())
            bars = tuple(float(2 * factor(x) * errors[name].standard_error) for x, errors in found.items())
            points.append(Points(curve.label, tuple(map(float, found)), y, bars, at=figure.paper_values))
    stand = ", ".join(f"{p.label.split(',')[0]} = {p.value:g}" for p in figure.parameters)
    return figure.with_points(
        *points,
        caption=f" The points are simulated, with bars of two standard errors, for {stand}. They cannot follow the "
        "sliders, so they are shown only while the sliders stand there.",
    )


figure_1a = FigureSpec(
    name="cc-figure-1a",
    title="Second-order error against the number of users",
    x_symbol=n,
    x=Axis("number of users, n", (400.0, 4000.0)),
    y=Axis("(mean squared error − 1/(12n)) n²"),
    layers=excess_curves(2, "uni", "ldpe", "sm", "adpm"),
    parameters=(
        Parameter.linear(epsilon_1, "ε₁, budget of group 1", 0.1, 0.14, 0.005, 0.1),
        Parameter.linear(epsilon_2, "ε₂, budget of group 2", 0.145, 0.3, 0.005, 0.15),
        Parameter.linear(f, "f, fraction of users in group 1", 0.1, 0.9, 0.05, 0.5),
    ),
    caption=r"""
        Figure 1(A) for uniform data. What every estimator pays for sampling, \(1/(12n)\), is subtracted, so that
        the cost of privacy is left. ADPM lies below UNI at the paper&rsquo;s values, and LDPE above both, because it
        pays for noise twice. SM begins beside ADPM and rises, because it discards data; its line is Jensen&rsquo;s
        lower bound, less than a line&rsquo;s width below the exact error there. Raise \(\epsilon_2\): LDPE falls below
        UNI, and the line of ADPM bends where its weights saturate. The texts at hand do not say how far the axis of
        \(n\) reaches: its range is ours.
    """,
    alt="""
        Four lines against the number of users: LDPE highest, UNI constant at 200, SM rising from 130 towards it, ADPM
        lowest.
    """,
)


def _fme_reference(x, epsilon_1, n, f):
    first = round(n * f)

    def ratio(e):
        w = baselines.BASELINES["fme"].mechanism(np.repeat([epsilon_1, e], [first, round(n) - first])).weights
        return w[-1] / w[0]

    return np.array([ratio(e) if e >= epsilon_1 else np.nan for e in x])


def _adpm_reference(x, epsilon_1, n, f):
    level = epsilon_1 + 8 / (n * f * epsilon_1)
    return np.array([min(e, level) / epsilon_1 if e >= epsilon_1 else np.nan for e in x])


_FME = sp.Piecewise((sym.fme_ratio, epsilon_1 <= 1 / sp.sqrt(n)), (1, True))

figure_4 = FigureSpec(
    name="cc-figure-4",
    title="How much more a user of group 2 counts",
    x_symbol=epsilon_2,
    x=Axis("budget of group 2, ε₂ (nats)", (0.01, 1.0), "log"),
    y=Axis("w₂/w₁", (0.9, 100.0), "log"),
    layers=(
        Curve(
            "ADPM",
            sp.Piecewise((sp.Min(epsilon_2 / epsilon_1, RATIO), epsilon_2 >= epsilon_1), (sp.nan, True)),
            _adpm_reference,
            width=3,
            colour=0,
        ),
        Curve(
            "FME (our reconstruction)",
            sp.Piecewise((_FME, epsilon_2 >= epsilon_1), (sp.nan, True)),
            _fme_reference,
            dash=(8, 4),
            colour=1,
        ),
        Rule("Rε₁", x=SATURATION, reference=lambda epsilon_1, n, f: epsilon_1 + 8 / (n * f * epsilon_1)),
    ),
    parameters=(
        Parameter.logarithmic(epsilon_1, "ε₁, budget of group 1", 0.01, 0.05, 0.01),
        Parameter.logarithmic(n, "n, number of users", 200, 20_000, 10_000, per_decade=10, multiple_of=100),
        Parameter.linear(f, "f, fraction of users in group 1", 0.1, 0.9, 0.05, 0.5),
    ),
    readouts=(Readout("R", RATIO, lambda epsilon_1, n, f: 1 + 8 / (n * f) / epsilon_1**2),),
    samples=160,
    caption=r"""
        Figure 4: the weight of a user of group 2 relative to one of group 1. ADPM follows \(\epsilon_2/\epsilon_1\) up
        to \(R\). FME, in our reconstruction, stops at \(1/(\epsilon_1\sqrt{n(1-f)})\), which is \(\sqrt 2\) at the
        paper&rsquo;s values, however generous group 2 is. The texts at hand say neither how far the axes reach nor
        whether they are logarithmic: their range and scale are ours.
    """,
    alt="Two rising lines that become horizontal; that of FME does so at a much lower ratio.",
)
