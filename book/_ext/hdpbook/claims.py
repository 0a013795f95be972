"""Render `book/claims`: the box of a chapter, the strip of a claim that is not as printed, and the table of all claims.

Each row's id is the label of the place that settles it, so that every entry links there.
A label of an equation gets the anchor that Sphinx gives equations.
The page that shows all rows has its own directives in `claims_page`; what a box says of its row is in `cite`.
"""

from collections import Counter

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective, SphinxRole

from hdpbook.folds import fold
from hdpbook.rows import DIFFER, OWN, PARTS, VERDICTS, WRONG, announcement, authors, conference_number, files, load
from hdpbook.uses import falling, named, series

PAGE = "book/synthesis/claims"
TITLES, WIDTHS = ("Claim", "Statement", "Verdict"), (24, 62, 14)


def place_of(env, tag):
    """The page and the anchor of the rows of a paper: where it is followed, else their section of the page of all."""
    label = f"{tag}-at-a-glance"
    page = env.get_domain("std").anonlabels.get(label, ("",))[0]
    return (page, "") if page else (PAGE, f"#claims-{tag}")


def badge(verdict):
    """A verdict as an inline label."""
    return nodes.inline(verdict, verdict, classes=["verdict", f"verdict-{verdict.replace(' ', '-')}"])


class VerdictRole(SphinxRole):
    """`{verdict}`proved``."""

    def run(self):
        if self.text not in VERDICTS:
            message = self.inliner.reporter.warning(f"verdict must be one of {VERDICTS}, got {self.text!r}")
            return [], [message]
        return [badge(self.text)], []


class ClaimsDirective(SphinxDirective):
    """Shared by the directives below: reading, linking, and parsing a row's text as the page's own markup."""

    has_content = False

    def rows(self):
        for path in files(self.env.srcdir):
            self.env.note_dependency(str(path))
        return load(self.env.srcdir)["claims"]

    def papers(self):
        """The key of every paper in the bibliography, by its tag."""
        return load(self.env.srcdir)["papers"]

    def tags(self):
        """The tags of the papers, and last that of the book itself."""
        return [*self.papers(), OWN]

    def claimant(self, tag, last="&"):
        """Who claims it."""
        return authors(tag, self.env.srcdir, last)

    def link(self, row, words="", titled=False):
        """A link to the place that settles a claim; `titled` if its words are the title of that page."""
        page = f"book/{row['page']}"
        return nodes.reference("", words or row["number"], internal=True, claim=row["id"], page=page, titled=titled)

    def parsed(self, text):
        container = nodes.Element()
        self.state.nested_parse(StringList(text.splitlines(), source="book/claims"), 0, container)
        return container.children

    def parts(self, row):
        """What is printed and what is said of it, as a list."""
        items = nodes.definition_list()
        for part, title in PARTS.items():
            if part in row:
                definition = nodes.definition("", *self.parsed(row[part]))
                items += nodes.definition_list_item("", nodes.term("", title), definition)
        return items

    def falls(self, row):
        """What falls with a claim that is wrong, and what stands on its correct statement, as an item of its list."""
        rows = {other["id"]: other for other in self.rows()}
        fallen, mended = (
            series([self.link(rows[id], named(rows[id], row, self.env.srcdir)) for id in ids])
            for ids in falling(self.rows(), row["id"])
        )
        said = nodes.paragraph("", "", *(fallen or [nodes.Text("Nothing")]), nodes.Text("."))
        if mended:
            said += [nodes.Text(" The correct statement is used by "), *mended, nodes.Text(".")]
        return nodes.definition_list_item("", nodes.term("", "Falls with it"), nodes.definition("", said))

    def entry(self, *children):
        return nodes.entry("", nodes.paragraph("", "", *children))

    def texts(self, cells):
        """A row of a table whose cells are texts or numbers."""
        return nodes.row("", *(self.entry(nodes.Text(str(cell))) for cell in cells))

    def grid(self, titles, rows, name, widths=None):
        """A table of the given class with these rows; its columns are alike unless widths are given."""
        group = nodes.tgroup(cols=len(titles))
        group += [nodes.colspec(colwidth=width) for width in widths or [1] * len(titles)]
        group += [nodes.thead("", self.texts(titles)), nodes.tbody("", *rows)]
        return nodes.table("", group, classes=[name])

    def table(self, rows):
        return self.grid(TITLES, map(self.row, rows), "claims", WIDTHS)

    def row(self, row):
        number = [self.link(row)]
        if conference := conference_number(row):
            number.append(nodes.inline("", f" (conference: {conference})", classes=["conference"]))
        statement = nodes.entry("", *self.parsed(row["statement"]))
        if row.get("announced"):
            said = announcement(row, self.env.srcdir)
            words = nodes.inline("", f"{said[0].upper()}{said[1:]}.", classes=["announced"])
            statement += nodes.paragraph("", "", words)
        return nodes.row("", self.entry(*number), statement, self.entry(badge(row["verdict"])))

    def anchored(self, row):
        """A row of a table that has an anchor, and says its paper and its verdict to the filter."""
        line = self.row(row)
        line["ids"].append(f"row-{row['id']}")
        line["classes"] += ["claim", f"of-{row['paper']}"]
        return line


class Settles(ClaimsDirective):
    """The fold *What this page settles*: the claims of this page with their verdicts."""

    def run(self):
        page = self.env.docname.removeprefix("book/")
        rows = [row for row in self.rows() if row["page"] == page]
        if not rows:
            raise self.error(f"book/claims has no row for the page {page}")
        counts = Counter(row["verdict"] for row in rows)
        said = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
        title = f"What this page settles: {said}"
        return [fold("", self.table(rows), title=title, classes=["hdp-section-fold", "settles"])]


class Strip(ClaimsDirective):
    """What the box of a claim that is not as printed shows: the printed statement, what is right, and why."""

    required_arguments = 1

    def run(self):
        rows = [row for row in self.rows() if row["id"] == self.arguments[0] and row["verdict"] in DIFFER]
        if not rows:
            raise self.error(f"book/claims has no row {self.arguments[0]} that says what is printed")
        strip = self.parts({part: text for part, text in rows[0].items() if part != "consequence"})
        strip["classes"].append("strip")
        if rows[0]["verdict"] == WRONG:
            strip += self.falls(rows[0])
        strip[0][0] += [nodes.Text(" "), badge(rows[0]["verdict"])]
        return [strip]


def resolve(app, doctree, docname):
    """Point every entry at its place, once all pages are read and the labels of equations are known."""
    equations = app.env.get_domain("math").equations
    for reference in doctree.findall(nodes.reference):
        if claim := reference.get("claim"):
            uri = app.builder.get_relative_uri(docname, reference["page"])
            reference["refuri"] = f"{uri}#{'equation-' if claim in equations else ''}{claim}"
            if reference["titled"]:
                reference[:] = [child.deepcopy() for child in app.env.titles[reference["page"]].children]


def setup(app):
    app.connect("doctree-resolved", resolve)
    app.add_role("verdict", VerdictRole())
    app.add_directive("settles", Settles)
    app.add_directive("strip", Strip)
