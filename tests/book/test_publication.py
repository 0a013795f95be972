"""What surrounds the book: its notebooks and launch buttons, Binder, the workflows, the forms and the advice."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import metadata, version
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import check_jsonschema
import nbformat
import pytest
import yaml
from click.testing import CliRunner
from hdpbook import notebooks
from nbclient import NotebookClient
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from sphinx.errors import ConfigError

from tests import files
from tests.book.conftest import REPOSITORY
from tests.book.test_chapters import EXECUTED, PAGES, TEMPLATE_PAGE, sources
from tests.browser.axe import assert_nothing_found
from tests.files import ROOT, built_text, read
from tests.tools import pins

GITHUB = ROOT / ".github"
CHOOSER = GITHUB / "ISSUE_TEMPLATE/config.yml"
FORMS = sorted({*CHOOSER.parent.glob("*.yml")} - {CHOOSER})
FLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
SCHEMAS = {
    "vendor.github-workflows": FLOWS,
    "custom.github-workflows-require-timeout": FLOWS,
    "vendor.github-issue-forms": FORMS,
    "vendor.github-issue-config": [CHOOSER],
    "vendor.dependabot": [GITHUB / "dependabot.yml"],
    "vendor.citation-file-format": ["--force-filetype=yaml", ROOT / "CITATION.cff"],
}
TARGETS = set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(), re.M))
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


def test_a_page_without_code_is_no_notebook(site):
    for name in set(PAGES) - set(EXECUTED):
        assert not (site / "_sources" / f"{name}.ipynb").exists(), name
        assert "btn-download-notebook-button" not in built_text(name), name


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


def test_the_report_of_an_error_opens_a_form_that_exists(good):
    page, pages = good.page, good.builds[1].pages
    report = urlsplit(launch_links(pages[page])["Report an error"])
    assert f"{report.scheme}://{report.netloc}{report.path}" == f"{REPOSITORY}/issues/new"
    query = parse_qs(report.query)
    form = read_yaml(GITHUB / "ISSUE_TEMPLATE" / query.pop("template")[0])
    assert query == {"page": [page]}
    assert set(query) <= {field.get("id") for field in form["body"]}, "GitHub fills in fields by their ids"


def test_a_launch_button_loads_nothing(good, open_page):
    shown = open_page((good.root / "html/book" / f"{good.page}.html").as_uri())
    shown.get_by_role("button", name="Run, read or correct the source").click()
    logo = shown.get_by_role("img", name="Run on Binder logo")
    logo.wait_for()
    assert logo.evaluate("image => image.complete && image.naturalWidth > 0")
    assert_nothing_found(shown, ".dropdown-launch-buttons")


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


def test_binder_installs_what_the_book_was_tested_with():
    lines = (ROOT / ".binder/requirements.txt").read_text().splitlines()
    (included,) = (line.removeprefix("-r ") for line in lines if not line.startswith("#"))
    assert (ROOT / ".binder" / included).resolve() == ROOT / "requirements.txt"
    python = (ROOT / ".binder/runtime.txt").read_text().strip().removeprefix("python-")
    assert python in PYTHONS


# -- the exact versions --------------------------------------------------------------------------------------

PROJECT = tomllib.loads(read("pyproject.toml"))["project"]
PYTHONS = [c.split(" :: ")[-1] for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)]  # that it names
PINNED = {name: [Requirement(line) for line in pins.pins(read(name))] for name in pins.FILES}
PINS = [pin for found in PINNED.values() for pin in found]
HERE = {canonicalize_name(pin.name): pin for pin in PINS if not pin.marker or pin.marker.evaluate()}


def test_the_pins_are_what_is_asked_for():
    asked = [*PROJECT["dependencies"], *(r for extra in PROJECT["optional-dependencies"].values() for r in extra)]
    for requirement in (r for r in map(Requirement, asked) if r.name != PROJECT["name"]):  # an extra may name another
        (pin,) = HERE[canonicalize_name(requirement.name)].specifier
        assert requirement.specifier.contains(pin.version), requirement
    for pin in HERE.values():
        assert pin.specifier.contains(version(pin.name)), f"{pin} is not what these tests run with: make install"


def test_the_pins_can_be_had_for_the_oldest_python():
    """Of every pinned version: what it says of the Pythons that it is for, asked with the first release of each."""
    oldest = PROJECT["requires-python"].removeprefix(">=")
    assert [oldest, *PYTHONS][:2] == ["3.11", "3.11"]
    wanted = {name: SpecifierSet(metadata(name).get("Requires-Python", "")) for name in HERE}
    late = {name: str(said) for name, said in wanted.items() for p in PYTHONS if f"{p}.0" not in said}
    assert late == {}, "made with `make pins`, requirements.txt has versions that they can install"


def test_every_pin_has_a_wheel_wherever_readme_says_so():
    """As the index answered when these versions were chosen; README's table promises no more and no less."""
    record = json.loads(read("tests/platforms.json"))
    assert record["pins"] == pins.state(), "the pins are not those whose wheels were asked for: make pins"
    assert record["pythons"].split() == PYTHONS == pins.pythons()
    table = re.findall(r"^\| (Linux|macOS|Windows).*? \| (\w+) \| (.+) \| (.+) \|$", read("README.md"), re.M)
    said = {f"{system} {machine}": answers for system, machine, *answers in table}
    lacking = {where: found.values() for where, found in record["without a wheel"].items()}
    for where, found in lacking.items():
        assert said.pop(where) == ["not promised" if every else "resolved" for every in found], where
    assert said == {}
    glibc, macos = (re.search(rf"{word} ([\d.]+)", read("README.md"))[1] for word in ("glibc", "macOS"))
    for where, (tags, _) in pins.PLATFORMS.items():
        newest = {"Linux": f"manylinux_{glibc.replace('.', '_')}_", "macOS": f"macosx_{macos}_0_"}
        assert tags[0].startswith(newest.get(where.split()[0], "win_amd64")), where


@pytest.mark.parametrize("name", pins.PLATFORMS)
def test_a_version_without_a_wheel_is_named(name):
    """A wheel for any system, one for this system alone, one for the others, and a version of other systems."""
    (system, *_), machine = pins.PLATFORMS[name][0], pins.PLATFORMS[name][1][-1]

    def package(name, *tags, **more):
        wheels = [{"url": f"https://x.org/{name}-1-{tag}.whl"} for tag in tags]
        return {"name": name, "version": "1", "wheels": wheels, **more}

    elsewhere = {"marker": f"platform_machine != '{machine}' and python_version > '3'"}
    listed = [package("any", "py3-none-any"), package("abi", f"cp310-abi3-{system}"), package("none"),
              package("old", f"cp310-cp310-{system}"), package("musl", "cp312-cp312-musllinux_1_2_x86_64"),
              package("not-here", **elsewhere)]  # fmt: skip
    assert pins.missing(listed, name, "3.12") == ["none==1", "old==1", "musl==1"]


def test_a_reader_is_not_asked_for_what_only_tests_need():
    """Neither file names a version that the other one has, and both together have what the tests run with."""
    book, more = ({canonicalize_name(pin.name) for pin in found} for found in PINNED.values())
    assert not book & more and {"z3-solver", "pytest", "playwright", "dask", "ruff", "mypy"} <= more
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


@pytest.mark.parametrize("python", PYTHONS)
def test_one_that_is_promised_is_not(tmp_path, python):
    made = told(*asked(tmp_path, f"{python.replace('.', ', ')}, 0")[1])
    assert "This is" not in made.stderr and "venv module" in made.stderr


# -- workflows -----------------------------------------------------------------------------------------------

WORKFLOWS = {path.stem: read_yaml(path) for path in FLOWS}
JOBS = {f"{name}:{job}": body for name, flow in WORKFLOWS.items() for job, body in flow["jobs"].items()}
EVERY_JOB = pytest.mark.parametrize(("name", "job"), JOBS.items(), ids=JOBS)


def runs(job):
    """Return all commands of a job."""
    return [line for step in job["steps"] for line in step.get("run", "").splitlines()]


@EVERY_JOB
def test_a_job_is_bounded_and_calls_only_what_exists(name, job):
    assert int(job["timeout-minutes"]) <= (90 if "make test-all" in runs(job) else 60)
    needed = job.get("needs", [])
    assert set([needed] if isinstance(needed, str) else needed) <= set(WORKFLOWS[name.split(":")[0]]["jobs"])
    for command in runs(job):
        words = command.split()
        assert words[0] != "make" or set(words[1:]) <= TARGETS, command
        assert words[0] != "bash" or (ROOT / words[1]).is_file(), command
    assert all(re.fullmatch(r"[\w./-]+@(release/)?v\d+", step["uses"]) for step in job["steps"] if "uses" in step)


@EVERY_JOB
def test_what_may_write_runs_nothing_of_a_pull_request(name, job):
    permissions = job.get("permissions", WORKFLOWS[name.split(":")[0]]["permissions"])
    writes = [scope for scope, level in permissions.items() if level != "read"]
    assert not writes or not runs(job)
    checkouts = [step for step in job["steps"] if step.get("uses", "").startswith("actions/checkout@")]
    assert checkouts or name == "release:publish", "which sees the built package only"
    assert all(step["with"]["persist-credentials"] == "false" for step in checkouts)
    allowed = {
        "ci:publish": {"contents"},
        "ci:preview": {"contents", "pull-requests"},
        "release:publish": {"id-token"},
    }
    assert set(writes) <= allowed.get(name, set())


def test_every_python_is_tested_and_the_whole_book_is_published():
    jobs = WORKFLOWS["ci"]["jobs"]
    assert jobs["test"]["strategy"]["matrix"]["python"] == PYTHONS
    assert runs(jobs["test"]) == ["bash .ci/run"] == runs(jobs["book"])[:1]
    assert set(jobs["publish"]["needs"]) == {"lint", "test", "book"}
    assert jobs["publish"]["if"] == "github.event_name == 'push'"
    assert WORKFLOWS["ci"]["on"]["push"] == {"branches": ["main"]}
    (environment,) = (step["env"] for step in jobs["book"]["steps"] if step.get("run") == "bash .ci/run")
    read = "".join(path.read_text() for path in (ROOT / "book/_ext").rglob("*.py"))
    assert "HDP_REPOSITORY" in environment and "HDP_REPOSITORY" in read


def test_the_commands_for_a_system_without_make_are_those_that_are_run_there():
    """Other systems run what README gives a reader of Windows, and need no built book for the library's tests."""
    given = "".join(re.findall(r"^```powershell\n(.*?)^```", read("README.md"), re.M | re.S))
    given = given.replace(".venv\\Scripts\\", "")
    commands = runs(WORKFLOWS["ci"]["jobs"]["systems"])
    assert commands[0] == "python -m pip install -r requirements.txt -r tests/requirements.txt"
    assert [command for command in commands[1:] if command not in given.splitlines()] == []
    systems = " ".join(WORKFLOWS["ci"]["jobs"]["systems"]["strategy"]["matrix"]["system"])
    assert all(name in systems for name in ("ubuntu-24.04", "ubuntu-24.04-arm", "macos", "intel", "windows"))


def test_a_release_is_a_tag_that_was_built_and_checked():
    """Never a branch; what is published is what was checked, and only once every test has passed."""
    release = WORKFLOWS["release"]
    build_it, publish = release["jobs"]["build"], release["jobs"]["publish"]
    assert release["on"] == {"push": {"tags": ["v*"]}} and release["permissions"] == {}
    assert runs(build_it)[:2] == ["pipx run build", "pipx run twine check --strict dist/*"]
    wheel = f"dist/{PROJECT['name'].replace('-', '_')}-"
    assert f'{wheel}"${{GITHUB_REF_NAME#v}}".tar.gz' in runs(build_it)[2]
    assert set(publish["needs"]) == {"build", "test"} and runs(release["jobs"]["test"]) == ["make test-all"]
    assert publish["permissions"] == {"id-token": "write"} and publish["environment"]
    uploaded, downloaded = build_it["steps"][-1]["with"], publish["steps"][0]["with"]
    assert (uploaded["name"], uploaded["path"]) == (downloaded["name"], downloaded["path"])
    assert "pypi-publish" in publish["steps"][-1]["uses"]
    released = re.findall(r"^## (\d\S*) - \d{4}-\d\d-\d\d$", read("CHANGELOG.md"), re.M)
    assert released[0] == PROJECT["version"], "the last release heads the changelog"


PUBLISHING = WORKFLOWS["ci"]["jobs"]


def option(job, action, key):
    """What the first step of a job that uses an action tells it."""
    return next(step["with"][key] for step in PUBLISHING[job]["steps"] if action in step.get("uses", ""))


def test_pages_leaves_nothing_out(site):
    assert (site / ".nojekyll").is_file(), "Jekyll would drop every folder whose name begins with an underscore"
    assert option("book", "upload-artifact", "include-hidden-files") == "true"


def test_what_is_built_is_what_is_published():
    assert option("book", "upload-artifact", "path") == "_build/html"
    for job, action, key in (("publish", "deploy-action", "folder"), ("preview", "preview-action", "source-dir")):
        assert option(job, "download-artifact", "name") == option("book", "upload-artifact", "name")
        assert option(job, action, key) == option(job, "download-artifact", "path")
    assert option("publish", "deploy-action", "branch") == option("preview", "preview-action", "preview-branch")
    excluded = option("publish", "deploy-action", "clean-exclude").split()
    assert excluded == ["pr-preview/", "v/"], "publishing must keep the previews and the older versions"
    assert option("publish", "deploy-action", "force") == "false"
    first, copy = (step["with"] for step in PUBLISHING["publish"]["steps"] if "deploy-action" in step.get("uses", ""))
    assert copy["target-folder"] == "v/${{ needs.book.outputs.version }}" and copy["force"] == "false"
    assert {copy[key] for key in ("branch", "folder")} == {first[key] for key in ("branch", "folder")}


def test_the_kept_version_is_that_of_the_book(tmp_path):
    """The workflow reads it from CITATION.cff, as the book does."""
    (command,) = (line for line in runs(WORKFLOWS["ci"]["jobs"]["book"]) if "version" in line)
    told = tmp_path / "output"
    subprocess.run(["bash", "-ec", command], cwd=ROOT, env=os.environ | {"GITHUB_OUTPUT": str(told)}, check=True)
    assert told.read_text() == f"version={PROJECT['version']}\n"


def test_the_links_are_asked_for_every_week():
    links = WORKFLOWS["links"]
    (schedule,) = links["on"]["schedule"]
    assert re.fullmatch(r"\d+ \d+ \* \* [0-6]", schedule["cron"])
    assert runs(links["jobs"]["links"]) == ["make links"]


# -- forms, commit hooks, advice -----------------------------------------------------------------------------


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_file_is_one_that_its_readers_accept(schema):
    """By the schemas that those who read the files publish, and that come with check-jsonschema."""
    said = CliRunner().invoke(check_jsonschema.main, [f"--builtin-schema={schema}", *map(str, SCHEMAS[schema])])
    assert SCHEMAS[schema] and said.exit_code == 0, said.output


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_asks_each_thing_once_and_something_in_any_case(path):
    fields = [field for field in read_yaml(path)["body"] if field["type"] != "markdown"]
    ids = [field["id"] for field in fields]
    assert len(ids) == len(set(ids))
    assert any(field.get("validations", {}).get("required") == "true" for field in fields)


def test_the_hooks_use_the_tested_ruff():
    repos = {repo["repo"]: repo for repo in read_yaml(ROOT / ".pre-commit-config.yaml")["repos"]}
    assert all(re.fullmatch(r"v\d+\.\d+\.\d+", repo["rev"]) for repo in repos.values())
    ruff = repos["https://github.com/astral-sh/ruff-pre-commit"]
    pinned = re.search(r"^ruff==(\S+)$", read("tests/requirements.txt"), re.M)[1]
    assert ruff["rev"] == f"v{pinned}"
    assert [hook["id"] for hook in ruff["hooks"]] == ["ruff-check", "ruff-format"]
    lint = re.search(r"^lint:.*\n((?:\t.*\n)+)", read("Makefile"), re.M)[1]
    assert [line.split("-m ")[1] for line in lint.splitlines()] == ["ruff check .", "ruff format --check .", "mypy"]


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "README.md"])
def test_advice_names_what_exists(name):
    text = read(name)
    made = (".venv", "_build")
    quoted = set(re.findall(r"`([^`\s]+)`", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)))
    paths = {q for q in quoted if re.fullmatch(r"[\w.-]+/[\w./-]*|[\w-]+\.(md|yml|toml|txt|cff)|\.[\w.-]+", q)}
    linked = set(re.findall(r"\]\((?!https?:|#)([^)#]+)", text))
    assert [p for p in sorted(paths | linked) if not p.startswith(made) and not (ROOT / p).exists()] == []
    assert set(re.findall(r"(?:`|^)make ([a-z-]+)", text, re.M)) <= TARGETS
    for command in re.findall(r"pytest (.*?)(?: *#.*)?$", text, re.M):
        files = [word.removeprefix("--ignore=") for word in command.split() if "/" in word]
        assert files and all((ROOT / file).exists() for file in files), command
