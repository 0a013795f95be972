"""The page on what rests on what: its graph, which a script draws from its table, its numbers and its lists."""

from docutils import nodes
from sphinx.util.docutils import SphinxRole

from hdpbook.claims import ClaimsDirective, badge
from hdpbook.rows import WRONG, called, load
from hdpbook.site import load_where
from hdpbook.uses import LISTS, PAGE, falling, named, reached, series, used, users

# Without the script it stays hidden, and the table below is all there is.
GRAPH = """\
<form class="uses-form" hidden>
<label>Result <input type="search" name="result" list="uses-results" autocomplete="off"></label>
<datalist id="uses-results"></datalist>
<label>Steps <select name="steps"><option>1</option><option selected>2</option><option>3</option>
<option value="99">all</option></select></label>
<output aria-live="polite"></output>
</form>
<div class="uses-graph" data-first="{first}" hidden></div>
"""


def numbers(rows):
    """The numbers of the page, by the words with which it asks for them; an id asks how much rests on that claim."""
    graph = users(rows)
    above = {row["id"]: used(row) for row in rows}
    lost = [row for row in rows if row["verdict"] == WRONG]
    return {
        **{id: len(reached(graph, id)) for id in graph},
        "claims": len(rows),
        "links": sum(map(len, above.values())),
        "roots": sum(not above[id] and bool(graph[id]) for id in graph),
        "alone": sum(not above[id] and not graph[id] for id in graph),
        "wrong": len(lost),
        "falling": sum(bool(falling(rows, row["id"])[0]) for row in lost),
        "mended": sum(bool(graph[row["id"]]) and not falling(rows, row["id"])[0] for row in lost),
    }


class UsesRole(SphinxRole):
    """`{uses}`cc-lemma-1``: how many claims rest on a claim, or another number of the page."""

    def run(self):
        known = numbers(load(self.env.srcdir)["claims"])
        if self.text not in known:
            return [], [self.inliner.reporter.warning(f"uses must be an id or a number of the page, got {self.text!r}")]
        return [nodes.Text(str(known[self.text]))], []


class Graph(ClaimsDirective):
    """Where the script draws; the argument is the claim that it shows first."""

    required_arguments = 1

    def run(self):
        return [nodes.raw("", GRAPH.format(first=self.arguments[0]), format="html")]


class UsesDirective(ClaimsDirective):
    """Shared by the lists of this page: links to the place of a claim, and to its row here."""

    def by_id(self):
        return {row["id"]: row for row in self.rows()}

    def place(self, row):
        """The name of a claim, of which the number leads to its place."""
        return [nodes.Text(called(row, self.env.srcdir).removesuffix(row["number"])), self.link(row)]

    def walk(self, row, corrected=False, beside=None):
        """A link that on a page in a browser leads to the row of a claim; it may stand beside that of another one."""
        words = named(row, beside, self.env.srcdir) if beside else called(row, self.env.srcdir)
        reference = self.link(row, words + " (corrected)" * corrected)
        reference["here"] = True
        if corrected:
            reference["classes"].append("corrected")
        return reference


class Most(UsesDirective):
    """The claims on which most others rest; the argument says how many of them."""

    required_arguments = 1

    def run(self):
        rows, graph = self.by_id(), users(self.rows())
        counts = {id: (len(reached(graph, id)), len(graph[id])) for id in graph}
        first = sorted(rows, key=lambda id: counts[id], reverse=True)[: int(self.arguments[0])]
        lines = [self.line(rows[id], counts[id]) for id in first]
        return [self.grid(["Result", "Verdict", "Rest on it", "Directly"], lines, "uses-most")]

    def line(self, row, counts):
        cells = self.walk(row), badge(row["verdict"]), *(nodes.Text(str(count)) for count in counts)
        return nodes.row("", *map(self.entry, cells))


class Falls(UsesDirective):
    """The claims that are wrong as printed with which others fall, and these."""

    def run(self):
        rows, items = self.by_id(), nodes.bullet_list()
        for row in rows.values():
            if row["verdict"] == WRONG and (fallen := falling(self.rows(), row["id"])[0]):
                links = series([self.walk(rows[id], beside=row) for id in fallen])
                line = nodes.paragraph("", "", nodes.Text("With "), self.walk(row), nodes.Text(" falls: "), *links)
                items += nodes.list_item("", line)
        return [items]


class Table(UsesDirective):
    """All claims with what they use and what uses them; from it the script draws the graph."""

    def run(self):
        rows, graph = self.by_id(), users(self.rows())
        lines = [self.cells(row, rows, graph) for row in rows.values()]
        table = self.grid(["Result", "Verdict", "Rests on", "Used by"], lines, "uses")
        for line, row in zip(table[0][-1], rows.values(), strict=True):
            line["ids"].append(f"row-{row['id']}")
        return [table]

    def cells(self, row, rows, graph):
        corrected = row.get(LISTS[1], ())
        below = series([self.walk(rows[id], id in corrected, row) for id in used(row)])
        above = series([self.walk(rows[id], row["id"] in rows[id].get(LISTS[1], ()), row) for id in graph[row["id"]]])
        cells = self.place(row), [badge(row["verdict"])], below, above
        return nodes.row("", *(self.entry(*cell) if cell else nodes.entry() for cell in cells))


def resolve(app, doctree, docname):
    """Let the page's links lead from row to row; in print they lead to the places."""
    if app.builder.format == "html":
        for reference in doctree.findall(nodes.reference):
            if reference.get("here"):
                reference["refuri"] = f"#row-{reference['claim']}"


def lighten(app, pagename, templatename, context, doctree):
    """Leave out of a thousand links from row to row the classes that nothing asks for: a tenth of the page."""
    if pagename == PAGE and "body" in context:
        context["body"] = context["body"].replace('<a class="reference internal" href="#row-', '<a href="#row-')


def setup(app):
    app.connect("doctree-resolved", resolve)  # after `claims`, which knows the places
    app.connect("html-page-context", lighten)
    load_where(app, 'class="uses-graph"', "hdp-uses.js")
    app.add_role("uses", UsesRole())
    app.add_directive("uses-graph", Graph)
    app.add_directive("uses-most", Most)
    app.add_directive("uses-falls", Falls)
    app.add_directive("uses-table", Table)
