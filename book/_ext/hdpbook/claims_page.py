"""The page of all claims: its counts, its filter, its tables, the two versions of one paper, what is not treated."""

from collections import Counter

from docutils import nodes

from hdpbook.claims import TITLES, WIDTHS, ClaimsDirective, place_of
from hdpbook.rows import VERDICTS, conference_number
from hdpbook.site import load_where

FILTER = """\
<form class="claims-filter" hidden>
<label>Verdict <select name="verdict">{verdicts}</select></label>
<label>Words <input type="search" name="words"></label>
<button type="reset">Show all</button>
<output aria-live="polite"></output>
</form>"""


class Counts(ClaimsDirective):
    """How many claims of each paper have each verdict; each number leads to the rows that it counts."""

    def run(self):
        self.count = Counter((row["paper"], row["verdict"]) for row in self.rows())
        verdicts = [verdict for verdict in VERDICTS if any(self.count[tag, verdict] for tag in self.tags())]
        lines = [self.line(tag, verdicts) for tag in self.tags()]
        total = [sum(self.count[tag, verdict] for tag in self.tags()) for verdict in verdicts]
        lines.append(self.texts(["All", *total, sum(total)]))
        return [self.grid(["Paper", *verdicts, "all"], lines, "claims-counts")]

    def line(self, tag, verdicts):
        """One row of the table: the numbers of a paper."""
        numbers = [(self.count[tag, verdict], f"verdict={verdict.replace(' ', '+')}") for verdict in verdicts]
        numbers.append((sum(number for number, _ in numbers), ""))
        name = nodes.reference("", self.claimant(tag), internal=True, counted=tag, query="", classes=[f"counted-{tag}"])
        links = [self.number(tag, *number) for number in numbers]
        return nodes.row("", self.entry(name), *map(self.entry, links))

    def number(self, tag, number, query):
        """A number as a link to what it counts, which a script filters."""
        return nodes.reference("", str(number), internal=True, counted=tag, query=query) if number else nodes.Text("–")


def options_of(pairs):
    """The choices of a list, all of them first."""
    options = (f'<option value="{value}">{name.replace("&", "&amp;")}</option>' for value, name in pairs)
    return '<option value="">all</option>' + "".join(options)


class Filter(ClaimsDirective):
    """A form by which a script shows some of the rows; without the script it stays hidden."""

    def run(self):
        return [
            nodes.raw("", FILTER.format(verdicts=options_of((verdict, verdict) for verdict in VERDICTS)), format="html")
        ]


class ClaimsTable(ClaimsDirective):
    """All claims of one paper, or of the book itself."""

    required_arguments = 1

    def run(self):
        rows = [self.anchored(row) for row in self.rows() if row["paper"] == self.arguments[0]]
        return [self.grid(TITLES, rows, "claims", WIDTHS)]


class Announced(ClaimsDirective):
    """The claims that a later paper, named by its key in the bibliography, announced before the book derived them."""

    required_arguments = 1

    def run(self):
        rows = [row for row in self.rows() if self.arguments[0] in row.get("announced", ())]
        if not rows:
            raise self.error(f"book/claims has no row that {self.arguments[0]} announced")
        line = nodes.paragraph("", "", nodes.Text("In this book: "), classes=["announced-here"])
        for row in rows:
            line += [self.link(row), nodes.Text("; " if row is not rows[-1] else ".")]
        return [line]


class Versions(ClaimsDirective):
    """What the conference version has too, or lacks: both numbers, and how the texts differ."""

    def run(self):
        lines = [self.line(row) for row in self.rows() if self.numbered(row)]
        return [self.grid(["Full version", "Conference version", "How they differ"], lines, "versions")]

    def numbered(self, row):
        """Whether one of the versions numbers what the row is about."""
        return row["paper"] == "cc" and row["verdict"] != "not treated" and (row.get("conference") or "covers" in row)

    def line(self, row):
        """Both numbers of a claim and the difference; a claim that only one version has links from there."""
        here, there = self.link(row), nodes.Text(conference_number(row) or "–")
        same = "The same." if row.get("conference") else "Only in the full version."
        if "conference version" in row["number"]:
            here, there = nodes.Text("–"), here
        difference = nodes.entry("", *self.parsed(row.get("differs", same)))
        return nodes.row("", self.entry(here), self.entry(there), difference)


class Untreated(ClaimsDirective):
    """What the book leaves out, and why; here is the anchor of such a row."""

    def run(self):
        rows = [row for row in self.rows() if row["verdict"] == "not treated"]
        return [nodes.definition_list("", *map(self.item, rows))] if rows else self.parsed("Nothing is left out.")

    def item(self, row):
        term = nodes.term("", f"{self.claimant(row['paper'])}, {row['number']}", ids=[row["id"]])
        definition = nodes.definition("", *self.parsed(row["statement"]), *self.parsed(row["reason"]))
        return nodes.definition_list_item("", term, definition)


def resolve(app, doctree, docname):
    """Point the counts at the page of a paper, or at the rows of this page; only a browser can filter."""
    for reference in doctree.findall(nodes.reference):
        if tag := reference.get("counted"):
            page, anchor = place_of(app.env, tag)
            query = f"?{reference['query']}" * bool(reference["query"] and app.builder.format == "html")
            # On its own page a link without a name would keep what the page is asked for.
            name = app.builder.get_target_uri(page).rpartition("/")[2] if page == docname else ""
            reference["refuri"] = (name or app.builder.get_relative_uri(docname, page)) + query + anchor


def setup(app):
    app.connect("doctree-resolved", resolve)
    load_where(app, 'class="claims-filter"', "claims.js")
    app.add_directive("claims-counts", Counts)
    app.add_directive("claims-filter", Filter)
    app.add_directive("claims-table", ClaimsTable)
    app.add_directive("claims-announced", Announced)
    app.add_directive("claims-versions", Versions)
    app.add_directive("claims-untreated", Untreated)
