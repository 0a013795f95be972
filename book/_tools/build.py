"""Build the book: run jupyter-book with warnings as errors, and re-execute what a change has made stale.

The execution cache of jupyter-cache hashes the code of a notebook, not the library it imports, and an incremental
Sphinx build neither copies changed static files nor repeats the warnings of pages that it does not read again.
So this script keeps fingerprints beside the build and drops what no longer holds, as `stale` says: after a change of
the library the outputs of those chapters that import what changed, through whatever they import (`imports.py`).
Whoever doubts it sets FRESH=1: then nothing of an earlier build is used.

Run it with the interpreter in whose environment jupyter-book is installed.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
import interpreter
from imports import executed

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "_build"
FINGERPRINTS = BUILD / "fingerprints.json"
LOG = BUILD / "build.log"

# What the outputs of the cells depend on, besides the cells, and what the pages depend on, besides their source.
LIBRARY = ["hdp/**/*.py"]
MACHINE = ["hdp/**/*.json", "requirements.txt", "pyproject.toml"]  # and the interpreter: what no import shows
SITE = [f"book/{folder}/**/*" for folder in ("_ext", "_kernel", "_tools", "_static")]
SITE += ["book/*.bib", "book/*.yml", "book/claims/*.yml"]
SITE += ["_config.yml", "_toc.yml", "CITATION.cff"]
WHOLE = ["*", "book/**/*", "hdp/**/*"]  # and the commit, which pages name, and the variables that a build asks for
VARIABLES = ("HDP_BASEURL", "HDP_REPOSITORY", "KERNEL")

EXECUTED, WRITTEN = [".jupyter_cache"], [".doctrees", "html"]
# jsonschema checks addresses by that package where it is there, and its import takes over a second: nothing asks it.
QUICK = "import sys; sys.modules['rfc3987_syntax'] = None; "
# Nor does it drop much that refers to itself: to look for it among all pages, again and again, takes a seventh.
QUICK += "import gc; gc.set_threshold(700, 10, 1000); "
# Nor to take apart, at the end, all that the build has made: that takes seconds.
LEAVE = "code = main(standalone_mode=False); sys.stdout.flush(); sys.stderr.flush(); os._exit(code or 0)"
JUPYTER_BOOK = QUICK + f"import os; from jupyter_book.cli.main import main; {LEAVE}"
# Kernels and the build talk over the loopback interface of one machine; the kernel warns of it in every chapter.
NOISE = "Kernel is running over TCP without encryption"
FAULTS = ("WARNING:", "ERROR:", "CRITICAL:")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")  # jupyter-book colours its output even where no terminal reads it


def hashes(patterns):
    """Return the hashes of all files under ROOT that match the patterns, by their addresses."""
    files = {path for pattern in patterns for path in ROOT.glob(pattern) if path.is_file()}
    kept = sorted(path for path in files if "__pycache__" not in path.parts)
    return {path.relative_to(ROOT).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in kept}


def digest(patterns, salt=""):
    """Return one hash of the names and contents of all files under ROOT that match the patterns."""
    return hashlib.sha256(json.dumps([salt, hashes(patterns)]).encode()).hexdigest()


def commit():
    """Return the commit of the checkout, or nothing where it is none."""
    git = shutil.which("git")
    return git and subprocess.run([git, "rev-parse", "HEAD"], cwd=ROOT, capture_output=True).stdout


def current_fingerprints():
    """Return the fingerprints of the library's modules, of what else outputs depend on, of the site, and of all."""
    asked = [os.environ.get(name) for name in VARIABLES]
    return {
        "modules": hashes(LIBRARY),
        "machine": digest(MACHINE, salt=sys.version),
        "site": digest(SITE),
        "whole": digest(WHOLE, salt=f"{sys.version} {commit()} {asked}"),
    }


def stored_fingerprints():
    """Return the fingerprints of the last build, empty if there was none."""
    try:
        return json.loads(FINGERPRINTS.read_text())
    except (OSError, ValueError):
        return {}


def store_fingerprints(fingerprints, good):
    """Keep the fingerprints of this build and whether it succeeded."""
    FINGERPRINTS.write_text(json.dumps({**fingerprints, "good": good}))


def stale(stored, current):
    """Return the folders of the build that no longer hold, and in words what changed and what is done."""
    if os.environ.get("FRESH", "0") != "0":
        return EXECUTED + WRITTEN, "Nothing of an earlier build is used: every chapter is executed."
    if not current.keys() <= stored.keys():
        return EXECUTED + WRITTEN, "There is no earlier build: every chapter is executed."
    if stored["machine"] != current["machine"]:
        return EXECUTED + WRITTEN, "Requirements or data of the library changed: every chapter is executed again."
    if stored["modules"] != current["modules"]:
        return WRITTEN, "The library changed: chapters that import what changed are executed, every page is written."
    if stored["site"] != current["site"]:
        return WRITTEN, "Extensions, static files or settings changed: every page is written again."
    if not stored["good"]:
        return WRITTEN, "The last build failed: every page is written again."
    return [], "Only chapters that changed are executed."


def forget(changed):
    """Drop from the execution cache whatever has executed one of the changed modules."""
    from jupyter_cache import get_cache

    cache = get_cache(BUILD / EXECUTED[0])
    for record in cache.list_cache_records():
        cells = cache.get_cache_bundle(record.pk).nb.cells
        modules = executed("\n".join(cell.source for cell in cells if cell.cell_type == "code"), ROOT)
        if modules is None or modules & changed:
            cache.remove_cache(record.pk)


def run_jupyter_book():
    """Build the book, echo what it says and keep it in LOG; return the exit code and the faults it named."""
    command = [sys.executable, "-c", JUPYTER_BOOK, "build", ".", "-W", "--keep-going"]
    # The chapters must import the library of this checkout, whose fingerprint is kept, and no other.
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    environment.setdefault("PYTHONUTF8", "1")  # on Windows, Python reads and writes another encoding
    environment["HDP_PAGES"] = "1"  # of figures the forms of pages alone
    environment.setdefault("OPENBLAS_NUM_THREADS", "1")  # as many chapters run at a time as there are cores
    options = dict(cwd=ROOT, env=environment, text=True, encoding="utf-8", errors="replace")
    faults = {}
    with (
        LOG.open("w", encoding="utf-8") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options) as process,
    ):
        for line in process.stdout:
            if NOISE in line:
                continue
            line = COLOUR.sub("", line)
            print(line, end="", flush=True)
            log.write(line)
            if any(word in line for word in FAULTS):
                faults[line.strip()] = None
    return process.returncode, list(faults)


def main():
    """Build the book, unless it is as it would be; return the exit code."""
    interpreter.check()
    sys.stdout.reconfigure(errors="replace")  # a console of Windows lacks signs that Sphinx writes
    current, stored = current_fingerprints(), stored_fingerprints()
    folders, reason = stale(stored, current)
    if not folders and stored == {**current, "good": True} and (BUILD / "html" / "index.html").exists():
        print("Nothing has changed since the book was built: _build/html/index.html")
        return 0
    print(reason, flush=True)
    for folder in folders:
        shutil.rmtree(BUILD / folder, ignore_errors=True)
    BUILD.mkdir(exist_ok=True)
    changed = {path for path, _ in stored.get("modules", {}).items() ^ current["modules"].items()}
    if changed and (BUILD / EXECUTED[0]).exists():
        forget(changed)
    store_fingerprints(current, good=False)
    code, faults = run_jupyter_book()
    if code:
        print("\nThe book was NOT built.", *faults, sep="\n  ")  # once more, after all the output
        print(f"All output, with the tracebacks of failing cells, is in {LOG.relative_to(ROOT)}.", flush=True)
        return code
    store_fingerprints(current, good=True)
    print("The book is ready: open _build/html/index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
