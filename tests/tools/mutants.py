"""Every mutant of the library: one small change of one file of `hdp/`, figures and explore excepted.

A comparison is turned round, + becomes - and * becomes /, a constant grows by 1 or by a tenth, a condition is negated,
`or` becomes `and`, a sign or a call such as sqrt is dropped, max becomes min, a check that raises is left out.
Docstrings, annotations, `__all__`, messages, decorators, tolerances and limits stay as they are, so that few mutants
are equivalent.
"""

import ast
import copy
import hashlib
import re
import textwrap
from collections import Counter

SWAPS = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Eq: ast.NotEq, ast.Is: ast.IsNot, ast.In: ast.NotIn}
SWAPS |= {ast.Add: ast.Sub, ast.Mult: ast.Div, ast.And: ast.Or}
SWAPS |= {new: old for old, new in SWAPS.items()}
NAMES = dict(min="max", minimum="maximum", Min="Max", argmin="argmax", any="all", floor="ceil", sin="cos")
NAMES |= {new: old for old, new in NAMES.items()}
DROPPED = set("abs sqrt exp log log1p expm1 square cumsum sort sum clip floor ceil round gamma gammaln".split())
LIMITS = re.compile(  # names of tolerances, of sizes that only cost time, and of what floats can hold
    r"[xra]tol|maxiter|maxsize|__all__|EXACT|ROUNDING|NUMBERS|LARGEST|BEAM|TERMS|VARIANCES|_?LEAST(_DELTA)?|"
    "_?BLOCK|_(NEGLIGIBLE|FEW|ROWS|PRINTED|MOST.*|SLACK|BUCKET|TABLE|CHUNK|PATIENCE|NONE|UPWARDS|RESOLUTION)"
)


def library(root):
    """The files of hdp that are changed."""
    return [p for p in sorted(root.glob("hdp/**/*.py")) if p.relative_to(root).parts[1] not in {"figures", "explore"}]


def module(root, path):
    """The name under which a file is imported."""
    return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


def digest(facts):
    """A hash of anything that has the same repr in every run."""
    return hashlib.sha256(repr(facts).encode()).hexdigest()


def stays(node):
    """Tell whether an expression is text, or a number so small or large that it is a tolerance or a limit."""
    value = node.value if isinstance(node, ast.Constant) else 0
    number = type(value) in (int, float) and (value == 0 or 1e-5 <= abs(value) < 1e6)
    return isinstance(node, ast.JoinedStr) or not number


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
    """Yield every mutant, with the content of its file: its key depends on the statement and the names around it."""
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
                        "change": " → ".join(textwrap.shorten(code, 70, placeholder="…") for code in (old, new)),
                    },
                    text[:begin] + written.encode() + text[end:],
                )


def draw(root, seed, count):
    """So many mutants: of each statement that another version of the library has too, the same ones."""
    return sorted(mutants(root), key=lambda m: digest((seed, m[0]["key"])))[:count]


def in_one_line(mutant):
    """A mutant in one line."""
    return f"{mutant['file']}:{mutant['line']}: {mutant['change']}"
