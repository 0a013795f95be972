"""How a table of users is laid out: what its columns are called, and what its cells mean."""

import difflib
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

from hdp import _validate
from hdp.compare.numerals import number
from hdp.compare.population import BUDGET, LEAST, TRUST

COLUMNS = ("user", "epsilon", "trust", "records", "value")
_LARGEST = 1e50  # in size, the end of an interval, as `hdp.release.plan` takes it
_DATA = re.compile(r"[^A-Za-z]*\d")  # how a cell begins that is rather somebody's than the name of a column


@dataclass(frozen=True)
class Layout:
    """What the columns of a table are called, what is stated for those that it lacks, and how cells are read."""

    user: str | None = "user"  # None: there are no names, and every row is one person
    epsilon: str = "epsilon"
    trust: str = "trust"  # one of TRUST is what everybody's is, in a table without the column
    records: str | int = "records"  # a number is everybody's
    value: str | None = "value"  # None: it is not read
    report: str | None = None
    budgets: Mapping[str, float] | None = None  # what the words in the column of budgets mean
    interval: tuple[float, float] | None = None  # None: values are shares of ones among the records
    skip_rows: int = 0
    decimal: str | None = None  # None: what the table shows without doubt
    shell: bool = False  # whether options are those of the command line
    lenient: bool = False  # whether the column of names may be missing

    def __post_init__(self) -> None:
        for role in (*COLUMNS, "report"):
            name = getattr(self, role)
            optional, stated = role in ("user", "value", "report"), role == "records"
            if not ((isinstance(name, str) and name.strip()) or (name is None and optional) or stated):
                raise ValueError(f"{self.option(role)} must be the name of a column, got {_validate.show(name)}")
        columns = {role: getattr(self, role) for role in self.roles if not self.constant(role)}
        self._refuse_twice({role: name.strip() for role, name in columns.items() if name is not None})
        if not isinstance(self.records, str):
            _validate.whole(self.option("records"), self.records, 1)
        _validate.whole(self.option("skip_rows"), self.skip_rows, 0)
        if self.decimal not in (None, ".", ","):
            shown = _validate.show(self.decimal)
            raise ValueError(f"{self.option('decimal')} must be '.' or ',', got {shown}")
        if self.interval is not None:
            low, high = interval(self.interval, self.option("interval"))
            object.__setattr__(self, "interval", (low, high))
        if self.budgets is not None:
            object.__setattr__(self, "budgets", _words(self.budgets, self.option("budgets")))

    def _refuse_twice(self, columns):
        """A column is one thing: what is secret is not taken for what is public."""
        seen = {}
        for role, column in columns.items():
            if (other := seen.setdefault(column, role)) != role:
                both = f"{self.option(role)} must name another column than {self.option(other)}"
                raise ValueError(f"{both}, got {_validate.show(getattr(self, role))}")

    @property
    def roles(self) -> list[str]:
        """What is read of every row, the name first."""
        read = {"value": self.value is not None, "report": self.report is not None}
        return [role for role in (*COLUMNS, "report") if read.get(role, True)]

    def constant(self, role: str) -> str | None:
        """What is stated for all users, who have no column for it; None where there is one."""
        stated = {"trust": self.trust in TRUST, "records": not isinstance(self.records, str)}
        return str(getattr(self, role)) if stated.get(role) else None

    def option(self, role: str, text: str | int | None = None) -> str:
        """How an option is called, in Python or on the command line, with a value."""
        if self.shell:
            given = "" if text is None else f" {shlex.quote(str(text))}"
            return f"--{role.replace('_', '-')}{given}"
        return role if text is None else f"{role}={text!r}"

    def resolved(self, header: list[str]) -> tuple[Self, list[int | None]]:
        """The layout for a table with this header, and where each role stands; None for what is stated, or is none."""
        places, missing = {}, []
        for role in self.roles:
            if role == "user" and self.user is None:
                places[role] = None
            elif self.constant(role):
                self._refuse_both(role, header)
                places[role] = None
            else:
                places[role] = self._place(getattr(self, role), header)
                missing += [role] if places[role] is None else []
        layout = self
        if "user" in missing and self.lenient and self.user == "user" and not self._close("user", header):
            missing.remove("user")
            layout = replace(self, user=None)
        if missing:
            raise ValueError(layout._missing(missing, header))
        self._refuse_twice({role: place for role, place in places.items() if place is not None})
        return layout, list(places.values())

    def choices(self, header: list[str]) -> dict[str, tuple[list[str], str]]:
        """For each role the columns that it may have, and which it has or perhaps should have, as the command says."""
        names, found = list(dict.fromkeys(cell.strip() for cell in header if cell.strip())), {}
        for role in self.roles:
            chosen = "none" if role == "user" and self.user is None else self.constant(role)
            if chosen is None:
                place = self._place(getattr(self, role), header)
                chosen = (self._close(role, header) or "") if place is None else header[place].strip()
            words = {"user": ["none"], "trust": TRUST}.get(role, ())  # which name no column on the command line,
            found[role] = [n for n in names if n not in words and not (role == "records" and n.isdecimal())], chosen
        return found

    def known(self, header: list[str]) -> int:
        """How many columns a header names."""
        names = {fold(name) for name in header}
        return sum(fold(str(getattr(self, role))) in names for role in self.roles)

    def _place(self, name, header):
        """Where the column stands, whatever its case; None if it is missing."""
        found = [i for i, cell in enumerate(header) if fold(cell) == fold(name)]
        if len(found) > 1:
            raise ValueError(f"row 0, the header must name every column once, got {name} again")
        return found[0] if found else None

    def _refuse_both(self, role, header):
        """A statement for all must not overrule what each user says."""
        if self._place(role, header) is not None:
            stated = self.option(role, getattr(self, role))
            raise ValueError(f"row 0, the header must name no column {role} beside {stated}, which states it for all")

    def _missing(self, missing, header):
        """All that is missing, and which option settles it."""
        stated = {
            "user": f"{'--user none' if self.shell else 'user=None'} if every row is a person",
            "trust": f"{self.option('trust', TRUST[0])} or {TRUST[1]} if all are",
            "records": f"{self.option('records', 1)} if all have so many",
        }
        hints = []
        for role in missing:
            if role == "report":
                hints.append("what `report` of the command line printed for each local user, whom the plan weighs")
            elif close := self._close(role, header):
                hints.append(f"did you mean `{close}`? {self.option(role, close)}")
            else:
                hints.append(", or ".join([self.option(role, "COLUMN"), *([stated[role]] if role in stated else [])]))
        wanted, lacking = (
            ", ".join(str(getattr(self, role)) for role in roles)
            for roles in ([role for role in self.roles if not self.constant(role) and getattr(self, role)], missing)
        )
        return f"row 0, the header must name the columns {wanted}, got none named {lacking}: {'; '.join(hints)}"

    def _close(self, role, header):
        """The name of a column that is nearly the one; nothing where the row may be no header but somebody's data.

        It is a header if nothing in it begins with a number or is a word of a cell, and if it has two such names.
        """
        words = {*TRUST, *map(fold, self.budgets or ())}
        if any(_DATA.match(cell.strip()) or fold(cell) in words for cell in header):
            return None
        names = {fold(cell): cell.strip() for cell in header if cell.isprintable() and 0 < len(cell) <= 60}
        asked = {one: fold(str(getattr(self, one))) for one in self.roles}
        others = [name for name in names if name not in asked.values()]
        close = {one: difflib.get_close_matches(name, others, 1) for one, name in asked.items() if name not in names}
        if self.known(header) + sum(map(bool, close.values())) < 2 or not close.get(role):
            return None
        return names[close[role][0]]


def interval(ends: tuple[float, float], name: str = "interval") -> tuple[float, float]:
    """Both ends of an interval as floats, or ValueError."""
    found = _validate.number(name, ends, -_LARGEST, _LARGEST)
    if found.shape != (2,) or not found[1] - found[0] >= 1 / _LARGEST:
        raise ValueError(f"{name} must be LOW and HIGH, at least {1 / _LARGEST:g} above it, got {_validate.show(ends)}")
    return float(found[0]), float(found[1])


def fold(word: str) -> str:
    """What words are compared by: no case, no outer spaces."""
    return word.strip().casefold()


def _words(budgets, name):
    """What each word means, as a float."""
    if not isinstance(budgets, Mapping):
        raise ValueError(f"{name} must be a mapping of words to numbers, got {_validate.show(budgets)}")
    found, seen = {}, set()
    for word, meant in budgets.items():
        epsilon = number(str(meant))
        if not (key := fold(str(word))) or key in seen:
            raise ValueError(f"{name} must name every word once, without case, got {_validate.show(word)}")
        if not (epsilon == 0 or epsilon >= LEAST):
            raise ValueError(f"{name} {BUDGET}, got {_validate.show(meant)} for {_validate.show(word)}")
        seen.add(key)
        found[str(word).strip()] = epsilon
    return found
