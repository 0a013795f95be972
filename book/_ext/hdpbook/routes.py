"""Ways through the book: `{route} The idea` lists the pages of one, and on each of them stands what number it has.

The buttons at a page's end follow its way, and name the part of the book into which they lead.
"""

from html import escape

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.util.docutils import SphinxDirective

from hdpbook.chapters import part_of
from hdpbook.rows import OWN, load
from hdpbook.site import browser_only

ROUTES = {
    "The idea": (
        "book/foundations/what-epsilon-feels-like",
        "book/foundations/privacy",
        "book/foundations/one-lemma",
        "book/heterogeneous-budgets/upper-bound",
        "book/heterogeneous-budgets/optimal-weights",
    ),
    "My data": ("book/use/install", "book/use/your-users", "book/use/real-release"),
}


def place(page):
    """The way on which a page is, and how many of its pages come before; None if it is on none."""
    return next(((name, pages.index(page)) for name, pages in ROUTES.items() if page in pages), None)


class Route(SphinxDirective):
    """The pages of a way, a link each."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self):
        items = nodes.enumerated_list(enumtype="arabic", prefix="", suffix=".")
        for page in ROUTES[self.arguments[0]]:
            where = dict(refdomain="std", reftype="doc", reftarget=f"/{page}", refdoc=self.env.docname)
            link = pending_xref("", nodes.inline(), refexplicit=False, refwarn=True, **where)
            items += nodes.list_item("", nodes.paragraph("", "", link))
        return [items]


# -- on its pages --------------------------------------------------------------------------------------------


def say_where(app, doctree, docname):
    """Put the line below the title."""
    found = place(docname) if app.builder.format == "html" else None
    if found is None:
        return
    name, before = found
    pages = list(ROUTES[name])
    said = f"{name}, page {before + 1} of {len(pages)}; "
    if before + 1 < len(pages):
        address = app.builder.get_relative_uri(docname, pages[before + 1])
        said += f'next: <a href="{escape(address)}">{escape(app.env.titles[pages[before + 1]].astext())}</a>.'
    else:
        said += "the last."
    title = next(doctree.findall(nodes.title))
    title.parent.insert(title.parent.index(title) + 1, browser_only(html=f'<p class="hdp-route">{said}</p>'))


def own(source, page):
    """Whether all that a page settles is the book's own."""
    papers = {row["paper"] for row in load(source)["claims"] if f"book/{row['page']}" == page}
    return papers == {OWN}


def announced(source, here, there):
    """What a button says before the title of the page to which it leads, if that is not the next of the same kind."""
    part = part_of(there, source)
    if part != part_of(here, source):
        return part
    return "Beyond the paper" if "(" in (part or "") and own(source, there) and not own(source, here) else None


def follow(app, pagename, templatename, context, doctree):
    """Lead the buttons along the way, and have them name the part into which they lead."""
    if pagename not in app.env.titles:
        return
    way, at = ROUTES.get((place(pagename) or [None])[0], ()), (place(pagename) or [None, 0])[1]
    neighbours = {"prev": way[at - 1] if way and at else None, "next": way[at + 1] if at + 1 < len(way) else None}
    for button, page in neighbours.items():
        if page:
            title = app.builder.render_partial(app.env.titles[page])["title"]
            context[button] = {"link": app.builder.get_relative_uri(pagename, page), "title": title}
        elif context.get(button):
            page = _named(app, pagename, context[button]["link"])
            said = page and announced(app.srcdir, pagename, page)
            if said:
                context[f"{button}_title"] = f"<em>{escape(said)}:</em> {context[button]['title']}"


def _named(app, here, link):
    """The page to which a relative link of a page leads."""
    relations = {app.builder.get_relative_uri(here, page): page for page in app.env.titles}
    return relations.get(link)


def setup(app):
    app.add_directive("route", Route)
    app.connect("doctree-resolved", say_where)
    app.connect("html-page-context", follow, priority=800)
