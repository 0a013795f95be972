"""Show what a link leads to before one follows it: an equation, the box of a theorem and its kin, an entry of the
bibliography.

Every page gets a script with its own targets as HTML (`_static/previews/<page>.js`), because a page opened from disk
may load a script but nothing else.  `hdp-preview.js` asks for it once a marked link is pointed at, so that reading
costs nothing.
"""

import json
import re
from pathlib import Path
from urllib.parse import urldefrag

from docutils import nodes

FOLDER = "_static/previews"
MARK = "hdp-preview"
START = re.compile(r'<div\b[^>]*\bid="([^"]+)"[^>]*>')
TAG = re.compile(r"<(/?)div\b[^>]*>")
# Folded citations and links to the place itself go; of other links stay the words, and no anchor stands twice.
LEFT_OUT = re.compile(
    r'<details class="cite">.*?</details>'
    r'|<a class="(?:headerlink|permalink)"[^>]*>.*?</a>'
    r"|</?a\b[^>]*>"
    r'|(?<=[\w"]) id="[^"]*"',
    re.DOTALL,
)


def targets(env):
    """The ids of all that has a preview: of equations, of boxes and, with their page, of bibliography entries."""
    equations = {f"equation-{label}" for label in env.get_domain("math").equations}
    boxes = {label for label in getattr(env, "proof_list", {}) if label}
    entries = {(cited.bibliography_key.docname, cited.citation_id) for cited in env.get_domain("cite").citations}
    return equations | boxes, entries


def mark_links(app, doctree, docname):
    """Give every link to a target its mark, in place of the title that bibliography entries have."""
    if app.builder.format != "html":
        return
    places, entries = targets(app.env)
    cited = {f"{app.builder.get_relative_uri(docname, page)}#{id}" for page, id in entries}
    for link in doctree.findall(nodes.reference):
        address = link.get("refuri") or f"#{link.get('refid')}"
        if urldefrag(address).fragment in places or address in cited:
            link["classes"].append(MARK)
            link.attributes.pop("reftitle", None)


def element(html, start):
    """The element `div` that begins at a place of well-formed HTML."""
    depth = 0
    for tag in TAG.finditer(html, start):
        depth += -1 if tag[1] else 1
        if not depth:
            return html[start : tag.end()]
    raise ValueError("a div has no end")


def previews(html, wanted):
    """The targets that a page has, by their ids."""
    found = [match for match in START.finditer(html) if match[1] in wanted]
    return {match[1]: LEFT_OUT.sub("", element(html, match.start())) for match in found}


def write(app, pagename, templatename, context, doctree):
    """Write the script of a page; load the one that shows previews."""
    if doctree is None:
        return
    places, entries = targets(app.env)
    wanted = places | {id for page, id in entries if page == pagename}
    path = Path(app.outdir, FOLDER, f"{pagename}.js")
    path.parent.mkdir(parents=True, exist_ok=True)
    shown = json.dumps(previews(context["body"], wanted), ensure_ascii=False, indent=0)
    path.write_text(f"(window.hdpPreviews ??= {{}})[{json.dumps(pagename)}] = {shown};\n", encoding="utf-8")
    app.add_js_file("hdp-preview.js", loading_method="defer")


def setup(app):
    """Register with Sphinx."""
    app.connect("doctree-resolved", mark_links, priority=800)  # after the claims have found their places
    app.connect("html-page-context", write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
