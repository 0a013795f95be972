"""The sliders with a kernel: the picture follows them, in this process and in a real notebook."""

import base64
import math
import re

import ipywidgets
import nbformat
import pytest
from nbclient import NotebookClient

from hdp.explore import live, picture
from tests.figures.oracles import ALL, all_shown
from tests.files import ROOT
from tests.numbers import read_number

PNG = b"\x89PNG\r\n\x1a\n"


def sliders_of(figure):
    """What a widget has to show of a figure: which kinds of sliders, and whether there are buttons."""
    kinds = ("switch" if p.is_switch else "choice" if p.names else "slider" for p in figure.parameters)
    return frozenset(kinds), bool(figure.presets)


# Of the figures with the same kinds the one with the fewest sliders, since every move draws a picture.
CHOSEN = {sliders_of(figure): figure for figure in sorted(ALL.values(), key=lambda f: -len(f.parameters))}.values()
EACH = [pytest.param(f, marks=[] if f in CHOSEN else pytest.mark.slow, id=name) for name, f in ALL.items()]
each_figure = pytest.mark.parametrize("figure", EACH)


def positions(box):
    return {name: slider.value for name, slider in box.sliders.items()}


def far_end(slider):
    """Return the end of a slider that is further from its position."""
    return slider.options[0 if 2 * slider.index >= len(slider.options) else -1][1]


def buttons(box):
    return {button.description: button for button in box.children[-1].children}


def assert_read_out(box, figure):
    """The read-out shows the numbers of the library at the positions of the sliders."""
    (text,) = (child.value for child in box.children if isinstance(child, ipywidgets.HTML))
    for readout, shown in zip(figure.readouts, re.findall("<b>(.*?)</b>", text), strict=True):
        expected = float(readout.reference(**positions(box)))
        if readout.names or not math.isfinite(expected):
            assert shown == readout.text(expected)
        else:
            assert read_number(shown) == pytest.approx(expected, rel=5.1e-4)


@each_figure
def test_each_slider_moves_the_picture_and_back(figure):
    box = live.widget(figure)
    assert bytes(box.image.value).startswith(PNG)
    for p in figure.parameters:
        home = all_shown(figure) if p.needs or p.up_to else figure.paper_values  # where there is somebody to move
        for name, value in home.items():
            box.sliders[name].value = value
        first, slider = bytes(box.image.value), box.sliders[p.name]
        slider.value = far_end(slider)
        assert bytes(box.image.value) != first, f"{p.name} changes nothing"
        assert_read_out(box, figure)
        slider.value = home[p.name]
        assert bytes(box.image.value) == first, f"{p.name} and back is not where it was"


@each_figure
def test_reset_brings_the_papers_values_back(figure):
    box = live.widget(figure)
    first = bytes(box.image.value)
    assert positions(box) == figure.paper_values
    for slider in box.sliders.values():
        slider.value = far_end(slider)
    assert_read_out(box, figure)
    box.reset.click()
    assert positions(box) == figure.paper_values
    assert_read_out(box, figure)
    assert bytes(box.image.value) == first


@pytest.mark.parametrize("figure", [param for param in EACH if param.values[0].presets])
def test_presets_set_the_declared_values(figure):
    box = live.widget(figure)
    assert list(buttons(box)) == [figure.reset_label, *(preset.label for preset in figure.presets)]
    for preset in figure.presets:
        next(iter(box.sliders.values())).value = figure.parameters[0].positions[0]
        buttons(box)[preset.label].click()
        assert positions(box) == figure.values(**preset.values)
        assert box.image.value == picture.png(figure, figure.values(**preset.values))


SHOW = """
from hdp.explore import live
from hdp.figures.heterogeneous_budgets.upper_bound import figure_1b

boxes, widget = [], live.widget  # to keep hold of what is displayed
live.widget = lambda figure: boxes.append(widget(figure)) or boxes[-1]
figure_1b
"""

MOVE = """
(box,) = boxes
before, slider = box.image.value, box.sliders["epsilon_1"]
slider.value = slider.options[-1][1]
assert box.image.value != before, "the picture does not follow the slider"
print(box.model_id, box.image.model_id, slider.model_id, slider.index)
"""


def test_a_figure_lives_in_a_notebook(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # the kernel must take the library of this checkout
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in (SHOW, MOVE)])
    NotebookClient(notebook, timeout=120, kernel_name="python3", store_widget_state=True).execute()
    (display,), (printed,) = (cell.outputs for cell in notebook.cells)
    view = display.data["application/vnd.jupyter.widget-view+json"]
    assert display.output_type == "execute_result"
    assert base64.b64decode(display.data["image/png"]).startswith(PNG)
    assert 'id="figure-cc-figure-1b"' in display.data["text/html"]
    box, image, slider, index = printed.text.split()
    assert view["model_id"] == box, "the sliders that move the picture are those that were displayed"
    front = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"]
    assert front[slider]["state"]["index"] == int(index), "the front end was told where the slider is"
    assert base64.b64decode(front[image]["buffers"][0]["data"]).startswith(PNG)
