"""Draw random mutants of the library, see how many the tests notice, and name those that survive.

    python -m tests.tools.mutation_score --seed 1 --count 150 --json before.json
    python -m tests.tools.mutation_score --seed 1 --tests ../other-checkout/tests

A mutant is one small change of `hdp/` (not of figures and explore) in a scratch copy, never in the working tree: a
comparison turned round, + for -, * for /, a constant plus 1 or times 1.1, a condition negated, `or` for `and`, a sign
or a call such as sqrt dropped, max for min, a check that raises left out.  Docstrings, annotations, `__all__`,
messages, decorators, tolerances and limits stay as they are, so that few mutants are equivalent.

The draw depends on the seed and on the statements themselves: an edit elsewhere in hdp leaves them, and `--tests` tries
the same mutants against the tests of another checkout.  A mutant's tests are the doctests of its module, the test
modules that import it, by itself or through its package (where none does, those of the modules that import it), and
those that walk through all of hdp.  The nearest by name come first.  It is noticed if one of them fails, or if they
take more than 180 s, which is told apart.  In the end the tests that failed must pass without any mutant.
`--json` is written after every mutant, and a run with the same code goes on where it was interrupted.
"""

import argparse
import ast
import copy
import hashlib
import re
import shutil
import time
from collections import Counter
from pathlib import Path

from tests import audit

SECONDS, OPTIONS = 180, ["-rfE", "-m", "not slow", "--hypothesis-seed=0"]
PRELOADED = "pytest numpy scipy.stats scipy.optimize sympy matplotlib.pyplot mpmath cvxpy z3".split()
NOTICED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.M)
OTHER_TESTS = {"book", "browser", "benchmarks", "explore", "tools", "test_package.py"}  # the last repeats doctests
SWAPS = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Eq: ast.NotEq, ast.Is: ast.IsNot, ast.In: ast.NotIn}
SWAPS |= {ast.Add: ast.Sub, ast.Mult: ast.Div, ast.And: ast.Or}
SWAPS |= {new: old for old, new in SWAPS.items()}
NAMES = dict(min="max", minimum="maximum", Min="Max", argmin="argmax", any="all", floor="ceil", sin="cos")
NAMES |= {new: old for old, new in NAMES.items()}
DROPPED = set("abs sqrt exp log log1p expm1 square cumsum sort sum clip floor ceil round gamma gammaln".split())
LIMITS = re.compile(  # names of tolerances, of sizes that only cost time, and of what floats can hold
    r"[xra]tol|maxiter|maxsize|__all__|EXACT|ROUNDING|NUMBERS|CACHED|LARGEST|BEAM|TERMS|VARIANCES|_?LEAST(_DELTA)?|"
    "_?BLOCK|_(NEGLIGIBLE|FEW|ROWS|PRINTED|MOST.*|SLACK|BUCKET|TABLE|CHUNK|PATIENCE|NONE|UPWARDS|RESOLUTION)"
)


def changes(node):
    """Yield the kinds of change of a node, with what is replaced and by what."""
    if isinstance(node, ast.Compare) and (swap := SWAPS.get(type(node.ops[0]))):
        yield "comparison", node, ast.Compare(node.left, [swap(), *node.ops[1:]], node.comparators)
    elif isinstance(node, ast.BinOp) and (swap := SWAPS.get(type(node.op))):
        if not stays(node.left) and not stays(node.right):
            yield "operator", node, ast.BinOp(node.left, swap(), node.right)
    elif isinstance(node, ast.BoolOp):
        yield "and, or", node, ast.BoolOp(SWAPS[type(node.op)](), node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "sign", node, node.operand
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float) and not stays(node):
        value = node.value * 1.1 if isinstance(node.value, float) and node.value else node.value + 1
        yield "constant", node, ast.Constant(value)
    elif isinstance(node, ast.Call):
        key = "attr" if isinstance(node.func, ast.Attribute) else "id"
        name = getattr(node.func, key, None)
        if name in DROPPED and node.args:
            yield "call", node, node.args[0]
        if name in NAMES:
            setattr(func := copy.copy(node.func), key, NAMES[name])
            yield "function", node, ast.Call(func, node.args, node.keywords)
    elif isinstance(node, ast.If) and isinstance(node.body[0], ast.Raise) and not node.orelse:
        yield "check", node, ast.Pass()
    elif isinstance(node, ast.If | ast.IfExp) and "__name__" not in ast.unparse(node.test):
        yield "condition", node.test, ast.UnaryOp(ast.Not(), node.test)


def stays(node):
    """Tell whether an expression is text, or a number so small or large that it is a tolerance or a limit."""
    value = node.value if isinstance(node, ast.Constant) else 0
    number = type(value) in (int, float) and (value == 0 or 1e-5 <= abs(value) < 1e6)
    return isinstance(node, ast.JoinedStr) or not number


def places(node, scope=(), statement=None):
    """Yield every node that may be changed, with the names and the statement around it."""
    named = getattr(node, "targets", [getattr(node, "target", node)])[0]
    name = next((found for key in ("id", "arg", "name") if (found := getattr(named, key, None))), "")
    if LIMITS.fullmatch(name) or isinstance(node, ast.Raise | ast.JoinedStr):
        return
    scope = (*scope, name) if isinstance(node, ast.FunctionDef | ast.ClassDef) else scope
    statement = node if isinstance(node, ast.stmt) else statement
    yield node, scope, statement
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and field not in {"annotation", "returns", "decorator_list"}:
                yield from places(child, scope, statement)


def mutants(root):
    """Every mutant of the library: its key, place, kind and change; and its file with it."""
    seen = Counter()
    for path in library(root):
        text, file = path.read_bytes(), path.relative_to(root).as_posix()
        lines = text.splitlines(keepends=True)
        starts = [sum(map(len, lines[:i])) for i in range(len(lines))]
        for place, scope, statement in places(ast.parse(text)):
            for kind, node, new in changes(place):
                begin = starts[node.lineno - 1] + node.col_offset
                end = starts[node.end_lineno - 1] + node.end_col_offset
                old, new = ast.unparse(node), ast.unparse(ast.fix_missing_locations(new))
                where = (file, *scope, ast.unparse(statement).partition("\n")[0], kind, old)
                seen[where] += 1
                written = new if kind == "check" else f"({new})"
                yield (
                    {
                        "key": digest((where, seen[where]))[:12],
                        "file": file,
                        "line": node.lineno,
                        "kind": kind,
                        "change": f"{audit.shorten(old, 70)} → {audit.shorten(new, 70)}",
                    },
                    text[:begin] + written.encode() + text[end:],
                )


def digest(facts):
    """A hash of anything that has the same repr in every run."""
    return hashlib.sha256(repr(facts).encode()).hexdigest()


def library(root):
    """The files of hdp that are changed."""
    return [p for p in sorted(root.glob("hdp/**/*.py")) if p.relative_to(root).parts[1] not in {"figures", "explore"}]


def module(root, path):
    """The name under which a file is imported."""
    return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


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
    for names in ({name}, {module(root, path) for path in library(root) if name in imports(root, path)}):
        wanted = {".".join(n.split(".")[:i]) for n in names for i in range(2, n.count(".") + 2)}
        if any(wanted & found[path] for path in files):
            break
    files = [path.relative_to(root) for path in files if (wanted | {"hdp"}) & found[path]]
    words = {word.strip("_") for word in name.split(".")[1:]}
    common = {p.as_posix(): len(words & {w.removeprefix("test_") for w in p.with_suffix("").parts}) for p in files}
    ordered = sorted(common, key=common.get, reverse=True)
    return [p for p in ordered if common[p]], [p for p in ordered if not common[p]]


def attempt(mutant, text, root):
    """Try a mutant in a copy: what becomes of it, by which test, and the seconds."""
    path, started, by = root / mutant["file"], time.monotonic(), ""
    near, others = concerned(root, module(root, path))
    original = path.read_bytes()
    path.write_bytes(text)
    for tests in filter(None, ([mutant["file"], *near], others)):
        audit.SECONDS = max(1, SECONDS - (time.monotonic() - started))
        code, said = audit.run_tests([*OPTIONS, *tests], root)
        if code is None or NOTICED.search(said):
            by = "timeout" if code is None else NOTICED.search(said)[1]
            break
        if code not in (0, 5):  # 5: there is no test; otherwise pytest itself went wrong
            raise RuntimeError(f"{mutant}: exit code {code}\n{said}")
    path.write_bytes(original)
    outcome = {"": "survived", "timeout": "timeout"}.get(by, "killed")
    return mutant | {"outcome": outcome, "by": by, "seconds": round(time.monotonic() - started, 1)}


def place(mutant):
    """A mutant in one line."""
    return f"{mutant['file']}:{mutant['line']}: {mutant['change']}"


def score(root, options):
    """Try the mutants in a copy, tell and store what becomes of them, and run the tests that failed without any."""
    code = [p.read_bytes() for p in [*library(root), *sorted(root.glob("tests/**/*.py"))] if "tools" not in p.parts]
    run = {"seed": options.seed, "code": digest(code)}
    before = audit.read_json(options.json) if options.json else {}
    done = {m["key"]: m for m in before.get("mutants", [])} if run.items() <= before.items() else {}
    possible = sorted(mutants(root), key=lambda m: digest((options.seed, m[0]["key"])))
    for i, (mutant, text) in enumerate(possible[: options.count], 1):
        m = done[mutant["key"]] = done.get(mutant["key"]) or attempt(mutant, text, root)
        print(f"[{i}/{options.count}] {m['outcome']} ({m['seconds']} s) {place(m)} {m['by']}", flush=True)
        found = Counter(m["outcome"] for m in done.values())
        if options.json:
            facts = {"commit": audit.commit(), "possible": len(possible), "tried": len(done), **found}
            audit.write_json(options.json, run | facts | {"mutants": list(done.values())})
    failed = sorted({m["by"] for m in done.values() if "::" in m["by"]})
    audit.SECONDS = 3600
    code, said = audit.run_tests([*OPTIONS, *failed], root)
    print(f"The {len(failed)} tests that failed pass without a mutant: {'yes' if code == 0 else said}")
    print("Survivors:", *(place(m) for m in done.values() if not m["by"]), sep="\n  ")
    print(f"{len(done) - found['survived']} of {len(done)} mutants are noticed, {found['timeout']} by a timeout only.")


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
        score(root, options)


if __name__ == "__main__":
    main()
