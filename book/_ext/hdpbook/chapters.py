"""Which chapter a page belongs to: a chapter is a page of the table of contents with its sections."""

from pathlib import Path

from docutils import nodes
from sphinx import addnodes

from hdpbook.rows import kept, read


@kept
def _chapters(path):
    toc = read(path)
    pages = [page for part in toc.get("parts", [toc]) for page in part.get("chapters", ())]
    return {found["file"]: page["file"] for page in pages for found in (page, *page.get("sections", ()))}


def chapter_of(page, source):
    """The chapter of a page of a book in the folder `source`: its name is that of its statements, figures and tests."""
    return _chapters(Path(source, "_toc.yml")).get(page, page)


def sections_first(app, _doctree):
    """Number a chapter's sections before its own headings, which show no numbers: the first is 4.1, not 4.10."""
    for entries in app.env.tocs[app.env.docname].findall(nodes.bullet_list):
        entries.children.sort(key=lambda entry: not isinstance(entry, addnodes.toctree))


def setup(app):
    """Register it after Sphinx has collected the headings of a page."""
    app.connect("doctree-read", sections_first, priority=900)
