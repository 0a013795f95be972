"""The printed book: what is said when TeX is missing, what the LaTeX source has, and with PDF=1 the PDF itself."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hdp.figures import ALL
from tests.files import read_yaml

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "book/_tools"
LATEX = ROOT / "_build/latex"
ROWS = read_yaml("book/claims.yml")["claims"]
LATEX_GROUP = pytest.mark.xdist_group("latex")  # all of them in one worker, so that the source is written once


def python(code, **environment):
    """Run Python code where it can import the build scripts."""
    environment = {**os.environ, "PYTHONPATH": f"{TOOLS}{os.pathsep}{ROOT}", **environment}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def program(folder, name, script="exit 0"):
    """Write a program that the shell runs."""
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


# -- what is missing -----------------------------------------------------------------------------------------


def test_without_tex_all_packages_are_named(tmp_path):
    done = python("import sys, pdf; sys.exit(pdf.main())", PATH=str(tmp_path))
    assert done.returncode == 1
    assert done.stdout == "", "it is said before anything is built"
    first, advice, _ = done.stderr.splitlines()
    assert all(f"{name}," in first for name in ("xelatex", "latexmk", "kpsewhich", "tabulary.sty"))
    packages = advice.partition("--no-install-recommends ")[2].split()
    assert {"latexmk", "fonts-lmodern", "texlive-xetex", "texlive-latex-extra"} <= set(packages)
    assert packages == sorted(set(packages))


@pytest.mark.parametrize(
    ("lacking", "named"),
    [
        (["tabulary.sty"], "{'tabulary.sty': 'texlive-latex-extra'}"),
        (["lmroman10-regular.otf", "xcolor.sty"], None),
        ([], "{}"),
    ],
)
def test_only_what_is_missing_is_named(tmp_path, lacking, named):
    for name in ("xelatex", "latexmk"):
        program(tmp_path, name)
    cases = "|".join(lacking) or "none-at-all"
    program(tmp_path, "kpsewhich", f'for f; do case $f in {cases}) ;; *) echo "/tex/$f" ;; esac; done')
    done = python("import pdf; print(pdf.missing_tex())", PATH=str(tmp_path))
    assert named in (None, done.stdout.strip()), done.stderr
    assert [name for name in re.findall(r"'([^']+)': '", done.stdout)] == lacking


def test_faults_are_found_in_a_log():
    log = (
        "Missing character: There is no x in font y!\nMissing character: There is no x in font y!\n"
        "LaTeX Warning: Reference `nope' on page 3 undefined on input line 4.\nOverfull \\hbox (1pt too wide)\n"
        "! Undefined control sequence.\n<recently read> \\nope \n\nl.12 a \\nope\n"
    )
    done = python(f"import pdf; print(*pdf.faults_of_log({log!r}), sep='\\n')")
    assert done.stdout.splitlines() == [
        "! Undefined control sequence. <recently read> \\nope l.12 a \\nope",
        "Missing character: There is no x in font y!",
        "LaTeX Warning: Reference `nope' on page 3 undefined on input line 4.",
    ], done.stderr


# -- the LaTeX source ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def source():
    """The book as LaTeX, written from the outputs that `make book` has left, with warnings as errors."""
    done = python("import sys, pdf; sys.exit(pdf.write_latex())")
    assert done.returncode == 0, done.stdout + done.stderr
    return (LATEX / "hdp-book.tex").read_text(encoding="utf-8")


def labels(source):
    """All labels; those of equations are not wrapped."""
    return set(re.findall(r"\\label\{(?:\\detokenize\{)?([^{}]*)\}", source))


@LATEX_GROUP
def test_every_figure_is_printed_with_its_caption(source):
    begin = r"\\label\{\\detokenize\{[^}]*:figure-([^}]*)\}\}\s*\\begin\{hdpfigure\}"
    figures = re.findall(begin + r"(.*?)\\hdpcaption(.*?)\\end\{hdpfigure\}", source, flags=re.DOTALL)
    assert {name.removesuffix("-simulated") for name, _, _ in figures} == set(ALL)  # some once more, with points
    for _, picture, caption in figures:
        (file,) = re.findall(r"\\sphinxincludegraphics(?:\[[^]]*\])?\{\{(.*?)\}(\.\w+)\}", picture)
        assert (LATEX / "".join(file)).is_file()
        assert len(caption.split()) > 20 and r"\sphinxstylestrong{" in caption


def test_a_formula_may_have_a_sign_that_html_knows():
    """Less than, in a caption as `hdp.explore.html` writes it."""
    code = """
import sys; sys.path.insert(0, "book/_ext")
from bs4 import BeautifulSoup
from hdpbook.latex_figures import caption
text = r"<figure><figcaption>From \\(c < c_1\\) on, <em>never</em> before.</figcaption></figure>"
print([(type(node).__name__, node.astext()) for node in caption(BeautifulSoup(text, "html.parser").figure, None)])
"""
    pieces = [("Text", "From "), ("math", "c < c_1"), ("Text", " on, "), ("emphasis", "never"), ("Text", " before.")]
    assert python(code).stdout.strip() == str(pieces)


@LATEX_GROUP
def test_captions_have_their_formulas(source):
    assert r"where \(k\) comes close to \(p(1-p)/\sigma_p^2\)" in " ".join(source.split())


@LATEX_GROUP
def test_every_claim_has_its_label_and_its_row(source):
    found = labels(source)
    for row in ROWS:
        place = f"book/{row['page']}:"
        assert found & {place + row["id"], f"{place}equation-{row['id']}"}, row["id"]
    verdicts = re.findall(r"\\hdpverdict\{verdict-[a-z-]+\}\{([a-z ]+)\}", source)
    assert len(verdicts) >= 2 * len(ROWS), "once on its page, once in the table"


@LATEX_GROUP
def test_every_link_has_its_target(source):
    found = labels(source)
    targets = re.findall(r"\\(?:hyperref|autopageref)\*?\[(?:\\detokenize\{)?([^]{}]*)\}?\]", source)
    targets += re.findall(r"\\ref\{([^{}]*)\}", source)
    assert len(targets) > len(ROWS)
    assert sorted(set(targets) - found) == []


@LATEX_GROUP
def test_theorems_and_exercises_have_the_numbers_of_the_html_book(source):
    kinds = "Theorem|Lemma|Proposition|Definition|Corollary|Algorithm|Example|Remark|Exercise"
    printed = re.findall(rf"\\begin\{{sphinxadmonition\}}\{{note\}}\{{((?:{kinds}) [\d.]+)", source)
    pages = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "_build/html/book").rglob("*.html")))
    shown = re.findall(rf'caption-number">((?:{kinds}) [\d.]+)', pages)
    assert len(printed) > 100 and sorted(printed) == sorted(shown)


@LATEX_GROUP
def test_what_is_for_the_browser_is_not_printed(source):
    assert not re.search(r"<(?:figure|details|div|button|script|input)\b|Download: ", source)
    assert r"\begin{sphinxuseclass}{sd-" not in source, "cards are a list"


@LATEX_GROUP
def test_what_assertions_have_shown_is_printed_with_its_kind(source):
    pages = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "_build/html/book").rglob("*.html")))
    assert r"\tag*{\footnotesize" not in source
    assert source.count(r"\hdpshown{") == pages.count('<div class="hdp-formula">') > 300


@LATEX_GROUP
def test_folds_are_open_and_their_code_is_small(source):
    """Every page's imports stand at its own end, solutions and claims are shown, nothing says that it can be opened."""
    pages = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "_build/html/book").rglob("*.html"))]
    folds = [page.count('<details class="hdp-fold') for page in pages]
    assert source.count(r"\begin{hdpfold}") == source.count(r"\end{hdpfold}") == sum(folds) > 500
    computed = [
        part.partition(r"\end{hdpfold}")[0] for part in source.split(r"\textbf{How this page was computed}")[1:]
    ]
    assert len(computed) == sum("How this page was computed" in page for page in pages)
    assert all(r"\PYG{k+kn}{import}" in part for part in computed)
    assert source.count(r"{Solution to Exercise") == sum(page.count('<div class="solution ') for page in pages) > 50
    assert "show the check" not in source and "show the code" not in source


# -- the PDF -------------------------------------------------------------------------------------------------


@LATEX_GROUP
@pytest.mark.skipif(os.environ.get("PDF") != "1", reason="PDF=1 runs XeLaTeX: minutes, and 350 MB of packages")
def test_the_pdf_is_built_and_numbers_equations_as_the_html_book_does(source):
    done = python("import sys, pdf; sys.exit(pdf.main())")
    assert done.returncode == 0, done.stderr
    assert (LATEX / "hdp-book.pdf").read_bytes().startswith(b"%PDF")
    log = (LATEX / "hdp-book.log").read_text(encoding="utf-8", errors="replace")
    assert int(re.search(r"Output written on hdp-book\.xdv \((\d+) pages", log)[1]) > 150
    assert len(set(re.findall(r"File: ([0-9a-f]{40,})\.png", log.replace("\n", "")))) >= len(ALL)
    aux = (LATEX / "hdp-book.aux").read_text(encoding="utf-8")
    numbers = re.findall(r"\\newlabel\{equation:([^}]*):([^}:]*)\}\{\{([^}]*)\}", aux)
    assert len(numbers) > 20
    pages = {page: (ROOT / f"_build/html/{page}.html").read_text(encoding="utf-8") for page, _, _ in numbers}
    for page, label, number in numbers:
        shown = re.search(rf'id="equation-{re.escape(label)}">\s*<span class="eqno">\(([\d.]+)', pages[page])
        assert shown and shown[1] == number, label
