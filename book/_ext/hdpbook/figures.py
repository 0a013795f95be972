"""Put what the interactive figures need onto the pages that have one, and nothing onto the others.

A figure brings its picture within its HTML, so that a notebook is one file.  On a page of the book the picture is a
file of its own, which a browser asks for only where it is about to be seen; and its specification is compiled, because
Vega alone is a third lighter than Vega with Vega-Lite's compiler.
"""

import base64
import copy
import hashlib
import json
import re
import struct
from pathlib import Path

import vl_convert
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
MARK = 'class="hdp-figure"'
# What the page draws with, and what the download of an image needs besides; the name of the module is the converter's.
VEGA = f'import {{ View, parse }} from "/npm/vega@{vl_convert.get_vega_version()}/+esm";'
BUNDLES = {
    "vega.js": f"{VEGA} window.vega = {{ View, parse }};",
    "vega-embed.js": "window.vegaEmbedAll = vegaEmbed;",
}
LEGENDS = {"color", "strokeDash", "fill"}
FONT = "font-of-the-page"
SPEC = re.compile(r'<script type="application/json" class="hdp-spec">(.*?)</script>', re.DOTALL)
PICTURE = re.compile(r'src="data:image/png;base64,([^"]+)"')


def write_vega(app):
    """Write Vega, and for downloads all that draws Vega-Lite; they come with the site, so that nothing is fetched."""
    if app.builder.format != "html":
        return
    folder = Path(app.outdir).parent / "vega"
    folder.mkdir(parents=True, exist_ok=True)
    for name, snippet in BUNDLES.items():
        script, made = folder / name, f"// vl-convert {vl_convert.__version__}: {snippet}\n"
        if not script.exists() or not script.read_text(encoding="utf-8").startswith(made):
            # In a function: a bundle declares hundreds of short global names, which would collide with the theme's.
            bundle = "(function () {\n" + vl_convert.javascript_bundle(snippet) + "\n})();\n"
            script.write_text(made + bundle, encoding="utf-8")
    app.config.html_static_path.append(str(folder))


def compiled(spec):
    """The Vega specification of a figure, in the form in which `hdp-figure.js` shows it: without sliders and legends.

    Its font and its width are those of the page, which `hdp-draw.js` fills in.
    """
    spec = copy.deepcopy(spec)
    spec.pop("title", None)
    for parameter in spec["params"]:
        parameter.pop("bind", None)
    for layer in spec["layer"]:
        for channel in LEGENDS & layer["encoding"].keys():
            layer["encoding"][channel]["legend"] = None
    spec["config"] = {**spec.get("config", {}), "font": FONT}
    return vl_convert.vegalite_to_vega(spec)


def both(found):
    """The element with a figure's specification, without blanks, and one with what is compiled from it."""
    spec = json.loads(found[1])
    return element("hdp-spec", spec) + element("hdp-drawn", compiled(spec))


def element(name, data):
    """An element with data for a script."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("</", r"<\/")
    return f'<script type="application/json" class="{name}">{text}</script>'


def write_picture(png, folder):
    """Write a picture under a name that tells its content; return that name, and its width and height in pixels."""
    name = f"figure-{hashlib.sha256(png).hexdigest()[:16]}.png"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(png)
    return name, *struct.unpack(">II", png[16:24])


def adapt(app, pagename, templatename, context, doctree):
    """Load the scripts on pages with a figure, after the document is parsed, and write the pictures of figures."""
    body = context.get("body") or ""
    if MARK not in body:
        return

    def file(found):
        folder = Path(app.outdir, app.builder.imagedir)
        name, width, height = write_picture(base64.b64decode(found[1]), folder)
        source = context["pathto"](f"{app.builder.imagedir}/{name}", 1)
        return f'loading="lazy" width="{width}" height="{height}" src="{source}"'

    context["body"] = SPEC.sub(both, PICTURE.sub(file, body))
    app.add_js_file("vega.js", loading_method="defer")
    app.add_js_file("hdp-draw.js", loading_method="defer")
    app.add_js_file("hdp-figure.js", loading_method="defer")


def setup(app):
    """Register with Sphinx."""
    app.connect("builder-inited", write_vega)
    app.connect("html-page-context", adapt)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
