"""The kernel of the pages: that its files are the pinned ones, and what the built pages have of it."""

import base64
import gzip
import hashlib
import json
import os
import re
import subprocess
from unittest.mock import Mock

import pytest
from hdpbook.kernel import tool as kernel_tool

from tests.files import PAGES, ROOT, built_page, built_text, read

PINS = json.loads(read("book/_kernel/pins.json"))
WITHOUT = ("book/reference/build", "book/use/real-release", "book/use/no-interval")
PIECE = re.compile(r'hdpKernelPiece\("(.+)",(\d+),\(\)=>\{/\*(.*)\*/\}\);\n')
tool = kernel_tool()
pytestmark = pytest.mark.xdist_group("trees")


def test_the_pins_are_those_of_the_official_release():
    """Every file that Pyodide has built has the digest that its own lock gives; the lock is that of the release."""
    folder = tool.cache_folder()
    try:
        tool.obtain(PINS, folder)
    except tool.Missing as reason:
        pytest.fail(str(reason)) if os.environ.get("KERNEL") == "required" else pytest.skip(str(reason))
    lock = json.loads((folder / "pyodide-lock.json").read_text(encoding="utf-8"))
    assert lock["info"]["version"] == PINS["pyodide"] == "0.27.7"
    official = {package["file_name"]: package["sha256"] for package in lock["packages"].values()}
    built = {pin["name"]: pin["sha256"] for pin in PINS["files"] if pin["source"] == "pyodide"}
    assert built and built.items() <= official.items()


@pytest.mark.parametrize("wrong", [b"abd", b"ab"])
@pytest.mark.parametrize("place", ["from_release", "from_pypi", "cache"])
def test_a_wrong_file_is_refused_by_name_and_fails_the_build(place, wrong, monkeypatch, tmp_path, capsys):
    """Though a build that cannot have it only says that there is no kernel, unless one is required."""
    cache, target = tmp_path / "cache", tmp_path / "kernel"
    pin = {"name": "a.whl", "size": 3, "sha256": hashlib.sha256(b"abc").hexdigest(), "source": "core", "part": "core"}
    monkeypatch.setattr(tool, "pins", lambda: {"pyodide": "0", "carrier": "x==1", "files": [pin]})
    monkeypatch.setenv("HDP_KERNEL_CACHE", str(cache))

    unreachable = Mock(side_effect=OSError("no network"), __name__="nowhere")
    for name in ("from_release", "from_npm", "from_carrier", "from_pypi"):
        monkeypatch.setattr(tool, name, unreachable)
    assert tool.make(target, "none") == "" == capsys.readouterr().err
    assert tool.make(target, "") == ""
    said = capsys.readouterr().err
    assert said.startswith("NO KERNEL") and said.count("\n") == 1 and "a.whl" in said and "no network" in said
    with pytest.raises(tool.Missing, match=r"a\.whl"):
        tool.make(target, "required")
    if place == "cache":
        (cache / "a.whl").write_bytes(wrong)
    else:
        monkeypatch.setattr(tool, place, lambda pinned, wanted, scratch: (scratch / "a.whl").write_bytes(wrong))
    with pytest.raises(tool.Wrong, match=r"^a\.whl is not the pinned file"):
        tool.make(target, "")
    assert not target.exists() and (place == "cache" or not (cache / "a.whl").exists())


@pytest.fixture(scope="module")
def kernel(site):
    """The folder of the kernel in the built book."""
    found = list((site / "_static").glob("kernel-*"))
    if not found and os.environ.get("KERNEL") != "required":
        pytest.skip("the book was built without a kernel")
    (folder,) = found
    return folder


@pytest.fixture(scope="module")
def files(kernel):
    """What the scripts of the kernel say: the bytes of every file, each checked."""
    text = json.loads(re.fullmatch(r"hdpKernelIndex\((.*)\);\n", (kernel / "index.js").read_text("ascii"))[1])
    assert kernel.name == "kernel-" + hashlib.sha256(text.encode()).hexdigest()[:16]
    found = {}
    for name, entry in json.loads(text).items():
        packed = b""
        for i, (script, size) in enumerate(entry["scripts"]):
            call = PIECE.fullmatch((kernel / script).read_text("ascii"))
            assert (call[1], int(call[2]), len(call[3])) == (name, i, size)
            packed += base64.b64decode(call[3], validate=True)
        assert hashlib.sha256(packed).hexdigest() == entry["sha256"]
        found[name] = gzip.decompress(packed)
    return found


def test_the_built_kernel_is_whole(files):
    """The core as it was released, every module of the library, and a snapshot of the start."""
    for name in ("pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm"):
        (pin,) = (pin for pin in PINS["files"] if pin["name"] == name)
        assert hashlib.sha256(files[name]).hexdigest() == pin["sha256"]
    index = json.loads(files["hdp.img"].split(b"\n", 1)[0])
    modules = {path.relative_to(ROOT).with_suffix("").as_posix() for path in (ROOT / "hdp").rglob("*.py")}
    assert {name.removeprefix("site/").rsplit(".", 1)[0] for name, _ in index if ".py" in name} - {"hdp/py"} == modules
    assert len(files["snapshot.bin"]) > 20e6 and {"worker.js", "cell.py", "editor.js"} <= files.keys()


def test_pages_with_code_have_buttons_and_none_may_ask_another_host(kernel):
    """The policy comes before anything is loaded; the imports of a page are known to come first."""
    for name in PAGES:
        text = built_text(name)
        wanted = ('class="cell_input' in text or 'class="hdp-users' in text) and name not in WITHOUT
        assert (f'data-kernel="{kernel.name}"' in text) == wanted, name
        (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text)
        assert "default-src 'self' file: data: blob:;" in policy and "://" not in policy and "*" not in policy, name
        assert text.index("Content-Security-Policy") < text.index("<script")
        if "How this page was computed" in text:
            assert len(built_page(name).select(".hdp-imports div.cell")) == 1, name


# Prints failures, and last how many fail of how many.
DOCTESTS = """
import doctest, importlib, pkgutil, hdp
names = [module.name for module in pkgutil.walk_packages(hdp.__path__, "hdp.")]
core = [importlib.import_module(n) for n in names if not n.startswith(("hdp.figures", "hdp.sym", "hdp.explore"))]
flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
print(*map(sum, zip(*(doctest.testmod(module, optionflags=flags) for module in core))))
"""


def test_the_examples_of_the_core_hold_in_the_kernel(files, tmp_path):
    """In WebAssembly, with 32-bit sizes, without threads and processes; node runs the very files of the pages."""
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    command = [*tool.tool("node"), str(ROOT / "tests/pyodide.js"), str(tmp_path)]
    done = subprocess.run(command, input=DOCTESTS, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    failed, attempted = map(int, done.stdout.splitlines()[-1].split())
    assert failed == 0 and attempted > 300, done.stdout
