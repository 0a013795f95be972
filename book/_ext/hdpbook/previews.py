"""Show what a link leads to before one follows it: an equation, the box of a theorem and its kin, an entry of the
bibliography; of a claim that stands elsewhere, its statement and verdict; of an acronym, what it stands for.

Every page gets a script with its own targets as HTML (`_static/previews/<page>.js`), because a page opened from disk
may load a script but nothing else.  `hdp-preview.js` asks for it once a marked link is pointed at, so that reading
costs nothing.
"""

import json
import re
from html import escape
from pathlib import Path
from urllib.parse import urldefrag

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from hdpbook.rows import called, load

FOLDER = "_static/previews"
MARK = "hdp-preview"
START = re.compile(r'<div\b[^>]*\bid="([^"]+)"[^>]*>')
TAG = re.compile(r"<(/?)div\b[^>]*>")
# Folded citations and links to the place itself go; of other links stay the words, and no anchor stands twice.
LEFT_OUT = re.compile(
    r'<details class="(?:cite|hdp-fold hdp-uses)">.*?</details>'
    r'|<a class="(?:headerlink|permalink)"[^>]*>.*?</a>'
    r"|</?a\b[^>]*>"
    r'|(?<=[\w"]) id="[^"]*"',
    re.DOTALL,
)
FORMULA = r'<span class="math notranslate nohighlight">\\(\1\\)</span>'
STATEMENT = """\
<div class="claim-preview"><p><strong>{name}</strong> <span class="verdict verdict-{kind}">{verdict}</span></p>
<p>{statement}</p></div>"""

MEANING = {
    "ADPM": "affine differentially private mean, Algorithm 1 of Chaudhuri & Courtade",
    "PropDPM": "proportional DP: weights proportional to the budgets",
    "LDPE": "local differentially private estimator: noise is added to the mean of each group",
    "SM": "sampling mechanism: users are kept with a probability that depends on their budget",
    "FME": "the method of Fallah, Makhdoumi, Malekian and Ozdaglar (2022), as Chaudhuri & Courtade compare with it",
    "UNI": "uniform: the strictest budget is enforced for all",
    "TCM": "trusted-curator model: the server sees the data and adds the noise",
    "LM": "local model: every user adds noise before she sends her value",
    "KVH": "known-variance hybrid estimator",
    "PWH": "privacy-weighted hybrid estimator",
}
WORD = re.compile(rf"\b({'|'.join(MEANING)})\b")
NOT_IN = (nodes.literal, nodes.literal_block, nodes.title, nodes.reference, nodes.abbreviation, nodes.math, nodes.raw)


def targets(env):
    """The ids of all that has a preview: of equations, of boxes and, with their page, of bibliography entries."""
    equations = {f"equation-{label}" for label in env.get_domain("math").equations}
    boxes = {label for label in getattr(env, "proof_list", {}) if label}
    entries = {(cited.bibliography_key.docname, cited.citation_id) for cited in env.get_domain("cite").citations}
    return equations | boxes, entries


def elsewhere(env):
    """The rows of the claims that stand neither at an equation nor in a box, by their ids."""
    places, _ = targets(env)
    rows = load(env.srcdir)["claims"]
    return {row["id"]: row for row in rows if not {row["id"], f"equation-{row['id']}"} & places}


def statement(row, source):
    """The statement of a claim as HTML, its formulas as MathJax reads them."""
    said = re.sub(r"\$([^$]*)\$", FORMULA, escape(row["statement"]))
    said = re.sub("`([^`]*)`", r"<code>\1</code>", said)
    kind = row["verdict"].replace(" ", "-")
    return STATEMENT.format(name=escape(called(row, source)), kind=kind, verdict=row["verdict"], statement=said)


def mark_links(app, doctree, docname):
    """Give every link to a target its mark, in place of the title that bibliography entries have."""
    if app.builder.format != "html":
        return
    places, entries = targets(app.env)
    places |= elsewhere(app.env).keys()
    cited = {f"{app.builder.get_relative_uri(docname, page)}#{id}" for page, id in entries}
    for link in doctree.findall(nodes.reference):
        address = link.get("refuri") or f"#{link.get('refid')}"
        if urldefrag(address).fragment in places or address in cited:
            link["classes"].append(MARK)
            link.attributes.pop("reftitle", None)


def element(html, start):
    """The element `div` that begins at a place of well-formed HTML; a parser would take seconds for the book."""
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
    claims = [row for row in elsewhere(app.env).values() if f"book/{row['page']}" == pagename]
    path = Path(app.outdir, FOLDER, f"{pagename}.js")
    path.parent.mkdir(parents=True, exist_ok=True)
    found = previews(context["body"], wanted) | {row["id"]: statement(row, app.srcdir) for row in claims}
    shown = json.dumps(found, ensure_ascii=False, indent=0)
    path.write_text(f"(window.hdpPreviews ??= {{}})[{json.dumps(pagename)}] = {shown};\n", encoding="utf-8")
    app.add_js_file("hdp-preview.js", loading_method="defer")


class Acronyms(SphinxPostTransform):
    """Wrap every acronym of the text in `<abbr>`, but for those in code, headings, links and formulas."""

    default_priority = 700
    formats = ("html",)

    def run(self, **kwargs):
        """Change the resolved document."""
        for text in list(self.document.findall(nodes.Text)):
            if WORD.search(text) and not inside(text):
                words = filter(None, WORD.split(text.astext()))
                text.parent.replace(text, [
                    nodes.abbreviation(word, word, explanation=MEANING[word]) if word in MEANING else nodes.Text(word)
                    for word in words
                ])  # fmt: skip


def inside(node):
    """Whether a node belongs to something in which acronyms stay as they are."""
    return node.parent is not None and (isinstance(node.parent, NOT_IN) or inside(node.parent))


def setup(app):
    app.add_post_transform(Acronyms)
    app.connect("doctree-resolved", mark_links, priority=800)  # after the claims have found their places
    app.connect("html-page-context", write)
