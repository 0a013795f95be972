"""What surrounds the book: its notebooks and launch buttons, Binder, the exact versions and the interpreter."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import nbformat
import pytest
import yaml
from hdpbook import notebooks
from nbclient import NotebookClient
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from sphinx.errors import ConfigError

from tests import files
from tests.book.conftest import REPOSITORY
from tests.book.test_chapters import EXECUTED, PAGES, TEMPLATE_PAGE, sources
from tests.files import ROOT, read

NOTEBOOKS = sorted(set(EXECUTED) - set(TEMPLATE_PAGE))


def read_yaml(path):
    """Return what a YAML file says; the key `on` of a workflow is a word and not the value true."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)


# -- notebooks -----------------------------------------------------------------------------------------------


def downloaded(site, name):
    """Return the notebook behind the download button of a built page."""
    page = files.built_page(name)
    link = page.select_one("a.btn-download-notebook-button")
    assert link, "no download button"
    return nbformat.read((site / f"{name}.html").parent / link["href"], as_version=nbformat.NO_CONVERT)


@pytest.mark.xdist_group("trees")
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_every_chapter_can_be_had_as_a_notebook(site, name):
    notebook = downloaded(site, name)
    nbformat.validate(notebook)
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    assert code == [cell.strip() for cell in sources(PAGES[name])]
    assert not any(cell.outputs for cell in notebook.cells if cell.cell_type == "code")
    assert notebook.metadata.kernelspec.name == "python3"


def test_a_downloaded_notebook_runs(site, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    notebook = downloaded(site, "book/foundations/one-lemma")
    done = NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert all(cell.execution_count for cell in done.cells if cell.cell_type == "code")


# -- launch buttons, on a small book that has the template of a chapter ------------------------


def launch_links(page):
    """Return the addresses of the launch menu of a page, by the words on them."""
    return {link.get_text(strip=True): link["href"] for link in page.select(".dropdown-launch-buttons a")}


def test_the_template_builds_without_a_warning(good):
    for built in good.builds[:2]:
        assert built.code == 0, built.output
        assert built.output.splitlines()[-1] == "The book is ready: open _build/html/index.html"


def test_without_a_repository_there_is_no_link_that_leads_nowhere(good):
    page, pages = good.page, good.builds[0].pages
    assert launch_links(pages[page]) == {} == launch_links(pages["index"])
    assert pages[page].select_one("a.btn-download-notebook-button")


def test_launch_buttons_lead_into_the_repository(good):
    page, pages = good.page, good.builds[1].pages
    links = launch_links(pages[page])
    assert links["Source on GitHub"] == f"{REPOSITORY}/blob/main/book/{page}.md"
    binder = urlsplit(links["Run on Binder"])
    assert f"{binder.scheme}://{binder.netloc}{binder.path}" == "https://mybinder.org/v2/gh/somebody/a-book/main"
    assert parse_qs(binder.query) == {"urlpath": [f"lab/tree/book/{page}.ipynb"]}
    assert "Run on Binder" not in launch_links(pages["index"]) != {}, "a page without code cannot be run"


@pytest.mark.parametrize(
    "wrong", ["github.com/somebody/a-book", "https://example.org/somebody/a-book", REPOSITORY + "/x"]
)
def test_another_address_is_refused(wrong):
    with pytest.raises(ConfigError, match=f"must be https://github.com/owner/name, got '{re.escape(wrong)}'"):
        notebooks.check_repository(None, SimpleNamespace(hdp_repository=wrong))


# -- Binder --------------------------------------------------------------------------------------------------


def test_binder_makes_the_notebooks_that_the_buttons_open(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "settings"))
    shutil.copytree(ROOT / "book", tmp_path / "book", ignore=shutil.ignore_patterns("*.ipynb", "__pycache__"))
    subprocess.run([ROOT / ".binder/postBuild"], cwd=tmp_path, check=True, timeout=300)
    made = {path.relative_to(tmp_path).with_suffix("").as_posix() for path in tmp_path.rglob("*.ipynb")}
    assert made - {"book/_template/chapter"} == set(NOTEBOOKS)
    for name in NOTEBOOKS:
        nbformat.validate(nbformat.read(tmp_path / f"{name}.ipynb", as_version=nbformat.NO_CONVERT))


# -- the exact versions --------------------------------------------------------------------------------------

PROJECT = tomllib.loads(read("pyproject.toml"))["project"]
PYTHONS = [c.split(" :: ")[-1] for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)]  # that it names
FILES = ("requirements.txt", "tests/requirements.txt")
PINNED = {name: [Requirement(line) for line in read(name).splitlines() if "==" in line] for name in FILES}
PINS = [pin for found in PINNED.values() for pin in found]
HERE = {canonicalize_name(pin.name): pin for pin in PINS if not pin.marker or pin.marker.evaluate()}


def test_the_pins_are_what_is_asked_for():
    asked = [*PROJECT["dependencies"], *(r for extra in PROJECT["optional-dependencies"].values() for r in extra)]
    for requirement in (r for r in map(Requirement, asked) if r.name != PROJECT["name"]):  # an extra may name another
        (pin,) = HERE[canonicalize_name(requirement.name)].specifier
        assert requirement.specifier.contains(pin.version), requirement
    for pin in HERE.values():
        assert pin.specifier.contains(version(pin.name)), f"{pin} is not what these tests run with: make install"


def test_a_reader_is_not_asked_for_what_only_tests_need():
    """The first file has none of it, and both together have what the tests run with."""
    book, more = ({canonicalize_name(pin.name) for pin in found} for found in PINNED.values())
    assert {"z3-solver", "pytest", "playwright", "dask", "ruff", "mypy"} <= more - book
    asked = {extra: {canonicalize_name(Requirement(r).name) for r in PROJECT["optional-dependencies"][extra]}
             for extra in ("book", "lab", "test")}  # fmt: skip
    assert (asked["book"] | asked["lab"]) - {PROJECT["name"]} <= book
    assert asked["test"] - {PROJECT["name"]} <= book | more


# -- the interpreter -----------------------------------------------------------------------------------------

LIE = """\
#!{python}
import platform, runpy, sys
sys.version_info = ({version}, "final", 0)
platform.python_implementation = lambda: "{implementation}"
sys.argv = sys.argv[1:]
sys.path.insert(0, sys.argv[0].rpartition("/")[0])
runpy.run_path(sys.argv[0], run_name="__main__") if sys.argv[0] != "-c" else sys.exit("asked for the venv module")
"""


def asked(tmp_path, version, implementation="CPython"):
    """Return an interpreter that says that it is another one, and the command that asks `make` to set it up."""
    liar = tmp_path / "python"
    liar.write_text(LIE.format(python=sys.executable, version=version, implementation=implementation))
    liar.chmod(0o755)
    return liar, ["make", "--silent", "install", f"PYTHON={liar}", f"VENV={tmp_path / 'venv'}"]


def told(*command):
    """Run a command in the project as at a prompt, though `make` began this test; return what it said."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    ("version", "implementation"), [("3, 10, 14", "CPython"), ("3, 15, 0", "CPython"), ("3, 12, 1", "PyPy")]
)
def test_another_interpreter_is_refused_in_one_line(tmp_path, version, implementation):
    here = f"This is {implementation} {version.replace(', ', '.')}"
    liar, install = asked(tmp_path, version, implementation)
    script = shutil.copytree(ROOT / "book/_tools", tmp_path / "book/_tools") / "build.py"  # where there is no book
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for done in (told(*install), told(liar, script)):
        first, *others = done.stderr.splitlines()
        assert done.returncode and done.stdout == "", done.stdout
        assert first.startswith(here) and all(python in first for python in PYTHONS)
        assert [line for line in others if not line.startswith("make: ***")] == []
    assert not (tmp_path / "venv").exists()
