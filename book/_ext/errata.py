"""Render the refuted rows of `book/claims.yml` as errata: how many there are, and the entries, by severity and rank.

An entry's anchor is `erratum-` and the row's id; the word *refuted* in every table of claims links there.
"""

from claims import ClaimsDirective
from docutils import nodes
from rows import authors, load

PAGE = "book/synthesis/errata"
PARTS = ("printed", "correct", "counterexample", "consequence")
SEVERITIES = {
    "result": ("Results", "A result, or what an algorithm promises, fails or changes."),
    "constant": ("Formulas and lines", "A formula, a constant or a line of an algorithm changes."),
    "step": ("Steps of proofs", "A step of a proof fails, and the result stands."),
    "text": ("Sentences", "A sentence of the text changes, and no numbered result does."),
}


class ErrataDirective(ClaimsDirective):
    """The refuted rows, most consequential first."""

    def papers(self):
        """The entry of every paper in the bibliography, by its tag."""
        return load(self.env.srcdir)["papers"]

    def authors(self, paper):
        return authors(paper, self.env.srcdir, last="and")

    def refuted(self):
        rows = [row for row in self.rows() if row["verdict"] == "refuted"]
        for row in rows:
            if row.get("severity") not in SEVERITIES or row["paper"] not in self.papers() or "rank" not in row:
                raise self.error(f"claims.yml: the refuted row {row['id']} lacks its paper, severity or rank")
        return sorted(rows, key=lambda row: row["rank"])


class ErrataSummary(ErrataDirective):
    """How many entries there are, by paper and severity."""

    def run(self):
        rows = self.refuted()
        titles = ["Paper", *(title for title, _ in SEVERITIES.values()), "All"]
        papers = {self.authors(paper): [row for row in rows if row["paper"] == paper] for paper in self.papers()}
        group = nodes.tgroup(cols=len(titles))
        group += [nodes.colspec(colwidth=1, **({"stub": 1} if not i else {})) for i in range(len(titles))]
        group += nodes.thead("", self.line(titles))
        group += nodes.tbody("", *(self.line(self.counts(*item)) for item in [*papers.items(), ("All", rows)]))
        return [nodes.table("", group, classes=["errata-summary"])]

    def counts(self, name, rows):
        return [name, *(sum(row["severity"] == severity for row in rows) for severity in SEVERITIES), len(rows)]

    def line(self, cells):
        return nodes.row("", *(self.entry(nodes.Text(str(cell))) for cell in cells))


class Errata(ErrataDirective):
    """A section for each severity, and in it one for each refuted row."""

    def run(self):
        rows = self.refuted()
        groups = [(severity, [row for row in rows if row["severity"] == severity]) for severity in SEVERITIES]
        return [self.group(severity, rows) for severity, rows in groups if rows]

    def group(self, severity, rows):
        title, meaning = SEVERITIES[severity]
        section = self.section(f"errata-{severity}", f"{title} ({len(rows)})")
        section += [nodes.paragraph("", meaning), *map(self.erratum, rows)]
        return section

    def erratum(self, row):
        citation = self.papers()[row["paper"]]
        place = self.parsed(f"{{cite:t}}`{citation}`; in the book {{doc}}`/book/{row['page']}`, at ")[0]
        place += [nodes.Text(" "), self.link(row)]
        body = nodes.definition_list()
        for part in PARTS:
            definition = nodes.definition("", *self.parsed(row[part]))
            body += nodes.definition_list_item("", nodes.term("", part.capitalize()), definition)
        section = self.section(f"erratum-{row['id']}", f"{self.authors(row['paper'])}: {row['number']}")
        section += [place, body]
        return section

    def section(self, name, title):
        """A section that can be linked to, from outside by its anchor and from other pages by `{ref}`."""
        section = nodes.section("", nodes.title("", title), names=[name])
        self.state.document.note_explicit_target(section)
        return section


def link_verdicts(app, doctree, docname):
    """In tables of claims, let the verdict *refuted* link to the erratum."""
    errata = app.env.get_domain("std").anonlabels
    for row in list(doctree.findall(nodes.row)):
        claims = {reference["claim"] for reference in row.findall(nodes.reference) if reference.get("claim")}
        names = [name for name in (f"erratum-{claim}" for claim in claims) if name in errata]
        badges = [node for node in row.findall(nodes.inline) if "verdict-refuted" in node["classes"]]
        for badge, name in zip(badges, names, strict=False):
            uri = f"{app.builder.get_relative_uri(docname, PAGE)}#{name}"
            link = nodes.reference("", "", internal=True, refuri=uri, reftitle="See the erratum")
            badge.parent.replace(badge, link)
            link += badge


def setup(app):
    """Register with Sphinx."""
    app.connect("doctree-resolved", link_verdicts)
    app.add_directive("errata", Errata)
    app.add_directive("errata-summary", ErrataSummary)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
