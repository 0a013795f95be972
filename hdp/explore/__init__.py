"""One declaration of a figure, three views: matplotlib picture, live sliders in a kernel, static sliders in a page.

Declare a `FigureSpec`, end a notebook cell with it, and every front end shows the richest view that it can:
Jupyter the ipywidgets, the HTML book a Vega-Lite figure that needs no kernel, LaTeX the picture.
"""

from hdp import _extras

with _extras.needed("hdp.explore", "explore", "sympy", "matplotlib", "ipywidgets"):
    from hdp.explore.axis import Axis
    from hdp.explore.layers import (
        Bar,
        Box,
        Circles,
        Curve,
        Draws,
        Heatmap,
        Marker,
        Note,
        Points,
        Preset,
        Readout,
        Rule,
        Text,
    )
    from hdp.explore.parameter import Parameter
    from hdp.explore.spec import FigureSpec

__all__ = [
    "Axis", "Bar", "Box", "Circles", "Curve", "Draws", "FigureSpec", "Heatmap", "Marker", "Note", "Parameter", "Points",
    "Preset", "Readout", "Rule", "Text",
]  # fmt: skip
