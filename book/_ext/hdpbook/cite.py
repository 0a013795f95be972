"""BibTeX for the book, for each page and for each result; and what a result's box says of its claim.

The address of the published book is known only where it is published: the publishing workflow states it as the
environment variable HDP_BASEURL (or `_config.yml` as `html: baseurl`).  Without it an entry names the page instead.
"""

import os
import re
from dataclasses import dataclass
from html import escape
from itertools import takewhile
from pathlib import Path

import yaml
from docutils import nodes
from sphinx.errors import ConfigError

from hdpbook.claims import badge, place_of
from hdpbook.rows import DIFFER, OWN, announcement, authors, conference_number, load, paper_entry
from hdpbook.site import browser_only
from hdpbook.uses import neighbours

LATER_WORK = "book/synthesis/later-work"
FOLD = (
    '<details class="cite"><summary>{title}</summary>'
    '<div class="highlight-bibtex notranslate"><div class="highlight"><pre>{bibtex}</pre></div></div></details>\n'
)
PERMALINK = '<a class="permalink" href="#{target}" title="{label}" aria-label="{label}">¶</a>'


class cite_here(nodes.General, nodes.Element):
    """Where the citation of the claim `row` goes."""


@dataclass(frozen=True)
class Book:
    """What CITATION.cff says of the book."""

    title: str
    author: str
    year: int
    version: str

    @classmethod
    def read(cls, source):
        """The book whose root is the folder `source`."""
        said = yaml.safe_load((Path(source) / "CITATION.cff").read_text(encoding="utf-8"))
        author = " and ".join(f"{{{author['name']}}}" for author in said["authors"])
        return cls(said["title"], author, said["date-released"].year, said["version"])

    def entry(self, key, title, place, address, note=""):
        """A BibTeX entry for the part of the book at `place` (a path with an anchor), or for all of it."""
        where = f"Executable book, version {self.version}"
        fields = {
            "author": self.author,
            "title": f"{{{title}, in: {tex(self.title)}}}" if title else f"{{{tex(self.title)}}}",
            "year": self.year,
            "version": self.version,
            "howpublished": where if address or not place else f"{where}, {tex(place)}",
            "url": address + place if address else "",
            "note": note,
        }
        lines = [f"  {name:<12} = {{{value}}}" for name, value in fields.items() if value]
        return f"@misc{{{'-'.join([f'hdp{self.year}', *key])},\n" + ",\n".join(lines) + "\n}"


def tex(text):
    """Plain text as TeX, its formulas as they are."""
    return re.sub(r"(\$[^$]+\$)|([&%#_$])", lambda found: found[1] or f"\\{found[2]}", text)


def tex_of(node):
    """The text of a node as TeX, with its formulas."""
    if isinstance(node, nodes.math):
        return f"${node.astext()}$"
    return tex(node.astext()) if isinstance(node, nodes.Text) else "".join(map(tex_of, node.children))


def published_paper(paper, source):
    """The paper of a claim, so that one finds it: authors, year, identifier, key in the bibliography."""
    entry = paper_entry(paper, source)
    fields = entry.fields
    identifier = f"doi:{fields['doi']}" if "doi" in fields else f"arXiv:{fields['eprint']}"
    return f"{authors(paper, source, last='and')} ({fields['year']}, {tex(identifier)}, key {entry.key})"


def result_title(row, source):
    """A claim in words, by the paper's number."""
    number = tex(row["number"])
    return number if row["paper"] == OWN else f"{number} of {authors(row['paper'], source, last='and')}"


def result_note(row, source):
    """Where a claim comes from, and what the book says of it."""
    verdict = ", ".join(filter(None, (row["verdict"], tex(announcement(row, source)))))
    if row["paper"] == OWN:
        return f"A result of the book itself; verdict: {verdict}"
    also = f", {tex(conference_number(row))} of the conference version" if row.get("conference") else ""
    origin = f"{tex(row['number'])} of {published_paper(row['paper'], source)}{also}"
    return f"{origin}; verdict on it: {verdict}"


def footer(app, docname, row, anchor, boxed):
    """The line under a result: its verdict, its number in the paper, a link to this very place.

    In a box a verdict on what is printed stands beside that.
    """
    name = f"{authors(row['paper'], app.srcdir)}, {row['number']}"
    line = nodes.paragraph("", classes=["claim-line"])
    if row["verdict"] not in DIFFER or not boxed:
        line += [badge(row["verdict"]), nodes.Text(" ")]
    if said := announcement(row, app.srcdir):
        line += [*linked(app, docname, LATER_WORK, said), nodes.Text(" – ")]
    line += linked(app, docname, place_of(app.env, row["paper"])[0], name, f"#row-{row['id']}")
    if conference := conference_number(row):
        line += nodes.Text(f" (conference: {conference})")
    line += [nodes.Text(" "), browser_only(html=PERMALINK.format(target=anchor, label=escape(f"Link to {name}")))]
    return line


def linked(app, docname, page, words, anchor=""):
    """Words that lead to a page of the synthesis, which a small book of one's own may lack."""
    if page not in app.env.found_docs:
        return [nodes.Text(words)]
    uri = app.builder.get_relative_uri(docname, page) + anchor
    return [nodes.reference("", words, internal=True, refuri=uri)]


def bibtex_of(app, book, docname, row):
    """The entry of a result, which names its place."""
    place, note = f"{docname}.html#{anchor_of(app.env, row)}", result_note(row, app.srcdir)
    return book.entry([row["id"]], result_title(row, app.srcdir), place, app.config.html_baseurl, note)


def anchor_of(env, row):
    """The anchor of the place that settles a claim."""
    return "equation-" * (row["id"] in env.get_domain("math").equations) + row["id"]


def cite_results(app, doctree, docname):
    """Say at the place of every claim what the book says of it, and fill the citations of a table of claims."""
    book = Book.read(app.srcdir)
    rows = {row["id"]: row for row in load(app.srcdir)["claims"]}
    for part in list(doctree.findall(lambda node: isinstance(node, nodes.Element))):
        for id in labels(part) & rows.keys():
            if f"book/{rows[id]['page']}" == docname and rows[id]["verdict"] != "not treated":
                put(part, said_of(app, book, docname, rows[id], boxed="realtype" in part), rows)
        if isinstance(part, cite_here):
            row = rows[part["row"]]
            bibtex = bibtex_of(app, book, f"book/{row['page']}", row)
            part.replace_self(cite_fold(title="Cite", bibtex=bibtex))


def labels(part):
    """What a box, a displayed equation or any other part of a page is called."""
    if "realtype" in part or isinstance(part, nodes.math_block):
        return {part.get("label")}
    return set() if isinstance(part, nodes.target) else set(part["ids"])


def put(part, said, claims):
    """In a box last, in a section under its title, else behind."""
    if "realtype" in part:
        part += said
    elif isinstance(part, nodes.section):
        part.insert(1, said)
    else:
        part.parent.insert(part.parent.index(last_of(part, claims) if shown(part) else part) + 1, said)


def last_of(part, claims):
    """Of displayed equations that follow each other and belong to one claim, the last."""
    following = part.parent.children[part.parent.index(part) :]
    own = takewhile(lambda node: node is part or (shown(node) and node.get("label") not in claims), following)
    return [node for node in own if not isinstance(node, nodes.target)][-1]


def shown(node):
    """Whether it is a displayed equation, or its target."""
    return isinstance(node, nodes.math_block | nodes.target)


def said_of(app, book, docname, row, boxed):
    """The line of a claim, and folds: what it rests on and what uses it, its citation."""
    line = footer(app, docname, row, anchor_of(app.env, row), boxed)
    cite = cite_fold(title="Cite", bibtex=bibtex_of(app, book, docname, row))
    parts = [line, *neighbours(app, docname, row), cite]
    return nodes.container("", *parts, classes=["claim-place"])


def cite_page(app, doctree, docname):
    """End a page with a fold that cites it; the first page cites the book."""
    book = Book.read(app.srcdir)
    title = next(doctree.findall(nodes.title), None)
    if title is None:
        return
    if docname == app.config.root_doc:
        fold = cite_fold(title="Cite this book", bibtex=book.entry([], "", "", app.config.html_baseurl))
    else:
        key = docname.removeprefix("book/").split("/")
        bibtex = book.entry(key, tex_of(title), f"{docname}.html", app.config.html_baseurl)
        fold = cite_fold(title="Cite this page", bibtex=bibtex)
    title.parent += fold


def cite_fold(title, bibtex):
    """A fold that needs no script; the theme's copy button finds the text in it."""
    return browser_only(html=FOLD.format(title=title, bibtex=escape(bibtex, quote=False)))


def mend_bibliography(app, pagename, templatename, context, doctree):
    """Say that entries are items of their list: for a screen reader, docutils' deprecated role is not allowed there."""
    if body := context.get("body"):
        context["body"] = body.replace('role="doc-biblioentry"', 'role="listitem"')


def set_address(app, config):
    """Take the address of the published book from the environment."""
    address = os.environ.get("HDP_BASEURL") or config.html_baseurl
    if address and not re.fullmatch(r"https?://[^\s{}\\]+", address):
        raise ConfigError(f"HDP_BASEURL (or html: baseurl) must be empty or an http or https address, got {address!r}")
    config.html_baseurl = address and address.rstrip("/") + "/"


def setup(app):
    app.connect("config-inited", set_address)
    app.connect("doctree-resolved", cite_results)
    app.connect("doctree-resolved", cite_page)
    app.connect("html-page-context", mend_bibliography, priority=600)  # after `previews`
