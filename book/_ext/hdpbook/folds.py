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
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

from hdpbook import floors

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
        node = fold(title=self.arguments[0], classes=["hdp-section-fold"])
        self.state.nested_parse(self.content, self.content_offset, node)
        return [node]


class Computed(SphinxDirective):
    """`{computed}`: imports, versions, seconds, and where the code is."""

    def run(self):
        return [computed()]


def folded(code):
    """The fold of a cell's source: what it is called depends on what the cell does."""
    text = code.astext()
    found = list(ast.walk(ast.parse(text)))
    checks = any(isinstance(n, ast.Assert) or getattr(n, "id", "").startswith("assert_") for n in found)
    title = "show the check" if checks else "show the code"
    classes = ["hdp-code-fold", *(["checked"] if checks else [])]
    return fold("", code, title=title, classes=classes)


class FoldCells(SphinxPostTransform):
    """Fold the code of cells below their output, and move the imports to the end of their page."""

    default_priority = 190  # before myst_nb's own folding and its choice of outputs

    def run(self, **kwargs):
        """Change the resolved document, which in print is all pages in one."""
        cells = [n for n in self.document.findall(nodes.container) if n.get("nb_element") == "cell_code"]
        pages = {id(cell): page_of(cell) for cell in cells}
        for place in list(self.document.findall(computed)):
            page = page_of(place)
            first = next((cell for cell in cells if pages[id(cell)] is page), None)
            if first is not None:
                cells.remove(first)
                first.parent.remove(first)
                place.replace_self(self.computed(first, page.get("docname", self.env.docname)))
        for cell in cells:
            if "tag_open" in cell["classes"]:
                continue
            code = cell[0]
            if code.get("nb_element") == "cell_code_source":
                cell.remove(code)
                cell += folded(code)

    def computed(self, imports, docname):
        """The fold with versions, seconds, the files that the page draws on, and the cell of imports."""
        data = NbMetadataCollector.get_exec_data(self.env, docname) or {}
        packages = ", ".join(f"{name} {version(name)}" for name in VERSIONS)
        seconds = f", in {data['runtime']:.1f} seconds" if data.get("runtime") else ""
        said = f"With Python {platform.python_version()}, {packages}{seconds}.  Where its code is:"
        files = floors.shown(self.config, docname, imports[0].astext(), self.env.srcdir)
        body = [nodes.paragraph("", said), files, nodes.paragraph("", "Every page begins with its imports:")]
        title = "How this page was computed"
        return fold("", *body, imports, title=title, classes=["hdp-section-fold", "hdp-imports"])


def page_of(node):
    """The page in which a node stands: the document, or in print one of its files."""
    while not isinstance(node, (addnodes.start_of_file, nodes.document)):
        node = node.parent
    return node


def visit_html(self, node):
    """Open the element."""
    classes = " ".join(["hdp-fold", *node["classes"]])
    self.body.append(f'<details class="{classes}"><summary>{self.encode(node["title"])}</summary>\n')


def depart_html(self, node):
    """Close it."""
    self.body.append("</details>\n")


def pass_by(self, node):
    """Nothing to write."""


def setup(app):
    app.add_node(fold, html=(visit_html, depart_html), text=(pass_by, pass_by))
    app.add_node(computed, html=(pass_by, pass_by), text=(pass_by, pass_by))
    app.add_directive("fold", Fold)
    app.add_directive("computed", Computed)
    app.add_post_transform(FoldCells)
