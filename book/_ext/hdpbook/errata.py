"""Render the errata of `book/claims`: what is wrong by severity and rank, what depends on the reading, and slips.

One slip is one entry, with all its places: a row whose key `erratum` names another row is a place of that one's entry.
The anchor of an entry or of a place is `erratum-` and the row's id; its verdict in tables of claims links there.
"""

from docutils import nodes
from sphinx.util.docutils import SphinxRole

from hdpbook.claims import ClaimsDirective, badge, link, series
from hdpbook.rows import DIFFER, LOST, PARTS, READING, SLIP, UNREPRODUCED, WRONG, authors, called, falling, load

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

    def groups(self):
        """Title, meaning and rows of each severity and of each other verdict: a row a cause, the gravest first."""
        causes = sorted((row for row in self.rows() if "erratum" not in row), key=lambda row: row.get("rank", 0))
        keys = {("severity", kind): said for kind, said in SEVERITIES.items()}
        keys |= {("verdict", verdict): said for verdict, said in OTHERS.items()}
        for (key, value), said in keys.items():
            if rows := [row for row in causes if row.get(key) == value]:
                yield *said, rows

    def wrote(self, tag):
        """Who wrote a paper."""
        return authors(tag, self.env.srcdir, "and")

    def parts(self, row):
        """What is printed, what is said of it, and what falls with it where it is wrong, as a list."""
        items = nodes.definition_list()
        items += [self.part(title, self.parsed(row[part])) for part, title in PARTS.items() if part in row]
        if row["verdict"] == WRONG:
            items += self.falls(row)
        return items

    def said(self, row):
        """The same in the entry of a cause, with the other places of the same slip."""
        items = self.parts(row)
        if places := self.rows(erratum=row["id"]):
            items += self.part("The same slip elsewhere", [nodes.bullet_list("", *map(self.place, places))])
        return items

    def falls(self, row):
        """What falls with a claim that is wrong, and what stands on its correct statement, as an item of its list."""
        rows = {other["id"]: other for other in self.rows()}
        fallen, mended = (
            series([link(rows[id], called(rows[id], self.env.srcdir, row)) for id in ids])
            for ids in falling(self.rows(), row["id"])
        )
        said = nodes.paragraph("", "", *(fallen or [nodes.Text("Nothing")]), nodes.Text("."))
        if mended:
            said += [nodes.Text(" The correct statement is used by "), *mended, nodes.Text(".")]
        return self.part("Falls with it", [said])

    def at(self, row, words="In the book"):
        """Where the book has it."""
        place = self.parsed(f"{words} {{doc}}`/book/{row['page']}`, at ")[0]
        place += [nodes.Text(" "), link(row)]
        return place

    def place(self, row):
        """Another place of the same slip, with what is printed there, or what it does there."""
        said = [self.said(row)] if "printed" in row else self.parsed(row["statement"])
        item = nodes.list_item("", self.at(row), *said, names=[f"erratum-{row['id']}"])
        self.state.document.note_explicit_target(item)
        return item


class Strip(ErrataDirective):
    """What the box of a claim that is not as printed shows: the printed statement, what is right, and why."""

    required_arguments = 1

    def run(self):
        rows = [row for row in self.rows(id=self.arguments[0]) if row["verdict"] in DIFFER]
        if not rows:
            raise self.error(f"book/claims has no row {self.arguments[0]} that says what is printed")
        strip = self.parts({part: text for part, text in rows[0].items() if part != "consequence"})
        strip["classes"].append("strip")
        strip[0][0] += [nodes.Text(" "), badge(rows[0]["verdict"])]
        return [strip]


class ErrataSummary(ErrataDirective):
    """How many errors there are, by paper and severity, and beside them what is none."""

    def run(self):
        kinds = {title: rows for title, _, rows in self.groups()}
        counts = {tag: [sum(row["paper"] == tag for row in rows) for rows in kinds.values()] for tag in self.papers()}
        lines = [self.texts([self.wrote(tag), *numbers]) for tag, numbers in counts.items()]
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
        return [self.group(*found) for found in self.groups()]

    def group(self, title, meaning, rows):
        section = self.section(f"errata-{nodes.make_id(title)}", f"{title} ({len(rows)})")
        section += nodes.paragraph("", meaning)
        section += self.slips(rows) if rows[0]["verdict"] == SLIP else [self.erratum(row) for row in rows]
        return section

    def slips(self, rows):
        """The slips of each paper, an item each."""
        made = []
        for tag in self.papers():
            if own := [row for row in rows if row["paper"] == tag]:
                made.append(nodes.paragraph("", "", nodes.strong("", self.wrote(tag))))
                made.append(nodes.bullet_list("", *map(self.place, own), classes=["slips"]))
        return made

    def erratum(self, row):
        section = self.section(f"erratum-{row['id']}", f"{self.wrote(row['paper'])}: {row['number']}")
        cited = f"{{cite:t}}`{self.papers()[row['paper']]}`; in the book"
        section += [self.at(row, cited), self.said(row)]
        return section

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
    app.add_directive("strip", Strip)
    app.add_directive("errata", Errata)
    app.add_directive("errata-summary", ErrataSummary)
