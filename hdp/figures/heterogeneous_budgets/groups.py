"""What the figures of two groups share: from which budget on group 2 is clipped, and curves over that budget."""

import sympy as sp

from hdp.explore import Curve, Readout, Rule
from hdp.figures.shared import where
from hdp.sym.heterogeneous_budgets import upper_bound as sym
from hdp.sym.symbols import R, epsilon_1, epsilon_2

RATIO = sym.saturation_ratio
SATURATION = epsilon_1 * RATIO
CLIPPED = sp.Piecewise((1, epsilon_2 >= SATURATION), (0, True))  # whether group 2 is
RULE = Rule("saturation, Rε₁", x=SATURATION)
READOUT = Readout("saturation at ε₂ = Rε₁", SATURATION)


def curve(label, expression, **style):
    """A curve over epsilon_2, drawn where the paper's assumption epsilon_1 <= epsilon_2 holds."""
    return Curve(label, where(epsilon_2 >= epsilon_1, expression), **style)


def clipped_beyond(below, beyond):
    """One expression up to the saturation point, and another, in R, beyond it."""
    return sp.Piecewise((below, epsilon_2 <= SATURATION), (beyond.subs(R, RATIO), True))
