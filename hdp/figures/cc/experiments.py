"""The experiments of Chaudhuri & Courtade (2023): Figure 1(A) in closed form, and Figure 4."""

import numpy as np
import sympy as sp

from hdp import baselines
from hdp.explore import Axis, Curve, FigureSpec, Parameter, Readout, Rule
from hdp.figures.cc.groups import RATIO, SATURATION
from hdp.sym import cc
from hdp.sym import cc_baselines as sym
from hdp.sym.symbols import R, epsilon_1, epsilon_2, f, n

_UNIFORM = {sym.v: sp.Rational(1, 12)}  # variance of the uniform distribution on [-1/2, 1/2]
_WEIGHTS_B = [w.subs(R, RATIO) for w in cc.weights_b]
_CLIPPED = n * (f * _WEIGHTS_B[0] ** 2 + (1 - f) * _WEIGHTS_B[1] ** 2) * sym.v + 2 * (_WEIGHTS_B[0] / epsilon_1) ** 2
_ADPM = sp.Piecewise((sym.proportional_mse, epsilon_2 <= SATURATION), (_CLIPPED, True))


def _second_order(expression):
    return (expression.subs(_UNIFORM) - 1 / (12 * n)) * n**2


def _reference(name):
    """The same from the library, at the nearest whole population."""

    def curve(x, epsilon_1, epsilon_2, f):
        return np.array([_excess(name, epsilon_1, epsilon_2, v, f) for v in x])

    return curve


def _excess(name, epsilon_1, epsilon_2, size, f):
    """(error - 1/(12 n)) n^2; at fractional group sizes by scaling a population of 100 with the same shares."""
    first = round(100 * f)
    scale = np.sqrt(size / 100)  # n users with budgets e have 100/n times the error of 100 users with e sqrt(n/100)
    epsilon = np.repeat([epsilon_1, epsilon_2], [first, 100 - first]) * scale
    error = baselines.expected_mse(name, epsilon, 1 / 12) * 100 / size
    return (error - 1 / (12 * size)) * size**2


figure_1a = FigureSpec(
    name="cc-figure-1a",
    title="Second-order error against the number of users",
    x_symbol=n,
    x=Axis("number of users, n", (400.0, 4000.0)),
    y=Axis("(mean squared error − 1/(12n)) n²"),
    layers=(
        Curve("UNI (ε₁ for all)", _second_order(sym.uniform_mse), _reference("uni"), width=1.6, colour=4),
        Curve("LDPE (noise for each group)", _second_order(sym.local_mse), _reference("ldpe"), dash=(3, 3), colour=2),
        Curve("ADPM (optimal weights)", _second_order(_ADPM), _reference("adpm"), width=3, colour=0),
    ),
    parameters=(
        Parameter.linear(epsilon_1, "ε₁, budget of group 1", 0.1, 0.14, 0.005, 0.1),
        Parameter.linear(epsilon_2, "ε₂, budget of group 2", 0.145, 0.3, 0.005, 0.15),
        Parameter.linear(f, "f, fraction of users in group 1", 0.1, 0.9, 0.05, 0.5),
    ),
    caption=r"""
        Figure 1(A) in closed form, for uniform data; the check above simulates it. What every estimator pays for
        sampling, \(1/(12n)\), is subtracted, so that the cost of privacy is left. ADPM lies below UNI at the
        paper&rsquo;s values, and LDPE above both, because it pays for noise twice. Raise \(\epsilon_2\): LDPE falls
        below UNI, and the line of ADPM bends where its weights saturate.
    """,
    alt="Three lines against the number of users: LDPE highest, UNI in the middle, ADPM lowest.",
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
        paper&rsquo;s values, however generous group 2 is.
    """,
    alt="Two rising lines that become horizontal; that of FME does so at a much lower ratio.",
)
