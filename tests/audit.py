"""Show that the test of every claim can fail: apply each edit of `tests/breaks` and see its test fail.

Every edit is applied alone, in a scratch copy of the project, never in the working tree; there the tests that the
row names must fail, and before any edit they must pass.  What was seen is kept twice: in `_build/audit.json`, so that
an interrupted run goes on where it stopped, and in `book/audit.json`, a line an edit, from which the page of claims
says by which edit the test of a row was seen to fail, when, and at which commit: a tree with changes has none.

    make audit                      every row
    make audit CLAIM=cc-theorem-2   one row (or several: CLAIM="cc-theorem-1 cc-theorem-2")
"""

import argparse
import hashlib
import json
import multiprocessing
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import yaml

sys.path.append(str(Path(__file__).resolve().parents[1] / "book/_ext"))
from hdpbook import rows

ROOT = Path(__file__).resolve().parents[1]
RECORD, PROGRESS, TEMPLATE = "book/audit.json", "_build/audit.json", "book/_template"
JUDGED = ("proved", "checked", "refuted", "not reproduced", "extended")  # verdicts of ours: rows that can fail
NOT_COPIED = shutil.ignore_patterns(
    "_build", "mutants", ".venv", ".git", "__pycache__", ".*_cache", ".hypothesis", "*.egg-info"
)
SECONDS = 300  # for one edit: the tests of a claim take a few
# Tests of figures are made for the figures that are asked for: another of the module may have none, which is no error.
OPTIONS = ["-q", "--no-header", "--tb=line", "-rf", "-p", "no:cacheprovider", "-o", "empty_parameter_set_mark=skip"]
# In a fork a second of four: plugins that no test needs, a search for garbage, and that the library is there already.
FORKED = [f"-pno:{plugin}" for plugin in ("anyio", "xdist", "xdist.looponfail", "unraisableexception")]
FORKED += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # there are as many jobs as cores
# Most of the time would go into importing these anew for every edit: a server imports them once and forks.
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(
    ["pytest", "hypothesis.strategies", "numpy", "scipy.stats", "sympy", "matplotlib.pyplot", "joblib"]
)
OF_FIGURE = re.compile(r"tests/figures/test_figures\.py::\w+\[([\w-]+)\]")  # which figure a test is about
FAILED = re.compile(r"^(?:SUB)?FAILED.+?(?: - (?P<why>.*))?$", re.M)  # of a test of many rows, a row


@dataclass(frozen=True)
class Edit:
    """One edit of one row: in `file`, `old` becomes `new`, and then one of `tests` must fail."""

    row: str
    file: str
    old: str
    new: str
    tests: tuple

    @property
    def key(self):
        """Its name in the record."""
        return rows.edit_key(self.row, {"file": self.file, "from": self.old, "to": self.new}, self.tests)

    def applied(self, text):
        """The text of the file after the edit, which must fit in exactly one place."""
        if (count := text.count(self.old)) != 1:
            raise ValueError(f"{self.row}: {self.old!r} must stand exactly once in {self.file}, found {count} times")
        return text.replace(self.old, self.new)


def edits_of(row):
    """The edits of a row."""
    return [Edit(row["id"], b["file"], b["from"], b["to"], rows.tests_of(row)) for b in row.get("breaks", [])]


def headlines(path):
    """The edits that must break what the headlines of a chapter say."""
    row = f"headlines/{path.parent.name}/{path.stem}"
    for b in yaml.load(path.read_text(encoding="utf-8"), Loader=rows.LOADER).get("headlines", []):
        yield Edit(row, b["file"], b["from"], b["to"], (f"tests/headlines/{b['test']}",))


def template():
    """The edit of the template's row."""
    (row,), breaks = (rows.read(ROOT / TEMPLATE / name) for name in ("claims.yml", "breaks.yml"))
    return edits_of(row | {"breaks": breaks[row["id"]]})


def load():
    """All edits, in the order of the rows, and then those of the headlines."""
    found = [edit for row in rows.load(ROOT)["claims"] for edit in edits_of(row)]
    return found + [edit for path in sorted(ROOT.glob("tests/breaks/*/*.yml")) for edit in headlines(path)]


def read_json(path):
    """What a file of ours holds, or nothing where there is none."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def replace(path, text):
    """Replace a file in one step, so that an interruption leaves the old or the new one."""
    path.parent.mkdir(exist_ok=True)
    scratch = path.with_suffix(".tmp")
    scratch.write_text(text, encoding="utf-8")
    scratch.replace(path)


def state():
    """A hash of all code on which the outcome of an edit depends."""
    sha = hashlib.sha256(sys.version.encode())
    files = {*ROOT.glob("hdp/**/*.py"), *ROOT.glob("hdp/**/*.json"), *ROOT.glob("tests/**/*.py")}
    for path in sorted(files | {ROOT / "pyproject.toml", ROOT / "requirements.txt", ROOT / "tests/requirements.txt"}):
        sha.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return sha.hexdigest()


@contextmanager
def scratch_copies(count, prepare=lambda copy: None):
    """Yield a queue of copies of the project, one for each worker; the built book is linked, not copied.

    `prepare` is called with the first of them, and the others have the bytecode that it wrote.
    """
    with tempfile.TemporaryDirectory(prefix="hdp-audit-") as folder:
        copies, first = queue.Queue(), Path(folder) / "0"
        shutil.copytree(ROOT, first, ignore=NOT_COPIED)
        if (ROOT / "_build").exists():
            (first / "_build").symlink_to(ROOT / "_build")
        prepare(first)
        copies.put(first)
        for i in range(1, count):
            copies.put(shutil.copytree(first, Path(folder) / str(i), symlinks=True))
        yield copies


def environment(copy, tests=()):
    """The environment for tests in a copy: its own code first, and nothing of a test run around it."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    own = {"PYTHONPATH": str(copy), "COLUMNS": "200", "HDP_AUDIT": "1"}
    others = [test for test in tests if "tests/figures/" in test and not OF_FIGURE.match(test)]  # they may ask for any
    asked = [] if others else OF_FIGURE.findall(" ".join(tests))
    return {**clean, **own, "HDP_AUDIT_FIGURES": " ".join(asked)}


def run_in_fork(copy, tests, log):
    """Run tests in a copy; this process has the heavy libraries, but nothing of the project, and ends here."""
    import pytest

    os.setsid()
    multiprocessing.set_start_method(None, force=True)  # not that of this fork: locks would be left behind
    for name in [name for name in sys.modules if name.partition(".")[0] in {"hdp", "tests"}]:
        del sys.modules[name]
    sys.path[:] = [str(copy), *(entry for entry in sys.path if Path(entry or ".").resolve() != ROOT)]
    sys.dont_write_bytecode = True  # of what is edited
    os.environ.clear()
    os.environ.update(environment(copy, tests))
    os.chdir(copy)
    with log.open("w") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    code = pytest.main([*OPTIONS, *FORKED, "-x", *tests])
    sys.stdout.flush()
    os._exit(code)


def run_tests(tests, copy):
    """Run tests in a copy, in a process of their own; return its exit code (None if it took too long) and output."""
    log = copy / "audit.log"
    log.write_text("")  # what the edit before said is not what this one says
    process = FORKS.Process(target=run_in_fork, args=(copy, tests, log))
    process.start()
    process.join(SECONDS)
    if process.is_alive():
        os.killpg(process.pid, signal.SIGKILL)
        process.join()
        return None, ""
    return process.exitcode, log.read_text(encoding="utf-8", errors="replace")


def attempt(edit, copy):
    """Apply an edit in a copy, run its tests and undo it; return whether they failed, why, and the seconds.

    Only a test that ran and failed counts, not one that could not be collected.
    """
    path, started = copy / edit.file, time.monotonic()
    original, was = path.read_text(encoding="utf-8"), path.stat()
    path.write_text(edit.applied(original), encoding="utf-8")
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns + 10**10))  # bytecode is known by its second and its length
    try:
        code, said = run_tests(edit.tests, copy)
        if code not in (0, 1, None):  # pytest did not come to a verdict: a full disk, a lost process
            code, said = run_tests(edit.tests, copy)
    finally:
        path.write_text(original, encoding="utf-8")
        os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))
    failure = FAILED.search(said)
    fails = code == 1 and failure is not None
    if fails:
        why = " ".join((failure["why"] or "").split()).replace(str(copy) + "/", "")
        why = why.replace(f"{tempfile.gettempdir()}/", "")[:300]  # of this machine, and means nothing elsewhere
    else:
        why = {0: "the test passes", None: f"not decided in {SECONDS} s"}.get(code, said[-600:])
    return {"fails": fails, "why": why, "seconds": round(time.monotonic() - started, 1)}


def must_pass(edits, copy, jobs):
    """Run all tests of the edits as the project stands; end here if one does not pass."""
    tests = sorted({test for edit in edits for test in edit.tests})
    parallel = ["-n", str(jobs), "--dist", "loadgroup"] if jobs > 1 else []
    command = [sys.executable, "-m", "pytest", *OPTIONS, *parallel, *tests]
    done = subprocess.run(command, cwd=copy, env=environment(copy), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}\nThe tests must pass before anything is edited; see above.")


def attempt_all(edits, copies, jobs):
    """Yield every edit with its outcome, as they come."""

    def one(edit):
        copy = copies.get()
        try:
            return attempt(edit, copy)
        finally:
            copies.put(copy)

    with ThreadPoolExecutor(jobs) as pool:
        waiting = {pool.submit(one, edit): edit for edit in edits}
        for done in as_completed(waiting):
            yield waiting[done], done.result()


def git(*words):
    """What git says of the project, and whether it agrees."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip(), done.returncode == 0


def commit():
    """The commit of the working tree, or nothing where anything but the record was changed since."""
    name, known = git("rev-parse", "--short=10", "HEAD")
    return name if known and git("diff", "--quiet", "HEAD", "--", ".", f":!{RECORD}")[1] else ""


def recorded():
    """What the record says of today's edits, by their keys: what a test said, the date and the commit."""
    entries = read_json(ROOT / RECORD)
    return {edit.key: entries[edit.key] for edit in load() if edit.key in entries}


def record(outcomes, at):
    """Write down what was seen at a commit, a line an edit, and forget edits that are no more."""
    noticed = {key: outcome for key, outcome in outcomes.items() if outcome["fails"]}
    seen = recorded() | {key: [outcome["why"], outcome["date"], at] for key, outcome in noticed.items()}
    kept = {edit.key: seen[edit.key] for edit in load() if edit.key in seen}
    lines = (f"{json.dumps(key)}: {json.dumps(said, ensure_ascii=False)}" for key, said in kept.items())
    replace(ROOT / RECORD, "{\n" + ",\n".join(lines) + "\n}\n")


def audit(edits, jobs):
    """Apply all edits that were not yet seen with this code; return the outcomes by their keys."""
    for edit in edits:
        edit.applied((ROOT / edit.file).read_text(encoding="utf-8"))  # all fit, before the first is tried
    stamp, stored = state(), read_json(ROOT / PROGRESS)
    outcomes = stored.get("outcomes", {}) if stored.get("state") == stamp else {}
    pending = [edit for edit in edits if not outcomes.get(edit.key, {}).get("fails")]
    print(f"{len(edits)} edits, {len(edits) - len(pending)} of them seen before with this code.", flush=True)
    if not pending:
        return outcomes
    today = {"date": datetime.now(UTC).date().isoformat()}
    with scratch_copies(jobs, lambda copy: must_pass(pending, copy, jobs)) as copies:
        for count, (edit, outcome) in enumerate(attempt_all(pending, copies, jobs), 1):
            outcomes[edit.key] = outcome | today
            replace(ROOT / PROGRESS, json.dumps({"state": stamp, "outcomes": outcomes}))
            word = "fails" if outcome["fails"] else "DOES NOT FAIL"
            print(f"[{count}/{len(pending)}] {edit.row}, {edit.file}: {word} ({outcome['seconds']} s)", flush=True)
    return outcomes


def main():
    """Audit the rows named on the command line, or all; return the exit code."""
    parser = argparse.ArgumentParser(description="Show that the test of every claim can fail.")
    parser.add_argument("rows", nargs="*", metavar="CLAIM", help="ids of rows; all, if none")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many edits at a time (%(default)s)")
    options = parser.parse_args()
    edits = [edit for edit in load() if not options.rows or edit.row in options.rows]
    if missing := set(options.rows) - {edit.row for edit in edits}:
        parser.error(f"no row with an edit is called {', '.join(sorted(missing))}")
    started, at = time.monotonic(), commit()
    outcomes = audit(edits, options.jobs)
    if at:
        record({edit.key: outcomes[edit.key] for edit in edits}, at)
    else:
        print("This is no commit, so what was seen is not recorded: commit, and audit once more.")
    hollow = [edit for edit in edits if not outcomes[edit.key]["fails"]]
    for edit in hollow:
        print(f"{edit.row}, {edit.file}: {edit.old!r} → {edit.new!r} DOES NOT FAIL: {outcomes[edit.key]['why']}")
    print(f"{len(edits) - len(hollow)} of {len(edits)} edits are noticed ({time.monotonic() - started:.0f} s).")
    return bool(hollow)


if __name__ == "__main__":
    sys.exit(main())
