"""Every figure: its statement agrees with the NumPy route, and its three views exist and follow the parameters."""

import io
import json
from importlib import import_module
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest
import vl_convert

from hdp import baselines
from hdp.explore import Curve, Draws, Heatmap, Marker, Points, html, picture, vega
from hdp.explore.evaluate import cell_values, curve_values, expression_values
from tests.figures.oracles import ALL

ROOT = Path(__file__).resolve().parents[2]
FIGURES = pytest.mark.parametrize("figure", ALL.values(), ids=ALL.keys())


def positions(figure, seed, count=3):
    """The paper's values, every preset, the ends of all sliders together and of each alone, and random positions."""
    rng = np.random.default_rng(seed)
    yield figure.paper_values
    for preset in figure.presets:
        yield figure.values(**preset.values)
    for end in (0, -1):
        yield {p.name: p.positions[end] for p in figure.parameters}
        if len(figure.parameters) > 1:
            yield from (figure.values(**{p.name: p.positions[end]}) for p in figure.parameters)
    for _ in range(count):
        yield {p.name: float(rng.choice(p.positions)) for p in figure.parameters}


def sparse(figure):
    """The figure with few sample points, for references that solve an equation at each."""
    return type(figure)(**{k: getattr(figure, k) for k in figure.__dataclass_fields__} | {"samples": 23})


@FIGURES
def test_curves_agree_with_the_independent_route(figure):
    """Finite where the reference is, but for the last point before a curve ends, and equal to 1e-10 there."""
    figure = sparse(figure)
    for values in positions(figure, 1):
        x, curves = curve_values(figure, values)
        for index, y in curves.items():
            expected = np.broadcast_to(figure.layers[index].reference(x, **values), x.shape)
            both = np.isfinite(y) & np.isfinite(expected)
            assert np.count_nonzero(np.isfinite(y) != np.isfinite(expected)) <= 1, figure.layers[index].label
            scale = np.maximum(np.abs(expected[both]), 1e-4 * np.abs(expected[both]).max(initial=0))
            assert np.all(np.abs(y[both] - expected[both]) <= 1e-10 * scale), (figure.layers[index].label, values)


@pytest.mark.parametrize("figure", [f for f in ALL.values() if f.heatmap], ids=lambda figure: figure.name)
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
            if isinstance(layer, Curve | Draws | Heatmap | Points):  # points have a test of their own
                continue
            expected = layer.reference(**values)
            names = "xy" if isinstance(layer, Marker) else [k for k in ("x", "y", "value") if getattr(layer, k, None)]
            actual = [float(expression_values(figure, getattr(layer, name), values)) for name in names]
            np.testing.assert_allclose(actual, np.atleast_1d(expected), rtol=1e-10, err_msg=layer.label)


@FIGURES
def test_every_layer_has_a_reference(figure):
    """Without one, the comparisons above would say nothing; and there is a curve or a heatmap to compare."""
    layers = (*figure.layers, *figure.readouts)
    assert all(layer.reference is not None for layer in layers if hasattr(layer, "reference"))
    assert figure.curves or figure.heatmap


@FIGURES
def test_every_parameter_moves_something(figure):
    """From the paper's values to an end of the slider, some layer changes."""

    def state(values):
        _, curves = curve_values(figure, values)
        points = [
            expression_values(figure, getattr(layer, k), values)
            for layer in figure.layers
            for k in ("x", "y")
            if not isinstance(layer, Curve | Draws | Heatmap | Points) and getattr(layer, k) is not None
        ]
        points += [layer.visible(values) * np.array(layer.y) for layer in figure.layers if isinstance(layer, Points)]
        cells = cell_values(figure, values)[2] if figure.heatmap else []
        return np.nan_to_num(np.concatenate([*curves.values(), *map(np.ravel, points), np.ravel(cells)]), nan=-1.0)

    start = state(figure.paper_values)
    for parameter in figure.parameters:
        ends = [
            state(figure.values(**{parameter.name: v})) for v in parameter.positions[:: len(parameter.positions) - 1]
        ]
        assert any(not np.allclose(end, start) for end in ends), parameter.name


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
    assert text.count('type="range"') == len(figure.parameters)
    assert 'alt="' + " ".join(figure.alt.split())[:20] in text.replace("&#x27;", "'")
    document = text.split('class="hdp-spec">')[1].split("</script>")[0]
    assert json.loads(document)["params"][0]["value"] == figure.parameters[0].value


@FIGURES
def test_picture_is_reproducible_and_follows_the_parameters(figure):
    """The same values give the same bytes, others do not."""
    first = picture.png(figure, figure.paper_values)
    assert first == picture.png(figure, figure.paper_values)
    last = figure.parameters[-1]
    moved = figure.values(**{last.name: last.positions[0] if last.value != last.positions[0] else last.positions[-1]})
    assert first != picture.png(figure, moved)


def test_names_are_unique():
    """`ALL` would otherwise hide a figure."""
    from hdp import figures

    modules = [import_module(f"hdp.figures.{topic}") for topic in figures.TOPICS]
    assert len(ALL) == sum(len(module.FIGURES) for module in modules)


def test_the_readme_shows_figure_1b_as_it_is_now():
    """Pixel by pixel, but for the rounding of another platform's font rendering."""
    shown = matplotlib.image.imread(ROOT / "book" / "_static" / "figure.png")
    figure = ALL["cc-figure-1b"]
    drawn = matplotlib.image.imread(io.BytesIO(picture.png(figure, figure.paper_values)))
    assert shown.shape == drawn.shape and np.abs(shown - drawn).mean() < 0.002


def test_the_sampling_curve_of_figure_1b_is_as_close_as_its_caption_says():
    """At the paper's values Jensen's bound lies below the exact error, by less than a line's width (0.1 %)."""
    figure = ALL["cc-figure-1b"]
    curve = next(c for c in figure.curves if c.label.startswith("SM"))
    for second in (0.1, 0.2, 0.5, 1.0):
        bound = float(expression_values(figure, curve.y, figure.paper_values, second))
        exact = 1e4 * baselines.expected_mse("sm", np.repeat([0.1, second], [700, 300]))
        assert bound * (1 - 1e-12) <= exact <= bound * 1.001
