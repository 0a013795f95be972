"""Put what the interactive figures need onto the pages that have one, and nothing onto the others.

A figure brings its picture within its HTML, so that a notebook is one file.  On a page of the book the picture is a
file of its own, which a browser asks for only where it is about to be seen; and its specification is compiled, because
Vega alone is a third lighter than Vega with Vega-Lite's compiler.

On the first page a figure sleeps: a drawing stands for it, and Vega and the specification, most of what such a page
weighs, are loaded when somebody is about to use it.

``{figure-of} foundations.what_epsilon_feels_like vessels`` shows a figure as a cell would, on a page without a kernel.
"""

import base64
import copy
import hashlib
import json
import re
import struct
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import vl_convert
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from hdpbook.page import carry

MARK = 'class="hdp-figure"'
# What the page draws with, and what the download of an image needs besides; the name of the module is the converter's.
VEGA = f'import {{ View, parse }} from "/npm/vega@{vl_convert.get_vega_version()}/+esm";'
BUNDLES = {
    "vega.js": f"{VEGA} window.vega = {{ View, parse }};",
    "vega-embed.js": "window.vegaEmbedAll = vegaEmbed;",
}
LEGENDS = {"color", "strokeDash", "fill"}
FONT = "font-of-the-page"
WIDTHS = {"wide": 514, "narrow": 350}  # pixels, of the drawings for a laptop and for a phone
ATTRIBUTE, DECIMALS = re.compile('="[^"]*"'), re.compile(r"(\d+\.\d\d)\d+")
SPEC = re.compile(r'<script type="application/json" class="hdp-spec">(.*?)</script>', re.DOTALL)
PICTURE = re.compile(r'src="data:image/png;base64,([^"]+)"')


class FigureOf(SphinxDirective):
    """A figure of `hdp.figures`, as in the output of a cell."""

    required_arguments = 2

    def run(self):
        module, name = self.arguments
        self.env.note_dependency(find_spec(f"hdp.figures.{module}").origin)
        figure = getattr(import_module(f"hdp.figures.{module}"), name)
        html = filled(figure, figure.page()["text/html"])
        return [nodes.container("", nodes.raw("", html, format="html"), classes=["cell_output"])]


def filled(figure, html):
    """The HTML of a figure with the numbers of its readouts, which stand there before a script has run."""
    from hdp.explore.evaluate import expression_values

    for i, readout in enumerate(figure.readouts):
        said = readout.text(float(expression_values(figure, readout.value, figure.paper_values)))
        html = re.sub(rf'(<output id="{figure.name}-readout-{i}"[^>]*>)', rf"\g<1>{said}", html)
    return html


def write_vega(app, folder):
    """Write Vega, and for downloads all that draws Vega-Lite; they come with the site, so that nothing is fetched."""
    for name, snippet in BUNDLES.items():
        script, made = folder / name, f"// vl-convert {vl_convert.__version__}: {snippet}\n"
        if not script.exists() or not script.read_text(encoding="utf-8").startswith(made):
            # In a function: a bundle declares hundreds of short global names, which would collide with the theme's.
            bundle = "(function () {\n" + vl_convert.javascript_bundle(snippet) + "\n})();\n"
            script.write_text(made + bundle, encoding="utf-8")


def bare(spec):
    """The specification of a figure in the form in which `hdp-figure.js` shows it: without sliders and legends."""
    spec = copy.deepcopy(spec)
    spec.pop("title", None)
    for parameter in spec["params"]:
        parameter.pop("bind", None)
    for layer in spec["layer"]:
        for channel in LEGENDS & layer["encoding"].keys():
            layer["encoding"][channel]["legend"] = None
    spec["config"] = {**spec.get("config", {}), "font": FONT}
    return spec


def both(spec):
    """The element with a figure's specification, without blanks, and one with the Vega that is compiled from it.

    Font and width are those of the page, which `hdp-draw.js` fills in.
    """
    return element("hdp-spec", spec) + element("hdp-drawn", vl_convert.vegalite_to_vega(bare(spec)))


def drawings(spec):
    """The figure as it stands at first, as wide as on a laptop and as on a phone, with the font and ink of the page."""
    for name, width in WIDTHS.items():
        svg = vl_convert.vegalite_to_svg({**bare(spec), "width": width})
        short = ATTRIBUTE.sub(lambda found: DECIMALS.sub(r"\1", found[0]), svg)
        yield short.replace('class="marks"', f'class="hdp-{name}"', 1)


def asleep(spec, folder, address):
    """Write a script that puts both elements beside itself; return the drawings that stand there until it runs."""
    text = json.dumps(both(spec), ensure_ascii=False)
    script = f"document.currentScript.insertAdjacentHTML('beforebegin', {text});\n"
    name, shown = written(folder, script.encode(), "js"), "".join(drawings(spec))
    return f'<div class="hdp-still" aria-hidden="true" data-script="{address}/{name}" hidden>{shown}</div>'


def element(name, data):
    """An element with data for a script."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("</", r"<\/")
    return f'<script type="application/json" class="{name}">{text}</script>'


def written(folder, content, kind):
    """Write a file under a name that tells its content, and return that name."""
    name = f"figure-{hashlib.sha256(content).hexdigest()[:16]}.{kind}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)
    return name


def adapt(app, pagename, templatename, context, doctree):
    """Load the scripts on pages with a figure, after the document is parsed, and write the pictures of figures."""
    body = context.get("body") or ""
    if MARK not in body:
        return
    folder, first = Path(app.outdir, app.builder.imagedir), pagename == app.config.root_doc
    address = context["pathto"](app.builder.imagedir, 1)

    def file(found):
        png = base64.b64decode(found[1])
        name, (width, height) = written(folder, png, "png"), struct.unpack(">II", png[16:24])
        return f'loading="lazy" width="{width}" height="{height}" src="{address}/{name}"'

    def elements(found):
        spec = json.loads(found[1])
        return asleep(spec, folder, address) if first else both(spec)

    body = SPEC.sub(elements, PICTURE.sub(file, body))
    context["body"] = body.replace("<section", '<section class="hdp-home"', 1) if first else body
    for script in ("hdp-figure.js",) if first else ("vega.js", "hdp-draw.js", "hdp-figure.js"):
        app.add_js_file(script, loading_method="defer")


def setup(app):
    carry(app, "vega", write_vega)
    app.add_directive("figure-of", FigureOf)
    app.connect("html-page-context", adapt)
