"""Give the cells of a page buttons that run them in the reader's browser, and every page a policy that keeps it there.

`book/_tools/kernel.py` makes the kernel and says where its files come from; the pages get its name and a small script,
which loads the rest at the first click.  Pages without code have none of it.
"""

import json
import shutil
import sys
from importlib import import_module
from pathlib import Path

from docutils import nodes
from myst_nb.ext.glue.roles import PasteTextRole
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

TOOLS = Path(__file__).resolve().parents[2] / "_tools"
MARKS = 'class="cell_input', 'class="hdp-users'
# A cell of the reader's own, in the markup of all others; hdp-playground.js adds the examples of the page.
PLAYGROUND = """\
<p class="hdp-without">Without scripts, or in a copy of the book that was built without Python, nothing runs here:
the examples below run wherever the library is installed.</p>
<div class="hdp-playground"><div class="cell docutils container"><div class="cell_input docutils container">
<div class="highlight-ipython3 notranslate"><div class="highlight"><pre>import numpy as np
from hdp import ADPM

</pre></div></div></div></div></div>
"""
# What the first page reads is the machine that builds the book; the others need OpenDP, which no page has.
ELSEWHERE = ("book/reference/build", "book/use/real-release", "book/use/no-interval")

# No other host.  Vega and Pyodide compile what they run; a page from disk has no origin, so its scheme is named.
HERE = "'self' file: data: blob:"
POLICY = (
    f"default-src {HERE}; script-src {HERE} 'unsafe-inline' 'unsafe-eval'; style-src {HERE} 'unsafe-inline'; "
    "object-src 'none'; base-uri 'self' file:"
)


class Playground(SphinxDirective):
    """`{playground}`: an empty cell, and a line for those who cannot run it."""

    def run(self):
        return [nodes.raw("", PLAYGROUND, format="html")]


class Glued(PasteTextRole):
    """`{glue:text}`, with the name in a class: where a changed cell gives another number, the page says so."""

    def run(self):
        made, messages = super().run()
        for node in made:
            node["classes"].append("hdp-glued-" + self.text.replace("_", "-"))
        return made, messages


def tool():
    """Return the module that makes the kernel."""
    if str(TOOLS) not in sys.path:
        sys.path.append(str(TOOLS))
    return import_module("kernel")


def make_kernel(app, config):
    """Make the kernel; its name is a setting, so that another one means that every page is written again."""
    try:
        config.hdp_kernel = tool().make(target(app))
    except (tool().Missing, tool().Wrong) as reason:
        raise ExtensionError(f"the kernel of the pages cannot be made: {reason}") from None


def target(app):
    """Return the folder in which the kernel is made."""
    return Path(app.outdir).parent / "kernel"


def place_kernel(app):
    """Have Sphinx copy the kernel, and remove those of earlier builds."""
    for old in Path(app.outdir, "_static").glob("kernel-*"):
        if old.name != app.config.hdp_kernel:
            shutil.rmtree(old)
    if app.config.hdp_kernel:
        app.config.html_static_path.append(str(target(app)))


def add_script(app, pagename, templatename, context, doctree):
    """Load the buttons where there is code or a form that asks Python, and let no page ask another host."""
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
    context["metatags"] = policy + context.get("metatags", "")
    body = context.get("body") or ""
    if app.config.hdp_kernel and pagename not in ELSEWHERE and any(mark in body for mark in MARKS):
        app.add_js_file("hdp-run.js", loading_method="defer", **{"data-kernel": app.config.hdp_kernel})


def write_values(app, error):
    """Write what the cells of each page hand to its text: the kernel compares it with what it computes."""
    if error or not app.config.hdp_kernel or app.builder.format != "html":
        return
    values, folder = {}, Path(app.outdir).parent / "jupyter_execute"
    for page in sorted(app.env.found_docs):
        kept = folder / f"{page}.glue.json"
        if kept.exists():
            glued = json.loads(kept.read_text(encoding="utf-8"))
            values[page] = {name: text(value["data"].get("text/plain", "")) for name, value in glued.items()}
    Path(app.outdir, "_static", "glued.js").write_text(f"hdpGlued({json.dumps(values)});\n", encoding="utf-8")


def text(plain):
    """Return a glued value as the page shows it: text without its quotation marks."""
    return plain[1:-1] if plain[:1] == plain[-1:] and plain[:1] in ("'", '"') else plain


def setup(app):
    app.add_config_value("hdp_kernel", "", "html", [str])  # its name; empty without one
    app.add_directive("playground", Playground)
    app.setup_extension("myst_nb")
    app.add_role_to_domain("glue", "text", Glued(), override=True)
    app.connect("config-inited", make_kernel)
    app.connect("builder-inited", place_kernel)
    app.connect("html-page-context", add_script)
    app.connect("build-finished", write_values)
