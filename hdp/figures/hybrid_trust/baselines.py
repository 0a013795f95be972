"""Sections 2 and 3: the baselines' errors, where each is the better one, and what ADPM would make of the same noise."""

import sympy as sp

from hdp.explore import Axis, Curve, Note, Parameter, Rule
from hdp.figures.shared import own_figure, where
from hdp.figures.style import DRAWN
from hdp.sym.hybrid_trust import baselines as models
from hdp.sym.hybrid_trust import known_variance as known
from hdp.sym.symbols import n

_SPREAD = round(float(known.beta_deviation(1)), 3)  # of uniform data, as in the middle panel of Figure 1

# Data in [0, 1], means at a distance d, Laplace noise
_UNIT = {models.mu_T: 0, models.mu_L: models.gap}
_SIGMAS = tuple(
    Parameter.linear(symbol, f"standard deviation of group {group}", 0.05, 0.4, 0.005, _SPREAD)
    for symbol, group in ((models.sigma_T, "T"), (models.sigma_L, "L"))
)
_GAP = Parameter.linear(models.gap, "d, distance of the groups' means", 0.0, 0.5, 0.01, 0.0)
_EPSILON = Parameter.logarithmic(models.epsilon, "ε, everybody's budget (nats)", 0.1, 10.0, 1.0, per_decade=12)
_SHARE = Parameter.logarithmic(models.c, "c, fraction of users who trust the curator", 0.01, 0.5, 0.05, per_decade=24)


def _error(name, expression):
    ratio = (expression / models.full_lm_mse).subs(_UNIT).subs(models.laplace).subs(models.m, 1)
    return Curve(name, sp.expand(ratio), **DRAWN[name])


def _ends_of(surplus):
    """Statement for both ends: above c_crit, which the paper asks for too, and where at least two users trust."""
    return [
        where((surplus > 0) & (models.c > _c_crit) & (models.c * end > 2), end).subs(models.m, 1)
        for end in models.window(surplus)
    ]


_c_crit = models.c_crit_without_cases.subs(models.laplace).subs(models.m, 1)
_first, _last = _ends_of(models.window_surplus)
_printed_first, _printed_last = _ends_of(models.printed_window_surplus)

errors = own_figure(
    name="adk-baselines",
    title="Errors of TCM-Only, Full-LM and LM-Only",
    x_symbol=n,
    x=Axis("number of users, n", (100.0, 1e6), "log"),
    y=Axis("error in multiples of Full-LM's", (0.0, 3.0)),
    layers=(
        _error("TCM-Only", models.tcm_mse),
        _error("Full-LM", models.full_lm_mse),
        _error("LM-Only", models.lm_mse),
        Rule("TCM-Only wins", x=_first),
        Rule("Full-LM wins", x=_last),
    ),
    parameters=(_SHARE, _EPSILON, _GAP, *_SIGMAS),
    caption=r"""
        Lower \(c\) below 0.04, which is \(c_{crit}\): TCM-Only levels off above 1, and the vertical line, from
        which it is better than Full-LM, is gone. At \(c = 0.145\) move the means apart by 0.02: TCM-Only turns
        up again, and beyond the line on the right Full-LM is better for ever.
    """,
    alt="""
        Three errors against the number of users, as multiples of Full-LM's. TCM-Only falls from above 3, crosses 1 near
        2000 users and levels off at 0.8; LM-Only is constant just above 1.
    """,
)

# The region of TCM-Only at c = 1/2, where the picture ends: c times the surplus is quadratic in c, negative at 0 and
# positive at 1, with the root of the gap or without, so it has one zero between: nothing at 1/2 is nothing left of it.
_HALF = {models.c: sp.Rational(1, 2), models.m: 1}
_surplus = models.window_surplus.subs(_HALF)
_enough = 2 * sp.sqrt(models.window_rise * models.window_start).subs(_HALF)

regions = own_figure(
    name="adk-regions",
    title="Where TCM-Only is the better baseline",
    x_symbol=models.c,
    x=Axis("fraction of users who trust the curator, c", (0.005, 0.5), "log"),
    y=Axis("number of users, n", (1.0, 1e6), "log"),
    layers=(
        Curve("better from here upwards", _first, width=3, colour=0),
        Curve("better up to here", _last, width=3, dash=(8, 4), colour=1),
        Curve("from here, as Lemma 3.6 is printed", _printed_first, dash=(2, 3), colour=2),
        Curve("up to here, as printed", _printed_last, dash=(10, 3, 2, 3), colour=3),
        Rule("critical fraction", x=_c_crit),
        Note(
            "Nowhere here is TCM-Only better: more than half of the users would have to trust the curator, because "
            "the critical fraction lies to the right of the picture.",
            when=_surplus <= 0,
        ),
        Note(
            "Nowhere here is TCM-Only better: the means of the groups are too far apart for it.",
            when=(_surplus > 0) & (_surplus <= _enough),
        ),
    ),
    parameters=(_EPSILON, _GAP, *_SIGMAS),
    caption=r"""
        Raise \(d\): the region above the thick line, where TCM-Only beats Full-LM, closes from above (dashed),
        and no longer reaches \(c_{crit}\). Dotted: Lemma 3.6 as printed, which at \(d = 0\) stays
        finite at \(c_{crit}\) and so gives what lies between to the wrong baseline. Below two trusting
        users no line is drawn.
    """,
    alt="""
        A curve in the plane of the fraction of trusting users and the number of users: it falls to the right from an
        asymptote at the critical fraction; the printed curve lies below it and meets it far to the right.
    """,
)
