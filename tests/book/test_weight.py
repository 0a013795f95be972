"""What the built site loads: style rules, letters, icons and scripts that are used, and no others."""

import json
import re
from pathlib import Path

import pytest
import tinycss2
from fontTools.ttLib import TTFont
from hdpbook import weight

from hdp import __version__
from tests.files import PAGES, SITE, built_page, read

STATIC = SITE / "_static"


def pruned(text, known):
    """What is left of a style sheet."""
    return weight.pruned(tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True), known)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (".a{x:y}.b{x:y}", ".a{x:y}"),
        (".b,.a>p,.a .b{x:y}", ".a>p{x:y}"),
        ("p:not(.b):is(.b){x:y}", "p:not(.b):is(.b){x:y}"),
        ("@media print{.b{x:y}}@media print{.a.a{x:y}}", "@media print{.a.a{x:y}}"),
        ("@supports (x:y){.b{x:y}}:root{--x:y}", ":root{--x:y}"),
        ("@font-face{src:url(b)}@keyframes b{from{x:y}}", "@font-face{src:url(b)}@keyframes b{from{x:y}}"),
    ],
)
def test_only_rules_for_unknown_classes_go(text, left):
    assert pruned(text, {"a"}) == left


@pytest.fixture(scope="module")
def pages():
    """The text of every page, by its path."""
    paths = (path for path in SITE.rglob("*.html") if STATIC not in path.parents)
    return {path.relative_to(SITE).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def test_every_icon_of_a_page_is_in_its_font(pages):
    """Also those that a style sheet draws itself."""
    sheet = (STATIC / "styles/pydata-sphinx-theme.css").read_text(encoding="utf-8")
    fonts = [TTFont(path).getBestCmap() for path in (STATIC / weight.ICONS).glob("*.woff")]
    assert len(fonts) == 3
    letters = {match[0] for match in weight.ICON.finditer(sheet)}
    assert len(letters) > 10 and all(any(ord(letter) in font for font in fonts) for letter in letters)
    classes = {name for text in pages.values() for found in weight.CLASSES.findall(text) for name in found.split()}
    used = {name for name in classes if re.match(r"fa-(?!solid|regular|lg)", name)}
    assert {"fa-bars", "fa-circle-half-stroke"} <= used
    for name in used:
        assert re.search(rf"\.{name}(?:::?before)?[,{{]", sheet), name


def test_formulas_bring_their_scripts_and_nothing_else_does(pages):
    names = {name for name, text in pages.items() if "mathjax/" in text}
    assert names == {name for name, text in pages.items() if 'class="math ' in text or "mathjax_process" in text}
    assert names and "book/index.html" not in names
    assert not [name for name, text in pages.items() if "fontawesome.js" in text or "tex-chtml" in text]


def test_only_the_first_page_draws_without_vega(pages):
    figures = {name for name, text in pages.items() if 'class="hdp-figure"' in text}
    still = {name for name, text in pages.items() if 'class="hdp-still"' in text}
    assert still == {"book/index.html"} < figures
    assert figures - still == {name for name, text in pages.items() if re.search(r'vega\.js[?"]', text)}
    script = re.search(r'data-script="([^"]+)"', pages["book/index.html"])[1]
    assert "hdp-drawn" in (SITE / "book" / script).read_text(encoding="utf-8")


def test_pictures_of_figures_are_files(pages):
    pictures = {match for text in pages.values() for match in re.findall(r'<img class="hdp-picture"[^>]*>', text)}
    assert pictures
    for picture in pictures:
        source = re.search(r'src="([^"]*)"', picture)[1]
        assert 'loading="lazy"' in picture and re.search(r'width="\d+" height="\d+"', picture)
        assert (SITE / "_images" / Path(source).name).read_bytes().startswith(b"\x89PNG")
    assert not [name for name, text in pages.items() if "data:image/png" in text]


def test_the_table_of_weights_is_what_was_measured():
    """Of pages that are there, but for new ones; a chapter is sent in a megabyte and a half."""
    *before, (version, found) = json.loads(read("book/weights.json")).items()
    earlier = before[-1][1] if before else {}
    assert version == __version__ and found.keys() <= set(PAGES) and len(found) > len(PAGES) / 2
    table = built_page("book/reference/build").find("th", string="kB deflated").find_parent("table")
    rows = [[cell.get_text(strip=True) for cell in row("td")] for row in table("tr")[1:]]
    assert {f"book/{name}": list(map(int, row[:3])) for name, *row in rows} == found
    beside = {f"book/{name}": list(map(int, row[3:])) for name, *row in rows if any(row[3:])}
    assert beside == {name: numbers for name, numbers in earlier.items() if name in found}
    assert all(deflated <= 1500 and deflated < plain for plain, deflated, _ in found.values())
