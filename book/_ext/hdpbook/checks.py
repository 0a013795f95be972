"""Faults that Sphinx lets pass become warnings, which the build treats as failures.

Sphinx itself reports an unknown label, document, equation, citation or glue key (with ``nitpicky: true`` also a
reference into a domain).  It says nothing about

- an image without alternative text, whether written in Markdown, made by a cell or hidden in raw HTML;
- a footnote, link label or role that was never resolved and so stands in the page as its own source text;
- ``\\ref`` and ``\\eqref`` inside a formula, which the browser would show as ``???``;
- a link to a page or an anchor that does not exist, written as HTML or left behind by an edit elsewhere;
- a script, style sheet, image, frame or font that a page would load from another host.
"""

import re
from functools import cache, partial
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from docutils import nodes
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)

REMOTE = re.compile(r"(?:https?|wss?|ftp):|//", re.IGNORECASE)
REMOTE_IN_CSS = re.compile(r"(?:url\(|@import)\s*['\"]?\s*((?:https?:)?//[^'\")\s;]+)", re.IGNORECASE)
REFERENCE_IN_MATH = re.compile(r"\\(?:eq)?ref\s*\{[^}]*\}")
LEFT_OVER = re.compile(
    r"\[\^[^\]\s]+\]"  # a footnote without its text
    r"|\[[^\[\]]+\]\[[^\[\]]*\]"  # [text][label] without the label
    r"|\{(?:ref|eq|doc|numref|term|download|(?:prf|cite|glue|math):[a-z]+)\}"  # a role that lost its backticks
)
# The attributes through which an element makes the browser fetch something.
LOADING = dict.fromkeys(("audio", "embed", "iframe", "input", "script", "track"), ("src",)) | {
    "img": ("src", "srcset"), "source": ("src", "srcset"), "video": ("src", "poster"), "object": ("data",),
    "image": ("href", "xlink:href"), "use": ("href", "xlink:href"),
}  # fmt: skip
INERT_LINKS = {"alternate", "author", "canonical", "help", "index", "license", "next", "prev", "search"}


class Page(HTMLParser):
    """What a piece of HTML loads, links to, can be linked at, and shows without words."""

    def __init__(self, html):
        super().__init__()
        self.loads, self.links, self.anchors, self.wordless_images = [], [], set(), []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        said = {key: value for key, value in attrs if value}
        self.anchors.update(said[key] for key in ("id", "name") if key in said)
        self.loads += [said[key] for key in LOADING.get(tag, ()) if key in said]
        self.loads += REMOTE_IN_CSS.findall(said.get("style", ""))
        if tag == "link" and not INERT_LINKS.issuperset(said.get("rel", "").lower().split()):
            self.loads.append(said.get("href", ""))
        if tag == "a" and "href" in said:
            self.links.append(said["href"])
        if tag == "img" and not said.get("alt", "").strip():
            self.wordless_images.append(said.get("src", "")[:80])

    def handle_data(self, data):
        if self.cdata_elem == "style":
            self.loads += REMOTE_IN_CSS.findall(data)


def warn(message, location=None):
    """Log a warning; the build script runs Sphinx with -W, so that it fails the build."""
    LOGGER.warning(message, location=location, type="checks")


# -- the document tree of one page ---------------------------------------------------------------------------


def wordless_images(doctree):
    """Yield (node, name) for every image of a document tree that has no alternative text."""
    for node in doctree.findall(nodes.image):
        if not node.get("alt", "").strip():
            yield node, node["uri"]
    for node in doctree.findall(nodes.raw):
        if "html" in node.get("format", "").split():
            yield from ((node, name) for name in Page(node.astext()).wordless_images)


def unresolved_text(doctree):
    """Yield (node, text) for every reference that still stands in a page as its own source."""
    verbatim = (nodes.literal, nodes.literal_block, nodes.doctest_block, nodes.raw, nodes.comment)
    for node in doctree.findall(nodes.TextElement):
        if isinstance(node, (nodes.math, nodes.math_block)):
            yield from ((node, match) for match in REFERENCE_IN_MATH.findall(node.astext()))
        elif not isinstance(node, verbatim):
            own_text = "\0".join(child for child in node.children if isinstance(child, nodes.Text))
            yield from ((node, match) for match in LEFT_OVER.findall(own_text))


def nearest_line(node, docname):
    """Return the innermost node around `node` that knows its line, or else the page, to locate a warning."""
    while node is not None and not node.line:
        node = node.parent
    return node or docname


def check_doctree(app, doctree, docname):
    """Warn of images without alternative text and of unresolved references, at the line where they stand."""
    for node, name in wordless_images(doctree):
        warn(f"image without alternative text: {name}", nearest_line(node, docname))
    for node, text in unresolved_text(doctree):
        warn(f"unresolved reference: {text}", nearest_line(node, docname))


# -- the finished pages --------------------------------------------------------------------------------------


def file_at(folder, address):
    """Return the file to which an address leads from a folder, None where there is none."""
    target = (folder / address).resolve()
    return target if target.is_file() else None


def is_dead(folder, link, pages, outdir, file_of):
    """Whether a link of the pages in a folder leads to a file or an anchor that does not exist in the book."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return False
    target, anchor = file_of(folder, unquote(parts.path)), unquote(parts.fragment)
    if target is None or not target.is_relative_to(outdir):
        return True
    return bool(anchor) and target in pages and anchor not in pages[target].anchors


def dead_links(path, page, dead):
    """Yield the links of the page at `path` that are dead, seen from its folder or, if they name no file, in itself."""
    anchors = {"", *page.anchors}
    for link in dict.fromkeys(page.links):
        own = link[0] in "#?"
        if unquote(link.partition("#")[2]) not in anchors if own else dead(path.parent, link):
            yield link


def check_site(app, exception):
    """Warn of dead links and of everything that would be loaded from another host, in all finished pages."""
    if exception is not None or app.builder.name != "html":
        return
    outdir = Path(app.outdir).resolve()
    static = outdir / "_static"
    paths = sorted(path for path in outdir.rglob("*.html") if not path.is_relative_to(static))
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in paths}
    # A page has hundreds of links, nearly all of them those of the other pages of its folder.
    dead = cache(partial(is_dead, pages=pages, outdir=outdir, file_of=cache(file_at)))
    for path, page in pages.items():
        name = path.relative_to(outdir).as_posix()
        for address in (address for address in page.loads if REMOTE.match(address.strip())):
            warn(f"{name}: loads from another host: {address}")
        for link in dead_links(path, page, dead):
            warn(f"{name}: dead link: {link}")
    for sheet in sorted(outdir.rglob("*.css")):
        for address in REMOTE_IN_CSS.findall(sheet.read_text(encoding="utf-8")):
            warn(f"{sheet.relative_to(outdir).as_posix()}: loads from another host: {address}")


def setup(app):
    """Connect the checks to Sphinx."""
    app.connect("doctree-resolved", check_doctree)
    app.connect("build-finished", check_site)
