"""What is installed: the package's content, metadata and types, and that NumPy and SciPy are enough for the core."""

import doctest
import inspect
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.parser import Parser
from functools import cached_property
from importlib import util
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import hdp
from tests.book.test_reference import CALLABLE

pytestmark = pytest.mark.xdist_group("package")

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXPLORE = "needs sympy, matplotlib and ipywidgets: pip install 'unequal-privacy[explore]'"
SYMPY = "needs sympy: pip install 'unequal-privacy[explore]'"
NEEDS_MORE = {
    "hdp.explore": f"hdp.explore {EXPLORE}",
    "hdp.figures": "hdp.figures needs joblib, threadpoolctl, sympy, matplotlib and ipywidgets: "
    "pip install 'unequal-privacy[simulate,explore]'",
    "hdp.proof": f"hdp.proof {SYMPY}",
    "hdp.simulate": "hdp.simulate needs joblib, threadpoolctl and tqdm: pip install 'unequal-privacy[simulate]'",
    "hdp.sym": f"hdp.sym {SYMPY}",
}
BUILD = "import sys; from setuptools import build_meta as b; getattr(b, f'build_{sys.argv[1]}')(sys.argv[2])"
BARE = """
import doctest, importlib, importlib.util, json, pkgutil
import hdp
refused, failed, examples = {}, [], 0
names = [m.name for m in pkgutil.walk_packages(hdp.__path__, "hdp.", onerror=lambda name: None)]
for name in names:
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        refused[name] = str(error)
        continue
    found = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS, report=False)
    failed += [name] * found.failed
    examples += found.attempted
others = [name for name in ("joblib", "sympy", "tqdm", "matplotlib", "pytest") if importlib.util.find_spec(name)]
print(json.dumps([hdp.__file__, names, refused, failed, examples, others]))
"""


def run(*command, **options):
    """Output of a command, which succeeds."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The sdist, and the wheel made from it: what `python -m build --no-isolation` does, so without the network."""
    folder = tmp_path_factory.mktemp("package")
    source = folder / "source"
    for name in ("hdp", "tests"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "MANIFEST.in", "LICENSE", "CHANGELOG.md", "CITATION.cff"):
        shutil.copy(ROOT / name, source)
    run(sys.executable, "-c", BUILD, "sdist", folder, cwd=source)
    (sdist,) = folder.glob("*.tar.gz")
    run(sys.executable, "-m", "tarfile", "-e", sdist, folder / "unpacked")
    (unpacked,) = (folder / "unpacked").iterdir()
    run(sys.executable, "-c", BUILD, "wheel", folder, cwd=unpacked)
    (wheel,) = folder.glob("*.whl")
    return sdist, wheel


@pytest.fixture(scope="module")
def bare(built, tmp_path_factory):
    """What a virtual environment with the wheel, NumPy and SciPy says of every module; these two are lent by ours."""
    folder = tmp_path_factory.mktemp("bare")
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    (packages,) = folder.glob("lib/python3*/site-packages")
    run(sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", packages, built[1])
    for name in ("numpy", "scipy"):
        here = Path(util.find_spec(name).origin).parent
        for path in (here, here.with_name(f"{name}.libs")):  # the latter where the wheel brings its own
            if path.exists():
                (packages / path.name).symlink_to(path)
    file, *found = json.loads(run(folder / "bin" / "python", "-I", "-c", BARE, cwd=folder).splitlines()[-1])
    assert Path(file).is_relative_to(folder)
    return folder, *found


def test_numpy_and_scipy_are_enough_for_the_core(bare):
    """Every other module can be imported there, and what cannot says in one line what it needs."""
    _, names, refused, _, _, others = bare
    assert others == [], "the environment is not bare"
    assert refused == NEEDS_MORE
    on_disk = {f"hdp.{p.stem}" for p in (ROOT / "hdp").glob("[!_]*.py")}
    on_disk |= {f"hdp.{p.parent.name}" for p in (ROOT / "hdp").glob("*/__init__.py")}
    assert on_disk <= set(names)


def test_the_examples_of_the_core_run_there(bare):
    """All of them, in the wheel as it is installed."""
    _, _, _, failed, examples, _ = bare
    assert failed == [] and examples > 300


def test_the_command_of_the_wheel_says_what_it_is_called(bare, tmp_path):
    """In its help and in its messages: the installed script is the module's command, under its own name."""
    environment = bare[0]
    (command,) = environment.glob("lib/python3*/site-packages/bin/unequal-privacy")
    python = environment / "bin" / "python"
    paths = {"PYTHONPATH": str(command.parents[1])}

    def said(*arguments):
        return subprocess.run([python, *arguments], capture_output=True, text=True, cwd=tmp_path, env=paths)

    asked = said(command, "plan", "--help")
    assert asked.returncode == 0 and asked.stdout.startswith("usage: unequal-privacy plan ")
    assert "python -m hdp" not in asked.stdout + said(command, "release", "--help").stdout
    wrong = said(command, "plan", "nowhere.csv")
    assert wrong.returncode == 2 and wrong.stderr.splitlines()[-1].startswith("unequal-privacy: ")


def test_what_a_package_index_shows_runs_and_leads_nowhere_else():
    """Its example works, and no link is relative: the index has no files beside it."""
    shown = ROOT / PROJECT["readme"]
    found = doctest.testfile(str(shown), module_relative=False)
    assert found.attempted > 5 and not found.failed
    assert not re.search(r"\]\((?!https?:)", shown.read_text(encoding="utf-8"))


@pytest.mark.parametrize("message", NEEDS_MORE.values(), ids=NEEDS_MORE)
def test_the_extra_brings_what_the_message_says(message):
    """Each package that it names is one of the named extras."""
    packages, extras = re.fullmatch(r"\S+ needs (.+): pip install 'unequal-privacy\[(.+)\]'", message).groups()
    brought = [r for extra in extras.split(",") for r in PROJECT["optional-dependencies"][extra]]
    assert set(re.split(r", | and ", packages)) <= {Requirement(r).name for r in brought}


def test_the_sdist_holds_what_the_wheel_is_made_of_and_no_tests(built):
    """Some of the tests without the modules and the book that they need would only fail there."""
    with tarfile.open(built[0]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {name for name in names if name.startswith("tests")} == set()
    wanted = {p.relative_to(ROOT).as_posix() for p in (ROOT / "hdp").rglob("*.py")}
    assert wanted | {"pyproject.toml", "hdp/README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff"} <= names


def test_the_wheel_holds_the_library_and_nothing_else(built):
    """With the marker of its types, the data of figures, and the licence."""
    sdist, wheel = built
    version = PROJECT["version"]
    assert wheel.name == f"unequal_privacy-{version}-py3-none-any.whl"
    assert sdist.name == f"unequal_privacy-{version}.tar.gz"
    names = set(zipfile.ZipFile(wheel).namelist())
    info = f"unequal_privacy-{version}.dist-info"
    assert {name.split("/")[0] for name in names} == {"hdp", info}
    assert f"{info}/licenses/LICENSE" in names
    wanted = {p.relative_to(ROOT).as_posix() for p in (ROOT / "hdp").rglob("*") if p.is_file()}
    assert {name for name in names if name.startswith("hdp/")} == {n for n in wanted if "__pycache__" not in n}
    assert "hdp/py.typed" in names and any(name.endswith(".json") for name in names)


def test_the_metadata_ask_for_numpy_and_scipy_only(built):
    """Under the name in the package index; all else is an extra."""
    archive = zipfile.ZipFile(built[1])
    (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    metadata = Parser().parsestr(archive.read(name).decode())
    assert (metadata["Name"], metadata["Version"]) == ("unequal-privacy", hdp.__version__)
    asked = [Requirement(line) for line in metadata.get_all("Requires-Dist")]
    assert {r.name for r in asked if not r.marker} == {"numpy", "scipy"}
    assert all("extra ==" in str(r.marker) for r in asked if r.marker)
    assert set(metadata.get_all("Provides-Extra")) == set(PROJECT["optional-dependencies"])
    assert metadata["License-Expression"] == "BSD-3-Clause" and metadata.get_payload().startswith("# unequal-privacy")


def signatures(thing):
    """The function itself, or the constructor and all public methods and properties of a class."""
    if not getattr(thing, "_is_protocol", False):  # nobody makes one
        yield inspect.signature(thing), not inspect.isclass(thing)
    for key, member in vars(thing).items() if inspect.isclass(thing) else ():
        member = member.func if isinstance(member, cached_property) else getattr(member, "fget", member)
        member = getattr(member, "__func__", member)  # of a class method
        if inspect.isfunction(member) and not key.startswith("_"):
            yield inspect.signature(member), True


def test_every_public_signature_is_typed(subtests):
    """Every parameter, and the result of whatever is no constructor."""
    for name in CALLABLE:
        with subtests.test(name):
            for signature, returns in signatures(CALLABLE[name]):
                wanted = [p for p in signature.parameters.values() if p.name not in ("self", "cls")]
                assert [p.name for p in wanted if p.annotation is p.empty] == [], signature
                assert not returns or signature.return_annotation is not signature.empty, signature


def test_the_types_hold_together():
    """As mypy sees them, within the functions too."""
    run(sys.executable, "-m", "mypy", cwd=ROOT)
