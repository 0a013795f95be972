"""A paper at a glance: all that it numbers and all else that the book judges, in its own order, made from the ledger.

The order is the `outline` of `book/inventory.yml`; what stands in a line is the row of `book/claims` that covers it.
"""

from itertools import groupby
from operator import itemgetter
from pathlib import Path

from docutils import nodes
from sphinx import addnodes

from hdpbook.cite import cite_here
from hdpbook.claims import TITLES, WIDTHS, ClaimsDirective, badge
from hdpbook.rows import calls_of, read

INVENTORY = "book/inventory.yml"


def entries(tag, rows, source):
    """The sections of a paper, each with pairs: a row, and which of its items stand here one after the other."""
    by_id = {row["id"]: row for row in rows}
    for section, found in read(Path(source, INVENTORY))[tag]["outline"].items():
        pairs = [(row["id"], item) for item in found for row in rows if item in (row["id"], *row.get("covers", ()))]
        yield section, [(by_id[id], [item for _, item in group]) for id, group in groupby(pairs, itemgetter(0))]


def called(row, items):
    """What a line is called: as its row, or as those of the row's items that stand here."""
    if "covers" not in row or set(items) == set(row["covers"]):
        return row["number"]
    kind, numbers = items[0].partition(" ")[0], [item.partition(" ")[2] for item in items]
    numbers = [f"({number})" for number in numbers] if kind == "Equation" else numbers
    return f"{kind}{'s' * bool(numbers[1:])} " + ", ".join(numbers)


class AtAGlance(ClaimsDirective):
    """`{at-a-glance} cc`: for each section of the paper a table of what it has."""

    required_arguments = 1

    def run(self):
        self.env.note_dependency(str(Path(self.env.srcdir, INVENTORY)))
        tag, self.names = self.arguments[0], {}
        made = []
        for section, lines in entries(tag, [row for row in self.rows() if row["paper"] == tag], self.env.srcdir):
            title = nodes.title("", "", *self.parsed(section)[0].children)
            made.append(nodes.section("", title, ids=[f"{tag}-section-{nodes.make_id(section)}"]))
            made[-1] += self.grid(TITLES, [self.line(*line) for line in lines], "claims", WIDTHS)
        return made

    def line(self, row, items):
        """One line, with all that one wants to know; what a line above has said is not said again."""
        name = called(row, items)
        if above := self.names.get(row["id"]):
            link = nodes.reference("", above, internal=True, refuri=f"#row-{row['id']}")
            said = nodes.entry("", nodes.paragraph("", "", nodes.Text("One entry with "), link, nodes.Text(".")))
            return nodes.row("", self.entry(self.link(row, name)), said, self.entry(badge(row["verdict"])))
        self.names[row["id"]] = name
        line = self.anchored(row)
        line[1] += [*self.right(row), self.where(row), cite_here(row=row["id"])]
        return line

    def right(self, row):
        """What is correct where the paper is not, and how the conference version differs."""
        for title, key in (("Correct", "correct"), ("Conference version", "differs")):
            if key in row:
                first, *others = self.parsed(row[key])
                yield nodes.paragraph("", "", nodes.strong("", title), nodes.Text(": "), *first.children)
                yield from others

    def where(self, row):
        """The page that settles it, which opens there, and what computes it."""
        said = nodes.paragraph("", "", self.link(row, titled=True), classes=["where"])
        for name in calls_of(row):
            target = addnodes.pending_xref("", nodes.literal("", f"hdp.{name}"), refdomain="py", reftype="obj")
            target.update_all_atts({"reftarget": f"hdp.{name}", "refexplicit": True, "refdoc": self.env.docname})
            said += [nodes.Text(" · "), target]
        return said


def setup(app):
    app.add_directive("at-a-glance", AtAGlance)
