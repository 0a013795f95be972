"""What rests on what: the fold of a claim's box, and the page with its numbers, its lists and its table."""

from docutils import nodes
from sphinx.util.docutils import SphinxRole

from hdpbook.claims import ClaimsDirective, badge, link, series
from hdpbook.folds import fold
from hdpbook.rows import LISTS, OWN, WRONG, authors, called, falling, load, reached, used, users

PAGE = "book/synthesis/what-rests-on-what"


def neighbours(app, docname, row):
    """The fold of a box: what the claim rests on, and what uses it; nothing for a claim that stands alone."""
    rows = {other["id"]: other for other in load(app.srcdir)["claims"]}
    sides = {"rests on": used(row), "used by": users(rows.values())[row["id"]]}
    sides = {title: [rows[id] for id in ids] for title, ids in sides.items() if ids}
    lines = []
    for title, others in sides.items():
        marks = [" (corrected)" * (other["id"] in row.get(LISTS[1], ())) for other in others]
        links = [link(o, called(o, app.srcdir, row) + mark) for o, mark in zip(others, marks, strict=True)]
        name = nodes.strong("", title.capitalize())
        lines.append(nodes.paragraph("", "", name, nodes.Text(": "), *series(links), nodes.Text(".")))
    if lines and PAGE in app.env.found_docs:
        there = f"{app.builder.get_relative_uri(docname, PAGE)}#row-{row['id']}"
        walk = nodes.reference("", "Walk from here", internal=True, refuri=there)
        lines[-1] += [nodes.Text(" "), walk, nodes.Text(".")]
    said = ", ".join(f"{title} {len(others)}" for title, others in sides.items())
    return [fold("", *lines, title=said.capitalize(), classes=["hdp-uses"])] if lines else []


def numbers(rows):
    """The numbers of the page, by the words with which it asks for them; an id asks how much rests on that claim."""
    graph, above = users(rows), {row["id"]: used(row) for row in rows}
    lost = [row["id"] for row in rows if row["verdict"] == WRONG]
    fallen = {id: falling(rows, id)[0] for id in lost}
    return {
        **{id: len(reached(graph, id)) for id in graph},
        "claims": len(rows),
        "links": sum(map(len, above.values())),
        "roots": sum(not above[id] and bool(graph[id]) for id in graph),
        "alone": sum(not above[id] and not graph[id] for id in graph),
        "wrong": len(lost),
        "falling": sum(map(bool, fallen.values())),
        "mended": sum(bool(graph[id]) and not fallen[id] for id in lost),
    }


class UsesRole(SphinxRole):
    """`{uses}`cc-lemma-1`: how many claims rest on a claim, or another number of the page."""

    def run(self):
        known = numbers(load(self.env.srcdir)["claims"])
        if self.text not in known:
            return [], [self.inliner.reporter.warning(f"uses must be an id or a number of the page, got {self.text!r}")]
        return [nodes.Text(str(known[self.text]))], []


class UsesDirective(ClaimsDirective):
    """Shared by the lists of this page: links to the rows of claims here."""

    def run(self):
        self.by_id, self.graph = {row["id"]: row for row in self.rows()}, users(self.rows())
        return [self.made()]

    def walk(self, row, corrected=False, beside=None):
        """A link that leads to the row of a claim; it may stand beside that of another one."""
        words = called(row, self.env.srcdir, beside) + " (corrected)" * corrected
        return link(row, words, refuri=f"#row-{row['id']}")


class Most(UsesDirective):
    """The claims on which most others rest; the argument says how many of them."""

    required_arguments = 1

    def made(self):
        counts = {id: (len(reached(self.graph, id)), len(users)) for id, users in self.graph.items()}
        first = sorted(counts, key=counts.get, reverse=True)[: int(self.arguments[0])]
        lines = [self.line(self.by_id[id], counts[id]) for id in first]
        return self.grid(["Result", "Verdict", "Rest on it", "Directly"], lines, "uses-most")

    def line(self, row, counts):
        cells = self.walk(row), badge(row["verdict"]), *(nodes.Text(str(count)) for count in counts)
        return nodes.row("", *map(self.entry, cells))


class Falls(UsesDirective):
    """The claims that are wrong as printed with which others fall, and these."""

    def made(self):
        items = nodes.bullet_list()
        for row in self.rows(verdict=WRONG):
            if fallen := falling(self.rows(), row["id"])[0]:
                links = series([self.walk(self.by_id[id], beside=row) for id in fallen])
                line = nodes.paragraph("", "", nodes.Text("With "), self.walk(row), nodes.Text(" falls: "), *links)
                items += nodes.list_item("", line)
        return items


class Table(UsesDirective):
    """All claims with what they use and what uses them."""

    def made(self):
        lines = [self.line(row) for row in self.rows()]
        return self.grid(["Result", "Verdict", "Rests on", "Used by"], lines, "uses")

    def line(self, row):
        rows, corrected = self.by_id, row.get(LISTS[1], ())
        below = series([self.walk(rows[id], id in corrected, row) for id in used(row)])
        above = [rows[id] for id in self.graph[row["id"]]]
        above = series([self.walk(other, row["id"] in other.get(LISTS[1], ()), row) for other in above])
        whose = "" if row["paper"] == OWN else f"{authors(row['paper'], self.env.srcdir)}, "
        cells = [nodes.Text(whose), link(row)], [badge(row["verdict"])], below, above
        entries = [self.entry(*cell) if cell else nodes.entry() for cell in cells]
        return nodes.row("", *entries, ids=[f"row-{row['id']}"])


def setup(app):
    app.add_role("uses", UsesRole())
    app.add_directive("uses-most", Most)
    app.add_directive("uses-falls", Falls)
    app.add_directive("uses-table", Table)
