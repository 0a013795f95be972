"""Sphinx extension: the book in LaTeX, where Sphinx's own writer would lose or garble something of it.

- The parts of the table of contents become parts of the document, and pages without a number stay so.
- Theorems and their kin get a box, their number of the HTML book, and an anchor.
- Verdicts get their colour, the bibliography stays on its page, and letters that the text font lacks come from another.

What is only for the browser belongs in a node that this builder drops: `nodes.raw` with ``format="html"``.
"""

import re
import shutil
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.builders.latex.nodes import thebibliography
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_proof.nodes import NODE_TYPES, unenumerable_node

from hdpbook import latex_figures
from hdpbook.fonts import DEJAVU

STYLE = Path(__file__).with_name("hdpbook.sty")
FACES = [f"Mono{face}" for face in ("", "-Bold", "-Oblique", "-BoldOblique")] + ["", "-Bold", "-Oblique"]
FONTS = [DEJAVU / f"DejaVuSans{face}.ttf" for face in FACES]
THEOREMS = (*NODE_TYPES.values(), unenumerable_node)
# Beyond Latin letters and the punctuation of running text; Latin Modern has hardly any of it.
RARE = re.compile(r"([\u0300-\u1fff\u2030-\uffff]+)")
PRINTED = "In print every figure is drawn at the values of its paper; on the screen its sliders move it."
PLAIN = str.maketrans("✅❌", "✔✘")  # of the table of execution times: fonts do not have the coloured ones
SHOWN = re.compile(r"(.*?)\s*\\tag\*\{\\footnotesize (.*)\}", re.DOTALL)  # as `hdp.proof` writes it
VERBATIM = (nodes.literal, nodes.literal_block, nodes.math, nodes.math_block, nodes.raw)


def latex(source):
    """LaTeX source as a node."""
    return nodes.raw("", source, format="latex")


def docname_of(node):
    """The name of the page a node comes from: Sphinx gives its name to the sections when all pages become one tree."""
    while "docname" not in node:
        node = node.parent
    return node["docname"]


# -- parts and pages -----------------------------------------------------------------------------------------


class Captions(SphinxTransform):
    """Keep the caption of each list of pages where the assembled document still has it."""

    default_priority = 500

    def apply(self, **kwargs):
        """Copy the captions; other builders do not look at the copies."""
        for wrapper in self.document.findall(nodes.compound):
            if "toctree-wrapper" in wrapper["classes"] and isinstance(wrapper[0], addnodes.toctree):
                wrapper["caption"] = wrapper[0].get("caption") or ""


def make_parts(document):
    """Turn each list of pages with a caption into a part, and the first page into what stands before the parts."""
    first_page = next(document.findall(nodes.section))
    first_page.insert(1, [latex(r"\markboth{}{}"), nodes.paragraph("", "", nodes.emphasis("", PRINTED))])
    for section in [child for child in first_page.children if isinstance(child, nodes.section)]:
        title = section.pop(0)
        section.replace_self([nodes.rubric("", "", *title.children, ids=section["ids"]), *section.children])
    for wrapper in list(document.findall(nodes.compound)):
        if wrapper.get("caption"):
            part = nodes.section("", nodes.title("", wrapper["caption"]), docname=document["docname"])
            wrapper.replace_self(part)
            part += wrapper


def number_pages(document, env):
    """Let LaTeX number the chapters that the HTML book numbers, and no others; their further pages count on."""
    for page in document.findall(addnodes.start_of_file):
        number = env.toc_secnumbers.get(page["docname"], {}).get("") or ()
        page.insert(0, latex((r"\hdpunnumbered", r"\hdpnumbered", r"\hdpnumberedon")[min(len(number), 2)]))


class Bibliography(SphinxPostTransform):
    """Put the bibliography back on its page; Sphinx gathers it at the end of the document."""

    default_priority = 740  # right before Sphinx does
    formats = ("latex",)

    def run(self, **kwargs):
        """Mark the place."""
        if citation := next(self.document.findall(nodes.citation), None):
            place = nodes.container(classes=["bibliography-place"])
            citation.parent.insert(citation.parent.index(citation), place)


def place_bibliography(document):
    """Move the bibliography to its mark."""
    places = [node for node in document.findall(nodes.container) if "bibliography-place" in node["classes"]]
    for bibliography in list(document.findall(thebibliography)):
        bibliography.parent.remove(bibliography)
        places[0].replace_self(bibliography)


# -- boxes and tables ----------------------------------------------------------------------------------------


def box_theorems(document, env):
    """Replace the nodes of sphinx-proof by admonitions with a number in the title and an anchor before them."""
    for kind in THEOREMS:
        for theorem in list(document.findall(kind)):
            numbers = env.toc_fignumbers.get(docname_of(theorem), {}).get(theorem.get("countertype"), {})
            number = ".".join(map(str, numbers.get(theorem["ids"][0], ())))
            box = nodes.admonition("", *theorem.children)
            if not isinstance(box[0], nodes.title):
                box.insert(0, nodes.title())
            box[0].insert(0, nodes.Text(f"{theorem['realtype'].title()} {number}".strip() + " "))
            theorem.replace_self([nodes.target("", "", ids=theorem["ids"]), box])


def colour_verdicts(document):
    """Give every verdict the colour that it has in the HTML book."""
    for badge in list(document.findall(nodes.inline)):
        if "verdict" in badge["classes"]:
            name = next(name for name in badge["classes"] if name.startswith("verdict-"))
            badge.replace_self(latex(rf"\hdpverdict{{{name}}}{{{badge.astext()}}}"))


def print_tables(document):
    """Keep long tables, which break over pages, within the margins, and let links find the rows of any table."""
    for table in document.findall(nodes.table):
        rows = list(table.findall(nodes.row))
        if "claims" in table["classes"] or len(rows) > 30:  # from there on Sphinx lets a table break
            table["classes"] += ["longtable", "colwidths-given"]
        for formula in table.findall(nodes.math):  # TeX breaks no line after a comma, and cells are narrow
            formula[:] = [nodes.Text(formula.astext().replace(", ", r",\allowbreak "))]
        for row in rows:
            if row["ids"]:
                row[0].insert(0, nodes.target("", "", ids=row["ids"]))


def print_proofs(document):
    """Set what an assertion has shown like its HTML: the formula, and at the right the kind of proof."""
    for block in list(document.findall(nodes.math_block)):
        if shown := SHOWN.fullmatch(block.astext().strip()):
            formula, kind = shown.groups()
            block.replace_self(latex(f"\\hdpshown{{{formula}}}{{{kind}}}\n"))


# -- letters and anchors -------------------------------------------------------------------------------------


def set_rare_letters(document):
    """Set what the text font lacks in another one."""
    for text in [node for node in document.findall(nodes.Text) if RARE.search(node)]:
        if not isinstance(text.parent, VERBATIM):
            pieces = enumerate(RARE.split(text.translate(PLAIN)))
            new = [latex(rf"\hdprare{{{piece}}}") if i % 2 else nodes.Text(piece) for i, piece in pieces if piece]
            text.parent.replace(text, new)


def anchor_equations(document):
    """Give each equation with a label the anchor that the table of claims links to."""
    for block in list(document.findall(nodes.math_block)):
        if block.get("label"):
            anchor = rf"\phantomsection\label{{\detokenize{{{block['docname']}:equation-{block['label']}}}}}"
            block.parent.insert(block.parent.index(block), latex(anchor))


def link_within_pages(document):
    """Let a link to a section of its own page lead there: for Sphinx the whole document is the first page."""
    for reference in document.findall(nodes.reference):
        if section := reference.get("section"):
            reference["refuri"] = f"%{docname_of(reference)}#{section}"


def adapt(app, document, docname):
    """Adapt the assembled document."""
    if app.builder.format != "latex":
        return
    place_bibliography(document)
    number_pages(document, app.env)
    make_parts(document)
    box_theorems(document, app.env)
    colour_verdicts(document)
    print_tables(document)
    print_proofs(document)
    anchor_equations(document)
    link_within_pages(document)
    set_rare_letters(document)


def copy_style(app):
    """Put the style file and the fonts that LaTeX does not bring beside the document."""
    if app.builder.format == "latex":
        Path(app.outdir).mkdir(parents=True, exist_ok=True)
        for path in (STYLE, *FONTS):
            shutil.copy(path, app.outdir)


def setup(app):
    latex_figures.setup(app)
    app.add_transform(Captions)
    app.add_post_transform(Bibliography)
    app.connect("builder-inited", copy_style)
    app.connect("doctree-resolved", adapt, priority=900)  # after the claims have found their places
