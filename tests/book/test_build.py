"""The build, on one small book: what fails it, what an edit makes again, where buttons and citations lead.

The book is built with the project's own settings, extensions and script; only the chapters are made up.
"""

import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from types import SimpleNamespace

import pytest
import yaml
from bs4 import BeautifulSoup
from hdpbook import checks
from hdpbook.kernel import TOOLS

from tests.files import CLAIMS, ROOT, write_claims

pytestmark = pytest.mark.xdist_group("good-book")  # one worker builds it
sys.path.append(str(TOOLS))
REPOSITORY, ADDRESS = "https://github.com/somebody/a-book", "https://example.org/it"
HEADER = "---\njupytext: {text_representation: {extension: .md, format_name: myst}}\n"
HEADER += "kernelspec: {name: python3, display_name: Python 3}\n---\n"
CELL = "\n```{{code-cell}} ipython3\n{}\n```\n"
SHOW, WORDLESS, REMOTE = "from IPython.display import", "image without alternative text", "loads from another host"

# One page a fault: its name, its source, and what the build must say of it.
FAULTS = [
    ("hash", "[](#nope)", "cross-reference target not found: 'nope'"),
    ("link-label", "[words][nope]", "unresolved reference: [words][nope]"),
    ("footnote", "A claim.[^nope]", "unresolved reference: [^nope]"),
    ("spaced-role", "{ref} `start`", "unresolved reference: {ref}"),
    ("ref", "{ref}`nope`", "undefined label: 'nope'"),
    ("eqref", r"As in $\eqref{nope}$.", r"unresolved reference: \eqref{nope}"),
    ("theorem", "{prf:ref}`nope`", "prf:ref reference target not found: nope"),
    ("function", "{py:func}`hdp.nope`", "py:func reference target not found: hdp.nope"),
    ("citation", "{cite:p}`nope`", 'could not find bibtex key "nope"'),
    ("glue", "{glue:text}`nope`", "No key 'nope' found in glue data"),
    ("html-link", '<a href="nope.html">words</a>', "dead link: nope.html"),
    ("figure", "```{figure} dot.svg\nA caption.\n```", WORDLESS),
    ("html-image", '<img src="dot.svg" alt=" ">', WORDLESS),
    ("cell-html", CELL.format(f"{SHOW} HTML\nHTML('<img src=\"dot.svg\">')"), WORDLESS),
    ("script", '<script src="https://example.org/x.js"></script>', REMOTE),
    ("style", '<link rel="stylesheet" href="//example.org/x.css">', REMOTE),
    ("font", "<style>@import url(https://example.org/x.css);</style>", REMOTE),
]
VISIT = """\
from pathlib import Path
import hdp
from hdp import {module}

assert not hasattr(hdp, "visited"), "what another chapter did is seen"
hdp.visited = True
with Path(hdp.__file__).parents[1].joinpath("executed.txt").open("a") as log:
    log.write(f"{name} {{{module}.VALUE}}\\n")
"""
GOOD = """\
(here)=

Of {cite:t}`known`, {eq}`a-formula`, {ref}`start` and [](#here); {glue:text}`number:.2f`.[^note]

[^note]: A footnote.

```{math}
:label: a-formula
x = x
```

```{image} dot.svg
:alt: A black dot
```

```{bibliography}
```
"""
GLUE = '{}from myst_nb import glue\nglue("number", 3.14159, display=False)'
THEOREM = "```{prf:theorem} A title\n:label: a-theorem\nIt holds that $x = x$.\n```\n"
ROW = {"id": "a-theorem", "paper": "hdp", "number": "Theorem 1", "statement": "It holds.", "verdict": "proved"}


def chapter(title, text):
    """The source of a chapter, which is a notebook if it has a cell or needs one: a kernel takes its time."""
    return f"{HEADER if '{code-cell}' in text or '{glue' in text else ''}# {title}\n\n{text}\n"


def write_pages(root, pages):
    """Write the sources of the pages, the first of which is the root, and the table of contents."""
    first, *others = ({"file": f"book/{name}"} for name in pages)
    (root / "_toc.yml").write_text(yaml.safe_dump({"format": "jb-book", "root": first["file"], "chapters": others}))
    for name, source in pages.items():
        (root / f"book/{name}.md").parent.mkdir(exist_ok=True)
        (root / f"book/{name}.md").write_text(source)


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """The builds of the book: new; with an address and one chapter edited; then without what is good.

    With another library and more pages, each with one of FAULTS; unchanged; with a cell that fails.
    """
    root, builds = tmp_path_factory.mktemp("good"), []
    for folder in ("hdp", "book/_ext", "book/_kernel", "book/_static", "book/_tools"):
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("requirements.txt", "pyproject.toml", "_config.yml", "CITATION.cff", "book/references.bib"):
        shutil.copy(ROOT / name, root / name)
    with (root / "book/references.bib").open("a") as references:
        references.write("@book{known, author = {Known, Ann}, title = {A book}, publisher = {P}, year = {2020}}\n")
    (root / "book/dot.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"><circle r="4"/></svg>\n')
    write_claims(root, CLAIMS["papers"], [ROW])
    pages = {
        "index": "(start)=\n# Start\n\nHello.\n",
        "first": chapter("First", GOOD + CELL.format(GLUE.format(VISIT.format(name="first", module="made_up")))),
        "part/second": chapter("Second", THEOREM + CELL.format(VISIT.format(name="second", module="at_hand"))),
        "synthesis/claims": "# Claims\n\n```{claims-table} hdp\n```\n",
    }
    write_pages(root, pages)
    library, second = root / "hdp/made_up_there.py", root / "book/part/second.md"
    (root / "hdp/made_up.py").write_text("from hdp.made_up_there import VALUE\n")
    for module in (library, root / "hdp/at_hand.py"):
        module.write_text("VALUE = 1\n")

    def build(repository=REPOSITORY, address=ADDRESS):
        (root / "executed.txt").write_text("")
        asked = {**os.environ, "KERNEL": "none", "HDP_REPOSITORY": repository, "HDP_BASEURL": address}
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "cwd": root, "env": asked}
        done = subprocess.run([sys.executable, "book/_tools/build.py"], **options)
        html = {} if done.returncode else {name: root / f"_build/html/book/{name}.html" for name in pages}
        built = {name: BeautifulSoup(path.read_text(), "html.parser") for name, path in html.items()}
        executed, log = (root / "executed.txt").read_text(), (root / "_build/build.log").read_text()
        builds.append(SimpleNamespace(
            code=done.returncode, output=done.stdout, executed=sorted(executed.splitlines()), log=log, pages=built,
        ))  # fmt: skip

    build("", "")
    second.write_text(second.read_text() + CELL.format("1 + 1"))
    build()
    library.write_text("VALUE = 2\n")
    write_pages(root, pages | {name: chapter(name, source) for name, source, _ in FAULTS})
    build()
    build()
    second.write_text(second.read_text() + CELL.format("assert 1 + 1 == 3"))
    build()
    return builds


def names(output, page, message):
    """Whether a line of the output names the page and says the message."""
    return re.search(rf"book/{page}[.:].*{re.escape(message)}", output)


def test_faults_fail_the_build_and_each_is_named(good, subtests):
    """Building again, unchanged, must not hide one."""
    for built in good[:2]:
        assert (built.code, built.output.splitlines()[-1]) == (0, "The book is ready: open _build/html/index.html")
    for faulty in good[2:]:
        assert faulty.code != 0 and "The book was NOT built." in faulty.output
    for page, _, message in FAULTS:
        with subtests.test(page):
            assert names(good[2].output, page, message) and names(good[3].output, page, message)
    assert names(good[4].output, "part/second", "Executing notebook failed") and "AssertionError" in good[4].log


def test_what_an_edit_executes_again(good):
    first, edited, changed, again, _ = good
    assert first.executed == ["first 1", "second 1"] and "3.14" in first.pages["first"].text
    assert edited.executed == ["second 1"], "a chapter is executed again, and no other"
    assert changed.executed == ["first 2"], "what it imports imports what changed; what the second imports does not"
    assert again.executed == [], "only written again"


def test_buttons_and_citations_lead_where_the_book_is(good):
    """And where no repository and no address is known, there is no link that leads nowhere."""

    def links(build, page):
        return {a.get_text(strip=True): a["href"] for a in build.pages[page].select(".dropdown-launch-buttons a")}

    page, (plain, public, *_) = "part/second", good
    assert links(plain, page) == links(plain, "index") == {}
    assert plain.pages[page].select_one("a.btn-download-notebook-button")
    assert links(public, page)["Source on GitHub"] == f"{REPOSITORY}/blob/main/book/{page}.md"
    binder = "https://mybinder.org/v2/gh/somebody/a-book/main?urlpath=lab%2Ftree%2Fbook%2Fpart%2Fsecond.ipynb"
    assert links(public, page)["Run on Binder"] == binder
    assert "Run on Binder" not in links(public, "index") != {}, "a page without code cannot be run"
    for place in (f"{page}.html#a-theorem", f"{page}.html"):
        cited = [[fold.text for fold in build.pages[page].select("details.cite pre")] for build in (plain, public)]
        assert all(f"{{{ADDRESS}/book/{place}}}" not in text for text in cited[0])
        assert sum(f"url          = {{{ADDRESS}/book/{place}}}" in text for text in cited[1]) == 1


# -- the script, for a project in an empty folder -------------------------------------------------------------


def test_what_no_longer_holds_after_a_change(tmp_path, monkeypatch):
    """What is executed again, what is only written again, what is read again where it changed."""
    script = import_module("build")
    places = {"ROOT": "", "BUILD": "_build", "LOG": "_build/build.log", "FINGERPRINTS": "_build/fingerprints.json"}
    for name, place in places.items():
        monkeypatch.setattr(script, name, tmp_path / place)
    (tmp_path / "_build").mkdir()
    page = tmp_path / "_build/html/index.html"

    def dropped(code=0):
        """The folders of the earlier build that this one does not use; None if nothing is built."""
        found, stored = [], script.stored_fingerprints()

        def run():
            found.append(script.stale(stored, script.current_fingerprints())[0])
            page.parent.mkdir(exist_ok=True)
            page.write_text("")
            return code, []

        monkeypatch.setattr(script, "run_jupyter_book", run)
        assert script.main() == (code if found else 0)
        return found[0] if found else None

    written, executed = [".doctrees", "html"], [".jupyter_cache", ".doctrees", "html"]
    changes = dict.fromkeys(("hdp/figures/data.json", "requirements.txt"), executed)
    changes |= dict.fromkeys(("hdp/one.py", "book/_static/a.css", "book/_ext/one.py", "book/claims/cc.yml"), written)
    changes |= {"_config.yml": written, "book/chapter.md": [], "book/topic/data.csv": [], "README.md": []}
    assert dropped() == executed and dropped() is None
    for name, expected in changes.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("new")
        assert dropped() == expected and dropped() is None, name
    (tmp_path / "book/chapter.md").write_text("wrong")
    assert dropped(code=1) == [] and dropped() == written, "the last build failed"
    page.unlink()
    assert dropped() == [] and dropped() is None, "there was no book"
    for name in ("HDP_BASEURL", "HDP_REPOSITORY", "KERNEL"):
        monkeypatch.setenv(name, "another")
        assert dropped() == [] and dropped() is None, name
    monkeypatch.setenv("FRESH", "1")
    assert dropped() == executed
    monkeypatch.setenv("FRESH", "0")
    monkeypatch.setattr(script.sys, "version", "another")
    assert script.stale(script.stored_fingerprints(), script.current_fingerprints())[0] == executed


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("def later():\n    from hdp.topic.leaf import x", "hdp/topic/__init__.py"),
        ("from hdp import deep", "hdp/topic/leaf.py"),
        ("from hdp import new", "hdp/new/__init__.py"),
        ("from importlib import import_module\nimport_module(name)", None),
        ("from hdp import figures\nfigures.ALL", None),
    ],
)
def test_what_is_executed_where_a_module_changes(tmp_path, code, change):
    """A package's own module counts, and an import within a function; nothing beside it; None is everything."""
    library = {"__init__": "", "one": "", "alone": "", "deep": "def f():\n    import hdp.topic.leaf", "topic/leaf": ""}
    (tmp_path / "hdp/topic").mkdir(parents=True)
    for name, source in library.items():
        (tmp_path / f"hdp/{name}.py").write_text(source)
    modules = import_module("imports").executed(code, tmp_path)
    assert modules is None if change is None else change in modules and "hdp/alone.py" not in modules


def test_a_dead_link_is_found_in_a_page_that_has_not_changed(tmp_path, monkeypatch):
    """What is kept of a page is what it says, not that it was good."""
    said, pages = [], tmp_path / "html"
    pages.mkdir()
    monkeypatch.setattr(checks, "warn", said.append)
    app = SimpleNamespace(builder=SimpleNamespace(name="html"), outdir=pages, doctreedir=tmp_path)
    (pages / "from.html").write_text('<a href="to.html#here">words</a>')
    for target, expected in (("here", 0), ("there", 1), ("there", 2), ("here", 2)):
        (pages / "to.html").write_text(f'<p id="{target}">words</p>')
        checks.check_site(app, None)
        assert said == ["from.html: dead link: to.html#here"] * expected
