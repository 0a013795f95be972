"""A chapter is one name on every floor: who knows its address knows its statements, figures, references and tests.

The library is ordered by what it computes: which of its modules a page draws on, its last fold says.
"""

import re

import pytest
from hdpbook.chapters import chapter_of

from tests.figures.oracles import _TABLES as REFERENCES
from tests.files import ROOT, SECTIONS, built_page, read

RUNS = [page for page in SECTIONS if "/reference/" not in page]
CHAPTERS = [page for page in RUNS if any("```{code-cell}" in read(f"{p}.md") for p in (page, *SECTIONS[page]))]
PAGES = [
    page for chapter in CHAPTERS for page in (chapter, *SECTIONS[chapter]) if "```{code-cell}" in read(f"{page}.md")
]
FLOORS = {
    "statements": "hdp/sym/{}/{}.py",
    "figures": "hdp/figures/{}/{}.py",
    "references": "tests/figures/{}/{}.py",
    "tests of statements": "tests/sym/{}/test_{}.py",
    "tests of headlines": "tests/headlines/{}/test_{}.py",
}
EVERY = ("tests of headlines",)  # which no chapter does without
HELPERS = {"__init__.py", "common.py"}
DATA = re.compile(r"hdp/figures/hybrid_trust/k_means_\w+\.py")  # a long experiment, beside the figure that draws it


def path(chapter, floor):
    """Where a chapter has its module on a floor."""
    folder, _, name = chapter.removeprefix("book/").replace("-", "_").rpartition("/")
    return FLOORS[floor].format(folder, name)


@pytest.mark.parametrize("floor", FLOORS)
def test_every_module_is_that_of_a_chapter(floor):
    """And a chapter has no second one."""
    pattern = FLOORS[floor].format("*", "*").replace("test_*", "*")
    found = {str(file.relative_to(ROOT)) for file in ROOT.glob(pattern) if file.name not in HELPERS}
    own = {path(chapter, floor) for chapter in SECTIONS}
    assert len(found) > 10 and not {module for module in found - own if not DATA.fullmatch(module)}


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_chapter_has_its_modules(chapter):
    """Headlines always; references where its figures have some."""
    has = {floor for floor in FLOORS if (ROOT / path(chapter, floor)).exists()}
    assert has >= set(EVERY)
    assert ("figures" in has) == ("references" in has) or not drawn(chapter)


def drawn(chapter):
    """The names of the figures in a chapter's own module."""
    module = ROOT / path(chapter, "figures")
    return (
        REFERENCES.keys() & set(re.findall(r'name="([\w-]+)"', module.read_text("utf-8"))) if module.exists() else set()
    )


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_figures_of_its_own_chapter(page):
    """Whatever it imports of another chapter it shows beside its own."""
    chapter = chapter_of(page, ROOT)
    names = re.findall(r"^\s*from (hdp\.figures\.\w+)(?:\.(\w+))? import (.+)$", read(f"{page}.md"), re.M)
    modules = {f"{package}.{module or name}" for package, module, names in names for name in names.split(", ")}
    own = path(chapter, "figures").removesuffix(".py").replace("/", ".")
    assert not modules or not (ROOT / path(chapter, "figures")).exists() or own in {m.split(" as ")[0] for m in modules}


@pytest.mark.parametrize("page", PAGES)
def test_every_page_says_where_its_code_is(page):
    """What bears its chapter's name, and its implementation: modules of the library, all of which exist."""
    rows = {row.strong.text: row for row in built_page(page).select(".hdp-imports .hdp-floors > li")}
    named = {floor: [code.text for code in row.select("code")] for floor, row in rows.items()}
    files = {file for paths in named.values() for file in paths}
    assert all((ROOT / file).exists() for file in files)
    assert {path(chapter_of(page, ROOT), floor) for floor in FLOORS} & files >= {
        own for floor in FLOORS if (ROOT / (own := path(chapter_of(page, ROOT), floor))).exists()
    }
    assert named["Library:"] and all(re.match("hdp/(?!sym/|figures/|proof/)", file) for file in named["Library:"])
    assert any(file.startswith("tests/") for file in named["Tests:"])


def test_every_page_is_in_the_table_of_contents():
    """And nothing else is."""
    pages = {page for chapter, sections in SECTIONS.items() for page in (chapter, *sections)}
    found = {str(file.relative_to(ROOT).with_suffix("")) for file in ROOT.glob("book/[!_]*/**/*.md")}
    assert pages == found - {"book/index"}
