"""Section 5: Figure 3, and four weights for one population."""

import sympy as sp

from hdp.explore import Axis, Curve, FigureSpec, Heatmap, Parameter, Preset, Readout, Rule
from hdp.figures.hybrid_trust import known_variance as section_4
from hdp.figures.hybrid_trust.known_variance import figure_1, four, four_numbers, panels, salary_map, two
from hdp.figures.shared import FROM_1000, own_figure, where
from hdp.figures.style import DRAWN
from hdp.sym.hybrid_trust import baselines as models
from hdp.sym.hybrid_trust import known_variance as known
from hdp.sym.hybrid_trust import unknown_variance as sym
from hdp.sym.hybrid_trust.baselines import c, epsilon, m, sigma, w
from hdp.sym.hybrid_trust.known_variance import y
from hdp.sym.symbols import n

_PWH = sym.pwh_mse.subs(models.laplace)
BEST = sp.Min(models.laplace_tcm_mse, models.laplace_full_lm_mse) / _PWH
WORST = sp.Max(models.laplace_tcm_mse, models.laplace_full_lm_mse) / _PWH
_UNIT = {m: 1}


def _bounded(bound, limit):
    """A bound on n for c below the limit, beyond which there is none; 0 where it leaves nobody who trusts."""
    return sp.Piecewise((sp.oo, c >= limit), (bound, bound * c > 1), (0, True)).subs(_UNIT)


_ALWAYS = _bounded(sym.n_bound, models.laplace_c_crit)
_ALWAYS_NAIVE = _bounded(sym.naive_n_bound, (epsilon * sigma) ** 2 / (2 * m**2))

figure_3_best = FigureSpec(
    name="adk-figure-3-best",
    title="Improvement of PWH over the better baseline (Figure 3a to 3c)",
    x_symbol=n,
    x=figure_1.x,
    y=Axis("relative improvement R", (0.0, 2.2)),
    layers=(
        *four(where(c * n >= 1, BEST)),
        Rule("better baseline", y=sp.Integer(1), below=True),
        FROM_1000,
    ),
    parameters=figure_1.parameters,
    readouts=four_numbers("users up to which PWH gains (R > 1): {}", _ALWAYS),
    presets=panels("abc"),
    caption=r"""
        In any panel raise \(\epsilon_2\) to 4: its lines fall, against what the text says about large \(\epsilon\).
        Figure 1 again, without knowledge of the variance: for \(\epsilon_1 = 0.1\) the lines are nearly those of KVH;
        for \(\epsilon_2\), and the more so the larger \(\sigma\), they fall below 1, at the numbers of users listed
        (∞: never).
    """,
    alt="""
        Four lines against the logarithm of n and a rule at 1. The two for the smaller budget stay above 1 and peak near
        2; of those for the larger budget one falls far below 1 in panel b, and both in panel c.
    """,
)

figure_3_worst = FigureSpec(
    name="adk-figure-3-worst",
    title="Improvement of PWH over the worse baseline (Figure 3d to 3f)",
    x_symbol=n,
    x=figure_1.x,
    y=Axis("improvement over the worse baseline, r", (0.9, 1000.0), "log"),
    layers=(
        *four(where(c * n >= 1, WORST)),
        *two("1 − c + c²n", where(c * n >= 1, sym.most_over_full_lm)),
        FROM_1000,
    ),
    parameters=figure_1.parameters,
    readouts=four_numbers("improvement r for 100,000 users: {}", WORST.subs(n, 100_000)),
    presets=panels("def"),
    caption=r"""
        Raise \(\sigma\): where Full-LM is the worse baseline, \(r\) falls. With Laplace noise no line touches
        1. Where Full-LM is the worse baseline a line stays under the dotted line of its \(c\), which is
        \(\mathcal E_F/\mathcal E_{PWH}\) without sampling error; a fall at the left is that of TCM-Only,
        where it starts as the worse one.
    """,
    alt="""
        Four lines on logarithmic axes, all above 1. All fall at first; three in panel d and two in the others have a
        kink where the baselines are equally good, and rise from there along a dotted line or bend away from it. In
        panel f the lowest comes down from 4.5 to just above 1.
    """,
)


def _at(weight):
    """R of the hybrid estimator with this weight, Laplace noise."""
    error = known.mse.subs(w, weight).subs(models.laplace)
    return (sp.Min(models.laplace_tcm_mse, models.laplace_full_lm_mse) / error).subs(_UNIT)


weights = own_figure(
    name="adk-pwh-weights",
    title="Four weights, one of which knows the variance",
    x_symbol=n,
    x=figure_1.x,
    y=Axis("relative improvement R", (0.0, 2.2)),
    layers=(
        Curve("KVH, which knows σ", section_4.IMPROVEMENT.subs(_UNIT), **DRAWN["KVH"]),
        Curve("PWH", BEST.subs(_UNIT), **DRAWN["PWH"]),
        Curve("naive, w = c", _at(c), **DRAWN["naive"]),
        Curve("cautious, as if σ = m/2", _at(sym.cautious_weight), **DRAWN["cautious"]),
        Rule("better baseline", y=sp.Integer(1), below=True),
        Rule("R(PWH) < 1 from here", x=_ALWAYS),
        Rule("TCM-Only better from here", x=section_4.N_CRIT),
    ),
    parameters=(
        Parameter(sigma, "σ/m, standard deviation of the data", section_4.POSITIONS, section_4.DEVIATIONS[1]),
        Parameter.logarithmic(c, "c, fraction of users who trust", 0.005, 0.3, 0.005, also=(0.05,)),
        Parameter.logarithmic(epsilon, "ε, everybody's budget (nats)", 0.02, 4, 1, also=(0.1,)),
    ),
    readouts=(Readout("PWH better than naive up to n", _ALWAYS_NAIVE),),
    presets=tuple(
        Preset(label, {"sigma": section_4.DEVIATIONS[shape], "c": share, "epsilon": budget})
        for label, shape, share, budget in (
            ("Beta(1, 1), c = 0.5 %, ε = 1", 1, 0.005, 1.0),
            ("Beta(0.1, 0.1), c = 5 %, ε = 1", sp.Rational(1, 10), 0.05, 1.0),
            ("Beta(10, 10), c = 5 %, ε = 1", 10, 0.05, 1.0),
            ("Beta(10, 10), c = 5 %, ε = 0.1", 10, 0.05, 0.1),
        )
    ),
    caption=r"""
        Lower \(\sigma\) or raise \(c\): where \(\sigma\) is small and TCM-Only good, PWH is nearly KVH. Where
        sampling matters it leaves KVH, can fall below naive, and is below 1 right of the line that
        says so. The cautious weight, KVH&rsquo;s at the largest possible \(\sigma\), knows as little. It
        never loses to Full-LM or naive, but can to TCM-Only.
    """,
    alt="""
        Improvement against the logarithm of n. Where c is small, PWH falls from 1 to 0.22 while the other three stay
        just above 1; for Beta(10, 10) and c = 5 percent PWH follows KVH and the other two fall below 1.
    """,
)


# -- Appendix C: Figure 8, the maps of PWH for the salaries.

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
