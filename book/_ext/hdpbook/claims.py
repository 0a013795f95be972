"""Render `book/claims`: what a page settles, and the tables of a paper and of all claims.

Each row's id is the label of the place that settles it, so that every entry links there.
What a box says of its row is in `cite`, what is wrong in `errata`.
"""

from collections import Counter
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective, SphinxRole

from hdpbook.folds import fold
from hdpbook.page import load_where
from hdpbook.rows import OWN, VERDICTS, announcement, authors, calls_of, conference_number, files, load, read

PAGE = "book/synthesis/claims"
INVENTORY = "book/inventory.yml"
TITLES, WIDTHS = ("Claim", "Statement", "Verdict"), (24, 62, 14)
FILTER = """\
<form class="claims-filter" hidden>
<label>Verdict <select name="verdict"><option value="">all</option>{}</select></label>
<label>Words <input type="search" name="words"></label>
<button type="reset">Show all</button>
<output aria-live="polite"></output>
</form>"""


class cite_here(nodes.General, nodes.Element):
    """Where the citation of the claim `row` goes."""


def badge(verdict):
    """A verdict as an inline label."""
    return nodes.inline(verdict, verdict, classes=["verdict", f"verdict-{verdict.replace(' ', '-')}"])


def link(row, words="", **more):
    """A link to the place that settles a claim; `titled` if its words are the title of that page."""
    return nodes.reference(
        "", words or row["number"], internal=True, claim=row["id"], page=f"book/{row['page']}", **more
    )


def series(links):
    """Links with commas between them."""
    return [part for link in links for part in (nodes.Text(", "), link)][1:]


def anchor_of(env, id):
    """The anchor of the place that settles a claim: Sphinx gives equations one of their own."""
    return "equation-" * (id in env.get_domain("math").equations) + id


def place_of(env, tag):
    """The page and the anchor of the rows of a paper: where it is followed, else their section of the page of all."""
    page = env.get_domain("std").anonlabels.get(f"{tag}-at-a-glance", ("",))[0]
    return (page, "") if page else (PAGE, f"#claims-{tag}")


class VerdictRole(SphinxRole):
    """`{verdict}`proved``."""

    def run(self):
        if self.text not in VERDICTS:
            return [], [self.inliner.reporter.warning(f"verdict must be one of {VERDICTS}, got {self.text!r}")]
        return [badge(self.text)], []


class ClaimsDirective(SphinxDirective):
    """Shared by the directives of claims: reading, linking, and parsing a row's text as the page's own markup."""

    def rows(self, **wanted):
        """The rows that have these values."""
        for path in files(self.env.srcdir):
            self.env.note_dependency(str(path))
        rows = load(self.env.srcdir)["claims"]
        return [row for row in rows if all(row.get(key) == value for key, value in wanted.items())]

    def papers(self):
        """The key of every paper in the bibliography, by its tag."""
        return load(self.env.srcdir)["papers"]

    def parsed(self, text):
        return self.parse_text_to_nodes(text)

    def part(self, title, said):
        """An item of a list of what is said."""
        return nodes.definition_list_item("", nodes.term("", title), nodes.definition("", *said))

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

    def table(self, lines):
        return self.grid(TITLES, lines, "claims", WIDTHS)

    def row(self, row):
        number = [link(row)]
        if conference := conference_number(row):
            number.append(nodes.inline("", f" (conference: {conference})", classes=["conference"]))
        statement = nodes.entry("", *self.parsed(row["statement"]))
        if said := announcement(row, self.env.srcdir):
            words = nodes.inline("", f"{said[0].upper()}{said[1:]}.", classes=["announced"])
            statement += nodes.paragraph("", "", words)
        return nodes.row("", self.entry(*number), statement, self.entry(badge(row["verdict"])))

    def anchored(self, row):
        """A row of a table that has an anchor, and says to the filter that it is one."""
        line = self.row(row)
        line["ids"].append(f"row-{row['id']}")
        line["classes"].append("claim")
        return line


class Settles(ClaimsDirective):
    """The fold *What this page settles*: the claims of this page with their verdicts."""

    def run(self):
        page = self.env.docname.removeprefix("book/")
        rows = self.rows(page=page)
        if not rows:
            raise self.error(f"book/claims has no row for the page {page}")
        counts = Counter(row["verdict"] for row in rows)
        said = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
        title = f"What this page settles: {said}"
        return [fold("", self.table(map(self.row, rows)), title=title, classes=["hdp-section-fold", "settles"])]


# -- a paper at a glance: the `outline` of `book/inventory.yml`, in each line the row that covers it --------------


def entries(tag, rows, source):
    """The sections of a paper, each with pairs: a row, and which of its items stand here one after the other."""
    by_id = {row["id"]: row for row in rows}
    for section, found in read(Path(source, INVENTORY))[tag]["outline"].items():
        pairs = [(row["id"], item) for item in found for row in rows if item in (row["id"], *row.get("covers", ()))]
        yield section, [(by_id[id], [item for _, item in group]) for id, group in groupby(pairs, itemgetter(0))]


def line_name(row, items):
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
        for section, lines in entries(tag, self.rows(paper=tag), self.env.srcdir):
            title = nodes.title("", "", *self.parsed(section)[0].children)
            made.append(nodes.section("", title, ids=[f"{tag}-section-{nodes.make_id(section)}"]))
            made[-1] += self.table([self.line(*line) for line in lines])
        return made

    def line(self, row, items):
        """One line, with all that one wants to know; what a line above has said is not said again."""
        name = line_name(row, items)
        if above := self.names.get(row["id"]):
            there = nodes.reference("", above, internal=True, refuri=f"#row-{row['id']}")
            said = self.entry(nodes.Text("One entry with "), there, nodes.Text("."))
            return nodes.row("", self.entry(link(row, name)), said, self.entry(badge(row["verdict"])))
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
        said = nodes.paragraph("", "", link(row, titled=True), classes=["where"])
        for name in calls_of(row):
            where = {"refdomain": "py", "reftype": "obj", "reftarget": f"hdp.{name}", "refdoc": self.env.docname}
            target = addnodes.pending_xref("", nodes.literal("", f"hdp.{name}"), refexplicit=True, **where)
            said += [nodes.Text(" · "), target]
        return said


# -- the page of all claims -----------------------------------------------------------------------------------


class Counts(ClaimsDirective):
    """How many claims of each paper have each verdict; each number leads to the rows that it counts."""

    def run(self):
        tags, count = [*self.papers(), OWN], Counter((row["paper"], row["verdict"]) for row in self.rows())
        verdicts = [verdict for verdict in VERDICTS if any(count[tag, verdict] for tag in tags)]
        lines = [self.line(tag, {verdict: count[tag, verdict] for verdict in verdicts}) for tag in tags]
        total = [sum(count[tag, verdict] for tag in tags) for verdict in verdicts]
        lines.append(self.texts(["All", *total, sum(total)]))
        return [self.grid(["Paper", *verdicts, "all"], lines, "claims-counts")]

    def line(self, tag, counts):
        """One row of the table: the numbers of a paper, as links to what they count, which a script filters."""
        found = [(authors(tag, self.env.srcdir), "")]
        found += [(number, f"?verdict={verdict.replace(' ', '+')}") for verdict, number in counts.items()]
        found.append((sum(counts.values()), ""))
        links = [
            nodes.reference("", str(said), internal=True, counted=tag, query=query) if said else nodes.Text("–")
            for said, query in found
        ]
        return nodes.row("", *map(self.entry, links))


class Filter(ClaimsDirective):
    """A form by which a script shows some of the rows; without the script it stays hidden."""

    def run(self):
        options = "".join(f'<option value="{verdict}">{verdict}</option>' for verdict in VERDICTS)
        return [nodes.raw("", FILTER.format(options), format="html")]


class ClaimsTable(ClaimsDirective):
    """All claims of one paper, or of the book itself."""

    required_arguments = 1

    def run(self):
        return [self.table(map(self.anchored, self.rows(paper=self.arguments[0])))]


class Announced(ClaimsDirective):
    """The claims that a later paper, named by its key in the bibliography, announced before the book derived them."""

    required_arguments = 1

    def run(self):
        rows = [row for row in self.rows() if self.arguments[0] in row.get("announced", ())]
        if not rows:
            raise self.error(f"book/claims has no row that {self.arguments[0]} announced")
        line = nodes.paragraph("", "", nodes.Text("In this book: "), classes=["announced-here"])
        for row in rows:
            line += [link(row), nodes.Text("; " if row is not rows[-1] else ".")]
        return [line]


class Versions(ClaimsDirective):
    """What the conference version numbers too, or lacks: both numbers, and how the texts differ."""

    def run(self):
        rows = [row for row in self.rows(paper="cc") if row.get("conference") or "covers" in row]
        lines = [self.line(row) for row in rows if row["verdict"] != "not treated"]
        return [self.grid(["Full version", "Conference version", "How they differ"], lines, "versions")]

    def line(self, row):
        """Both numbers of a claim and the difference; a claim that only one version has links from there."""
        here, there = link(row), nodes.Text(conference_number(row) or "–")
        same = "The same." if row.get("conference") else "Only in the full version."
        if "conference version" in row["number"]:
            here, there = nodes.Text("–"), here
        differs = nodes.entry("", *self.parsed(row.get("differs", same)))
        return nodes.row("", self.entry(here), self.entry(there), differs)


class Untreated(ClaimsDirective):
    """What the book leaves out, and why; here is the anchor of such a row."""

    def run(self):
        items = nodes.definition_list()
        for row in self.rows(verdict="not treated"):
            name = f"{authors(row['paper'], self.env.srcdir)}, {row['number']}"
            items += self.part(name, [*self.parsed(row["statement"]), *self.parsed(row["reason"])])
            items[-1][0]["ids"].append(row["id"])
        return [items] if items.children else self.parsed("Nothing is left out.")


def resolve(app, doctree, docname):
    """Point every entry at its place, once all pages are read and the labels of equations are known."""
    for reference in doctree.findall(nodes.reference):
        if "claim" in reference and "refuri" not in reference:
            uri = app.builder.get_relative_uri(docname, reference["page"])
            reference["refuri"] = f"{uri}#{anchor_of(app.env, reference['claim'])}"
            if "titled" in reference:
                reference[:] = [child.deepcopy() for child in app.env.titles[reference["page"]].children]
        if "counted" in reference:  # to the page of a paper, or to rows of this page
            page, anchor = place_of(app.env, reference["counted"])
            # On its own page a link without a name would keep what the page is asked for.
            name = app.builder.get_target_uri(page).rpartition("/")[2] if page == docname else ""
            reference["refuri"] = (name or app.builder.get_relative_uri(docname, page)) + reference["query"] + anchor


def setup(app):
    app.connect("doctree-resolved", resolve)
    load_where(app, 'class="claims-filter"', "claims.js")
    app.add_role("verdict", VerdictRole())
    directives = {
        "settles": Settles, "at-a-glance": AtAGlance, "claims-counts": Counts, "claims-filter": Filter,
        "claims-table": ClaimsTable, "claims-announced": Announced, "claims-versions": Versions,
        "claims-untreated": Untreated,
    }  # fmt: skip
    for name, directive in directives.items():
        app.add_directive(name, directive)
