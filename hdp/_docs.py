"""What the docstrings of a module have in common is written once, and each docstring is completed from there.

`Shared` is made from a docstring without a summary.  As a decorator it gives the docstring of a function, where that
says nothing itself,

- an entry under *Parameters* for each argument, in the order of the signature;
- *Returns* and *Raises*;
- those *Examples* that call it, with the lines on which they depend.

So `help`, doctest and numpydoc see whole docstrings.  An argument that nobody describes is a KeyError
on import, and so is a description of none, or a section of another name.
"""

import inspect
import re
from collections.abc import Callable
from typing import Any, Self, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])
_HEADING = re.compile(r"^(\w[\w ]*)\n-{4,}\n", re.M)
_ENTRY = re.compile(r"^(?=\S)", re.M)
_STATEMENT = re.compile(r"^(?=>>> )", re.M)
_BINDS = re.compile(r">>> (?:(?:from \S+ )?import (.+)|def (\w+)|([\w, ]+) = )")
_ORDER = ("Parameters", "Returns", "Raises", "Notes", "Examples")


class Shared:
    """Descriptions for the functions of a module."""

    def __init__(self, text: str, parameters: dict[str, str] | None = None, sections: dict[str, str] | None = None):
        _, found = _split(text)
        self.parameters = (parameters or {}) | _entries(found.pop("Parameters", ""))
        begun = (sections or {}).get("Examples", "")
        self.sections = (sections or {}) | found | {"Examples": f"{begun}\n{found.get('Examples', '')}".strip()}

    def but(self, text: str) -> Self:
        """The same descriptions and examples, except for what the text describes anew, with what else it has."""
        return type(self)(text, self.parameters, self.sections)

    def __call__(self, function: _Function) -> _Function:
        """Complete the docstring of a function."""
        if function.__doc__:  # there is none under python -OO
            head, own = _split(function.__doc__)
            names, described = inspect.signature(function).parameters, _entries(own.get("Parameters", ""))
            if strange := described.keys() - names | own.keys() - set(_ORDER):
                raise KeyError(f"{function.__name__} describes what is no argument and no section: {strange}")
            described = self.parameters | described
            used = [described[name] for name in names]
            examples = _calls(function.__name__, self.sections.get("Examples", ""))
            found = self.sections | {"Examples": examples} | own | {"Parameters": "\n".join(dict.fromkeys(used))}
            parts = [f"{name}\n{'-' * len(name)}\n{found[name]}" for name in _ORDER if found.get(name)]
            function.__doc__ = "\n\n".join([head, *parts]) + "\n"
        return function


def _split(docstring):
    """The text before the first heading, and the sections."""
    head, *rest = _HEADING.split(inspect.cleandoc(docstring) + "\n")
    return head.strip(), {name: text.strip("\n") for name, text in zip(rest[::2], rest[1::2], strict=True)}


def _entries(section):
    """The entries of a section by each name that they describe."""
    entries = [entry.strip("\n") for entry in _ENTRY.split(section) if entry.strip()]
    return {name: entry for entry in entries for name in entry.split("\n")[0].split(" : ")[0].split(", ")}


def _calls(name, examples):
    """The examples that call the function, after the lines that bind what they need; a result that is kept is shown."""
    kept, needed, after = [], set(), ""
    for statement in reversed(_STATEMENT.split(examples)):
        (bound, used), calls = _names(statement), f".{name}(" in statement
        if calls and bound & _names(after)[1] and after.strip("\n") not in kept:
            kept.append(after.strip("\n"))
            needed |= _names(after)[1]
        if calls or bound & needed:
            kept.append(statement.strip("\n"))
            needed = (needed - bound) | used
        after = statement
    return "\n".join(reversed(kept))


def _names(statement):
    """The names that a statement binds, and those that it uses: neither attributes nor names of arguments."""
    binds = _BINDS.match(statement)
    bound = set(re.findall(r"\w+", "".join(filter(None, binds.groups())))) if binds else set()
    return bound, set(re.findall(r"(?<![\w.])\w+(?!\w|=(?!=))", statement[binds.end() :] if binds else statement))


USERS = Shared(
    """
    Parameters
    ----------
    epsilon : array_like, shape (n,)
        Budgets in [0, inf], not all 0, in any order; inf is a public value, 0 an unusable one.
    x : array_like, shape (..., n)
        Data in [-1/2, 1/2]; the last axis runs over users.  Clamp beforehand: a check that fails is itself an output.
    rng : numpy.random.Generator or int
        Source of the randomness, or a seed for one.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or shapes do not fit.
    """
)
