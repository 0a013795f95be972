"""What surrounds the pages: notebooks, Binder, the commands that install, the interpreter, previews."""

import json
import os
import re
import shutil
import subprocess
import sys
import venv
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urldefrag, urljoin
from xml.etree import ElementTree

import nbformat
import pytest
from hdpbook import downloads, previews
from nbclient import NotebookClient

from tests.files import PAGES, ROOT, built_page, built_text, read

EXECUTED = {name: text for name in PAGES if "```{code-cell}" in (text := read(f"{name}.md"))}


def sources(text):
    """The code of every cell of a page, without tags."""
    cells = re.findall(r"^```\{code-cell\}[^\n]*\n(.*?)^```", text, re.S | re.M)
    return [re.sub(r"\A:tags: .*\n", "", cell) for cell in cells]


def test_every_page_on_disk_is_in_the_table_of_contents():
    on_disk = {path.relative_to(ROOT).with_suffix("").as_posix() for path in (ROOT / "book").rglob("*.md")}
    assert {name for name in on_disk if not name.startswith("book/_template/")} == set(PAGES)


def downloaded(site, name):
    """The notebook behind the download button of a built page."""
    link = built_page(name).select_one("a.btn-download-notebook-button")
    return nbformat.read((site / f"{name}.html").parent / link["href"], as_version=nbformat.NO_CONVERT)


@pytest.mark.xdist_group("trees")
def test_every_chapter_can_be_had_as_a_notebook(site, subtests):
    for name, text in EXECUTED.items():
        with subtests.test(name):
            notebook = downloaded(site, name)
            nbformat.validate(notebook)
            code = [cell for cell in notebook.cells if cell.cell_type == "code"]
            assert [cell.source for cell in code] == [cell.strip() for cell in sources(text)]
            assert not any(cell.outputs for cell in code) and notebook.metadata.kernelspec.name == "python3"


def test_a_downloaded_notebook_runs(site, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    notebook = downloaded(site, "book/foundations/one-lemma")
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()


def test_binder_makes_the_notebooks_that_the_buttons_open(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "settings"))
    shutil.copytree(ROOT / "book", tmp_path / "book", ignore=shutil.ignore_patterns("*.ipynb", "__pycache__"))
    subprocess.run([ROOT / ".binder/postBuild"], cwd=tmp_path, check=True, timeout=300)
    made = {path.relative_to(tmp_path).with_suffix("").as_posix() for path in tmp_path.rglob("*.ipynb")}
    assert made - {"book/_template/chapter"} == set(EXECUTED)


@pytest.mark.parametrize(("version", "kind"), [((3, 10, 14), "CPython"), ((3, 12, 1), "PyPy")])
def test_another_interpreter_is_refused_in_one_line(version, kind):
    lie = "import platform, runpy, sys; sys.version_info = (*{}, 'final', 0); "
    lie += "platform.python_implementation = lambda: '{}'; runpy.run_path('book/_tools/build.py', run_name='__main__')"
    command = [sys.executable, "-c", lie.format(version, kind)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode and done.stdout == "" and done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"This is {kind} {'.'.join(map(str, version))}")


def run_page(block, folder):
    """Run the commands of a block of *Install and run* in a folder, with dependencies that are lent, not fetched."""
    offline = "pip install --no-deps --no-index --no-build-isolation --quiet"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    for line in re.search(rf"^:class: {block}\n(.*?)^```", read("book/use/install.md"), re.M | re.S)[1].splitlines():
        if " -m venv " in line:
            venv.create(folder / "env", symlinks=True)
            (site,) = folder.glob("env/lib/python*/site-packages")
            lent = {Path(find_spec(name).origin).parents[1] for name in ("numpy", "scipy", "setuptools", "pip")}
            (site / "lent.pth").write_text("\n".join(map(str, lent)))
            continue
        command = ["bash", "-c", line.replace("pip install", offline)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, env=environment)
        assert done.returncode == 0, (line, done.stderr)
    return done.stdout


def test_the_commands_for_the_wheel_run(site, tmp_path):
    """Of the wheel that the site carries, and no other."""
    (link,) = built_page("book/use/install").select("a.wheel")
    shutil.copy(site / "book/use" / link["href"], tmp_path)
    assert re.fullmatch(r"\[0\.\d+ .* 0\.\d+\s*\]\n", run_page("install-wheel", tmp_path))
    asked = [tmp_path / "env/bin/python", "-I", "-c", "import hdp; print(hdp.__file__)"]
    assert str(tmp_path / "env") in subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True).stdout


def test_the_commands_for_the_source_run(tmp_path):
    for name in downloads.SOURCES:
        path = ROOT / name
        shutil.copytree(path, tmp_path / name) if path.is_dir() else shutil.copy(path, tmp_path)
    assert "usage:" in run_page("install-source", tmp_path)


def test_every_link_to_an_equation_or_a_box_has_its_preview():
    """Whole elements, without links, anchors, pictures or scripts, that can be put anywhere."""
    written, marked = {}, 0
    for name in PAGES:
        text = read(f"_build/html/{previews.FOLDER}/{name}.js")
        written[name] = json.loads(re.fullmatch(r"\(window.*?\)\[\".*?\"\] = (.*);\n", text, re.S)[1])
        for element in (element for html in written[name].values() for element in ElementTree.fromstring(html).iter()):
            assert "id" not in element.attrib and element.tag not in {"a", "img", "script", "button"}, name
    box, link = r'<div class="proof [^"]*" id="([^"]+)"', r'<a class="([^"]*\breference internal\b.*?)".*? href="(.*?)"'
    boxes = {f"{name}.html#{id}" for name in PAGES for id in re.findall(box, built_text(name))}
    for name in PAGES:
        for classes, address in re.findall(link, built_text(name)):
            page, id = urldefrag(place := urljoin(f"{name}.html", address))
            assert previews.MARK in classes or not (id.startswith("equation-") or place in boxes), f"{name}: {address}"
            if previews.MARK in classes:
                assert id in written[page.removesuffix(".html")], f"{name}: {address}"
                marked += 1
    assert marked > 30
