"""Install, cite, find: the commands of a page run, what the site carries is whole, and every page says what it is."""

import os
import re
import shutil
import subprocess
import venv
from importlib.util import find_spec
from pathlib import Path

import pytest
from docutils.core import publish_doctree
from hdpbook import release, use
from pybtex.database import parse_file

from tests.files import CLAIMS, PAGES, ROOT, built_page, read, read_yaml

VERSION = read_yaml("CITATION.cff")["version"]


LENT = ("numpy", "scipy", "setuptools", "pip")  # as they are here: a test has no network to fetch them by


def run_page(block, folder):
    """Run the commands of a block of *Install and run* in a folder, with dependencies that are lent, not fetched."""
    offline = "pip install --no-deps --no-index --no-build-isolation --quiet"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    said = []
    for line in re.search(rf"^:class: {block}\n(.*?)^```", read("book/use/install.md"), re.M | re.S)[1].splitlines():
        if " -m venv " in line:
            venv.create(folder / "env", symlinks=True)
            (site,) = folder.glob("env/lib/python*/site-packages")
            lent = {str(Path(find_spec(name).origin).parents[1]) for name in LENT}
            (site / "lent.pth").write_text("\n".join(lent))
            continue
        command = ["bash", "-c", line.replace("pip install", offline)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, env=environment)
        assert done.returncode == 0, (line, done.stderr)
        said.append(done.stdout)
    return said


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A folder with the wheel, made as the build of the book makes it."""
    folder = tmp_path_factory.mktemp("wheel")
    use.make_wheel(ROOT, folder)
    return folder


def test_the_commands_for_the_wheel_run(wheel):
    assert [path.name for path in wheel.glob("*.whl")] == [f"unequal_privacy-{VERSION}-py3-none-any.whl"]
    *_, weights = run_page("install-wheel", wheel)
    assert re.fullmatch(r"\[0\.\d+ .* 0\.\d+\s*\]\n", weights), weights
    found = subprocess.run([wheel / "env/bin/python", "-I", "-c", "import hdp; print(hdp.__file__)"],
                           cwd=wheel, capture_output=True, text=True, check=True).stdout  # fmt: skip
    assert str(wheel / "env") in found, "of the wheel, and no other"


def test_the_commands_for_the_source_run(tmp_path):
    for name in use.SOURCES:
        path = ROOT / name
        shutil.copytree(path, tmp_path / name) if path.is_dir() else shutil.copy(path, tmp_path)
    *_, words = run_page("install-source", tmp_path)
    assert "usage:" in words


def test_the_site_carries_the_wheel_and_all_citations(site):
    (link,) = built_page("book/use/install").select("a.wheel")
    assert (site / "book/use" / link["href"]).resolve().read_bytes().startswith(b"PK")
    entries = parse_file(site / "_static" / use.BIBTEX).entries
    treated = [row for row in CLAIMS["claims"] if row.get("page") and row["verdict"] != "not treated"]
    assert len(entries) == 1 + len(CLAIMS["papers"]) + len(treated) > 150
    assert set(CLAIMS["papers"].values()) <= set(entries)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Title\n=====\n\nWords.\n\n**The point\nis this.**\n", "The point is this."),
        ("Title\n=====\n\nA sentence. Another.\n\nSub\n---\n\n**bold** begins.\n", "A sentence."),
        ("Title\n=====\n\nno end\n", "no end"),
    ],
)
def test_the_description_is_the_first_bold_sentence(text, said):
    """Or else the first sentence of all."""
    wrapped = publish_doctree(text, settings_overrides={"doctitle_xform": False})
    assert release.description(wrapped) == said


@pytest.mark.xdist_group("trees")
@pytest.mark.parametrize("name", PAGES)
def test_every_page_describes_itself(site, name):
    page = built_page(name)
    (text,) = (tag["content"] for tag in page.select('meta[name="description"]'))
    assert 10 < len(text) and page.select_one('meta[property="og:description"]')["content"] == text
    bold = re.search(r"^\*\*([^*\n$`{]+\.)\*\*$", read(f"{name}.md"), re.M)
    assert not bold or text == bold[1].replace("'", "’") or text == bold[1]
    assert page.select_one(".hdp-version").text.startswith(f"Version {VERSION}")
