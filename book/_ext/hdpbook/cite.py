"""BibTeX for the book, for each page and for each result; and what a result's box says of its claim.

The address of the published book is known only where it is published: the publishing workflow states it as the
environment variable HDP_BASEURL (or `_config.yml` as `html: baseurl`).  Without it an entry names the page instead.
"""

import os
import re
from dataclasses import dataclass
from html import escape
from pathlib import Path

import yaml
from docutils import nodes
from sphinx.errors import ConfigError

from hdpbook.claims import badge
from hdpbook.rows import OWN, announcement, authors, conference_number, load, paper_entry
from hdpbook.site import browser_only
from hdpbook.uses import neighbours

CLAIMS_PAGE = "book/synthesis/claims"
LATER_WORK = "book/synthesis/later-work"
FOLD = (
    '<details class="cite"><summary>{title}</summary>'
    '<div class="highlight-bibtex notranslate"><div class="highlight"><pre>{bibtex}</pre></div></div></details>\n'
)
PERMALINK = '<a class="permalink" href="#{target}" title="{label}" aria-label="{label}">¶</a>'


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
    """Plain text as TeX."""
    return re.sub(r"([&%#_$])", r"\\\1", text)


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


def footer(app, docname, row):
    """The line under a result: its verdict, its number in the paper, a link to this very place.

    The verdict *refuted* stands in the box itself, beside the printed statement that it judges.
    """
    name = f"{authors(row['paper'], app.srcdir)}, {row['number']}"
    line = nodes.paragraph("", classes=["claim-line"])
    if row["verdict"] != "refuted":
        line += [badge(row["verdict"]), nodes.Text(" ")]
    if said := announcement(row, app.srcdir):
        line += [*linked(app, docname, LATER_WORK, said), nodes.Text(" – ")]
    line += linked(app, docname, CLAIMS_PAGE, name, f"#row-{row['id']}")
    if conference := conference_number(row):
        line += nodes.Text(f" (conference: {conference})")
    line += [nodes.Text(" "), browser_only(html=PERMALINK.format(target=row["id"], label=escape(f"Link to {name}")))]
    return line


def linked(app, docname, page, words, anchor=""):
    """Words that lead to a page of the synthesis, which a small book of one's own may lack."""
    if page not in app.env.found_docs:
        return [nodes.Text(words)]
    uri = app.builder.get_relative_uri(docname, page) + anchor
    return [nodes.reference("", words, internal=True, refuri=uri)]


def bibtex_of(app, book, docname, row):
    """The entry of a result, which names its box."""
    place, note = f"{docname}.html#{row['id']}", result_note(row, app.srcdir)
    return book.entry([row["id"]], result_title(row, app.srcdir), place, app.config.html_baseurl, note)


def cite_results(app, doctree, docname):
    """Give every box whose label is a claim's id its footer, what it rests on and what uses it, and its citation."""
    book = Book.read(app.srcdir)
    rows = {row["id"]: row for row in load(app.srcdir)["claims"]}
    for box in list(doctree.findall(lambda node: isinstance(node, nodes.Element) and "realtype" in node)):
        if row := rows.get(box["label"]):
            bibtex = bibtex_of(app, book, docname, row)
            box += [footer(app, docname, row), *neighbours(app, docname, row), cite_fold(title="Cite", bibtex=bibtex)]


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
