"""Put what the interactive figures need onto the pages that have one, and nothing onto the others."""

from pathlib import Path

import vl_convert
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
MARK = 'class="hdp-figure"'


def write_vega(app):
    """Write Vega, Vega-Lite and Vega-Embed as one script; it comes with the site, so that nothing is fetched."""
    if app.builder.format != "html":
        return
    folder = Path(app.outdir).parent / "vega"
    script = folder / "vega.js"
    folder.mkdir(parents=True, exist_ok=True)
    # In a function: the bundle declares hundreds of short global names, which would collide with the theme's.
    text = "(function () {\n" + vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;") + "\n})();\n"
    if not script.exists() or script.read_text(encoding="utf-8") != text:
        script.write_text(text, encoding="utf-8")
    app.config.html_static_path.append(str(folder))


def add_scripts(app, pagename, templatename, context, doctree):
    """Load the scripts on pages with a figure, after the document is parsed."""
    if MARK in (context.get("body") or ""):
        app.add_js_file("vega.js", loading_method="defer")
        app.add_js_file("hdp-figure.js", loading_method="defer")


def setup(app):
    """Register with Sphinx."""
    app.connect("builder-inited", write_vega)
    app.connect("html-page-context", add_scripts)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
