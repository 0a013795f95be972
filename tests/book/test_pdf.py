"""The printed book: what is said when TeX is missing, what the LaTeX source has, and with PDF=1 the PDF itself."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import pytest
from hdpbook.rows import load

from tests.files import ROOT, SITE, built_text

LATEX = "_build/latex"


def python(code, root=ROOT, **environment):
    """Run Python code where it can import the build scripts."""
    environment = {**os.environ, "PYTHONPATH": f"{root / 'book/_tools'}{os.pathsep}{root}", **environment}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=root, env=environment, capture_output=True, text=True, check=False
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


@dataclass
class Printed:
    """A book as LaTeX, its claims, its pages as HTML, and the least number of things that the whole book has."""

    root: Path
    source: str
    pages: list
    whole: bool

    @property
    def rows(self):
        """The rows of its claims."""
        return load(self.root)["claims"]

    def found(self, pattern):
        """All that a pattern finds in the pages."""
        return [match for page in self.pages for match in re.findall(pattern, page, re.DOTALL)]

    def many(self, count):
        """So many in the whole book; in a small one any."""
        return count if self.whole else 0


def write_latex(root):
    """Write a book as LaTeX from the outputs that its build has left, with warnings as errors."""
    done = python("import sys, pdf; sys.exit(pdf.write_latex())", root, KERNEL="none")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(
    scope="module",
    params=[
        pytest.param("small", marks=pytest.mark.xdist_group("good-book")),
        pytest.param("whole", marks=[pytest.mark.xdist_group("latex"), pytest.mark.slow]),
    ],
)
def printed(request):
    """The small book that has the template of a chapter, and the whole one, which takes a minute."""
    if whole := request.param == "whole":
        root, html = ROOT, SITE
        write_latex(root)
    else:
        root = request.getfixturevalue("good").root
        html = root / "html"
    source = (root / LATEX / "hdp-book.tex").read_text(encoding="utf-8")
    return Printed(root, source, [path.read_text("utf-8") for path in sorted((html / "book").rglob("*.html"))], whole)


def labels(source):
    """All labels; those of equations are not wrapped."""
    return set(re.findall(r"\\label\{(?:\\detokenize\{)?([^{}]*)\}", source))


def test_every_figure_is_printed_with_its_caption(printed):
    begin = r"\\label\{\\detokenize\{[^}]*:figure-([^}]*)\}\}\s*\\begin\{hdpfigure\}"
    pattern = begin + r"(.*?)\\hdpcaption(.*?)\\end\{hdpfigure\}"
    figures = re.findall(pattern, printed.source, flags=re.DOTALL)
    assert sorted(name for name, _, _ in figures) == sorted(printed.found(r'id="figure-([\w-]+)"')) != []
    for _, picture, caption in figures:
        (file,) = re.findall(r"\\sphinxincludegraphics(?:\[[^]]*\])?\{\{(.*?)\}(\.\w+)\}", picture)
        assert (printed.root / LATEX / "".join(file)).is_file()
        assert len(caption.split()) > 20 and r"\sphinxstylestrong{" in caption


def test_captions_have_their_formulas(printed):
    formulas = re.findall(r"\\\((.*?)\\\)", " ".join(printed.found("<figcaption[^>]*>(.*?)</figcaption>")), re.DOTALL)
    assert len(formulas) > printed.many(20)
    source = " ".join(printed.source.split())
    assert [formula for formula in formulas if " ".join(unescape(formula).split()) not in source] == []


def test_every_claim_has_its_label_and_its_row(printed):
    found = labels(printed.source)
    for row in printed.rows:
        place = f"book/{row['page']}:"
        assert found & {place + row["id"], f"{place}equation-{row['id']}"}, row["id"]
    verdicts = re.findall(r"\\hdpverdict\{verdict-[a-z-]+\}\{([a-z ]+)\}", printed.source)
    assert len(verdicts) >= 2 * len(printed.rows), "once on its page, once in the table"


def test_every_link_has_its_target(printed):
    found = labels(printed.source)
    targets = re.findall(r"\\(?:hyperref|autopageref)\*?\[(?:\\detokenize\{)?([^]{}]*)\}?\]", printed.source)
    targets += re.findall(r"\\ref\{([^{}]*)\}", printed.source)
    assert len(targets) > len(printed.rows)
    title = "book/index:start"  # of the small book's root, which is the title of the whole in print
    assert sorted(set(targets) - found - {title}) == []


def test_theorems_and_exercises_have_the_numbers_of_the_html_book(printed):
    kinds = "Theorem|Lemma|Proposition|Definition|Corollary|Algorithm|Example|Remark|Exercise"
    numbers = re.findall(rf"\\begin\{{sphinxadmonition\}}\{{note\}}\{{((?:{kinds}) [\d.]+)", printed.source)
    shown = printed.found(rf'caption-number">((?:{kinds}) [\d.]+)')
    assert len(numbers) > printed.many(100) and sorted(numbers) == sorted(shown)


def test_equations_have_the_numbers_of_the_html_book(printed):
    """As LaTeX counts them, which runs in none of the tests but the last."""
    equation = r"\\begin\{equation\}\\label\{equation:[^:{}]*:([^{}]*)\}"
    marks = rf"\\hdp(unnumbered|numbered|numberedon)\b|\\(chapter)\{{|{equation}"
    chapter, count, state, numbers = 0, 0, "unnumbered", {}
    for page, head, label in re.findall(marks, printed.source):
        state = page or state
        chapter += bool(head) and state != "unnumbered"
        count = 0 if head or page in ("unnumbered", "numbered") else count + bool(label)
        if label:
            numbers[label] = f"{chapter}." * (state != "unnumbered") + str(count)
    assert len(numbers) > printed.many(40)
    assert numbers == dict(printed.found(r'id="equation-([^"]+)">\s*<span class="eqno">\(([\d.]+)'))


def test_what_is_for_the_browser_is_not_printed(printed):
    assert not re.search(r"<(?:figure|details|div|button|script|input)\b|Download: ", printed.source)


def test_what_assertions_have_shown_is_printed_with_its_kind(printed):
    assert r"\tag*{\footnotesize" not in printed.source
    shown = printed.found('<div class="hdp-formula">')
    assert printed.source.count(r"\hdpshown{") == len(shown) > printed.many(300)


def test_folds_are_open_and_their_code_is_small(printed):
    """Every page's imports stand at its own end, solutions and claims are shown, nothing says that it can be opened.

    What a claim rests on, a list of links, is for the browser.
    """
    source, folds = printed.source, len(printed.found('<details class="hdp-fold(?! hdp-uses)'))
    assert source.count(r"\begin{hdpfold}") == source.count(r"\end{hdpfold}") == folds > printed.many(500)
    title = "How this page was computed"
    computed = [part.partition(r"\end{hdpfold}")[0] for part in source.split(rf"\textbf{{{title}}}")[1:]]
    assert len(computed) == sum(title in page for page in printed.pages)
    assert all(r"\PYG{k+kn}{import}" in part for part in computed)
    solutions = len(printed.found('<div class="solution '))
    assert source.count(r"{Solution to Exercise") == solutions > printed.many(50)
    assert "show the check" not in source and "show the code" not in source


# -- the PDF -------------------------------------------------------------------------------------------------


@pytest.mark.xdist_group("latex")
@pytest.mark.skipif(os.environ.get("PDF") != "1", reason="PDF=1 runs XeLaTeX: minutes, and 350 MB of packages")
def test_the_pdf_is_built_and_numbers_equations_as_the_html_book_does():
    from hdp.figures import ALL  # seconds, which nothing else here needs

    done = python("import sys, pdf; sys.exit(pdf.main())")
    assert done.returncode == 0, done.stderr
    assert (ROOT / LATEX / "hdp-book.pdf").read_bytes().startswith(b"%PDF")
    log = (ROOT / LATEX / "hdp-book.log").read_text(encoding="utf-8", errors="replace")
    assert int(re.search(r"Output written on hdp-book\.xdv \((\d+) pages", log)[1]) > 150
    assert len(set(re.findall(r"File: ([0-9a-f]{40,})\.png", log.replace("\n", "")))) >= len(ALL)
    aux = (ROOT / LATEX / "hdp-book.aux").read_text(encoding="utf-8")
    numbers = re.findall(r"\\newlabel\{equation:([^}]*):([^}:]*)\}\{\{([^}]*)\}", aux)
    assert len(numbers) > 20
    pages = {page: built_text(page) for page, _, _ in numbers}
    for page, label, number in numbers:
        shown = re.search(rf'id="equation-{re.escape(label)}">\s*<span class="eqno">\(([\d.]+)', pages[page])
        assert shown and shown[1] == number, label
