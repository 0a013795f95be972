"""Put the fonts of text, code and charts into the book, so that nothing depends on the reader's.

Those of the text come from the package weblate-fonts, less the letters that English and mathematics do without.  Signs
that they lack come from DejaVu Sans, of which matplotlib brings the whole; a subset is made of it too.  The fonts of
the mathematics are MathJax's own.
"""

import hashlib
import shutil
from importlib.metadata import files, version
from importlib.resources import as_file
from importlib.resources import files as resources
from pathlib import Path

import matplotlib
from fontTools import subset
from fontTools.ttLib import TTFont

from hdpbook.site import carry

FAMILIES = {
    "Source Sans 3": "source-sans/{}/SourceSans3-{}.ttf",
    "Source Code Pro": "source-code/{}/SourceCodePro-{}.ttf",
}
CUTS = {"Regular": ("normal", "100 500"), "It": ("italic", "100 500"),
        "Semibold": ("normal", "600 900"), "SemiboldIt": ("italic", "600 900")}  # fmt: skip
SIGNS = "DejaVu Signs"
DEJAVU = Path(matplotlib.get_data_path(), "fonts", "ttf")
# Latin and its accents, Greek, punctuation, indices, currencies, and letters used as signs; arrows and operators.
LETTERS = [range(0x20, 0x180), range(0x2C6, 0x2E5), range(0x391, 0x3D7), range(0x2000, 0x2150), range(0x2190, 0x2300)]
# Indices; exponents; primes; arrows and operators; shapes; ticks and crosses.
BLOCKS = [range(0x1D62, 0x1D6B), range(0x2070, 0x20A0), range(0x2030, 0x2040), range(0x2190, 0x21E0)]
BLOCKS += [range(0x2200, 0x22A0), range(0x22C0, 0x2300), range(0x25A0, 0x25D0), range(0x2713, 0x2718)]
FEATURES = ["ccmp", "kern", "liga", "locl", "mark", "tnum"]  # figures of equal width for tables

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


def write_subset(source, path, characters, features=()):
    """Write a font with only some of its characters."""
    # Not woff2, for which fontTools needs Brotli, one more package.
    options = subset.Options(flavor="woff", layout_features=list(features))
    options.drop_tables += ["FFTM"]  # times of the font's making
    with TTFont(source) as font:
        maker = subset.Subsetter(options)
        maker.populate(unicodes=characters)
        maker.subset(font)
        subset.save_font(font, path, options)


def within(blocks):
    """All characters of some blocks."""
    return {character for block in blocks for character in block}


def write_cut(source, path, cut, folder):
    """Write one cut of a family, whole where the package has it only compressed; return its name and kind."""
    font = source / path.format("ttf", cut)
    if not font.exists():
        whole = source / (path.format("woff2", cut) + ".woff2")
        (folder / whole.name).write_bytes(whole.read_bytes())
        return whole.name, "woff2"
    write_subset(font, folder / f"{font.stem}.woff", within(LETTERS), FEATURES)
    return f"{font.stem}.woff", "woff"


def write_fonts(app, root):
    """Write all that is of fonts, unless an earlier build has done so."""
    made = [f"{name} {version(name)}" for name in ("fonttools", "matplotlib", "weblate-fonts")]
    made.append(Path(__file__).read_text(encoding="utf-8"))
    stamp = root / f".{hashlib.sha256(''.join(made).encode()).hexdigest()}"  # hidden, so that it is not copied
    if not stamp.exists():
        write_files(root)
        stamp.touch()


def write_files(root):
    """Write all files of fonts, their licences and the style sheet that names them."""
    folder, sheet = root / "fonts", VARIABLES
    shutil.rmtree(root, ignore_errors=True)
    folder.mkdir(parents=True)
    with as_file(resources("weblate_fonts") / "static/weblate_fonts") as source:
        for family, path in FAMILIES.items():
            for cut, (style, weight) in CUTS.items():
                name, kind = write_cut(source, path, cut, folder)
                sheet += FACE.format(family=family, style=style, weight=weight, name=name, kind=kind)
        known = characters(source) & within(LETTERS)
        write_subset(DEJAVU / "DejaVuSans.ttf", folder / "DejaVuSigns.woff", within(BLOCKS) - known)
    sheet += FACE.format(family=SIGNS, style="normal", weight="100 900", name="DejaVuSigns.woff", kind="woff")
    (licence,) = (path for path in files("weblate-fonts") if path.name.startswith("OFL"))
    (folder / "LICENSE_SOURCE").write_text(licence.read_text())
    (folder / "LICENSE_DEJAVU").write_text((DEJAVU / "LICENSE_DEJAVU").read_text())
    (root / "fonts.css").write_text(sheet, encoding="utf-8")


def setup(app):
    app.add_css_file("fonts.css")
    carry(app, "fonts", write_fonts)
