"""What a check of a caption needs: whose words it is about, and the numbers that the figure draws."""

import numpy as np

from hdp import figures
from hdp.explore.evaluate import expression_values
from hdp.explore.evaluate import numbers as drawn_from


def says(name, words):
    """The decorated test has the numbers for these words of a figure's caption or alternative text."""

    def given(check):
        assert check.__name__.startswith("test_"), "or it would never run"

        def test():
            figure = figures.ALL[name]  # here, for to declare all takes seconds, of every module that asks of one
            assert words in " ".join(f"{figure.caption} {figure.alt}".split())
            check(figure)

        test.__doc__ = check.__doc__
        return test

    return given


def layer(figure, start):
    """The layer, or the number beside it, of this label; or else the first one whose label begins so."""
    parts = [part for part in (*figure.layers, *figure.readouts) if part.label.startswith(start)]
    return next((part for part in parts if part.label == start), parts[0])


def line(figure, start, x, **values):
    """Height of the curve whose label begins so."""
    return expression_values(figure, layer(figure, start).y, figure.values(**values), np.asarray(x, dtype=float))


def number(figure, start, **values):
    """The number whose label begins so: a readout, or the place of a rule."""
    part = layer(figure, start)
    if hasattr(part, "value"):
        return float(expression_values(figure, part.value, figure.values(**values)))
    return drawn_from(figure, part, figure.values(**values))[0]


def positions(figure, name, count=7):
    """Some positions of a slider, its ends among them."""
    every = figure.parameter(name).positions
    return [every[i] for i in np.unique(np.linspace(0, len(every) - 1, count).round().astype(int))]
