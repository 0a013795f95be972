"""Show that the tests of every claim can fail: apply the edit `fails` of its row, which makes it false, and see it.

Every edit is applied alone, in a copy of the project, after all tests that settle a claim (their mark is `settles`)
have passed there without any; a skip, an error at collection or a test that does not end is no failure.

    make audit                      every row
    make audit CLAIM=cc-theorem-2   one row (or several: CLAIM="cc-theorem-1 cc-theorem-2")
"""

import contextlib
import io
import multiprocessing
import os
import queue
import re
import shutil
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "book/_ext"))
from hdpbook.rows import load  # noqa: E402

LEFT_OUT = shutil.ignore_patterns("_build", "mutants", ".venv", ".git", "__pycache__", ".*_cache", ".hypothesis")
SECONDS = 300  # for one claim: its tests take a few
OPTIONS = ["-q", "-x", "--tb=line", "-p", "no:cacheprovider", "-o", "empty_parameter_set_mark=skip"]
OPTIONS += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # of Hypothesis, which is imported before:
# to import these takes most of the time, so a server does it once and forks.
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["pytest", "hypothesis.strategies", "numpy", "scipy.stats", "sympy", "matplotlib.pyplot"])


class Settling:
    """A plugin of pytest that notes which tests settle which claim."""

    def __init__(self):
        self.tests = defaultdict(list)

    def pytest_collection_modifyitems(self, items):
        for item in items:
            for mark in item.iter_markers("settles"):
                for claim in mark.args:
                    self.tests[claim].append(item.nodeid)


def settling():
    """The tests of every claim."""
    found = Settling()
    with contextlib.redirect_stdout(io.StringIO()) as said:
        code = pytest.main([*OPTIONS, "--collect-only", "--ignore=tests/benchmarks", str(ROOT / "tests")], [found])
    return found.tests if code == 0 else sys.exit(said.getvalue()[-2000:])


def run_in_fork(copy, tests, log):
    """Run tests in a copy; this process has the heavy libraries, but nothing of the project, and ends here."""
    os.chdir(copy)
    sys.dont_write_bytecode = True  # of what is edited
    sys.path[:] = [str(copy), *(entry for entry in sys.path if Path(entry or ".").resolve() != ROOT)]
    with log.open("w") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    code = pytest.main([*OPTIONS, *tests])
    sys.stdout.flush()
    os._exit(code)


def run(tests, copy, seconds=SECONDS):
    """What became of tests in a copy: `passed`, `failed`, or what else there is to say."""
    log = copy / "audit.log"
    process = FORKS.Process(target=run_in_fork, args=(copy, tests, log))
    process.start()
    process.join(seconds)
    if process.is_alive():
        process.kill()
        return f"not decided in {seconds} s"
    said = log.read_text(encoding="utf-8", errors="replace")
    if process.exitcode == 0:
        return "passed" if re.search(r"^\d+ passed", said, re.M) else "skipped"
    return "failed" if process.exitcode == 1 and not re.search(r"\d+ errors?\b", said[-200:]) else said[-600:]


def noticed(row, tests, copy):
    """Whether the edit of a row makes one of its tests fail, in words: nothing if it does."""
    edit = row["fails"]
    path = copy / edit["file"]
    original = path.read_text(encoding="utf-8")
    if original.count(edit["from"]) != 1 or not tests:
        return f"{edit['from']!r} stands {original.count(edit['from'])} times in {edit['file']}; {len(tests)} tests"
    path.write_text(original.replace(edit["from"], edit["to"]), encoding="utf-8")
    after = run(tests, copy)
    path.write_text(original, encoding="utf-8")
    return "" if after == "failed" else f"with the edit of {edit['file']}: {after}"


def main(chosen):
    """Audit the rows named on the command line, or all; return the exit code."""
    rows = [row for row in load(ROOT)["claims"] if "fails" in row and (not chosen or row["id"] in chosen)]
    tests, copies, jobs, hollow = settling(), queue.Queue(), os.cpu_count(), []
    with tempfile.TemporaryDirectory(prefix="hdp-audit-") as folder, ThreadPoolExecutor(jobs) as pool:
        for number in range(jobs):
            copies.put(Path(shutil.copytree(ROOT, Path(folder, str(number)), ignore=LEFT_OUT)))
            if (ROOT / "_build").exists():
                Path(folder, str(number), "_build").symlink_to(ROOT / "_build")

        def in_copy(function, *given):
            copy = copies.get()
            said = function(*given, copy)
            copies.put(copy)
            return said

        def passed_before(part):
            return in_copy(lambda copy: run(part, copy, 12 * SECONDS)) if part else "passed"

        def audit(row):
            return row["id"], in_copy(noticed, row, tests[row["id"]])

        every = sorted({test for row in rows for test in tests[row["id"]]})
        before = set(pool.map(passed_before, (every[k::jobs] for k in range(jobs)))) - {"passed"}
        if before:
            sys.exit(f"before any edit: {'; '.join(before)}")
        for count, (claim, said) in enumerate(pool.map(audit, rows), 1):
            print(f"[{count}/{len(rows)}] {claim}: {said or 'noticed'}", flush=True)
            hollow += [claim] if said else []
    print(f"{len(rows) - len(hollow)} of {len(rows)} edits are noticed; not: {', '.join(hollow) or 'none'}.")
    return bool(hollow) or not rows


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # there are as many jobs as cores
    os.environ["HDP_AUDIT"] = "1"
    sys.exit(main(sys.argv[1:]))
