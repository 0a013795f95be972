"""Render the errata of `book/claims`: how many there are, and the entries, by severity and rank.

One slip is one entry, with all its places: a row whose key `erratum` names another row is a place of that one's entry.
The anchor of an entry or of a place is `erratum-` and the row's id; the word *refuted* in tables of claims links there.
"""

from docutils import nodes

from hdpbook.claims import ClaimsDirective

PAGE = "book/synthesis/errata"
SEVERITIES = {
    "result": ("Results", "A result, or what an algorithm promises, fails or changes."),
    "constant": ("Formulas and lines", "A formula, a constant or a line of an algorithm changes."),
    "step": ("Steps of proofs", "A step of a proof fails, and the result stands."),
    "text": ("Sentences", "A sentence of the text changes, and no numbered result does."),
    "unreproduced": (
        "Not reproduced",
        "What we found differs from what the text says, and we may have missed a setting.",
    ),
}
ERRORS = [severity for severity in SEVERITIES if severity != "unreproduced"]
JUDGED = {"refuted", "not reproduced"}


class ErrataDirective(ClaimsDirective):
    """The errata, most consequential first."""

    def causes(self):
        rows = [row for row in self.rows() if row["verdict"] in JUDGED and "erratum" not in row]
        for row in rows:
            if row.get("severity") not in SEVERITIES or row["paper"] not in self.papers() or "rank" not in row:
                raise self.error(f"book/claims: the row {row['id']} lacks its paper, severity or rank")
        return sorted(rows, key=lambda row: row["rank"])


class ErrataSummary(ErrataDirective):
    """How many entries there are, by paper and severity, without what could not be reproduced: that is no error."""

    def run(self):
        rows = self.causes()
        titles = ["Paper", *(SEVERITIES[severity][0] for severity in ERRORS), "All"]
        papers = {
            self.claimant(paper, "and"): [row for row in rows if row["paper"] == paper] for paper in self.papers()
        }
        lines = [self.texts(self.counts(*item)) for item in [*papers.items(), ("All", rows)]]
        table = self.grid(titles, lines, "errata-summary")
        table[0][0]["stub"] = 1
        return [table]

    def counts(self, name, rows):
        numbers = [sum(row["severity"] == severity for row in rows) for severity in ERRORS]
        return [name, *numbers, sum(numbers)]


class Errata(ErrataDirective):
    """A section for each severity, and in it one for each cause."""

    def run(self):
        rows = self.causes()
        groups = [(severity, [row for row in rows if row["severity"] == severity]) for severity in SEVERITIES]
        return [self.group(severity, rows) for severity, rows in groups if rows]

    def group(self, severity, rows):
        title, meaning = SEVERITIES[severity]
        section = self.section(f"errata-{severity}", f"{title} ({len(rows)})")
        section += [nodes.paragraph("", meaning), *map(self.erratum, rows)]
        return section

    def erratum(self, row):
        citation = self.papers()[row["paper"]]
        body = self.parts(row)
        body += self.falls(row)
        if places := [other for other in self.rows() if other.get("erratum") == row["id"]]:
            found = nodes.bullet_list("", *map(self.place, places))
            title = nodes.term("", "The same slip elsewhere")
            body += nodes.definition_list_item("", title, nodes.definition("", found))
        section = self.section(f"erratum-{row['id']}", f"{self.claimant(row['paper'], 'and')}: {row['number']}")
        section += [self.at(row, f"{{cite:t}}`{citation}`; in the book"), body]
        return section

    def at(self, row, words="In the book"):
        """Where the book has it."""
        place = self.parsed(f"{words} {{doc}}`/book/{row['page']}`, at ")[0]
        place += [nodes.Text(" "), self.link(row)]
        return place

    def place(self, row):
        """Another place of the same slip, with what is printed there, or what it does there."""
        target = nodes.target("", "", names=[f"erratum-{row['id']}"])  # print has no anchors for items of lists
        self.state.document.note_explicit_target(target)
        head = self.at(row)
        head.insert(0, target)
        rest = self.parsed(row["statement"])
        if "printed" in row:
            rest = [self.parts(row)]
            rest[0] += self.falls(row)
        return nodes.list_item("", head, *rest)

    def section(self, name, title):
        """A section that can be linked to, from outside by its anchor and from other pages by `{ref}`."""
        section = nodes.section("", nodes.title("", title), names=[name])
        self.state.document.note_explicit_target(section)
        return section


def link_verdicts(app, doctree, docname):
    """In tables of claims, let the verdicts *refuted* and *not reproduced* link to the erratum."""
    errata = app.env.get_domain("std").anonlabels
    for row in list(doctree.findall(nodes.row)):
        # The row's own claim comes first, then others that it names.
        claims = dict.fromkeys(reference["claim"] for reference in row.findall(nodes.reference) if "claim" in reference)
        names = [name for name in (f"erratum-{claim}" for claim in claims) if name in errata]
        badges = [node for node in row.findall(nodes.inline) if "verdict" in node["classes"]]
        badges = [badge for badge in badges if badge.astext() in JUDGED]
        for badge, name in zip(badges, names, strict=False):
            uri = f"{app.builder.get_relative_uri(docname, PAGE)}#{name}"
            link = nodes.reference("", "", internal=True, refuri=uri, reftitle="See the erratum")
            badge.parent.replace(badge, link)
            link += badge


def setup(app):
    app.connect("doctree-resolved", link_verdicts)
    app.add_directive("errata", Errata)
    app.add_directive("errata-summary", ErrataSummary)
