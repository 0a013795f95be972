"""Figure 4 of Chaudhuri & Courtade (2023): how much more a user of the generous group counts."""

import numpy as np
import sympy as sp

from hdp import adpm, baselines
from hdp.explore import Axis, Curve, FigureSpec, Parameter, Readout, Rule
from hdp.figures.heterogeneous_budgets.groups import RATIO, SATURATION, saturation
from hdp.figures.style import DRAWN
from hdp.sym.heterogeneous_budgets import experiments as sym
from hdp.sym.symbols import epsilon_1, epsilon_2, f, n


def _fme_reference(x, epsilon_1, n, f):
    first = round(n * f)

    def ratio(e):
        w = baselines.BASELINES["fme"].mechanism(np.repeat([epsilon_1, e], [first, round(n) - first])).weights
        return w[-1] / w[0]

    return np.array([ratio(e) if e >= epsilon_1 else np.nan for e in x])


def _adpm_reference(x, epsilon_1, n, f):
    level = saturation(epsilon_1, n, f)
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
            **DRAWN["ADPM"],
        ),
        Curve(
            "FME (our reconstruction)",
            sp.Piecewise((_FME, epsilon_2 >= epsilon_1), (sp.nan, True)),
            _fme_reference,
            **DRAWN["FME"],
        ),
        Rule("Rε₁", x=SATURATION, reference=saturation),
    ),
    parameters=(
        Parameter.logarithmic(epsilon_1, "ε₁, budget of group 1", 0.01, 0.05, 0.01),
        Parameter.logarithmic(n, "n, number of users", 200, 20_000, 10_000, per_decade=10, multiple_of=100),
        Parameter.linear(f, "f, fraction of users in group 1", 0.1, 0.9, 0.05, 0.5),
    ),
    readouts=(Readout("R", RATIO, adpm.saturation_ratio),),
    samples=160,
    caption=r"""
        Figure 4: the weight of a user of group 2 relative to one of group 1. ADPM follows \(\epsilon_2/\epsilon_1\) up
        to \(R\). FME, in our reconstruction, stops at \(1/(\epsilon_1\sqrt{n(1-f)})\), which is \(\sqrt 2\) at the
        paper&rsquo;s values, however generous group 2 is. The texts at hand say neither how far the axes reach nor
        whether they are logarithmic: their range and scale are ours.
    """,
    alt="Two rising lines that become horizontal; that of FME does so at a much lower ratio.",
)

FIGURES = (figure_4,)
