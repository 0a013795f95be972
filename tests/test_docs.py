"""A docstring that describes arguments describes all of them, also where nothing is public."""

import ast
import re

from tests.files import ROOT

ENTRIES = re.compile(r"^Parameters\n-+\n(.*?)(?:\n\n|\Z)", re.M | re.S)
KEYS = re.compile(r"^(\S.*?) : ", re.M)


def described(function):
    """Names under *Parameters*, or None where there is no such heading."""
    found = ENTRIES.search(ast.get_docstring(function) or "")
    return found and [name for key in KEYS.findall(found[1]) for name in key.split(", ")]


def arguments(function):
    """All of its names, in the order of the signature."""
    a = function.args
    return [arg.arg for arg in (*a.posonlyargs, *a.args, *a.kwonlyargs)]


def test_all_arguments_are_described_or_none(subtests):
    """In the order of the signature."""
    for path in (ROOT / "hdp").rglob("*.py"):
        with subtests.test(path.relative_to(ROOT).as_posix()):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef) and (names := described(node)) is not None:
                    assert names == [name for name in arguments(node) if name not in ("self", "cls")], node.name
