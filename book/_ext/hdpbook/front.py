"""What the first page shows: a figure without a notebook, and doors with small pictures of other figures.

``{figure-of} foundations.what_epsilon_feels_like vessels`` shows a figure as a cell would;
``{door} page-or-label foundations.vessels vessels`` is a link with a line and a picture without words.
"""

import os
import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.addnodes import pending_xref
from sphinx.util.docutils import SphinxDirective


def filled(figure, html):
    """The HTML of a figure with the numbers of its readouts, which stand there before a script has run."""
    from hdp.explore.evaluate import expression_values

    for i, readout in enumerate(figure.readouts):
        said = readout.text(float(expression_values(figure, readout.value, figure.paper_values)))
        html = re.sub(rf'(<output id="{figure.name}-readout-{i}"[^>]*>)', rf"\g<1>{said}", html)
    return html


class Pictures(SphinxDirective):
    """What both have in common: a figure of `hdp.figures`, drawn once, and a place for its picture."""

    def drawn(self, module, name):
        """What a directive needs of a figure, by `draw`, with its name.

        The first page is read again whenever a page of its routes is, and to draw takes longer than all the rest: so
        the environment keeps what was drawn from this text of the module, until a change of the library drops it.
        """
        path = Path(find_spec(f"hdp.figures.{module}").origin)
        self.env.note_dependency(str(path))
        kept = vars(self.env).setdefault("hdp_drawn", {})
        key = (type(self).__name__, path.read_text(encoding="utf-8"), name)
        if key not in kept:
            figure = getattr(import_module(f"hdp.figures.{module}"), name)
            kept[key] = figure.name, self.draw(figure)
        return kept[key]

    def image(self, name, png, alt):
        """An image node for these bytes, which are kept beside the build."""
        path = Path(self.env.app.outdir).parent / "pictures" / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(png)
        return nodes.image(uri=os.path.relpath(path, Path(self.env.doc2path(self.env.docname)).parent), alt=alt)


class FigureOf(Pictures):
    """A figure with all its forms, of which each builder takes one, as of the output of a cell."""

    required_arguments = 2

    def draw(self, figure):
        forms = figure.page()
        return forms | {"text/html": filled(figure, forms["text/html"]), "alt": " ".join(figure.alt.split())}

    def run(self):
        name, forms = self.drawn(*self.arguments)
        shown = {
            "text/html": [nodes.raw("", forms["text/html"], format="html")],
            "image/png": [self.image(name, forms["image/png"], forms["alt"])],
            "text/markdown": self.parse_text_to_nodes(forms["text/markdown"]),
            "text/plain": [nodes.literal_block("", forms["text/plain"])],
        }
        bundle = nodes.container(nb_element="mime_bundle")
        bundle += [nodes.container("", *form, mime_type=kind) for kind, form in shown.items()]
        return [nodes.container("", bundle, classes=["cell_output"])]


class Door(Pictures):
    """A card that leads to a page: title, one line, and the picture of a figure, without words and numbers."""

    required_arguments = 3
    has_content = True
    option_spec = {"title": directives.unchanged_required, "alt": directives.unchanged_required}  # noqa: RUF012

    def draw(self, figure):
        from hdp.explore import picture

        return picture.small(figure)

    def run(self):
        page, *figure = self.arguments
        name, png = self.drawn(*figure)
        image = self.image(f"door-{name}", png, self.options["alt"])
        where = dict(refdomain="std", reftype="doc", reftarget=page, refdoc=self.env.docname)
        title = nodes.inline("", self.options["title"])
        link = pending_xref("", title, refexplicit=True, refwarn=True, **where)
        said = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, said)
        line = nodes.paragraph("", "", nodes.strong("", "", link), nodes.Text(" "), *said[0].children)
        return [nodes.container("", image, line, classes=["hdp-door"])]


def setup(app):
    app.add_directive("figure-of", FigureOf)
    app.add_directive("door", Door)
