"""Every figure: its statement agrees with the NumPy route, and its three views exist and follow the parameters."""

import io
import json
import re
from dataclasses import replace
from functools import partial
from html import unescape
from itertools import product
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest
import vl_convert

from hdp import baselines, figures
from hdp.explore import Box, Circles, Curve, Draws, Heatmap, Marker, Note, Points, Text, frame, html, picture, vega
from hdp.explore.evaluate import breaks, cell_values, curve_values, expression_values, numbers
from hdp.figures.heterogeneous_budgets import experiments
from hdp.figures.user_level import algorithm_2, private
from tests.figures.oracles import ALL, SETTLES, all_shown

ROOT = Path(__file__).resolve().parents[2]


def settling(names):
    """Figures as parameters of a test, each with the claims of the book that it settles."""
    return [pytest.param(ALL[name], id=name, marks=pytest.mark.settles(*SETTLES.get(name, ()))) for name in names]


FIGURES = pytest.mark.parametrize("figure", settling(ALL))


def positions(figure, seed, count=3, alone=True):
    """The paper's values, every preset, the ends of all sliders together and of each alone, and random positions."""
    rng = np.random.default_rng(seed)
    yield figure.paper_values
    for preset in figure.presets:
        yield figure.values(**preset.values)
    for end in (0, -1):
        yield {p.name: p.positions[end] for p in figure.parameters}
        if alone and len(figure.parameters) > 1:
            yield from (figure.values(**{p.name: p.positions[end]}) for p in figure.parameters)
    for _ in range(count):
        yield {p.name: float(rng.choice(p.positions)) for p in figure.parameters}


SPARSE = 23  # sample points, for references that solve an equation at each


@FIGURES
def test_curves_agree_with_the_independent_route(figure):
    """Finite where the reference is, but for the last point before a curve ends, and equal to 1e-10 there."""
    figure = replace(figure, samples=SPARSE)
    for values in positions(figure, 1):
        x, curves = curve_values(figure, values)
        for index, y in curves.items():
            expected = np.broadcast_to(figure.layers[index].reference(x, **values), x.shape)
            both = np.isfinite(y) & np.isfinite(expected)
            assert np.count_nonzero(np.isfinite(y) != np.isfinite(expected)) <= 1, figure.layers[index].label
            scale = np.maximum(np.abs(expected[both]), 1e-4 * np.abs(expected[both]).max(initial=0))
            assert np.all(np.abs(y[both] - expected[both]) <= 1e-10 * scale), (figure.layers[index].label, values)


@pytest.mark.parametrize("figure", settling(name for name in ALL if ALL[name].heatmap))
def test_cells_agree_with_the_independent_route(figure):
    """Every cell to 1e-10, and undefined where the reference is."""
    for values in positions(figure, 3):
        x, y, z = cell_values(figure, values)
        expected = figure.heatmap.reference(*np.meshgrid(x, y), **values)
        assert z.shape == figure.heatmap.cells[::-1]
        np.testing.assert_array_equal(np.isfinite(z), np.isfinite(expected), err_msg=str(values))
        np.testing.assert_allclose(z[np.isfinite(z)], expected[np.isfinite(z)], rtol=1e-10, err_msg=str(values))
        assert np.isfinite(z).any()


@FIGURES
def test_rules_markers_and_readouts_agree_with_the_independent_route(figure):
    """The numbers that depend on the parameters only."""
    for values in positions(figure, 2):
        for layer in (*figure.layers, *figure.readouts):
            if isinstance(layer, Circles | Curve | Draws | Heatmap | Points):  # points have a test of their own
                continue
            actual, expected = numbers(figure, layer, values), np.atleast_1d(layer.reference(**values))
            placed, what = isinstance(layer, Box | Text), f"{layer.label} at {values}"
            if placed and not np.isfinite(expected).all():
                assert not np.isfinite(actual).all(), f"{what} has a place and would be drawn"
            else:
                np.testing.assert_allclose(actual, expected, rtol=1e-10, atol=1e-14 * placed, err_msg=what)


@FIGURES
def test_every_parameter_moves_something(figure):
    """From the paper's values to an end of the slider, some layer changes."""

    def state(values):
        _, curves = curve_values(figure, values)
        points = [
            expression_values(figure, getattr(layer, k), values)
            for layer in figure.layers
            for k in ("x", "y", "x2", "y2")
            if not isinstance(layer, Circles | Curve | Draws | Heatmap | Note | Points)
            and getattr(layer, k, None) is not None
        ]
        points += [layer.visible(values) * np.array(layer.y) for layer in figure.layers if isinstance(layer, Points)]
        cells = cell_values(figure, values)[2] if figure.heatmap else []
        return np.nan_to_num(np.concatenate([*curves.values(), *map(np.ravel, points), np.ravel(cells)]), nan=-1.0)

    home, shown = figure.paper_values, all_shown(figure)
    start = {False: state(home), True: state(shown)}
    for parameter in figure.parameters:
        needy = parameter.needs is not None
        ends = parameter.positions[:: len(parameter.positions) - 1]
        around = [(shown if needy else home) | {parameter.name: end} for end in ends]
        assert any(not np.allclose(state(values), start[needy]) for values in around), parameter.name


PIXELS = 4  # of a picture 420 pixels high; a jump by less is not seen


def jumps(figure, curve, values, low, high):
    """Samples after which the curve jumps in the frame, found by halving each step that is drawn steep."""
    scale = np.log10 if figure.y.scale == "log" else np.asarray

    def height(x):
        with np.errstate(all="ignore"):
            y = scale(expression_values(figure, curve.y, values, x))
        return np.where(np.isfinite(y), (y - scale(low)) / (scale(high) - scale(low)) * 420, np.nan)

    x = figure.x.grid(figure.samples)
    y = height(x)
    seen = (np.maximum(y[:-1], y[1:]) > 0) & (np.minimum(y[:-1], y[1:]) < 420)
    steep = np.flatnonzero((np.abs(np.diff(y)) > PIXELS) & seen)
    left, right, first, last = x[steep], x[steep + 1], y[steep], y[steep + 1]
    for _ in range(45 if len(steep) else 0):
        middle = (left + right) / 2
        at = height(middle)
        jumped = np.abs(at - first) > np.abs(at - last)
        left, first = np.where(jumped, left, middle), np.where(jumped, first, at)
        right, last = np.where(jumped, middle, right), np.where(jumped, at, last)
    return steep[np.abs(first - last) > PIXELS]


@FIGURES
def test_jumps_are_drawn_as_jumps(figure):
    """A line that jumps is broken there, or drawn in right angles; and in few other places."""
    for values in positions(figure, 5, alone=False):
        for curve in (curve for curve in figure.curves if not curve.steps):
            found = set(jumps(figure, curve, values, *frame.domain(figure, values)))
            broken = breaks(figure, curve, values)
            assert found <= set(np.flatnonzero(broken)), (curve.label, values)
            if curve.part is not None:
                assert np.count_nonzero(broken) <= 4, (curve.label, values)


@pytest.mark.parametrize("figure", [f for f in ALL.values() if f.curves], ids=lambda figure: figure.name)
def test_an_empty_picture_says_why(figure):
    """Where the sliders stand at their ends, one, or all in any way: a curve or cells in the frame, or a note."""
    ends = [figure.values(**{p.name: p.positions[k]}) for p in figure.parameters for k in (0, -1)]
    choices = product(*((p.positions[0], p.positions[-1]) for p in figure.parameters[:6]))
    names = [p.name for p in figure.parameters]
    ends += [figure.values(**dict(zip(names, choice, strict=False))) for choice in choices]
    notes = [layer for layer in figure.layers if isinstance(layer, Note)]
    for values in ends:
        (low, high), (_, curves) = frame.domain(figure, values), curve_values(replace(figure, samples=SPARSE), values)
        seen = figure.heatmap or any(((low <= y) & (y <= high)).any() for y in curves.values())
        said = [note for note in notes if note.reference(**values)]
        assert len(said) == (0 if seen else 1), values


@pytest.mark.each_kind  # on its page every figure is drawn and moved: tests/browser/test_figures.py
@FIGURES
def test_vega_lite_accepts_the_specification(figure):
    """The compiler draws it, and writes something that depends on the first parameter."""
    document = vega.specification(figure)
    drawn = vl_convert.vegalite_to_svg(document)
    assert "NaN" not in drawn
    first = figure.parameters[0]
    other = next(v for v in (first.positions[0], first.positions[-1]) if v != first.value)
    next(p for p in document["params"] if p["name"] == first.name)["value"] = other
    assert vl_convert.vegalite_to_svg(document) != drawn


@FIGURES
def test_html_holds_picture_sliders_and_specification(figure):
    """One input for each parameter at the declared value, alt text, and a specification that parses."""
    text = html.figure(figure, b"png")
    switches = sum(p.is_switch for p in figure.parameters)
    choices = sum(bool(p.names) for p in figure.parameters)
    assert text.count('type="range"') == len(figure.parameters) - switches - choices
    assert text.count("<select") == choices
    assert text.count('type="checkbox" role="switch"') == switches
    assert 'alt="' + " ".join(figure.alt.split())[:20] in text.replace("&#x27;", "'")
    document = text.split('class="hdp-spec">')[1].split("</script>")[0]
    assert json.loads(document)["params"][0]["value"] == figure.parameters[0].value
    legend = re.findall("<span>(.*?)</span>", text.partition('aria-label="Legend"')[2].partition("</ul>")[0])
    points = [layer.label for kind in (Marker, Circles) for layer in figure.layers if isinstance(layer, kind)]
    labels = [label for label in figure.labels() if not figure.is_named(label)]
    assert [unescape(label) for label in legend] == list(dict.fromkeys([*labels, *points]))
    assert (text.count('<span style="left: ') >= 2) == (figure.heatmap is not None)  # numbers under the palette


@pytest.mark.each_kind
@FIGURES
def test_picture_is_reproducible_and_follows_the_parameters(figure):
    """The same values give the same bytes, others do not."""
    first = picture.png(figure, figure.paper_values)
    assert first == picture.png(figure, figure.paper_values)
    last = [p for p in figure.parameters if p.is_shown(figure.paper_values)][-1]
    moved = figure.values(**{last.name: last.positions[0] if last.value != last.positions[0] else last.positions[-1]})
    assert first != picture.png(figure, moved)


# What is simulated on the page adds to the caption.
ONLY_POINTS = partial(experiments.simulated, found={}, factor=float)
SIMULATED = dict.fromkeys(["cc-figure-1a", "cc-figure-1b", "cc-figure-3a", "cc-figure-3b"], ONLY_POINTS) | {
    "cfmt-algorithm-2-ratio": lambda _: algorithm_2.algorithm_2_simulated({}),
    "cfmt-example-1-error": lambda _: private.example_1_simulated({}),
}
SPLIT = re.compile(r"\bas above\b|\(see .* above\)|bracket above|texts? at hand|Infinity")


@FIGURES
def test_captions_are_short_and_stand_alone(figure):
    """At most 60 words, of which a formula is one; what is elsewhere on the page is not pointed at."""
    caption = " ".join(SIMULATED.get(figure.name, lambda it: it)(figure).caption.split())
    words = re.sub(r"<[^>]+>", "", re.sub(r"\\\(.*?\\\)", "formula", caption)).split()
    assert 15 <= len(words) <= 60, len(words)
    assert not SPLIT.search(caption), SPLIT.search(caption)


def test_names_are_unique():
    """`ALL` would otherwise hide a figure."""
    assert len(ALL) == len({id(figure) for figure in figures.declared()})


def test_the_readme_shows_the_first_figure_as_it_is_now():
    """Pixel by pixel, but for the rounding of another platform's font rendering."""
    shown = matplotlib.image.imread(ROOT / "book" / "_static" / "figure.png")
    figure = ALL["vessels"]
    drawn = matplotlib.image.imread(io.BytesIO(picture.png(figure, figure.paper_values)))
    assert shown.shape == drawn.shape and np.abs(shown - drawn).mean() < 0.002


def test_two_pictures_in_one_have_an_axis_each():
    """Where the first figure is split, no line of the lower one is drawn in the upper one, nor the other way round."""
    figure = ALL["vessels"]
    above, below = figure.split
    document = vega.specification(figure)
    lines = [row for layer in document["layer"][:2] for row in layer["data"]["values"]]
    assert all(min(row["y"], row["y2"]) >= above or max(row["y"], row["y2"]) <= below for row in lines)
    assert {row["x"] for row in lines if row["y"] != row["y2"]} == {*figure.x.ticks, figure.x.domain[0]}
    axes = [place["axis"] for layer in document["layer"] for place in layer["encoding"].values() if "axis" in place]
    assert axes and not any(axis["grid"] or axis["domain"] for axis in axes)
    ax = picture.draw(figure, figure.paper_values).axes[0]
    assert ax.spines["left"].get_bounds()[0] == above and not any(line.get_visible() for line in ax.get_xgridlines())


@pytest.mark.settles("cc-figure-1b")
def test_the_sampling_curve_of_figure_1b_is_as_close_as_its_caption_says():
    """At the paper's values Jensen's bound lies below the exact error, by less than a line's width (0.1 %)."""
    figure = ALL["cc-figure-1b"]
    curve = next(c for c in figure.curves if c.label.startswith("SM"))
    for second in (0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0, 3.0):
        bound = float(expression_values(figure, curve.y, figure.paper_values, second))
        exact = 1e4 * baselines.expected_mse("sm", np.repeat([0.1, second], [700, 300]))
        assert bound * (1 - 1e-12) <= exact <= bound * 1.001
