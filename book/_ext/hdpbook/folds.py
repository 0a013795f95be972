"""What a reader may leave closed: the code of a step, the claims of a page, notation, how the page was computed.

A fold is a native `<details>`: it opens without JavaScript, and print shows its content.
The code of a cell is folded below what it shows, unless the cell is tagged `open`, because a reader would type it.
The first cell, which imports, runs first and is shown last, in the fold that the directive `{computed}` leaves.
"""

import ast
import platform
from importlib.metadata import version

from docutils import nodes
from myst_nb.sphinx_ import NbMetadataCollector
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

VERSIONS = ("numpy", "scipy", "sympy", "matplotlib")


class fold(nodes.General, nodes.Element):
    """What stands below one line that opens it."""


class computed(nodes.General, nodes.Element):
    """Where the imports of a page go."""


class Fold(SphinxDirective):
    """`{fold} Notation`: its content below a line that opens it."""

    has_content = True
    required_arguments = 1
    final_argument_whitespace = True

    def run(self):
        return [fold("", *self.parse_content_to_nodes(), title=self.arguments[0], classes=["hdp-section-fold"])]


class Computed(SphinxDirective):
    """`{computed}`: imports, versions, seconds."""

    def run(self):
        return [computed()]


def folded(code):
    """The fold of a cell's source: what it is called depends on what the cell does."""
    found = list(ast.walk(ast.parse(code.astext())))
    if any(isinstance(n, ast.Assert) or getattr(n, "id", "").startswith("assert_") for n in found):
        return fold("", code, title="show the check", classes=["hdp-code-fold", "checked"])
    return fold("", code, title="show the code", classes=["hdp-code-fold"])


class FoldCells(SphinxPostTransform):
    """Fold the code of cells below their output, and move the imports to the end of their page."""

    default_priority = 190  # before myst_nb's own folding and its choice of outputs

    def run(self, **kwargs):
        """Change the resolved document."""
        cells = [n for n in self.document.findall(nodes.container) if n.get("nb_element") == "cell_code"]
        for place in list(self.document.findall(computed)):
            if cells:
                imports = cells.pop(0)
                imports.parent.remove(imports)
                place.replace_self(self.computed(imports))
        for cell in cells:
            if "tag_open" not in cell["classes"] and cell[0].get("nb_element") == "cell_code_source":
                cell += folded(cell.pop(0))

    def computed(self, imports):
        """The fold with versions, seconds, and the cell of imports."""
        seconds = (NbMetadataCollector.get_exec_data(self.env, self.env.docname) or {}).get("runtime")
        packages = ", ".join(f"{name} {version(name)}" for name in VERSIONS)
        took = f", in {seconds:.1f} seconds" if seconds else ""
        said = f"With Python {platform.python_version()}, {packages}{took}.  Every page begins with its imports:"
        said = nodes.paragraph("", said)
        return fold("", said, imports, title="How this page was computed", classes=["hdp-section-fold", "hdp-imports"])


def visit_html(self, node):
    """Open the element."""
    classes = " ".join(["hdp-fold", *node["classes"]])
    self.body.append(f'<details class="{classes}"><summary>{self.encode(node["title"])}</summary>\n')


def depart_html(self, node):
    """Close it."""
    self.body.append("</details>\n")


def setup(app):
    app.add_node(fold, html=(visit_html, depart_html))
    app.add_node(computed, html=(lambda self, node: None, lambda self, node: None))
    app.add_directive("fold", Fold)
    app.add_directive("computed", Computed)
    app.add_post_transform(FoldCells)
