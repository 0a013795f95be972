"""The kernel of the pages: what it is made of, what is refused, how it is packed, what the built pages have of it."""

import base64
import gzip
import hashlib
import importlib.util
import json
import os
import re
import subprocess
import zipfile

import pytest
from hdpbook.kernel import tool as kernel_tool

from tests.files import PAGES, ROOT, built_page, built_text, read

PINS = json.loads(read("book/_kernel/pins.json"))
WITHOUT = ("book/reference/build", "book/use/real-release", "book/use/no-interval")
tool = kernel_tool()


# -- what is pinned ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fetched():
    """Return the folder with all pinned files."""
    folder = tool.cache_folder()
    try:
        tool.obtain(PINS, folder)
    except tool.Missing as reason:
        if os.environ.get("KERNEL") == "required":
            pytest.fail(str(reason), pytrace=False)
        pytest.skip(str(reason))
    return folder


def test_the_pins_are_those_of_the_official_release(fetched):
    """Every file that Pyodide has built has the digest that its own lock gives; the lock is that of the release."""
    lock = json.loads((fetched / "pyodide-lock.json").read_text(encoding="utf-8"))
    assert lock["info"]["version"] == PINS["pyodide"] == "0.27.7"
    official = {package["file_name"]: package["sha256"] for package in lock["packages"].values()}
    built = {pin["name"]: pin["sha256"] for pin in PINS["files"] if pin["source"] == "pyodide"}
    assert built and built.items() <= official.items()


# -- sources, on a pinned file of three bytes ---------------------------------------------------------------------


@pytest.fixture
def one(monkeypatch, tmp_path):
    """Return pins of one file, an empty cache, and a function that says which source brings which bytes."""
    pin = {"name": "a.whl", "size": 3, "sha256": hashlib.sha256(b"abc").hexdigest(), "source": "core", "part": "core"}
    asked = []

    def bring(**contents):
        for name in ("from_release", "from_npm", "from_carrier", "from_pypi"):

            def source(pinned, wanted, scratch, name=name):
                asked.append(name)
                if name not in contents:
                    raise OSError("no network")
                (scratch / "a.whl").write_bytes(contents[name])

            source.__name__ = name
            monkeypatch.setattr(tool, name, source)

    bring()
    return {"pyodide": "0", "carrier": "x==1", "files": [pin]}, tmp_path / "cache", bring, asked


@pytest.mark.parametrize("wrong", [b"abd", b"ab", b""])
@pytest.mark.parametrize("place", ["from_release", "from_npm", "from_carrier", "from_pypi", "cache"])
def test_a_wrong_file_is_refused_by_name(one, place, wrong):
    pinned, cache, bring, _ = one
    if place == "cache":
        cache.mkdir()
        (cache / "a.whl").write_bytes(wrong)
    else:
        bring(**{place: wrong})
    with pytest.raises(tool.Wrong, match=r"^a\.whl is not the pinned file"):
        tool.obtain(pinned, cache)
    assert place == "cache" or not (cache / "a.whl").exists()


def test_a_wrong_file_fails_the_build_though_no_kernel_would_not(one, monkeypatch, tmp_path, capsys):
    pinned, cache, bring, _ = one
    monkeypatch.setattr(tool, "pins", lambda: pinned)
    monkeypatch.setenv("HDP_KERNEL_CACHE", str(cache))
    assert tool.make(tmp_path / "kernel", "") == ""
    said = capsys.readouterr().err
    assert said.startswith("NO KERNEL") and said.count("\n") == 1 and "a.whl" in said and "no network" in said
    with pytest.raises(tool.Missing, match=r"a\.whl"):
        tool.make(tmp_path / "kernel", "required")
    bring(from_release=b"abd")
    with pytest.raises(tool.Wrong):
        tool.make(tmp_path / "kernel", "")
    assert not (tmp_path / "kernel").exists()


def test_the_kernel_can_be_left_out(one, monkeypatch, tmp_path, capsys):
    """Nobody is asked, and nothing is said."""
    assert tool.make(tmp_path, "none") == ""
    assert one[3] == [] and capsys.readouterr().err == ""
    with pytest.raises(tool.Missing, match="KERNEL must be"):
        tool.make(tmp_path, "nope")


# -- packing ----------------------------------------------------------------------------------------------------------


def unpacked(folder):
    """Return what the scripts of a kernel's folder say: the list, and the bytes of every file, each checked."""
    listed = re.fullmatch(r"hdpKernelIndex\((.*)\);\n", (folder / "index.js").read_text("ascii"))[1]
    text = json.loads(listed)
    assert folder.name == "kernel-" + hashlib.sha256(text.encode()).hexdigest()[:16]
    files = {}
    for name, entry in json.loads(text).items():
        packed = b""
        for i, (script, size) in enumerate(entry["scripts"]):
            called = (folder / script).read_text("ascii")
            call = re.fullmatch(r'hdpKernelPiece\("(.+)",(\d+),\(\)=>\{/\*(.*)\*/\}\);\n', called)
            assert (call[1], int(call[2]), len(call[3])) == (name, i, size)
            packed += base64.b64decode(call[3], validate=True)
        assert hashlib.sha256(packed).hexdigest() == entry["sha256"]
        files[name] = gzip.decompress(packed)
    return files


def test_what_is_packed_comes_out_again(tmp_path, monkeypatch):
    monkeypatch.setattr(tool, "PIECE", 16)
    source, licences = tmp_path / "a.bin", tmp_path / "licences"
    source.write_bytes(bytes(range(256)))
    licences.mkdir()
    first = tool.pack(tmp_path / "kernel", tmp_path, [source], licences)
    assert unpacked(tmp_path / "kernel" / first) == {"a.bin": bytes(range(256))}
    source.write_bytes(b"other")
    second = tool.pack(tmp_path / "kernel", tmp_path, [source], licences)
    assert [path.name for path in (tmp_path / "kernel").iterdir()] == [second] != [first]


def test_an_image_has_the_modules_and_not_their_tests(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as archive:
        kept, left = "p/__init__.py p/data.json p/template.py", "p/tests/test_p.py scipy/io/a.py p/_test_c.so p/a.pyi"
        for name in f"{kept} {left}".split():
            archive.writestr(name, "{{" if "template" in name else "1")
    made = tool.image.image([(tmp_path / "a.whl", "site")], tool.LEAVE)
    head, _, content = made.partition(b"\n")
    index = json.loads(head)
    assert [name for name, _ in index] == ["site/p/__init__.pyc", "site/p/data.json", "site/p/template.py"]
    assert sum(size for _, size in index) == len(content)
    assert content.startswith(importlib.util.MAGIC_NUMBER) and content.endswith(b"1{{")
    plain = tool.image.image([(tmp_path / "a.whl", "site")], tool.LEAVE, compiled=False)
    assert b'p/__init__.py"' in plain


# -- what the built pages have ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def kernel(site):
    """Return the folder of the kernel in the built book."""
    found = list((site / "_static").glob("kernel-*"))
    if not found and os.environ.get("KERNEL") != "required":
        pytest.skip("the book was built without a kernel")
    (folder,) = found
    return folder


def pages(site):
    """Return every built page of the book by its name."""
    return {name: built_text(name) for name in PAGES if (site / f"{name}.html").exists()}


def test_the_built_kernel_is_whole(kernel):
    files = unpacked(kernel)
    images = {f"{part}.img" for part in ("hdp", "site", "scipy", "matplotlib")}
    assert images | {"worker.js", "cell.py", "editor.js", "pyodide.asm.wasm"} <= files.keys()
    for name in ("pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm"):
        (pin,) = (pin for pin in PINS["files"] if pin["name"] == name)
        assert hashlib.sha256(files[name]).hexdigest() == pin["sha256"], "as it was released"
    asked = re.findall(r"""require\(['"](.+?)['"]\)""", files["editor.js"].decode())
    assert set(asked) == {tool.called(pin)[0] for pin in PINS["files"] if pin["part"] == "editor"}
    index = json.loads(files["hdp.img"].split(b"\n", 1)[0])
    modules = {path.relative_to(ROOT).with_suffix("").as_posix() for path in (ROOT / "hdp").rglob("*.py")}
    packages = [name for name, _ in json.loads(files["site.img"].split(b"\n", 1)[0])]
    remembered = "site/sympy/core/expr.pyc" not in packages and "site/sympy/physics/units/util.pyc" in packages
    assert remembered and len(files["snapshot.bin"]) > 20e6
    assert {name.removeprefix("site/").rsplit(".", 1)[0] for name, _ in index if ".py" in name} - {"hdp/py"} == modules


def test_what_is_loaded_before_the_first_result_keeps_within_its_bounds(kernel):
    """In bytes on their way to the reader; base64 is a third more, which a server's compression takes back."""
    listed = json.loads(re.fullmatch(r"hdpKernelIndex\((.*)\);\n", (kernel / "index.js").read_text("ascii"))[1])
    sizes = {name: sum(size for _, size in entry["scripts"]) * 3 / 4 for name, entry in json.loads(listed).items()}
    assert sizes.pop("editor.js") <= 300e3, "what a reader loads who edits and does not run"
    assert 20e6 < sum(size for name, size in sizes.items() if name != "matplotlib.img") <= 38.5e6, sizes


def test_only_pages_with_code_have_buttons(kernel, site):
    for name, text in pages(site).items():
        code = 'class="cell_input' in text or 'class="hdp-users' in text
        wanted = code and name not in WITHOUT
        assert (f'data-kernel="{kernel.name}"' in text) == wanted, name
        assert "hdp-kernel.js" not in text, "that is loaded at the first click"


@pytest.mark.xdist_group("trees")
def test_the_imports_of_a_page_are_known_to_come_first(kernel, site):
    for name, text in pages(site).items():
        if "How this page was computed" in text:
            assert len(built_page(name).select(".hdp-imports div.cell")) == 1, name


def test_no_page_may_ask_another_host(site):
    for name, text in pages(site).items():
        (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text)
        assert "default-src 'self' file: data: blob:;" in policy and "://" not in policy and "*" not in policy, name
        assert text.index("Content-Security-Policy") < text.index("<script"), "before anything is loaded"


@pytest.mark.xdist_group("trees")
def test_the_printed_values_are_those_of_the_pages(kernel, site):
    written = (site / "_static/glued.js").read_text(encoding="utf-8")
    values = json.loads(re.fullmatch(r"hdpGlued\((.*)\);\n", written)[1])
    built = {name: text for name, text in pages(site).items() if name in values}
    assert built
    for name in built:
        source = read(f"{name}.md")
        shown = {span.get_text() for span in built_page(name).select(".pasted-text")}
        used = {key for key in values[name] if f"{{glue:text}}`{key}`" in source}
        assert {values[name][key] for key in used} <= shown, name


# -- the library in it ------------------------------------------------------------------------------------------------

# What prints failures, and a last line that counts.
DOCTESTS = """
import doctest, importlib, pkgutil
import hdp

found = [m.name for m in pkgutil.walk_packages(hdp.__path__, "hdp.")]
core = [name for name in found if not name.startswith(("hdp.figures", "hdp.sym", "hdp.explore"))]
flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
results = [doctest.testmod(importlib.import_module(name), optionflags=flags) for name in core]
print(sum(r.failed for r in results), "of", sum(r.attempted for r in results), "examples fail")
"""


def test_the_examples_of_the_core_hold_in_the_kernel(kernel, tmp_path):
    """In WebAssembly, with 32-bit sizes, without threads and processes; node runs the very files of the pages."""
    for name, content in unpacked(kernel).items():
        (tmp_path / name).write_bytes(content)
    command = [*tool.tool("node"), str(ROOT / "tests/pyodide.js"), str(tmp_path)]
    done = subprocess.run(command, input=DOCTESTS, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    failed, attempted = re.fullmatch(r"(\d+) of (\d+) examples fail", done.stdout.strip().splitlines()[-1]).groups()
    assert (failed, done.stderr) == ("0", ""), done.stdout
    assert int(attempted) > 300
