"""One estimator looks the same in every figure, and two that share one look different."""

from itertools import combinations

import pytest

from hdp.explore import Curve
from hdp.figures import ALL
from hdp.figures.style import DRAWN

# Users with several samples have estimators of their own.
SHARED = {name: figure for name, figure in ALL.items() if not name.startswith("cfmt-")}
PLAIN = {"dash": (), "width": Curve("", 0).width}


def estimator(curve):
    """The estimator with whose name the label begins, or None; a line between two regions is nobody's."""
    words = f"{curve.label} ".replace(",", " ")
    return next((name for name in DRAWN if words.startswith(f"{name} ") and " better " not in words), None)


def test_every_estimator_looks_the_same_in_every_figure():
    """Colour, dash and width, in at least two figures for most."""
    seen = [(estimator(curve), figure.name) for figure in SHARED.values() for curve in figure.curves]
    for figure in SHARED.values():
        for curve in figure.curves:
            if name := estimator(curve):
                style = {"colour": curve.colour, "dash": curve.dash, "width": curve.width}
                assert style == PLAIN | DRAWN[name], (figure.name, curve.label)
    assert {name for name, _ in seen if name} == set(DRAWN)
    assert sum(len({figure for other, figure in seen if other == name}) > 1 for name in DRAWN) >= 8


@pytest.mark.parametrize("figure", SHARED.values(), ids=SHARED)
def test_estimators_of_one_figure_can_be_told_apart(figure):
    """Different colours, so that points and legends tell them too."""
    drawn = {estimator(curve): DRAWN[estimator(curve)] for curve in figure.curves if estimator(curve)}
    assert all(a["colour"] != b["colour"] for a, b in combinations(drawn.values(), 2)), drawn


def test_no_two_estimators_are_drawn_alike():
    looks = [(style["colour"], style.get("dash"), style.get("width")) for style in DRAWN.values()]
    assert len(set(looks)) == len(DRAWN)
