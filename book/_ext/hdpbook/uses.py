"""What rests on what: the claims that a claim uses, as its box shows them, and what falls with a wrong one.

A row of the claims names in `uses` the claims on which its verdict rests, and in `uses_corrected` those whose printed
statement is wrong and whose correct one it uses.  What falls with a wrong claim is what uses it as printed, and
what uses that.
"""

from docutils import nodes

from hdpbook.folds import fold
from hdpbook.rows import called, load

PAGE = "book/synthesis/what-rests-on-what"
LISTS = ("uses", "uses_corrected")


def used(row):
    """The ids of the claims that a row uses, as printed or corrected."""
    return [id for name in LISTS for id in row.get(name, ())]


def users(rows, names=LISTS):
    """The ids of the claims that use a claim, by its id."""
    found = {row["id"]: [] for row in rows}
    for row in rows:
        for id in (id for name in names for id in row.get(name, ())):
            found[id].append(row["id"])
    return found


def reached(graph, start):
    """All that one comes to from `start`, which is not among it, in the order in which one comes to it."""
    found, ahead = {}, list(graph[start])
    while ahead:
        id = ahead.pop(0)
        if id not in found:
            found[id] = None
            ahead += graph[id]
    return list(found)


def falling(rows, id):
    """The ids of what falls with a wrong claim, and of what uses its correct statement."""
    return reached(users(rows, LISTS[:1]), id), users(rows, LISTS[1:])[id]


def named(row, beside, source):
    """The number of a claim, with its authors where those of the claim beside it are others."""
    return row["number"] if row["paper"] == beside["paper"] else called(row, source)


def series(links):
    """Links with commas between them."""
    return [part for link in links for part in (nodes.Text(", "), link)][1:]


def link(app, docname, row, words):
    """A link to the place that settles a claim."""
    uri = app.builder.get_relative_uri(docname, "book/" + row["page"])
    anchor = "equation-" * (row["id"] in app.env.get_domain("math").equations) + row["id"]
    return nodes.reference("", words, internal=True, refuri=f"{uri}#{anchor}")


def line(app, docname, row, title, others):
    """One line of the fold: what the others are to the row, and links to them."""
    links = []
    for other in others:
        corrected = " (corrected)" * (other["id"] in row.get(LISTS[1], ()))
        links.append(link(app, docname, other, named(other, row, app.srcdir) + corrected))
    return nodes.paragraph("", "", nodes.strong("", title), nodes.Text(": "), *series(links), nodes.Text("."))


def neighbours(app, docname, row):
    """The fold of a box: what the claim rests on, and what uses it; nothing for a claim that stands alone."""
    rows = load(app.srcdir)["claims"]
    by_id = {row["id"]: row for row in rows}
    sides = {"rests on": used(row), "used by": users(rows)[row["id"]]}
    sides = {title: [by_id[id] for id in ids] for title, ids in sides.items() if ids}
    if not sides:
        return []
    said = ", ".join(f"{title} {len(others)}" for title, others in sides.items())
    lines = [line(app, docname, row, title.capitalize(), others) for title, others in sides.items()]
    if PAGE in app.env.found_docs and app.builder.format == "html":
        graph = f"{app.builder.get_relative_uri(docname, PAGE)}#row-{row['id']}"
        lines[-1] += [nodes.Text(" "), nodes.reference("", "Walk from here", internal=True, refuri=graph)]
        lines[-1] += nodes.Text(".")
    return [fold("", *lines, title=said.capitalize(), classes=["hdp-uses"])]
