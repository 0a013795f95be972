"""One estimator looks the same in every figure, and two that share one look different."""

from itertools import combinations

import pytest

from hdp.explore import Curve
from hdp.figures import ALL
from hdp.figures.style import DRAWN

PLAIN = {"dash": (), "width": Curve("", 0).width}


def estimator(curve):
    """The estimator with whose name the label begins, or None; a line between two regions is nobody's."""
    words = f"{curve.label} ".replace(",", " ")
    if " better " in words or words == "naive sensitivity ":  # of users with several samples
        return None
    return next((name for name in DRAWN if words.startswith(f"{name} ")), None)


def test_every_estimator_looks_the_same_in_every_figure():
    """Colour, dash and width, in at least two figures for most."""
    seen = [(estimator(curve), figure.name) for figure in ALL.values() for curve in figure.curves]
    for figure in ALL.values():
        for curve in figure.curves:
            if name := estimator(curve):
                style = {"colour": curve.colour, "dash": curve.dash, "width": curve.width}
                assert style == PLAIN | DRAWN[name], (figure.name, curve.label)
    assert {name for name, _ in seen if name} == set(DRAWN)
    assert sum(len({figure for other, figure in seen if other == name}) > 1 for name in DRAWN) >= 8


def test_what_has_one_label_has_one_colour_and_one_dash():
    """A line may be wider where others lie on it."""
    looks = {}
    for figure in ALL.values():
        shown = figure.labels()
        for curve in figure.curves:
            assert looks.setdefault(curve.label, shown[curve.label]) == shown[curve.label], (figure.name, curve.label)


@pytest.mark.parametrize("figure", ALL.values(), ids=ALL)
def test_estimators_of_one_figure_can_be_told_apart(figure):
    """Different colours, so that points and legends tell them too."""
    drawn = {estimator(curve): DRAWN[estimator(curve)] for curve in figure.curves if estimator(curve)}
    assert all(a["colour"] != b["colour"] for a, b in combinations(drawn.values(), 2)), drawn


def test_no_two_estimators_are_drawn_alike():
    looks = [(style["colour"], style.get("dash"), style.get("width")) for style in DRAWN.values()]
    assert len(set(looks)) == len(DRAWN)
