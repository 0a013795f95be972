"""The live view: ipywidgets sliders over the matplotlib picture, for any Jupyter front end with a kernel."""

import ipywidgets

from hdp.explore import picture
from hdp.explore.evaluate import expression_values


def widget(figure):
    """Sliders, presets and a button back to the paper's values, over the picture.

    Returns
    -------
    ipywidgets.VBox
        Its `sliders` attribute maps parameter names to sliders, `image` is the picture, `reset` the button.
    """
    image = ipywidgets.Image(format="png", layout={"max_width": "min(100%, 720px)"})
    readout = ipywidgets.HTML()
    sliders = {p.name: _slider(p) for p in figure.parameters}

    def refresh(_change=None):
        values = {name: slider.value for name, slider in sliders.items()}
        image.value = picture.png(figure, values)
        for p in figure.parameters:
            sliders[p.name].layout.display = "" if p.is_shown(values) else "none"
        numbers = [(r, float(expression_values(figure, r.value, values))) for r in figure.readouts]
        readout.value = "; ".join(f"{r.label}: <b>{r.text(number)}</b>" for r, number in numbers)

    def move(values):
        for name, value in values.items():
            sliders[name].unobserve(refresh, names="value")  # one redraw at the end, not one a slider
            sliders[name].value = value
            sliders[name].observe(refresh, names="value")
        refresh()

    for slider in sliders.values():
        slider.observe(refresh, names="value")
    reset = _button(figure.reset_label, lambda _: move(figure.paper_values))
    presets = [_button(p.label, lambda _, p=p: move(figure.paper_values | p.values)) for p in figure.presets]
    refresh()
    box = ipywidgets.VBox([image, *sliders.values(), readout, ipywidgets.HBox([reset, *presets])])
    box.sliders, box.image, box.reset = sliders, image, reset
    return box


def _slider(parameter):
    kind = ipywidgets.ToggleButtons if parameter.is_switch else ipywidgets.SelectionSlider
    options = [(parameter.text(v), v) for v in parameter.positions]
    look = {"style": {"description_width": "initial"}, "layout": {"width": "95%"}}
    return kind(options=options, value=parameter.value, description=parameter.label, **look)


def _button(label, action):
    button = ipywidgets.Button(description=label)
    button.on_click(action)
    return button
