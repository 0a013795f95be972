"""Put the fonts of text, code and charts into the book, so that nothing depends on the reader's.

Those of the text are copied from the package weblate-fonts.  Signs that they lack come from DejaVu Sans, of which
matplotlib brings the whole; a subset is made of it.  The fonts of the mathematics are MathJax's own.
"""

from importlib.metadata import files
from importlib.resources import as_file
from importlib.resources import files as resources
from pathlib import Path

import matplotlib
from fontTools import subset
from fontTools.ttLib import TTFont

FAMILIES = {
    "Source Sans 3": "source-sans/{}/SourceSans3-{}.ttf",
    "Source Code Pro": "source-code/{}/SourceCodePro-{}.ttf",
}
CUTS = {"Regular": ("normal", "100 500"), "It": ("italic", "100 500"),
        "Semibold": ("normal", "600 900"), "SemiboldIt": ("italic", "600 900")}  # fmt: skip
SIGNS = "DejaVu Signs"
DEJAVU = Path(matplotlib.get_data_path(), "fonts", "ttf")
BLOCKS = [range(0x1D00, 0x1DC0), range(0x2000, 0x2800)]  # indices; punctuation, arrows, operators and shapes

FACE = """@font-face {{ font-family: "{family}"; font-style: {style}; font-weight: {weight}; font-display: swap;
  src: url("fonts/{name}") format("{kind}"); }}
"""
VARIABLES = f"""html {{
  --pst-font-family-base: "Source Sans 3", "{SIGNS}", sans-serif;
  --pst-font-family-heading: var(--pst-font-family-base);
  --pst-font-family-monospace: "Source Code Pro", "{SIGNS}", monospace;
}}
mjx-utext {{ font-family: var(--pst-font-family-base) !important; }} /* what MathJax has no sign for */
"""


def characters(source):
    """Return what all fonts of the text have; the upright and the slanted ones of a family differ."""
    paths = (source / path.format("ttf", cut) for path in FAMILIES.values() for cut in ("Regular", "It"))
    return set.intersection(*(set(TTFont(path).getBestCmap()) for path in paths))


def write_signs(path, known):
    """Write what DejaVu Sans has in BLOCKS, but for the characters that are known."""
    options = subset.Options(flavor="woff", layout_features=[])
    options.drop_tables += ["FFTM"]  # times of the font's making
    with TTFont(DEJAVU / "DejaVuSans.ttf") as font:
        maker = subset.Subsetter(options)
        maker.populate(unicodes={character for block in BLOCKS for character in block} - known)
        maker.subset(font)
        subset.save_font(font, path, options)


def write_licences(folder):
    """Write the licences beside the fonts."""
    (licence,) = (path for path in files("weblate-fonts") if path.name.startswith("OFL"))
    (folder / "LICENSE_SOURCE").write_text(licence.read_text())
    (folder / "LICENSE_DEJAVU").write_text((DEJAVU / "LICENSE_DEJAVU").read_text())


def write_fonts(app):
    """Write all files of fonts, their licences and the style sheet that names them; Sphinx copies them."""
    if app.builder.format != "html":
        return
    root = Path(app.outdir).parent / "fonts"
    folder, sheet = root / "fonts", VARIABLES
    folder.mkdir(parents=True, exist_ok=True)
    with as_file(resources("weblate_fonts") / "static/weblate_fonts") as source:
        for family, path in FAMILIES.items():
            for cut, (style, weight) in CUTS.items():
                font = source / (path.format("woff2", cut) + ".woff2")
                (folder / font.name).write_bytes(font.read_bytes())
                sheet += FACE.format(family=family, style=style, weight=weight, name=font.name, kind="woff2")
        write_signs(folder / "DejaVuSigns.woff", characters(source))
    sheet += FACE.format(family=SIGNS, style="normal", weight="100 900", name="DejaVuSigns.woff", kind="woff")
    write_licences(folder)
    (root / "fonts.css").write_text(sheet, encoding="utf-8")
    app.config.html_static_path.append(str(root))


def setup(app):
    """Register with Sphinx."""
    app.add_css_file("fonts.css")
    app.connect("builder-inited", write_fonts)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
