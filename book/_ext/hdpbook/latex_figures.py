"""Figures in LaTeX: the picture of a cell gets its title and its caption, and SVG images become PDF.

A figure comes from its cell in several forms.  MyST-NB would print the picture alone; title, caption and alternative
text are in the other forms.
"""

import re
from html.parser import HTMLParser
from itertools import cycle
from pathlib import Path

import matplotlib
import vl_convert
from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.transforms.post_transforms.images import ImageConverter
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
FONTS = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
MARK = 'class="hdp-figure"'
FORMULA = re.compile(r"\\\((.*?)\\\)", re.DOTALL)
INLINE = {"code": nodes.literal, "em": nodes.emphasis, "strong": nodes.strong}


def caption_nodes(text, kind=nodes.Text):
    r"""The nodes of a piece of a caption, in which ``\(...\)`` is a formula."""
    text = re.sub(r"\s+", " ", text)
    if kind is not nodes.Text:
        return [kind("", text)]
    pieces = zip(FORMULA.split(text), cycle((nodes.Text, nodes.math)), strict=False)
    return [nodes.math("", piece) if kind is nodes.math else nodes.Text(piece) for piece, kind in pieces]


class FigureReader(HTMLParser):
    """Collect name, alternative text and caption of a figure from its HTML."""

    def __init__(self):
        super().__init__()
        self.name, self.alt, self.caption, self.unknown = "", "", [], []
        self._in_caption, self._kind = False, nodes.Text

    def handle_starttag(self, tag, attrs):
        """Note what the element says, and where the caption begins."""
        attributes = dict(attrs)
        if tag == "figure":
            self.name = attributes["data-name"]
        elif tag == "img":
            self.alt = attributes["alt"]
        elif tag == "figcaption":
            self._in_caption = True
        elif self._in_caption:
            self._kind = INLINE.get(tag, nodes.Text)
            if tag not in INLINE:
                self.unknown.append(tag)

    def handle_endtag(self, tag):
        """Leave the caption or an element in it."""
        self._in_caption = self._in_caption and tag != "figcaption"
        self._kind = nodes.Text

    def handle_data(self, data):
        """Note a piece of the caption."""
        if self._in_caption:
            self.caption += caption_nodes(data, self._kind)


def printed(forms, location):
    """The picture, its title and its caption, in an environment that does not break over pages."""
    reader = FigureReader()
    reader.feed(forms["text/html"].astext())
    for tag in reader.unknown:
        LOGGER.warning("caption of %s: no LaTeX for <%s>", reader.name, tag, location=location)
    image = next(forms["image/png"].findall(nodes.image))
    image["alt"], image["scale"] = reader.alt, 80  # so that two fit on a page; wide ones shrink to the line
    title = forms["text/plain"].astext().removesuffix(f": {reader.alt}").strip()
    return [
        nodes.target("", "", ids=[f"figure-{reader.name}"]),
        nodes.raw("", r"\begin{hdpfigure}", format="latex"),
        image,
        nodes.raw("", r"\hdpcaption", format="latex"),
        nodes.paragraph("", "", nodes.strong("", f"{title}."), nodes.Text(" "), *reader.caption),
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
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
