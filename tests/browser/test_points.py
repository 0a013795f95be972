"""Simulated points on a built page: drawn with their bars, hidden when a slider moves, back on reset."""

import pytest

from hdp.explore import style
from tests.browser.conftest import at, first_state
from tests.browser.figure_page import LEGEND

PAGE = "book/heterogeneous-budgets/simulations.html"
NAMES = [at(PAGE, name) for name in ("cc-figure-1a", "cc-figure-1b", "cc-figure-3a", "cc-figure-3b")]

# Of every layer of points: its label, its data, and where its bars and points are drawn, in pixels of the frame.
POINTS = """f => {
    const spec = JSON.parse(f.querySelector(".hdp-spec").textContent);
    const x = f.view.scale("x"), y = f.view.scale("y"), found = [];
    spec.layer.forEach((layer, k) => {
        if (layer.mark.type !== "point" || !layer.transform || !layer.transform[0].filter) return;
        const rows = layer.data.values, items = name => f.view.data(`layer_${name}_marks`);
        found.push({
            label: layer.encoding.color.datum,
            wanted: rows.map(row => [x(row.x), y(row.y), y(row.low), y(row.high)]),
            drawn: items(k).map((item, i) => [item.x, item.y, items(k - 1)[i].y, items(k - 1)[i].y2]),
            bars: items(k - 1).length,
            colours: [...items(k).map(item => item.fill), ...items(k - 1).map(item => item.stroke)],
        });
    });
    return found;
}"""


@pytest.fixture(params=NAMES)
def simulated(request, visit):
    """Return a figure on the page that simulates it, in its first state."""
    return first_state(visit(PAGE), request.param)


def test_points_and_their_bars_are_drawn_where_they_belong(simulated):
    """On the scales of the curves, in the colour of the curve of the same label, which has one entry in the legend."""
    layers, entries = simulated.read(POINTS), simulated.figure.labels()
    assert len(layers) >= 4
    for layer in layers:
        assert len(layer["drawn"]) == layer["bars"] == 8
        for drawn, (x, y, low, high) in zip(layer["drawn"], layer["wanted"], strict=True):
            assert drawn[:2] == pytest.approx([x, y], abs=1e-6)
            assert sorted(drawn[2:]) == pytest.approx(sorted([low, high]), abs=1e-6)
            assert abs(low - high) > 0.05
        assert set(layer["colours"]) == {style.PALETTE[entries[layer["label"]][0]]}
    assert sorted(label for label, *_ in simulated.read(LEGEND)) == sorted(entries)


def test_points_are_hidden_when_a_slider_moves_and_come_back(simulated):
    """One step of any slider hides all of them; the button shows them again."""
    first = simulated.marks()
    for p in simulated.figure.parameters:
        index = p.positions.index(p.value)
        simulated.move(simulated.figure.values(**{p.name: p.positions[index + 1 if index == 0 else index - 1]}))
        assert all(layer["drawn"] == [] and layer["bars"] == 0 for layer in simulated.read(POINTS)), p.name
        simulated.part(".hdp-reset").click()
        simulated.settle()
        assert simulated.marks() == first
    assert "shown only while the sliders stand there" in simulated.part("figcaption").inner_text()
