"""The vertical range of a figure: it holds still while a slider moves, until what is drawn leaves it.

`book/_static/hdp-figure.js` has the same rule, because the page's own curves come from there.
"""

import math

import numpy as np

from hdp.explore.evaluate import curve_values, expression_values
from hdp.explore.layers import Curve, Draws, Marker, Rule

TINY = 1 / 8  # of the frame; what is drawn in less than that is shown larger


def home(figure):
    """The range at the paper's values and the presets; that of the axis, where it has one."""
    if figure.y.domain:
        return figure.y.domain
    at = [figure.paper_values, *(figure.values(**preset.values) for preset in figure.presets)]
    ends = [end for values in at for end in extent(figure, values) or ()]
    return rounded(figure.y.scale, min(ends), max(ends)) if ends else (0.1, 1.0)


def domain(figure, values):
    """The range at these values: `home`, unless what is drawn leaves it, or fills too little of it."""
    if figure.y.domain:
        return figure.y.domain
    ends, start = extent(figure, values), home(figure)
    if ends is None:
        return start
    (low, high), (least, most) = _scaled(figure.y.scale, start), _scaled(figure.y.scale, ends)
    span = high - low
    inside = low - 1e-9 * span <= least and most <= high + 1e-9 * span
    return start if inside and most - least >= TINY * span else rounded(figure.y.scale, *ends)


def extent(figure, values):
    """Least and largest number that is drawn, or None."""
    _, curves = curve_values(figure, values)
    numbers = [curves[i] for i, layer in enumerate(figure.layers) if isinstance(layer, Curve)]
    for layer in figure.layers:
        if isinstance(layer, Marker) or (isinstance(layer, Rule) and layer.y is not None):
            numbers.append(expression_values(figure, layer.y, values))
    if any(isinstance(layer, Draws) for layer in figure.layers):
        numbers.append(np.zeros(1))  # the dots fill what lies below a curve
    drawn = _finite(figure, numbers)
    return (float(min(n.min() for n in drawn)), float(max(n.max() for n in drawn))) if drawn else None


def _finite(figure, numbers):
    """What of each array can be drawn, without the arrays of which nothing can."""
    drawn = [n[np.isfinite(n) & ((n > 0) if figure.y.scale == "log" else True)] for n in map(np.ravel, numbers)]
    return [n for n in drawn if n.size]


def rounded(scale, low, high):
    """The range from `low` to `high`, wider, with round ends."""
    least, most = _scaled(scale, (low, high))
    span = most - least or (abs(least) if scale == "linear" else 1.0) or 1.0
    step = _round_step(span / 4) if scale == "linear" else (1.0 if span > 2 else 0.25)
    ends = math.floor(least / step + 1e-9) * step, math.ceil(most / step - 1e-9) * step
    ends = ends if ends[0] < ends[1] else (ends[0] - step, ends[1] + step)
    return tuple(float(f"{10**end if scale == 'log' else end:.9g}") for end in ends)


def _scaled(scale, ends):
    return tuple(map(math.log10, ends)) if scale == "log" else ends


def _round_step(size):
    """The least of 1, 2, 5 times a power of ten that is not below `size`."""
    power = 10.0 ** math.floor(math.log10(size))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= size * (1 - 1e-9))
