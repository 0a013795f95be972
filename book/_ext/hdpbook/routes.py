"""Ways through the book: how long each takes to read, and on each of its pages where that stands.

``{minutes}`The idea` `` says how long a way takes, ``{route} The idea`` lists its pages, and at the top of each page
stands what number it has; the buttons at its end follow the way, and name the part of the book into which they lead.
"""

import re
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.util.docutils import SphinxDirective, SphinxRole

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
WORDS = 200  # that are read in a minute
ALLOWANCES = {  # minutes; what of a page's source each is
    "displayed formula": (0.25, r"^(?:\$\$.|```\{math\}|assert_(?:identity|nonnegative)\()"),
    "figure": (2, r"^(?:figures\.\w+$|```\{figure-of\})"),
    "exercise": (3, r"^```\{exercise\}"),
}
HEAD = re.compile(r"\A---\n.*?\n---\n", re.S)
CELL = r"```\{(?:code-cell|solution|answer|math)\}.*?^```$|\$\$.*?\$\$$"
MARKUP = r"\([^\n]*\)=$|:[^\n]*|`{3,}[^\n]*"
LEFT_OUT = re.compile(f"^(?:{CELL}|{MARKUP})", re.S | re.M)
FORMULA = re.compile(r"(?<!\\)\$[^$]+\$")


def minutes(text):
    """How long it takes to read a page: its words, and what is allowed for each formula, figure and exercise.

    What is folded, the code, the solutions and all from what the page settles on, is left out.
    """
    text = HEAD.sub("", text)
    seen = text.partition("```{settles}")[0]
    prose = FORMULA.sub("formula", LEFT_OUT.sub("", seen))
    words = sum(any(map(str.isalnum, word)) for word in prose.split())
    return words / WORDS + sum(each * len(re.findall(what, seen, re.M)) for each, what in ALLOWANCES.values())


def pages_of(source, route):
    """The pages of a way, each with its minutes, rounded, and at least one."""
    read = ((page, Path(source, f"{page}.md").read_text(encoding="utf-8")) for page in ROUTES[route])
    return {page: max(1, round(minutes(text))) for page, text in read}


def place(page):
    """The way on which a page is, and how many of its pages come before; None if it is on none."""
    return next(((name, pages.index(page)) for name, pages in ROUTES.items() if page in pages), None)


def stated():
    """What the minutes are made of."""
    spans = [f"{each:g} for each {what}" if each >= 1 else f"{60 * each:g} seconds for each {what}"
             for what, (each, _) in ALLOWANCES.items()]  # fmt: skip
    return f"one for {WORDS} words, {', '.join(spans[:-1])}, {spans[-1]}; nothing for what is folded"


# -- on the first page ---------------------------------------------------------------------------------------


class Minutes(SphinxRole):
    """How long a way takes, or what the minutes are made of."""

    def run(self):
        if self.text == "stated":
            return [nodes.Text(stated())], []
        for page in ROUTES[self.text]:
            self.env.note_dependency(self.env.doc2path(page))
        return [nodes.Text(f"{sum(pages_of(self.env.srcdir, self.text).values())} minutes")], []


class Route(SphinxDirective):
    """The pages of a way, a link each, with its minutes."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self):
        items = nodes.enumerated_list(enumtype="arabic", prefix="", suffix=".")
        for page, long in pages_of(self.env.srcdir, self.arguments[0]).items():
            self.env.note_dependency(self.env.doc2path(page))
            where = dict(refdomain="std", reftype="doc", reftarget=f"/{page}", refdoc=self.env.docname)
            link = pending_xref("", nodes.inline(), refexplicit=False, refwarn=True, **where)
            items += nodes.list_item("", nodes.paragraph("", "", link, nodes.Text(f", {_many(long)}")))
        return [items]


def _many(count):
    return f"{count} minute{'s' if count > 1 else ''}"


# -- on its pages --------------------------------------------------------------------------------------------


def say_where(app, doctree, docname):
    """Put the line below the title; print, where pages follow each other, has none."""
    found = place(docname) if app.builder.format == "html" else None
    if found is None:
        return
    name, before = found
    pages = list(ROUTES[name])
    long = pages_of(app.srcdir, name)[docname]
    said = f"{name}, page {before + 1} of {len(pages)}, {_many(long)}; "
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
    app.add_role("minutes", Minutes())
    app.add_directive("route", Route)
    app.connect("doctree-resolved", say_where)
    app.connect("html-page-context", follow, priority=800)
