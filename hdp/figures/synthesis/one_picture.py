"""A ranking of the estimators that follows the population."""

import sympy as sp

from hdp.explore import Axis, Bar, Curve, Parameter, Preset, Readout, Rule
from hdp.figures.shared import first_budget, first_share, own_figure, users
from hdp.figures.style import DRAWN
from hdp.sym.symbols import epsilon_1, epsilon_2, r
from hdp.sym.synthesis import mixed_trust as sym
from hdp.sym.synthesis import one_picture
from hdp.sym.user_level import model

# -- What the figures of the synthesis share: sliders.

SIZE = users(100, 20_000, 1000, multiple_of=20)
BUDGET = first_budget(0.01, 2, 0.1, per_decade=10, also=(0.5,))
RATIO = Parameter.logarithmic(r, "ε₂/ε₁, ratio of the budgets", 1, 100, 10, per_decade=10)
DEVIATION = Parameter.logarithmic(sym.sigma_p, "σₚ, deviation of users' means", 0.01, 0.5, 0.1, per_decade=6)
SECOND_BUDGET = (epsilon_2, r * epsilon_1)


def samples(symbol, label, value):
    """A slider for a number of samples."""
    return Parameter.logarithmic(symbol, label, 1, 10_000, value, per_decade=4)


CLASSES = (sym.ALL, sym.MIXED, sym.NOBODY, sym.IDEAL)
TIE = 1e-9  # relative difference below which two errors count as equal, and the order of the list decides
_K = (samples(sym.k_1, "k₁, samples of a user of group 1", 1.0), samples(sym.k_2, "k₂, of a user of group 2", 10.0))
_F = first_share(0.05, 0.95, 0.05, 0.7)

_E = sp.symbols(f"error_0:{len(sym.ESTIMATORS)}", positive=True)
_PLACES = sp.symbols(f"place_0:{len(sym.ESTIMATORS)}", nonnegative=True)
_BEST = sp.Symbol("best", positive=True)


def _beaten(i):
    """How many of the others have a larger error than estimator i."""
    worse = [_E[j] > _E[i] * (1 + TIE if j < i else 1 - TIE) for j in range(len(_E)) if j != i]
    return sp.Add(*(sp.Piecewise((1, condition), (0, True)) for condition in worse))


_DERIVED = (
    SECOND_BUDGET,
    *((v, sym.value_variance.subs(sym.k, k)) for v, k in zip(sym.VARIANCES, (sym.k_1, sym.k_2), strict=True)),
    *((d, sym.cut_length.subs(sym.k, k)) for d, k in ((sym.d_1, sym.k_1), (sym.d_2, sym.k_2))),
    *zip(_E, (error for *_, error in sym.ESTIMATORS), strict=True),
    (_BEST, sp.Min(*_E)),
    *((place, _beaten(i)) for i, place in enumerate(_PLACES)),
)


def _bar(i, name, trusted):
    """A bar at the estimator's place, as long as the ratio of root errors; a long name has a second line."""
    label = next((name.replace(mark, mark.replace(" ", "|"), 1) for mark in (" (", ", ", ": ") if mark in name), name)
    return Bar(label, sp.sqrt(_BEST / _E[i]), _PLACES[i], trusted, CLASSES.index(trusted), trusted == sym.IDEAL)


def _least(trusted):
    """Root of the smallest error of the estimators that need this trust."""
    chosen = [i for i, (_, needed, _) in enumerate(sym.ESTIMATORS) if needed == trusted]
    return Readout(f"least root mean squared error, {trusted}", sp.sqrt(sp.Min(*(_E[i] for i in chosen))))


ranking = own_figure(
    name="synthesis-ranking",
    title="One population, many estimators",
    x_symbol=sp.Symbol("x", nonnegative=True),
    x=Axis("least error / its error (root mean squares; 1 = best)", (0.0, 1.12)),
    y=Axis("estimators, the best on top", (-0.6, len(_E) - 0.4)),
    layers=tuple(_bar(i, name, trusted) for i, (name, trusted, _) in enumerate(sym.ESTIMATORS)),
    parameters=(SIZE, _F, BUDGET, RATIO, *_K, DEVIATION),
    derived=_DERIVED,
    readouts=tuple(map(_least, (sym.ALL, sym.MIXED, sym.NOBODY))),
    presets=(
        Preset("One sample each", {"k_2": 1.0}),
        Preset("Equal budgets", {"r": 1.0, "k_2": 100.0}),
        Preset("Many samples", {"k_1": 10_000.0, "k_2": 10_000.0, "sigma_p": 0.01, "n": 20_000.0}),
    ),
    samples=1,
    height=640,
    caption=r"""
        Compare within a colour, which says whom the users must trust: the longer a bar, the better. Raise \(k_2\), the
        rest as first drawn: ADPM, LDPE and the threshold, which choose for the largest variance, fall behind. The
        hollow bar is no release: it cuts values to an interval around the mean, which it would have to know roughly.
    """,
    alt="""
        Eighteen horizontal bars, sorted by length. The best weights are on top, level with the ideal that cuts values
        and with PropDPM; the three bars of the hybrid model with a good weight follow after those that count samples,
        then SM, ADPM and LDPE; what rests on local reports is at the bottom.
    """,
)


# -- Six arrows of the map, taken step by step.

steps = own_figure(
    name="synthesis-steps",
    title="Six models on their way to others",
    x_symbol=one_picture.step,
    x=Axis("step t along an arrow", (1.0, 100.0), "log"),
    y=Axis("error / error at the end of the arrow", None, "log"),
    layers=(
        Curve("3: two groups to a public group", one_picture.STEPS[3], **DRAWN["ADPM"]),
        Curve("4: two groups to equal budgets", one_picture.STEPS[4], **DRAWN["UNI"]),
        Curve("8: hybrid to a public group", one_picture.STEPS[8], **DRAWN["KVH"]),
        Curve("9: hybrid to all trust", one_picture.STEPS[9], colour=1, dash=(8, 4)),
        Curve("13: k samples to every sample alike", one_picture.STEPS[13], colour=2, dash=(8, 4)),
        Curve("15: equal budgets to no privacy", one_picture.STEPS[15], colour=3, dash=(3, 3)),
        Rule("3 arrives", x=one_picture.arrival),
    ),
    parameters=(
        users(100, 100_000, 1000),
        Parameter.logarithmic(epsilon_1, "ε, budget, of two the smaller", 0.01, 1, 0.05, per_decade=10),
        Parameter.logarithmic(model.K, "K, samples of half of the users", 2, 1000, 10, per_decade=6),
    ),
    readouts=(
        Readout("R, the step at which arrow 3 has arrived", one_picture.arrival),
        Readout(
            "error with equal budgets over that with a public group", one_picture.STEPS[3].subs(one_picture.step, 1)
        ),
    ),
    caption=r"""
        Follow a line to the right: where it is 1, the model at the start of an arrow has become that at its end.
        Raise \(n\): arrow 3 arrives earlier, at \(R\). Lower \(\epsilon\): noise keeps all lines but that of arrow 13
        away from 1 for longer. Raise \(K\): only arrow 13 moves.
    """,
    alt="""
        Six lines against the step on logarithmic axes. Five fall towards 1 from above, one rises towards it from below;
        the thick line of arrow 3 reaches 1 at a vertical line, and the line of arrow 8 comes down last.
    """,
)
