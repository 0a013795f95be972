"""Figures in LaTeX: the picture of a cell gets its title and its caption, and SVG images become PDF.

A figure comes from its cell in several forms.  MyST-NB would print the picture alone; title, caption and alternative
text are in the other forms.
"""

import re
from itertools import cycle
from pathlib import Path

import matplotlib
import vl_convert
from bs4 import BeautifulSoup, NavigableString
from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.transforms.post_transforms.images import ImageConverter
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
FONTS = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
MARK = 'class="hdp-figure"'
FORMULA = re.compile(r"\\\((.*?)\\\)", re.DOTALL)
INLINE = {"code": nodes.literal, "em": nodes.emphasis, "strong": nodes.strong}


def caption_nodes(text):
    r"""The nodes of a piece of a caption, in which ``\(...\)`` is a formula."""
    pieces = zip(FORMULA.split(re.sub(r"\s+", " ", text)), cycle((nodes.Text, nodes.math)), strict=False)
    return [nodes.math("", piece) if kind is nodes.math else nodes.Text(piece) for piece, kind in pieces]


def caption(figure, location):
    """The nodes of a figure's caption; a warning for an element that has no form in print."""
    for piece in figure.figcaption.children:
        if isinstance(piece, NavigableString):
            yield from caption_nodes(piece)
        elif piece.name in INLINE:
            yield INLINE[piece.name]("", " ".join(piece.text.split()))
        else:
            LOGGER.warning("caption of %s: no LaTeX for <%s>", figure["data-name"], piece.name, location=location)
            yield from caption_nodes(piece.text)


def printed(forms, location):
    """The picture, its title and its caption, in an environment that does not break over pages."""
    figure = BeautifulSoup(forms["text/html"].astext(), "html.parser").figure
    image = next(forms["image/png"].findall(nodes.image))
    image["alt"], image["scale"] = figure.img["alt"], 80  # so that two fit on a page; wide ones shrink to the line
    title = forms["text/plain"].astext().removesuffix(f": {image['alt']}").strip()
    return [
        nodes.target("", "", ids=[figure["id"]]),
        nodes.raw("", r"\begin{hdpfigure}", format="latex"),
        image,
        nodes.raw("", r"\hdpcaption", format="latex"),
        nodes.paragraph("", "", nodes.strong("", f"{title}."), nodes.Text(" "), *caption(figure, location)),
        nodes.raw("", r"\end{hdpfigure}", format="latex"),
    ]


class Figures(SphinxPostTransform):
    """Replace the bundle of forms in which a figure comes by what is printed."""

    default_priority = 3  # before MyST-NB selects one form
    formats = ("latex",)

    def run(self, **kwargs):
        """Go through all bundles."""
        for bundle in list(self.document.findall(nodes.container)):
            if bundle.get("nb_element") == "mime_bundle":
                forms = {form["mime_type"]: form for form in bundle.children}
                if "text/html" in forms and MARK in forms["text/html"].astext():
                    bundle.replace_self(printed(forms, bundle))


class VectorImages(ImageConverter):
    """SVG to PDF, by the library that draws the figures."""

    conversion_rules = [("image/svg+xml", "application/pdf")]  # noqa: RUF012 - Sphinx wants a list

    def is_available(self):
        """The library is one of the book's requirements."""
        return True

    def convert(self, _from, _to):
        """Write the PDF, with the fonts that matplotlib brings."""
        vl_convert.register_font_directory(str(FONTS))
        Path(_to).write_bytes(vl_convert.svg_to_pdf(Path(_from).read_text(encoding="utf-8")))
        return True


def setup(app):
    """Register with Sphinx."""
    app.add_post_transform(Figures)
    app.add_post_transform(VectorImages)
