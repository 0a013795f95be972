"""A ranking of the estimators that follows the population."""

import sympy as sp

from hdp.explore import Axis, Bar, Preset, Readout
from hdp.figures.shared import first_share, own_figure
from hdp.figures.synthesis.population import BUDGET, DEVIATION, RATIO, SECOND_BUDGET, SIZE, samples
from hdp.sym.synthesis import ranking as sym

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
