"""The build script, on throw-away books: what fails a build, and what is executed again after an edit.

The books are built with the project's own settings, extensions and script; only the chapters are made up.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from hdpbook import checks

ROOT = Path(__file__).resolve().parents[2]
HEADER = """\
---
jupytext:
  text_representation: {extension: .md, format_name: myst}
kernelspec: {name: python3, display_name: Python 3}
---
"""
INDEX = {"index": "(start)=\n# Start\n\nHello.\n"}
IMAGE = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><circle r="4"/></svg>\n'
BIBLIOGRAPHY = "@book{known, author = {Known, Ann}, title = {A book}, publisher = {Press}, year = {2020}}\n"

CELL = "\n```{{code-cell}} ipython3\n{}\n```\n"
SHOW, WORDLESS = "from IPython.display import", "image without alternative text"

# One page a fault: its name, its source, and what the build must say of it.
FAULTS = [
    ("hash", "[](#nope)", "cross-reference target not found: 'nope'"),
    ("hash-with-text", "[words](#nope)", "cross-reference target not found: 'nope'"),
    ("page", "[words](nope.md)", "cross-reference target not found: 'nope.md'"),
    ("anchor", "[words](index.md#nope)", "local id not found"),
    ("link-label", "[words][nope]", "unresolved reference: [words][nope]"),
    ("footnote", "A claim.[^nope]", "unresolved reference: [^nope]"),
    ("spaced-role", "{ref} `start`", "unresolved reference: {ref}"),
    ("unknown-role", "{nope}`start`", 'Unknown interpreted text role "nope"'),
    ("unknown-directive", "```{nope}\n```", "Unknown directive type: 'nope'"),
    ("ref", "{ref}`nope`", "undefined label: 'nope'"),
    ("doc", "{doc}`nope`", "unknown document: 'nope'"),
    ("eq", "{eq}`nope`", "equation not found: nope"),
    ("eqref", r"As in $\eqref{nope}$.", r"unresolved reference: \eqref{nope}"),
    ("numref", "{numref}`nope`", "undefined label: 'nope'"),
    ("theorem", "{prf:ref}`nope`", "prf:ref reference target not found: nope"),
    ("term", "{term}`nope`", "term not in glossary: 'nope'"),
    ("function", "{py:func}`hdp.nope`", "py:func reference target not found: hdp.nope"),
    ("citation", "{cite:p}`nope`", 'could not find bibtex key "nope"'),
    ("glue", "{glue:text}`nope`", "No key 'nope' found in glue data"),
    ("download", "{download}`nope.zip`", "download file not readable"),
    ("missing-image", "![words](nope.png)", "image file not readable"),
    ("html-link", '<a href="nope.html">words</a>', "dead link: nope.html"),
    ("image", "![](dot.svg)", WORDLESS),
    ("figure", "```{figure} dot.svg\nA caption.\n```", WORDLESS),
    ("html-image", '<img src="dot.svg">', WORDLESS),
    ("blank-html-image", '<img src="dot.svg" alt=" ">', WORDLESS),
    ("script", '<script src="https://example.org/x.js"></script>', "loads from another host"),
    ("style", '<link rel="stylesheet" href="//example.org/x.css">', "loads from another host"),
    ("frame", '<iframe src="https://example.org/"></iframe>', "loads from another host"),
    ("font", "<style>@import url(https://example.org/x.css);</style>", "loads from another host"),
    ("cell-image", CELL.format(f"{SHOW} Image\nImage(bytes.fromhex('89504e470d0a1a0a'), format='png')"), WORDLESS),
    ("cell-html", CELL.format(f"{SHOW} HTML\nHTML('<img src=\"dot.svg\">')"), WORDLESS),
]


def chapter(title, text):
    """Return the source of a chapter, which is a notebook if it has a cell or needs one: a kernel takes its time."""
    return f"{HEADER if '{code-cell}' in text or '{glue' in text else ''}# {title}\n\n{text}\n"


def make_book(root, pages):
    """Write a book of the given {name: source} pages beside a copy of the project's tools and library."""
    ignore = shutil.ignore_patterns("__pycache__")
    for folder in ("hdp", "book/_ext", "book/_kernel", "book/_static", "book/_tools", "book/claims"):
        shutil.copytree(ROOT / folder, root / folder, ignore=ignore)
    for name in ("requirements.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, root)
    shutil.copy(ROOT / "_config.yml", root)
    shutil.copy(ROOT / "CITATION.cff", root)
    (root / "book/references.bib").write_text(BIBLIOGRAPHY)
    (root / "book/dot.svg").write_text(IMAGE)
    write_pages(root, INDEX | pages)


def write_pages(root, pages):
    """Write the sources of the pages, the first of which is the root, and the table of contents."""
    first, *others = ({"file": f"book/{name}"} for name in pages)
    toc = {"format": "jb-book", "root": first["file"], "chapters": others}
    (root / "_toc.yml").write_text(yaml.safe_dump(toc))
    for name, source in pages.items():
        (root / f"book/{name}.md").write_text(source)


def build(root):
    """Run the build script of a book; return its exit code and all that it printed."""
    command, environment = [sys.executable, "book/_tools/build.py"], {**os.environ, "KERNEL": "none"}
    said = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    done = subprocess.run(command, cwd=root, env=environment, **said)
    return done.returncode, done.stdout


def names(output, page, message):
    """Tell whether a line of the output names the page and says the message."""
    places = (f"book/{page}.", f"book/{page}:")
    return any(message in line and any(place in line for place in places) for line in output.splitlines())


def test_faults_fail_the_build(good):
    for faulty in good.builds[2:]:
        assert faulty.code != 0
        assert "The book was NOT built." in faulty.output
        assert "open _build/html/index.html" not in faulty.output


@pytest.mark.parametrize(("page", "message"), [(name, message) for name, _, message in FAULTS])
def test_each_fault_is_named(good, page, message):
    first, second = (build.output for build in good.builds[2:4])
    assert names(first, page, message)
    assert names(second, page, message), "building again, unchanged, must not hide it"


VISIT = """\
from pathlib import Path
import hdp
from hdp import {module}

assert not hasattr(hdp, "visited"), "what another chapter did is seen"
hdp.visited = True
with Path("../executed.txt").open("a") as log:
    log.write(f"{name} {{{module}.VALUE}}\\n")
"""
GOOD = """\
(here)=

Of {cite:t}`known`, {prf:ref}`a-theorem`, {eq}`a-formula`, {ref}`start` and [](#here); {glue:text}`number:.2f`.[^note]

[^note]: A footnote.

```{prf:theorem} A title
:label: a-theorem
It holds that $x = x$.
```

```{math}
:label: a-formula
x = x
```

```{image} dot.svg
:alt: A black dot
```

```{code-cell} ipython3
from IPython.display import HTML
from myst_nb import glue

VISIT
glue("number", 3.14159, display=False)
HTML('<img src="dot.svg" alt="A black dot">')
```

```{bibliography}
```
""".replace("VISIT\n", VISIT.format(name="first", module="made_up"))

ALSO_GOOD = CELL.format(VISIT.format(name="second", module="at_hand"))
ALONE = CELL.format("3 + 3")


def test_chapters_are_executed_side_by_side_but_for_those_that_measure_time(good):
    output = good.builds[0].output
    assert f"executing 3 chapters, {min(os.cpu_count() + 1, 3)} at a time" in output
    assert ": Executing notebook" not in output
    *together, (count, alone) = re.findall(r"of (\d)\] book/([\w/-]+)\.md: [\d.]+ s", output)
    assert sorted(together) == sorted(("3", name) for name in ("first", "second", good.page))
    assert (count, alone) == ("1", "third")


def test_what_an_edit_executes_again(good):
    first, edited, changed, again, _ = good.builds
    assert first.executed == ["first 1", "second 1"] and "3.14" in first.pages["first"].text
    assert edited.executed == ["second 1"], "a chapter is executed again, and no other"
    assert changed.executed == ["first 2"], "what it imports imports what changed; what the second imports does not"
    assert again.executed == [], "only written again"


def test_a_failing_cell_fails_the_build(good):
    *_, failed = good.builds
    assert failed.code != 0
    assert names(failed.output, "second", "Executing notebook failed")
    assert "_build/build.log" in failed.output.splitlines()[-1]
    assert "AssertionError" in (good.root / "_build/build.log").read_text()


@pytest.fixture
def script(tmp_path, monkeypatch):
    """The build script, for a project in an empty folder."""
    monkeypatch.syspath_prepend(ROOT / "book/_tools")
    spec = importlib.util.spec_from_file_location("build_script", ROOT / "book/_tools/build.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    monkeypatch.setattr(script, "ROOT", tmp_path)
    monkeypatch.setattr(script, "BUILD", tmp_path / "_build")
    monkeypatch.setattr(script, "LOG", tmp_path / "_build/build.log")
    monkeypatch.setattr(script, "FINGERPRINTS", tmp_path / "_build/fingerprints.json")
    (tmp_path / "_build").mkdir()
    return script


def test_nothing_is_built_where_nothing_has_changed(script, tmp_path, monkeypatch):
    """But after any change of what a book is made from, after a failure, and where there is no book."""
    codes, page = [], tmp_path / "_build/html/index.html"
    page.parent.mkdir()

    def built(code=0):
        def run_jupyter_book():
            page.parent.mkdir(exist_ok=True)
            page.write_text("")
            codes.append(code)
            return code, []

        monkeypatch.setattr(script, "run_jupyter_book", run_jupyter_book)
        done = len(codes)
        assert script.main() == (codes[-1] if len(codes) > done else 0)
        return len(codes) > done

    assert built() and not built()
    for name in ("book/chapter.md", "book/topic/data.csv", "hdp/one.py", "pyproject.toml", "README.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("new")
        assert built() and not built(), name
    (tmp_path / "book/chapter.md").write_text("wrong")
    assert built(code=1) and built() and not built()
    page.unlink()
    assert built() and not built()
    for name in ("HDP_BASEURL", "HDP_REPOSITORY", "KERNEL"):
        monkeypatch.setenv(name, "another")
        assert built() and not built(), name
    for command in ("init", "add README.md", "-c user.name=A -c user.email=a@example.org commit -m One"):
        subprocess.run(["git", *command.split()], cwd=tmp_path, check=True, capture_output=True)
    assert built() and not built(), "pages name the commit"


def test_what_no_longer_holds_after_a_change(script, tmp_path, monkeypatch):
    """What is executed again, and what is only written again."""

    def dropped():
        return script.stale(script.stored_fingerprints(), script.current_fingerprints())[0]

    def change(name, good=True):
        script.store_fingerprints(script.current_fingerprints(), good=good)
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(str(len(list(tmp_path.rglob("*")))))

    executed, written = [".jupyter_cache"], [".doctrees", "html"]
    assert dropped() == executed + written, "there is no earlier build"
    for name in ("hdp/figures/data.json", "requirements.txt"):
        change(name)
        assert dropped() == executed + written, name
    written_again = ("hdp/one.py", "book/_static/a.css", "book/_ext/one.py", "book/claims/cc.yml", "book/_tools/x.py")
    for name in (*written_again, "_config.yml"):
        change(name)
        assert dropped() == written, name
    for name in ("book/chapter.md", "tests/test_one.py", "hdp/__pycache__/one.py"):
        change(name)
        assert dropped() == [], name
    change("book/chapter.md", good=False)
    assert dropped() == written, "the last build failed"
    script.store_fingerprints(script.current_fingerprints(), good=True)
    monkeypatch.setattr(script.sys, "version", "another")
    assert dropped() == executed + written, "another interpreter"
    script.store_fingerprints(script.current_fingerprints(), good=True)
    for asked, expected in (("0", []), ("1", executed + written)):
        monkeypatch.setenv("FRESH", asked)
        assert dropped() == expected


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("from hdp import one", "hdp/one.py"),
        ("import hdp.one", "hdp/__init__.py"),
        ("def later():\n    from hdp.topic.leaf import x", "hdp/topic/__init__.py"),
        ("from hdp.topic import beside", "hdp/topic/leaf.py"),
        ("from hdp import deep", "hdp/topic/leaf.py"),
        ("from importlib import import_module\nimport_module('hdp.deep')", "hdp/topic/leaf.py"),
        ("from hdp import removed", "hdp/removed.py"),
        ("from hdp import new", "hdp/new/__init__.py"),
        ("%run x.py", "hdp/one.py"),
        ("from importlib import import_module\nimport_module(name)", "hdp/one.py"),
        ("from hdp import figures\nfigures.ALL", "hdp/one.py"),
    ],
)
def test_what_is_executed_where_a_module_changes(script, tmp_path, code, change):
    """A package's own module counts, and an import within a function, of whatever is imported; nothing beside it."""
    library = {
        "__init__": "", "one": "", "alone": "import numpy", "deep": "def f():\n    import hdp.topic.leaf",
        "topic/__init__": "from hdp.topic.leaf import x", "topic/leaf": "x = 1", "topic/beside": "",
    }  # fmt: skip
    (tmp_path / "hdp/topic").mkdir(parents=True)
    for name, source in library.items():
        (tmp_path / f"hdp/{name}.py").write_text(source)
    modules = script.executed(code, tmp_path)
    unseen = any(word in code for word in ("%run", "(name)", "ALL"))
    assert (modules is None) == unseen
    assert unseen or (change in modules and "hdp/alone.py" not in modules)


def test_a_dead_link_is_found_in_a_page_that_has_not_changed(tmp_path, monkeypatch):
    """What is kept of a page is what it says, not that it was good."""
    said, pages = [], tmp_path / "html"
    pages.mkdir()
    monkeypatch.setattr(checks, "warn", said.append)
    app = SimpleNamespace(builder=SimpleNamespace(name="html"), outdir=pages, doctreedir=tmp_path)
    (pages / "from.html").write_text('<a href="to.html#here">words</a>')
    parsed = []
    monkeypatch.setattr(checks, "read_page", lambda html, read=checks.read_page: parsed.append(html) or read(html))
    for target, expected in (("here", 0), ("here", 0), ("there", 1), ("there", 1), ("here", 0)):
        (pages / "to.html").write_text(f'<p id="{target}">words</p>')
        said.clear()
        checks.check_site(app, None)
        assert len(said) == expected and all("from.html: dead link: to.html#here" in line for line in said)
    assert len(parsed) == 3, "each page is parsed once"
    (pages / "to.html").unlink()
    checks.check_site(app, None)
    assert said
