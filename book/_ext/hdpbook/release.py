"""Which version of the book this is, and what a page says of itself to those who list or share it.

Every page ends with its version and commit, and has a description: its first sentence in bold type, or else its first
sentence.  A preview picture needs the address of the site, so pages have one only where that is known (HDP_BASEURL).
Copies of older versions lie under ``v/<version>/``; `hdp-page.js` says so on top of them.
"""

import re
import subprocess
from html import escape

from docutils import nodes

from hdpbook.cite import Book
from hdpbook.site import carry

FIRST_SENTENCE = re.compile(r"(.+?[.?!])(\s|$)", re.DOTALL)
PICTURE = "social.png"


def commit(source):
    """The commit of the checkout, or nothing where it is none."""
    command = ["git", "-C", str(source), "rev-parse", "--short=10", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def description(doctree):
    """The first sentence in bold type of a page, or the first sentence of its first paragraph; words only."""
    if doctree is None:
        return ""
    for paragraph in doctree.findall(nodes.paragraph):
        strong = next(iter(paragraph.children), None)
        if isinstance(strong, nodes.strong) and strong.astext().rstrip().endswith("."):
            return " ".join(strong.astext().split())
    for section in doctree.findall(nodes.section):
        for paragraph in (node for node in section.children if isinstance(node, nodes.paragraph)):
            text = " ".join(paragraph.astext().split())
            found = FIRST_SENTENCE.match(text)
            return found[1] if found else text
    return ""


def tags(title, text, address, page):
    """The elements for the head of a page."""
    said = {
        "name": {"description": text},
        "property": {"og:title": title, "og:description": text, "og:type": "article"},
    }
    if address:
        said["property"] |= {"og:url": f"{address}{page}.html", "og:image": f"{address}_static/{PICTURE}"}
        said["name"]["twitter:card"] = "summary_large_image"
    return "\n".join(
        f'<meta {kind}="{name}" content="{escape(content)}">'
        for kind, names in said.items()
        for name, content in names.items()
        if content
    )


def add_tags(app, pagename, templatename, context, doctree):
    """Give a page its description and its preview; where the text says nothing, as in a search, the book's title."""
    title = re.sub(r"<[^>]*>", "", context.get("title") or app.config.project)
    text = description(doctree) or Book.read(app.srcdir).title
    context["metatags"] = context.get("metatags", "") + "\n" + tags(title, text, app.config.html_baseurl, pagename)


def say_version(app, config):
    """Put version and commit at the foot of every page; the commit is a link where there is a repository."""
    version, short = Book.read(app.srcdir).version, commit(app.srcdir)
    made = escape(short)
    if short and config.hdp_repository:
        made = f'<a href="{config.hdp_repository}/commit/{made}">{made}</a>'
    said = f"Version {escape(version)}" + (f", commit {made}" if short else "")
    config.html_theme_options = config.html_theme_options | {
        "extra_footer": f'<p class="hdp-version" data-version="{escape(version)}">{said}</p>'
    }


def draw_preview(app, folder):
    """The picture of the first page, in the size that previews have, where the address of the site is known."""
    if app.config.html_baseurl:
        from hdp.explore import picture
        from hdp.figures.foundations.what_epsilon_feels_like import vessels

        (folder / PICTURE).write_bytes(picture.preview(vessels))


def setup(app):
    app.connect("config-inited", say_version)
    carry(app, "social", draw_preview)
    app.connect("html-page-context", add_tags)
