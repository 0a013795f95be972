"""Draw random mutants of the library, see how many the tests notice, and name those that survive.

    python -m tests.tools.mutation_score --seed 1 --count 150 --json before.json
    python -m tests.tools.mutation_score --seed 1 --tests ../other-checkout/tests

`mutants.py` says what a mutant is; each is applied alone, in a scratch copy, never in the working tree.  The draw
depends on the seed and on the statements themselves, so `--tests` tries the same mutants on the tests of another
checkout.  A mutant's tests are the doctests of its module, the test modules that import it, by itself or through its
package (where none does, those of the modules that import it, and so on), those that walk through all of hdp, the
nearest by name first, and those of the figures whose declarations import it.  It is noticed if one of them fails, or if
they take more than 180 s of processor time (four times: the nearest module, the near ones, the others, the figures) or
crash, which is told apart.  In the end the tests that failed must pass without any mutant.  `--json` is written after
every mutant; a run with the same code goes on where it was interrupted.
"""

import argparse
import ast
import compileall
import py_compile
import re
import resource
import shutil
import signal
import time
from collections import Counter
from functools import cache
from pathlib import Path

from tests import audit
from tests.tools.mutants import digest, draw, in_one_line, library, module

SECONDS = 180
# What is imported before pytest starts is not rewritten.
OPTIONS = ["-rfE", "-m", "not slow", "--hypothesis-seed=0", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
PRELOADED = (
    "pytest numpy scipy.stats scipy.optimize scipy.integrate sympy matplotlib.pyplot hypothesis.strategies mpmath "
    "cvxpy z3 joblib tqdm pytest_benchmark.plugin xdist.plugin _pytest.doctest _pytest.junitxml"
).split()
NOTICED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.M)
FIGURE = re.compile(r'^    name="([a-z0-9-]+)",$', re.M)  # in a declaration
OTHER_TESTS = {"book", "browser", "benchmarks", "explore", "tools", "test_package.py"}  # the last repeats doctests


@cache
def imports(root, path):
    """The modules of hdp that a file imports; `import hdp` alone counts where the file walks through the package."""
    text, found = path.read_text(encoding="utf-8"), set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name != "hdp" or "pkgutil." in text}
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                inner = Path(root, *node.module.split("."), alias.name)
                is_module = inner.is_dir() or inner.with_suffix(".py").exists()
                found.add(f"{node.module}.{alias.name}" if is_module else node.module)
    return found


def concerned(root, name):
    """The test modules that concern a module of hdp: the nearest by name, and the others."""
    files = [p for p in sorted(root.glob("tests/**/test_*.py")) if not OTHER_TESTS & set(p.relative_to(root).parts)]
    found = {path: imports(root, path) for path in files}
    names = {name}
    while True:
        wanted = {".".join(n.split(".")[:i]) for n in names for i in range(2, n.count(".") + 2)}
        above = {module(root, path) for path in library(root) if names & imports(root, path)} - names
        if any(wanted & found[path] for path in files) or not above:
            break
        names = above
    files = [path.relative_to(root) for path in files if (wanted | {"hdp"}) & found[path]]
    words = {word.strip("_") for word in name.split(".")[1:]}
    common = {p.as_posix(): len(words & {w.removeprefix("test_") for w in p.with_suffix("").parts}) for p in files}
    ordered = sorted(common, key=common.get, reverse=True)
    return [p for p in ordered if common[p]], [p for p in ordered if not common[p]]


def drawn(root, name):
    """The tests of figures that a module concerns: each number of a figure has a second route in `tests/figures`."""
    pages = [path for path in root.glob("hdp/figures/*/*.py") if name in imports(root, path)]
    figures = {figure for path in pages for figure in FIGURE.findall(path.read_text(encoding="utf-8"))}
    own = [root / "tests/figures" / path.parent.name / f"test_{path.name}" for path in pages]
    tests = [str(path.relative_to(root)) for path in own if path.exists()]
    words = f"not test_figures.py or agree and ({' or '.join(sorted(figures))})"
    return [*tests, "tests/figures/test_figures.py", "-k", words] if figures else []


def limited(*arguments):
    """Run tests, as the audit does, for so many seconds of processor time that a busy machine makes no difference."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    audit.run_in_fork(*arguments)


def run_tests(tests, root):
    """Run tests in a copy; return the exit code, negative for a signal that ended them, and what pytest said."""
    code, said = audit.run_tests([*OPTIONS, *tests], root, 10 * SECONDS, limited)
    return -signal.SIGKILL if code is None else code, said


def attempt(mutant, text, root):
    """Try a mutant in a copy: what becomes of it, by which test, and the seconds."""
    path, started, by = root / mutant["file"], time.monotonic(), ""
    near, others = concerned(root, module(root, path))
    original = path.read_bytes()
    path.write_bytes(text)
    figures = drawn(root, module(root, path))
    for tests in filter(None, ([mutant["file"], *near[:1]], near[1:], others, figures)):
        code, said = run_tests(tests, root)
        if code < 0 or NOTICED.search(said):
            by = signal.Signals(-code).name if code < 0 else NOTICED.search(said)[1]
            break
        if code not in (0, 5):  # 5: there is no test; otherwise pytest itself went wrong
            raise RuntimeError(f"{mutant}: exit code {code}\n{said}")
    path.write_bytes(original)
    outcome = "survived" if not by else "stopped" if code < 0 else "killed"
    return mutant | {"outcome": outcome, "by": by, "seconds": round(time.monotonic() - started, 1)}


def score(root, options):
    """Try the mutants in a copy, tell and store what becomes of them, and run the tests that failed without any."""
    code = [p.read_bytes() for p in [*library(root), *sorted(root.glob("tests/**/*.py"))] if "tools" not in p.parts]
    run = {"seed": options.seed, "code": digest(code)}
    before = audit.read_json(options.json) if options.json else {}
    known = {m["key"]: m for m in before.get("mutants", [])} if run.items() <= before.items() else {}
    done = []
    for mutant, text in draw(root, options.seed, options.count):
        done.append(m := known.get(mutant["key"]) or attempt(mutant, text, root))
        print(f"[{len(done)}/{options.count}] {m['outcome']} ({m['seconds']} s) {in_one_line(m)} {m['by']}", flush=True)
        found = Counter(m["outcome"] for m in done)
        if options.json:
            audit.write_json(options.json, run | {"commit": audit.commit(), **found, "mutants": done})
    failed = sorted({m["by"] for m in done if m["outcome"] == "killed"})
    code, said = run_tests(failed, root)
    print(f"The {len(failed)} tests that failed pass without a mutant: {'yes' if code == 0 else said}")
    print("Survivors:", *(in_one_line(m) for m in done if m["outcome"] == "survived"), sep="\n  ")
    print(f"{len(done) - found['survived']} of {len(done)} are noticed, {found['stopped']} only by being stopped.")


def main():
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description="See how many random mutants of hdp the tests notice.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--tests", type=Path, default=audit.ROOT / "tests", help="a folder of tests (%(default)s)")
    parser.add_argument("--json", type=Path, help="where to write what was found")
    options = parser.parse_args()
    audit.FORKS.set_forkserver_preload(PRELOADED)
    with audit.scratch_copies(1) as copies:
        root = copies.get()
        shutil.rmtree(root / "tests")
        shutil.copytree(options.tests, root / "tests", ignore=audit.NOT_COPIED)
        compileall.compile_dir(root / "hdp", quiet=1, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH)
        score(root, options)


if __name__ == "__main__":
    main()
