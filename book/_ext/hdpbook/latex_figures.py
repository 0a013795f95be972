"""Figures in LaTeX: the picture of a cell gets its title and its caption, and SVG images become PDF.

A figure comes from its cell in several forms.  MyST-NB would print the picture alone; title and caption are in its
Markdown, the alternative text in the plain text.
"""

from pathlib import Path

import vl_convert
from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.transforms.post_transforms.images import ImageConverter

from hdpbook.figures import MARK
from hdpbook.fonts import DEJAVU


def printed(forms):
    """The picture, and under it title and caption, in an environment that does not break over pages."""
    (anchor, words), (image,) = forms["text/markdown"].children, forms["image/png"].findall(nodes.image)
    image["alt"] = forms["text/plain"].astext().strip()
    image["scale"] = 80  # so that two fit on a page; wide ones shrink to the line
    return [
        nodes.target("", "", ids=[anchor["refid"]]),
        nodes.raw("", r"\begin{hdpfigure}", format="latex"),
        image,
        nodes.raw("", r"\hdpcaption", format="latex"),
        words,
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
                    bundle.replace_self(printed(forms))


class VectorImages(ImageConverter):
    """SVG to PDF, by the library that draws the figures."""

    conversion_rules = [("image/svg+xml", "application/pdf")]  # noqa: RUF012 - Sphinx wants a list

    def is_available(self):
        """The library is one of the book's requirements."""
        return True

    def convert(self, _from, _to):
        """Write the PDF, with the fonts that matplotlib brings."""
        vl_convert.register_font_directory(str(DEJAVU))
        Path(_to).write_bytes(vl_convert.svg_to_pdf(Path(_from).read_text(encoding="utf-8")))
        return True


def setup(app):
    app.add_post_transform(Figures)
    app.add_post_transform(VectorImages)
