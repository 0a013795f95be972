"""Appendix C: Figure 8, the maps of PWH for the salaries."""

import sympy as sp

from hdp.explore import Axis, Curve, Heatmap, Readout
from hdp.figures.hybrid_trust.largest_gain import salary_map
from hdp.figures.hybrid_trust.unknown_variance import BEST, WORST
from hdp.figures.shared import where
from hdp.sym.hybrid_trust import known_variance as known
from hdp.sym.hybrid_trust import unknown_variance as sym
from hdp.sym.hybrid_trust.baselines import c, epsilon, m, sigma
from hdp.sym.hybrid_trust.known_variance import y

_TENTH = sp.Rational(1, 10)
_NOISE = {y: (epsilon * sigma) ** 2}
_EVEN, _FEW = sym.even_share.subs(_NOISE), sym.few_share.subs(_NOISE)
_LEAST = 0.0005  # a line that leaves the map is drawn to here

figure_8a = salary_map(
    name="adk-figure-8a",
    title="Improvement of PWH over the better baseline for the salaries (Figure 8a)",
    layers=(
        Heatmap(BEST.subs(m, 1), Axis("relative improvement R", (0.0, 2.0))),
        Curve("R < 1 below this line", _EVEN, width=2.6, colour=0),
        Curve("and above this one", where(_FEW >= _LEAST, _FEW), dash=(8, 4), colour=1),
    ),
    caption=r"""
        Raise \(\sigma/m\): the border comes to the left. For the salaries the dark corner, where \(R\) is below
        one half, has large \(\epsilon\) and small \(c\), not large \(c\) as the text says. The two lines are the
        exact border of \(R < 1\): where there is one, two \(c\) with the product \(1/n\) at each \(\epsilon\).
    """,
    alt="""
        Coloured map over epsilon and c, both logarithmic: a bright narrow ridge along c = 0.2 percent up to
        epsilon = 1; from epsilon = 4 on, a solid line runs up to the right and a dashed one down; between them the map
        is dark.
    """,
)

figure_8b = salary_map(
    name="adk-figure-8b",
    title="Improvement of PWH over the worse baseline for the salaries (Figure 8b)",
    layers=(
        Heatmap(WORST.subs(m, 1), Axis("improvement over the worse baseline, r", (1.0, 2500.0), "log")),
        Curve("TCM-Only is better above this line", known.best_share.subs(_NOISE), width=2.6, colour=0),
    ),
    readouts=(
        Readout("improvement r at c = 10 %, ε = 0.1", WORST.subs({c: _TENTH, epsilon: _TENTH, m: 1})),
        Readout("without sampling error", sym.most_over_full_lm.subs(c, _TENTH)),
    ),
    caption=r"""
        Raise \(\sigma/m\): the bright corner fades. For the salaries the largest values stand at the top left, at large
        \(c\) and small \(\epsilon\), not at high \(\epsilon\) as the text says: there Full-LM is the worse baseline, by
        a factor that grows like \(c^2n\). Along the line both baselines are equally good, and \(r\) is \(R\). The
        colours are logarithmic.
    """,
    alt="""
        Coloured map over epsilon and c, both logarithmic: dark along a line at c = 0.2 percent that bends upwards at
        the right, brighter with distance above it, and brightest in the corner of large c and small epsilon.
    """,
)
