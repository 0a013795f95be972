"""Algorithm 2 with personal budgets, against one budget for all and against leaving the strict users out."""

import numpy as np
import sympy as sp

from hdp import user_level
from hdp.explore import Axis, Curve, Parameter
from hdp.figures.shared import own_figure
from hdp.figures.user_level.private import BETA, K_1, RARE, SCALES, SIGMA_P, k_1, sigma_p
from hdp.sym.symbols import epsilon_1
from hdp.sym.user_level import personal_budgets as sym
from hdp.sym.user_level import private

USERS, RICH, FEW = 20_000, 4000, 20  # a fifth of the users have k_1 samples, the others 20
TAIL = USERS // 10  # half of them are generous, as are half of all: with a budget of 1
together = sp.Symbol("gamma_rich", positive=True)  # share of the rich who are generous
_DERIVED = []  # what depends on the sliders only is computed once for a line


def _named(name, value):
    symbol = sp.Symbol(name, positive=True)
    _DERIVED.append((symbol, value))
    return symbol


def _variances(name, aim=None):
    """Of the means of rich and poor users, as they are or as they are believed to be."""
    of = {private.P: sp.Rational(1, 4), private.V: sigma_p**2 if aim is None else aim}
    return [_named(f"{name}_{who}", private.variance.subs(of | {private.k: k})) for who, k in _WHO]


def _widths(name, users, spread, alpha=0):
    """Of the intervals of rich and poor users."""
    of = {private.V: spread, private.L: sp.log(4 * users / RARE)}
    half = {who: private.half_width.subs(of | {private.k: k}) for who, k in _WHO}
    return [_named(f"{name}_{who}", sp.Min(1, 2 * (alpha + width))) for who, width in half.items()]


def _estimated(name, users, scale, square):
    """The same in Algorithm 2, with a first mean with noise of this scale and weights of this squared norm."""
    of = {sym.eta: scale, sym.norm: sp.sqrt(square), sym.beta: RARE}
    alpha = _named(f"alpha_{name}", sum(term.subs(of) for term in sym.first_terms))
    return _widths(f"d_{name}", users, _AIM, alpha)


_WHO = (("rich", k_1), ("poor", sp.Integer(FEW)))
_TRUE = _variances("v")
_AIM = _named("aim", private.aim_factor * _TRUE[0])  # of the first variance
_BELIEVED = _variances("believed", _AIM)
_ASKED = _named("head_generous", private.asked_first(SCALES, 1, RARE))
_ASKED_STRICT = _named("head_strict", private.asked_first(SCALES, epsilon_1, RARE))
_GENEROUS = (RICH * together, USERS // 2 - RICH * together)
_STRICT = (RICH * (1 - together), USERS // 2 - RICH * (1 - together))
_FOUR = (1, 1, epsilon_1, epsilon_1)
_ideal = sym.released(_GENEROUS + _STRICT, _TRUE * 2, _TRUE * 2, _widths("d", USERS, sigma_p**2) * 2, _FOUR)
_personal = sym.released(
    (_GENEROUS[0] - _ASKED, _GENEROUS[1] - TAIL // 2, _STRICT[0], _STRICT[1] - TAIL // 2),
    _BELIEVED * 2,
    _TRUE * 2,
    _estimated("own", USERS, *sym.first_mean((TAIL // 2, TAIL // 2), (epsilon_1, 1))) * 2,
    _FOUR,
)
_strictest = sym.released(
    (RICH - _ASKED_STRICT, USERS - RICH - TAIL),
    _BELIEVED,
    _TRUE,
    _estimated("strictest", USERS, 1 / (TAIL * epsilon_1), sp.Rational(1, TAIL)),
    (epsilon_1, epsilon_1),
)
_without = sym.released(
    (_GENEROUS[0] - _ASKED, _GENEROUS[1] - TAIL // 2),
    _BELIEVED,
    _TRUE,
    _estimated("without", USERS // 2, sp.Rational(2, TAIL), sp.Rational(2, TAIL)),
    (1, 1),
)


def population(epsilon_1, k_1, gamma_rich):
    """Numbers of samples and budgets of the users, of whom half of the last tenth are generous."""
    rich = round(RICH * gamma_rich), round(RICH * (1 - gamma_rich))
    poor = [USERS // 2 - size - TAIL // 2 for size in rich]
    count = [*rich, *poor, TAIL // 2, TAIL // 2]
    return np.repeat([k_1, k_1, *[float(FEW)] * 4], count), np.repeat([1.0, epsilon_1] * 3, count)


def predicted(k, epsilon, sigma_p):
    """Error of `hdp.user_level.private_estimate` if its first estimates are what they aim at, p = 1/2."""
    return user_level.private_estimator(k, epsilon, (0.5, sigma_p), BETA).mse()


budgets = own_figure(
    name="hdp-personal-budgets",
    title="What strict users cost the others",
    x_symbol=together,
    x=Axis("share of the rich who are generous, γ", (0.1, 0.9)),
    y=Axis("error (ideal estimator: 1)", (1.0, 60.0), "log"),
    layers=(
        Curve("own budget for each", _personal / _ideal, width=3, colour=0),
        Curve("strictest budget for all", _strictest / _ideal, dash=(8, 4), colour=1),
        Curve("strict users left out", _without / _ideal, dash=(2, 3), colour=2),
    ),
    parameters=(
        Parameter.logarithmic(epsilon_1, "ε₁, budget of the strict half (nats)", 0.06, 0.4, 0.1, per_decade=20),
        K_1,
        SIGMA_P,
    ),
    derived=tuple(_DERIVED),
    caption=r"""
        Drag \(\epsilon_1\): the stricter half of the users make one budget for all (dashed) dear, above all where
        those with much data are generous (right), and leaving them out (dotted) where they are not (left).
        With a budget of her own for each (thick) the error is the least of the three everywhere.
    """,
    alt="""
        Three lines against the share of generous users among those with much data: the thick one is low and nearly
        level, the dashed one rises, and the dotted one falls after a small rise.
    """,
)
