"""What of the library some code executes: the modules that it imports, and whatever these import.

An import executes the packages in which a module lies, too, so their ``__init__.py`` counts with all that it imports;
so does an import within a function, or under a condition.  The code is read, not run.
"""

import ast
from contextlib import suppress
from functools import cache
from pathlib import Path

LIBRARY = "hdp"
# Through these code reaches modules that it does not name: `hdp.figures.ALL` and `declared` import all figures.
UNSEEN = {"ALL", "declared", "__import__", "exec", "run_module", "runpy", "subprocess"}


class Unseen(Exception):
    """Nobody can tell from the code what it imports."""


def called(node):
    """Return the name that a piece of code has, or the last part of it, nothing where it has none."""
    return getattr(node, "id", None) or getattr(node, "attr", None) or getattr(node, "name", "")


def names(tree):
    """Yield the dotted names of all that some code imports, modules and what is in them.

    Raises `Unseen` for an import whose name is computed.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                raise Unseen("a relative import")
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and called(node.func) == "import_module":
            if not isinstance(node.args[0], ast.Constant):
                raise Unseen("a module whose name is computed")
            yield node.args[0].value


def files(name):
    """Return the files that an import of a dotted name may execute, as addresses, whether they exist or not.

    So a module that is new, or was removed, is a change like any other.
    """
    parts = name.split(".")
    above = ["/".join(parts[:count]) for count in range(1, len(parts) + 1)] if parts[0] == LIBRARY else []
    return {path for folder in above for path in (f"{folder}.py", f"{folder}/__init__.py")}


@cache
def imported(path):
    """Return the files that a file of the library imports itself, none where it does not exist."""
    if not path.exists():
        return frozenset()
    found = set()
    with suppress(Unseen):  # in `hdp.figures`, whose users are asked for by UNSEEN; what it names before counts
        for name in names(ast.parse(path.read_text(encoding="utf-8"))):
            found |= files(name)
    return frozenset(found)


def executed(code, root):
    """Return the files of the library of a project that some code executes, and those that it would if they existed.

    None means all of them: the code is not plain Python, or imports what it does not name.
    """
    try:
        tree = ast.parse(code)
        todo = set().union(*map(files, names(tree)))
    except (SyntaxError, Unseen):
        return None
    if UNSEEN & set(map(called, ast.walk(tree))):
        return None
    found = set()
    while todo:
        path = todo.pop()
        if path not in found:
            found.add(path)
            todo |= imported(Path(root, path))
    return found
