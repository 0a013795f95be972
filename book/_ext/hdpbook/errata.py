"""Render the errata of `book/claims`: what is wrong by severity and rank, what depends on the reading, and slips.

One slip is one entry, with all its places: a row whose key `erratum` names another row is a place of that one's entry.
The anchor of an entry or of a place is `erratum-` and the row's id; its verdict in tables of claims links there.
"""

from docutils import nodes
from sphinx.util.docutils import SphinxRole

from hdpbook.claims import ClaimsDirective
from hdpbook.rows import DIFFER, LOST, READING, SLIP, UNREPRODUCED, WRONG, load

PAGE = "book/synthesis/errata"
SEVERITIES = {
    "result": ("Results", "A result, or what an algorithm promises, fails or changes."),
    "constant": ("Formulas and lines", "A formula, a constant or a line of an algorithm changes."),
    "step": ("Steps of proofs", "A step of a proof fails, and the result stands."),
    "text": ("Sentences", "A sentence of the text changes, and no numbered result does."),
}
OTHERS = {
    READING: (
        "It depends on the reading",
        "Under one reading the statement holds, under another it does not; both are fair, and these are no errors.",
    ),
    UNREPRODUCED: (
        "Not reproduced",
        "What we found differs from what the text says, and we may have missed a setting.",
    ),
    LOST: ("Lost in our copy", "Our copy of the text has lost a part, so that we cannot judge what is printed."),
    SLIP: ("Slips", "A sign, an index, a subscript, a term: what is meant is plain, and nothing rests on it."),
}


class ErrataDirective(ClaimsDirective):
    """What is not as printed."""

    def causes(self, verdict):
        """The rows of a verdict that have an entry of their own, the most consequential first."""
        rows = [row for row in self.rows() if row["verdict"] == verdict and "erratum" not in row]
        for row in rows:
            if verdict == WRONG and not (row.get("severity") in SEVERITIES and "rank" in row):
                raise self.error(f"book/claims: the row {row['id']} lacks its severity or rank")
        return sorted(rows, key=lambda row: row.get("rank", 0))


class ErrataSummary(ErrataDirective):
    """How many errors there are, by paper and severity, and beside them what is none."""

    def run(self):
        kinds = {title: [] for title, _ in [*SEVERITIES.values(), *OTHERS.values()]}
        for severity, (title, _) in SEVERITIES.items():
            kinds[title] = [row for row in self.causes(WRONG) if row["severity"] == severity]
        for verdict, (title, _) in OTHERS.items():
            kinds[title] = self.causes(verdict)
        kinds = {title: rows for title, rows in kinds.items() if rows}
        lines = [
            self.texts(
                [self.claimant(paper, "and"), *(sum(row["paper"] == paper for row in rows) for rows in kinds.values())]
            )
            for paper in self.papers()
        ]
        lines.append(self.texts(["All", *map(len, kinds.values())]))
        table = self.grid(["Paper", *kinds], lines, "errata-summary")
        table[0][0]["stub"] = 1
        return [table]


class Wrong(SphinxRole):
    """`{wrong}`errors``: how many statements of the papers are wrong, or of another verdict, each cause once."""

    def run(self):
        rows = [row for row in load(self.env.srcdir)["claims"] if "erratum" not in row]
        known = {"errors": WRONG, "readings": READING, "slips": SLIP}
        if self.text not in known:
            return [], [self.inliner.reporter.warning(f"wrong must be one of {list(known)}, got {self.text!r}")]
        return [nodes.Text(str(sum(row["verdict"] == known[self.text] for row in rows)))], []


class Errata(ErrataDirective):
    """A section for each severity and for each other verdict, and in it an entry for each cause."""

    def run(self):
        wrong = self.causes(WRONG)
        groups = {said: [row for row in wrong if row["severity"] == kind] for kind, said in SEVERITIES.items()}
        groups |= {said: self.causes(verdict) for verdict, said in OTHERS.items()}
        return [self.group(*said, rows) for said, rows in groups.items() if rows]

    def group(self, title, meaning, rows):
        section = self.section(f"errata-{nodes.make_id(title)}", f"{title} ({len(rows)})")
        section += nodes.paragraph("", meaning)
        section += list(self.slips(rows)) if rows[0]["verdict"] == SLIP else [self.erratum(row) for row in rows]
        return section

    def slips(self, rows):
        """The slips of each paper, an item each."""
        for paper in self.papers():
            if own := [row for row in rows if row["paper"] == paper]:
                yield nodes.paragraph("", "", nodes.strong("", self.claimant(paper, "and")))
                yield nodes.bullet_list("", *map(self.place, own), classes=["slips"])

    def erratum(self, row):
        citation = self.papers()[row["paper"]]
        body = self.parts(row)
        if row["verdict"] == WRONG:
            body += self.falls(row)
        body += self.elsewhere(row)
        section = self.section(f"erratum-{row['id']}", f"{self.claimant(row['paper'], 'and')}: {row['number']}")
        section += [self.at(row, f"{{cite:t}}`{citation}`; in the book"), body]
        return section

    def elsewhere(self, row):
        """The other places of the same slip, as an item of its list, if there are any."""
        places = [other for other in self.rows() if other.get("erratum") == row["id"]]
        if not places:
            return []
        found = nodes.definition("", nodes.bullet_list("", *map(self.place, places)))
        return [nodes.definition_list_item("", nodes.term("", "The same slip elsewhere"), found)]

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
            if row["verdict"] == WRONG:
                rest[0] += self.falls(row)
            rest[0] += self.elsewhere(row)
        return nodes.list_item("", head, *rest)

    def section(self, name, title):
        """A section that can be linked to, from outside by its anchor and from other pages by `{ref}`."""
        section = nodes.section("", nodes.title("", title), names=[name])
        self.state.document.note_explicit_target(section)
        return section


def link_verdicts(app, doctree, docname):
    """In tables of claims, let the verdicts on what is printed link to the entry."""
    errata = app.env.get_domain("std").anonlabels
    for row in list(doctree.findall(nodes.row)):
        # The row's own claim comes first, then others that it names.
        claims = dict.fromkeys(reference["claim"] for reference in row.findall(nodes.reference) if "claim" in reference)
        names = [name for name in (f"erratum-{claim}" for claim in claims) if name in errata]
        badges = [node for node in row.findall(nodes.inline) if "verdict" in node["classes"]]
        badges = [badge for badge in badges if badge.astext() in DIFFER]
        for badge, name in zip(badges, names, strict=False):
            uri = f"{app.builder.get_relative_uri(docname, PAGE)}#{name}"
            link = nodes.reference("", "", internal=True, refuri=uri, reftitle="See the erratum")
            badge.parent.replace(badge, link)
            link += badge


def setup(app):
    app.connect("doctree-resolved", link_verdicts)
    app.add_role("wrong", Wrong())
    app.add_directive("errata", Errata)
    app.add_directive("errata-summary", ErrataSummary)
