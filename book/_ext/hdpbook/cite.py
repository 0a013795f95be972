"""BibTeX for the book, for each page and for each result, a file with all; and what a result's box says of its claim.

The address of the published book is known only where it is published: the publishing workflow states it as the
environment variable HDP_BASEURL (or `_config.yml` as `html: baseurl`).  Without it an entry names the page instead.
"""

import os
import re
from html import escape
from itertools import islice, takewhile
from pathlib import Path

from docutils import nodes
from sphinx.errors import ConfigError
from sphinx.util.docutils import SphinxDirective

from hdpbook.claims import anchor_of, badge, cite_here, place_of
from hdpbook.page import browser_only, citation_file
from hdpbook.rows import DIFFER, OWN, announcement, authors, conference_number, load, names, paper_entry
from hdpbook.uses import neighbours

FILE = "hdp-book.bib"  # of all entries
LATER_WORK = "book/synthesis/later-work"
FOLD = (
    '<details class="cite"><summary>{title}</summary>'
    '<div class="highlight-bibtex notranslate"><div class="highlight"><pre>{bibtex}</pre></div></div></details>\n'
)
PERMALINK = '<a class="permalink" href="#{target}" title="{label}" aria-label="{label}">¶</a>'


def bibtex(app, key=(), title="", place="", note=""):
    """A BibTeX entry for the part of the book at `place` (a path with an anchor), or for all of it."""
    book, address = citation_file(app.srcdir), app.config.html_baseurl
    year, whole = book["date-released"].year, tex(book["title"])
    where = f"Executable book, version {book['version']}"
    fields = {
        "author": " and ".join(f"{{{author['name']}}}" for author in book["authors"]),
        "title": f"{{{title}, in: {whole}}}" if title else f"{{{whole}}}",
        "year": year,
        "version": book["version"],
        "howpublished": where if address or not place else f"{where}, {tex(place)}",
        "url": address + place if address else "",
        "note": note,
    }
    lines = [f"  {name:<12} = {{{value}}}" for name, value in fields.items() if value]
    return f"@misc{{{'-'.join([f'hdp{year}', *key])},\n" + ",\n".join(lines) + "\n}"


def tex(text):
    """Plain text as TeX, its formulas as they are."""
    return re.sub(r"(\$[^$]+\$)|([&%#_$])", lambda found: found[1] or f"\\{found[2]}", text)


def tex_of(node):
    """The text of a node as TeX, with its formulas."""
    if isinstance(node, nodes.math):
        return f"${node.astext()}$"
    return tex(node.astext()) if isinstance(node, nodes.Text) else "".join(map(tex_of, node.children))


def result_note(row, source):
    """Where a claim comes from, so that one finds it, and what the book says of it."""
    verdict = ", ".join(filter(None, (row["verdict"], tex(announcement(row, source)))))
    if row["paper"] == OWN:
        return f"A result of the book itself; verdict: {verdict}"
    entry = paper_entry(row["paper"], source)
    identifier = f"doi:{entry.fields['doi']}" if "doi" in entry.fields else f"arXiv:{entry.fields['eprint']}"
    paper = f"{names(entry, 'and')} ({entry.fields['year']}, {tex(identifier)}, key {entry.key})"
    also = f", {tex(conference_number(row))} of the conference version" if row.get("conference") else ""
    return f"{tex(row['number'])} of {paper}{also}; verdict on it: {verdict}"


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


def bibtex_of(app, row):
    """The entry of a result, which names its place."""
    title, note = tex(row["number"]), result_note(row, app.srcdir)
    if row["paper"] != OWN:
        title += f" of {authors(row['paper'], app.srcdir, last='and')}"
    place = f"book/{row['page']}.html#{anchor_of(app.env, row['id'])}"
    return bibtex(app, [row["id"]], title, place, note)


def cite_results(app, doctree, docname):
    """Say at the place of every claim what the book says of it, and fill the citations of a table of claims."""
    rows = {row["id"]: row for row in load(app.srcdir)["claims"]}
    for part in list(doctree.findall(nodes.Element)):
        for id in sorted(labels(part) & rows.keys()):
            if f"book/{rows[id]['page']}" == docname and rows[id]["verdict"] != "not treated":
                put(part, said_of(app, docname, rows[id], boxed="realtype" in part), rows)
        if isinstance(part, cite_here):
            part.replace_self(cite_fold("Cite", bibtex_of(app, rows[part["row"]])))


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


def said_of(app, docname, row, boxed):
    """The line of a claim, and folds: what it rests on and what uses it, its citation."""
    line = footer(app, docname, row, anchor_of(app.env, row["id"]), boxed)
    parts = [line, *neighbours(app, docname, row), cite_fold("Cite", bibtex_of(app, row))]
    return nodes.container("", *parts, classes=["claim-place"])


def cite_page(app, doctree, docname):
    """End a page with a fold that cites it; the first page cites the book."""
    title = next(doctree.findall(nodes.title), None)
    if title is None:
        return
    if docname == app.config.root_doc:
        title.parent += cite_fold("Cite this book", bibtex(app))
    else:
        key = docname.removeprefix("book/").split("/")
        title.parent += cite_fold("Cite this page", bibtex(app, key, tex_of(title), f"{docname}.html"))


def cite_fold(title, entry):
    """A fold that needs no script; the theme's copy button finds the text in it."""
    return browser_only(html=FOLD.format(title=title, bibtex=escape(entry, quote=False)))


def entries(app):
    """Title and BibTeX of the book, of the papers as the bibliography has them, and of every result."""
    claims = load(app.srcdir)
    yield "The book", bibtex(app)
    for tag in claims["papers"]:
        entry = paper_entry(tag, app.srcdir)
        yield f"{names(entry)} ({entry.fields['year']})", entry.to_string("bibtex").strip()
    for row in claims["claims"]:
        if row["page"] and row["verdict"] != "not treated":
            yield row["id"], bibtex_of(app, row)


class AllCitations(SphinxDirective):
    """A file with all entries, and the entries of the book and of its papers to copy."""

    def run(self):
        link = f'<a href="{"../" * self.env.docname.count("/")}_static/{FILE}">{FILE}</a>'
        shown = [nodes.raw("", f"<p>{link}: the book, the papers and every result.</p>", format="html")]
        for title, entry in islice(entries(self.env.app), 1 + len(load(self.env.srcdir)["papers"])):
            shown.append(nodes.paragraph("", "", nodes.strong("", title)))
            shown.append(nodes.literal_block(entry, entry, language="bibtex"))
        return shown


def write_file(app, exception):
    """Write all entries, once it is known which places are equations."""
    if exception is None and app.builder.name == "html":
        text = "\n\n".join(entry for _, entry in entries(app)) + "\n"
        Path(app.outdir, "_static", FILE).write_text(text, encoding="utf-8")


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
    app.add_directive("all-citations", AllCitations)
    app.connect("build-finished", write_file)
    app.connect("doctree-resolved", cite_results, priority=400)  # before the links that it makes are resolved
    app.connect("doctree-resolved", cite_page)
    app.connect("html-page-context", mend_bibliography, priority=600)  # after `previews`
