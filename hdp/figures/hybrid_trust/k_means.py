"""Section 7: Figure 6 as simulated with the corrected algorithm and as predicted, and one run to step through."""

import sympy as sp

from hdp.explore import Axis, Circles, Curve, FigureSpec, Parameter, Points, Preset, Readout, Rule
from hdp.figures.hybrid_trust import k_means_data
from hdp.figures.hybrid_trust import k_means_trials as trials
from hdp.figures.shared import own_figure
from hdp.sym.hybrid_trust import k_means as sym

_CENTRES = [[sp.Rational(str(v)) for v in centre] for centre in trials.CLUSTERS]
_SIZES = {sym.N: trials.SIZE, sym.sigma: sp.Rational(str(trials.SPREAD))}
# Label, name of the prediction, series of the simulation, dash, width
_VARIANTS = (
    ("local model (LM)", "lm", "lm", (), 2.2),
    ("trusted curator (TCM)", "tcm", "tcm {}", (), 2.2),
    ("hybrid", "hybrid", "hybrid {}", (8, 4), 2.2),
    ("local model, random answers undone", "lm undone", "lm answers undone", (), 3.6),
    ("hybrid, random answers undone", "hybrid undone", "hybrid answers undone {}", (3, 3), 2.2),
)


def _curves():
    for colour, (label, name, _, dash, width) in enumerate(_VARIANTS):
        statement = sym.wcss(name, _CENTRES).subs(_SIZES)
        yield Curve(label, statement, dash=dash, width=width, colour=colour)


def _points():
    found = k_means_data.load()
    named = [(label, series, colour) for colour, (label, _, series, *_) in enumerate(_VARIANTS)]
    for label, series, colour in (*named, ("no noise", "no noise", 5)):
        for c in trials.FRACTIONS if "{}" in series else (None,):
            at = {"epsilon": trials.EPSILON} | ({"c": c} if c else {})
            key = series.format(c)
            yield Points(label, trials.ITERATIONS, tuple(found["mean"][key]), tuple(found["error"][key]), colour, at)


_TRIALS = k_means_data.load()["provenance"]["trials"]

figure_6 = FigureSpec(
    name="adk-figure-6",
    title="Within-cluster sum of squares against the number of iterations",
    x_symbol=sym.J,
    x=Axis("number of iterations (τ in the paper)", (0.7, 10.3)),
    y=Axis("within-cluster sum of squares (squared sides of the box)", (200.0, 50_000.0), "log"),
    layers=(*_curves(), *_points()),
    parameters=(
        Parameter.logarithmic(sym.c, "c, fraction of TCM users", 0.0005, 0.1, 0.001, also=trials.FRACTIONS),
        Parameter.linear(sym.epsilon, "ε, everybody's budget (nats)", 1.0, 20.0, 0.5, trials.EPSILON),
    ),
    presets=(Preset("Figure 6b, c = 0.1 %", {"c": 0.001}), Preset("Figure 6c, c = 1 %", {"c": 0.01})),
    samples=160,
    height=480,
    caption=rf"""
        Compare the hybrid with the better of the local model (all users) and the trusted curator (TCM users
        only), then the same where the random answers are undone. Points: means of {_TRIALS} trials with bars of
        one standard error, shown at \(\epsilon = 7\) and \(c = 0.1\,\%\) (Figure 6b) or \(1\,\%\) (6c). Lines:
        the prediction to first order.
    """,
    alt="""
        Five rising lines with points. The local model with its random answers left in is highest throughout, the hybrid
        almost on it; both are far lower once the random answers are undone.
    """,
)

_U, _T, _UNDONE = sp.Symbol("u", real=True), sp.Symbol("t", nonnegative=True), sp.Symbol("undone", nonnegative=True)
_RUN_LABELS = {
    "centres of the local model (LM)": "lm",
    "centres of the trusted curator (TCM)": "tcm",
    "centres of the hybrid": "hybrid",
}


def _series(variant, c, undone):
    """Key of the run in the data."""
    reading = "answers undone" if undone and variant != "tcm" else ""
    return " ".join(part for part in (variant, reading, "" if variant == "lm" else f"{c}") if part)


def _run_points():
    run = k_means_data.load()["run"]
    for colour, (label, variant) in enumerate(_RUN_LABELS.items()):
        for c in (None,) if variant == "lm" else trials.FRACTIONS:
            for undone in (None,) if variant == "tcm" else (0.0, 1.0):
                for t, centres in enumerate(run[_series(variant, c, undone)]):
                    place = {"t": float(t)} | ({"c": c} if c else {}) | ({} if undone is None else {"undone": undone})
                    x, y = zip(*centres, strict=True)
                    yield Points(label, x, y, (0.0,) * len(x), colour, place)


def _readout(label, variant):
    wcss = k_means_data.load()["run wcss"]
    cases = [
        (sp.Float(v), sp.And(sp.Eq(_T, t), sp.Eq(sym.c, c), sp.Eq(_UNDONE, undone)))
        for c in trials.FRACTIONS
        for undone in (0, 1)
        for t, v in enumerate(wcss[_series(variant, c, undone)])
    ]

    return Readout(f"sum of squares for {label}", sp.Piecewise(*cases, (sp.nan, True)))


_CLUSTERS = Circles(
    "clusters (two standard deviations)", *zip(*trials.CLUSTERS.tolist(), strict=True), 2 * trials.SPREAD
)

iterations = FigureSpec(
    name="adk-kmeans-iterations",
    title="One run, iteration by iteration",
    x_symbol=_U,
    x=Axis("first coordinate (sides of the box)", (-0.5, 0.5)),
    y=Axis("second coordinate (sides of the box)", (-0.5, 0.5)),
    layers=(_CLUSTERS, *_run_points()),
    parameters=(
        Parameter.linear(_T, "iteration (0: initial centres)", 0, k_means_data.SHOWN, 1, k_means_data.SHOWN),
        Parameter(sym.c, "c, fraction of TCM users", trials.FRACTIONS, trials.FRACTIONS[-1]),
        Parameter.switch(_UNDONE, "undo the random answers of line 12"),
    ),
    readouts=tuple(_readout(label, variant) for label, variant in _RUN_LABELS.items()),
    reset_label="After the last iteration",
    samples=1,
    height=520,
    equal_units=True,
    caption=r"""
        Step through the iterations: the centres of the local model stop short of the clusters, drawn to the
        middle by the random answers, and take the hybrid with them. Then undo the random answers. Figure 6a and
        what happens on it, in the first trial, where the three variants start together.
    """,
    alt="Four circles; the TCM centres lie in them, those of the local model and the hybrid nearer to the middle.",
)


# -- What a user of private K-means loses if her value changes, on a line; the paper has no such figure.

_SIDE = sp.Piecewise((1, sym.value_after > sym.border), (0, True))  # of the border

moved = own_figure(
    name="adk-k-means-budget",
    title="What a user loses if her value changes",
    x_symbol=sym.value_after,
    x=Axis("the user's value after the change", (0.0, 1.0)),
    y=Axis("loss in multiples of what she allows", (0.0, 2.2)),
    layers=(
        Curve("noise as printed, box from 0 to 1", sym.loss_printed, dash=(8, 4), colour=1, part=_SIDE),
        Curve("noise corrected, box from 0 to 1", sym.loss_corrected, width=3, colour=0, part=_SIDE),
        Curve("noise corrected, box about 0", sym.loss_centred, dash=(3, 3), colour=2, part=_SIDE),
        Rule("what she allows", y=sp.Integer(1)),
    ),
    parameters=(
        Parameter.linear(sym.border, "border between the clusters", 0.05, 0.95, 0.05, 0.6),
        Parameter.linear(sym.value_before, "her value before", 0, 1, 0.05, 1),
    ),
    caption=r"""
        Follow the dashed line from right to left: within her cluster the user loses less than half, across the border
        more than what she allows. Drag the border, and the lines jump elsewhere. With the corrected noise no line
        passes 1; about 0 sums are smaller, and less noise is enough.
    """,
    alt="""
        Three broken lines against the value after the change: low to the right of a border at 0.6, high to the
        left of it; there the dashed one lies above a rule at 1, and the other two do not.
    """,
)
