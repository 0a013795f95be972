"""What every page gets: its number, fonts, scripts and no more than it needs, its description, its version.

Icons come from a font, not from a script that draws them (`templates/`); MathJax without its menu, and only where there
are formulas; what ipywidgets would draw with a kernel stays in the notebooks.  Copies of older versions of the book lie
under ``v/<version>/``; `hdp-page.js` says so on top of them.
"""

import re
import shutil
import subprocess
from functools import cache
from html import escape
from importlib.metadata import distribution
from importlib.resources import as_file, files
from pathlib import Path

import matplotlib
import yaml
from docutils import nodes
from fontTools import subset
from fontTools.ttLib import TTFont
from sphinx import addnodes
from sphinx_external_toc.collectors import TocTreeCollectorWithStyles as Collector

HERE = Path(__file__).parent
FAMILIES = {"Source Sans 3": "source-sans/woff2/SourceSans3", "Source Code Pro": "source-code/woff2/SourceCodePro"}
CUTS = {"Regular": ("normal", "100 500"), "It": ("italic", "100 500"),
        "Semibold": ("normal", "600 900"), "SemiboldIt": ("italic", "600 900")}  # fmt: skip
# Indices; exponents; primes; arrows and operators; shapes; ticks and crosses.
SIGNS = [range(0x1D62, 0x1D6B), range(0x2070, 0x20A0), range(0x2030, 0x2040), range(0x2190, 0x21E0)]
SIGNS += [range(0x2200, 0x22A0), range(0x22C0, 0x2300), range(0x25A0, 0x25D0), range(0x2713, 0x2718)]
FACE = """@font-face {{ font-family: "{}"; font-style: {}; font-weight: {}; font-display: swap;
  src: url("fonts/{}") format("{}"); }}
"""
VARIABLES = """html {
  --pst-font-family-base: "Source Sans 3", "DejaVu Signs", sans-serif;
  --pst-font-family-heading: var(--pst-font-family-base);
  --pst-font-family-monospace: "Source Code Pro", "DejaVu Signs", monospace;
}
mjx-utext { font-family: var(--pst-font-family-base) !important; } /* what MathJax has no sign for */
"""
FORMULA = re.compile(r'class="[^"]*\b(?:math|mathjax_process|hdp-playground)\b')  # a reader's cell may show some


class browser_only(nodes.Inline, nodes.Element):
    """Finished HTML in `html`, which no search finds."""


def visit_html(self, node):
    """Write it as it is."""
    self.body.append(node["html"])
    raise nodes.SkipNode


def carry(app, name, write):
    """Have `write` fill a folder beside the site, and Sphinx copy what is in it."""

    def fill(app):
        if app.builder.format == "html":
            folder = Path(app.outdir).parent / name
            folder.mkdir(parents=True, exist_ok=True)
            write(app, folder)
            app.config.html_static_path.append(str(folder))

    app.connect("builder-inited", fill)


def load_where(app, mark, script):
    """Have the pages whose HTML has a mark load a script, once their document is there."""

    def load(app, pagename, templatename, context, doctree):
        if mark in (context.get("body") or ""):
            app.add_js_file(script, loading_method="defer")

    app.connect("html-page-context", load)


# -- numbers: of pages, and of no heading within them ---------------------------------------------------------


def sections_first(app, _doctree):
    """Count a chapter's sections before its own headings, so that the first one is 4.1 and not 4.10."""
    for entries in app.env.tocs[app.env.docname].findall(nodes.bullet_list):
        entries.children.sort(key=lambda entry: not isinstance(entry, addnodes.toctree))


def number_pages(app):
    """Number pages only, whoever else has had a say in how sections are numbered."""
    original = Collector.assign_section_numbers

    def assign(self, env):
        earlier = env.toc_secnumbers
        original(self, env)
        env.toc_secnumbers = {name: {"": found.get("")} for name, found in env.toc_secnumbers.items()}
        for toc in env.tocs.values():
            for heading in toc.findall(nodes.reference):
                if heading.get("anchorname"):
                    heading.attributes.pop("secnumber", None)
        return [name for name, found in env.toc_secnumbers.items() if found != earlier.get(name)]

    Collector.assign_section_numbers = assign


class TitleNumbers:
    """What a translator to HTML adds: the number of a page stands before its title only."""

    def get_secnumber(self, node):
        """None for a heading, where Sphinx falls back on the number of its page."""
        return super().get_secnumber(node) if isinstance(node.parent.parent, nodes.document) else None


def number_titles(app):
    """Have it added to the translator that the theme has made."""
    if app.builder.format == "html":
        made = app.registry.get_translator_class(app.builder)
        app.set_translator(app.builder.name, type("Numbered", (TitleNumbers, made), {}), override=True)


# -- fonts: those of the text, and signs that they lack; those of the mathematics are MathJax's own ------------------


def write_fonts(app, root):
    """Write the fonts, their licences and the style sheet that names them, so that nothing is the reader's."""
    (root / "fonts").mkdir(exist_ok=True)
    sheet, dejavu = VARIABLES, Path(matplotlib.get_data_path(), "fonts", "ttf")
    with as_file(files("weblate_fonts") / "static/weblate_fonts") as source:
        for family, path in FAMILIES.items():
            for cut, (style, weight) in CUTS.items():
                font = shutil.copy(source / f"{path}-{cut}.ttf.woff2", root / "fonts")
                sheet += FACE.format(family, style, weight, Path(font).name, "woff2")
    with TTFont(dejavu / "DejaVuSans.ttf") as font:
        options = subset.Options(flavor="woff")  # not woff2, for which fontTools needs one more package
        options.drop_tables += ["FFTM"]  # times of the font's making
        maker = subset.Subsetter(options)
        maker.populate(unicodes=[sign for block in SIGNS for sign in block])
        maker.subset(font)
        subset.save_font(font, root / "fonts/DejaVuSigns.woff", options)
    sheet += FACE.format("DejaVu Signs", "normal", "100 900", "DejaVuSigns.woff", "woff")
    (licence,) = (path for path in distribution("weblate-fonts").files if path.name.startswith("OFL"))
    (root / "fonts/LICENSE_SOURCE").write_text(licence.read_text())
    shutil.copy(dejavu / "LICENSE_DEJAVU", root / "fonts")
    (root / "fonts.css").write_text(sheet, encoding="utf-8")


# -- the head and the foot ------------------------------------------------------------------------------------


def load_less(app, config):
    """Choose the parts of MathJax, and templates of our own before the theme's."""
    config.templates_path.insert(0, str(HERE / "templates"))
    config.mathjax_path = "mathjax/startup.js"
    parts = {"load": ["input/tex", "output/chtml", "a11y/assistive-mml"]}
    config.mathjax3_config = {**(config.mathjax3_config or {}), "loader": parts}


def drop_scripts(app, pagename, templatename, context, doctree):
    """Leave out the state of widgets, which no page shows, and MathJax where there is no formula.

    Sphinx would load MathJax where one of the pages below has some.
    """
    formulas = FORMULA.search(context.get("body") or "")

    def wanted(script):
        said = script.attributes
        mathjax = "mathjax/" in str(script.filename) or "window.MathJax" in said.get("body", "")
        return "jupyter.widget" not in said.get("type", "") and (formulas or not mathjax)

    context["script_files"] = list(filter(wanted, context["script_files"]))


@cache
def citation_file(source):
    """What CITATION.cff says of the book."""
    return yaml.safe_load(Path(source, "CITATION.cff").read_text(encoding="utf-8"))


def add_head(app, pagename, templatename, context, doctree):
    """Begin a page with what scripts need that run while it is read; describe it by its first sentence in bold type."""
    bold = (node.astext() for node in doctree.findall(nodes.strong)) if doctree else ()
    text = next((" ".join(text.split()) for text in bold if text.endswith(".")), citation_file(app.srcdir)["title"])
    script = (HERE / "first.js").read_text(encoding="utf-8")
    head = f'<script>\n{script}</script>\n<meta name="description" content="{escape(text)}">\n'
    context["metatags"] = head + context.get("metatags", "")


def say_version(app, config):
    """Put version and commit at the foot of every page; the commit is a link where there is a repository."""
    command = ["git", "-C", str(app.srcdir), "rev-parse", "--short=10", "HEAD"]
    try:
        made = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        made = ""  # the book is no checkout
    version = escape(citation_file(app.srcdir)["version"])
    if made and config.hdp_repository:
        made = f'<a href="{config.hdp_repository}/commit/{made}">{made}</a>'
    said = f"Version {version}" + (f", commit {made}" if made else "")
    foot = f'<p class="hdp-version" data-version="{version}">{said}</p>'
    config.html_theme_options = {**config.html_theme_options, "extra_footer": foot}


def setup(app):
    """Register all: numbers after Sphinx has collected the headings, and once all extensions are there."""
    app.add_css_file("fonts.css")
    carry(app, "fonts", write_fonts)
    app.add_node(browser_only, html=(visit_html, None))
    app.connect("config-inited", load_less)
    app.connect("config-inited", say_version, priority=600)  # after the repository is known
    app.connect("doctree-read", sections_first, priority=900)
    app.connect("builder-inited", number_pages, priority=900)
    app.connect("builder-inited", number_titles, priority=900)
    app.connect("html-page-context", add_head)
    app.connect("html-page-context", drop_scripts, priority=900)  # after Sphinx and MyST-NB have added theirs
