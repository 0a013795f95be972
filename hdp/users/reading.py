"""How a table of users is read: what its columns are called, and what its cells mean."""

import difflib
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from hdp import _validate
from hdp.users.names import INVISIBLE
from hdp.users.numerals import number
from hdp.users.people import BUDGET, LEAST, TRUST

ROLES = ("user", "epsilon", "trust", "records")
FIELDS = {  # of the page *Your own users*
    "user": "Who she is", "epsilon": "Her budget", "trust": "Whom she trusts", "records": "Her number of records",
    "value": "Her value", "budgets": "Words for budgets", "decimal": "Sign before decimals",
}  # fmt: skip
_DATA = re.compile(r"[^A-Za-z]*\d")  # how a cell begins that is rather somebody's than the name of a column


@dataclass(frozen=True)
class Reading:
    """What the columns of a table are called, what is stated for those that it lacks, and how cells are read."""

    user: str | None = "user"  # None: there are no names, and every row is one person
    epsilon: str = "epsilon"
    trust: str = "trust"  # one of TRUST is what everybody's is, in a table without the column
    records: str | int = "records"  # a number is everybody's
    value: tuple[str, ...] = ()  # columns of values that are read
    report: bool = False  # whether the column report is read
    budgets: Mapping[str, float] | None = None  # what the words in the column of budgets mean
    decimal: str | None = None  # None: what the table shows without doubt
    place: str = "python"  # where it is stated, so that messages speak of arguments, options, or of the page's fields

    def __post_init__(self) -> None:
        _validate.field(self, "report", _validate.flag)
        for role in ROLES:
            name = getattr(self, role)
            if not ((isinstance(name, str) and name.strip()) or (name is None and role == "user") or role == "records"):
                raise ValueError(f"{self.option(role)} must be the name of a column, got {_validate.show(name)}")
        for name in self.value:
            if not (isinstance(name, str) and name.strip()):
                raise ValueError(f"{self.option('value')} must be the name of a column, got {_validate.show(name)}")
        self._refuse_twice()
        if not isinstance(self.records, str):
            _validate.whole(self.option("records"), self.records, 1)
        if self.decimal not in (None, ".", ","):
            raise ValueError(f"{self.option('decimal')} must be '.' or ',', got {_validate.show(self.decimal)}")
        if self.budgets is not None:
            object.__setattr__(self, "budgets", _words(self.budgets, self.option("budgets")))

    def _refuse_twice(self):
        """A column is one thing: what is secret is not taken for what is public."""
        seen = {}
        for role, column in self.columns:
            if (first := seen.setdefault(fold(column), role)) != role:
                both = f"{self.option(role)} must name another column than {self.option(first)}"
                raise ValueError(f"{both}, got {_validate.show(column.strip())}")
        if len(set(map(fold, self.value))) < len(self.value):
            raise ValueError(f"{self.option('value')} must name every column once, got {', '.join(self.value)}")

    @property
    def columns(self) -> list[tuple[str, str]]:
        """What is read of every row, and the column for it; what is stated for all has none."""
        own = [(role, getattr(self, role)) for role in ROLES if self.stated(role) is None]
        told = [("value", name) for name in self.value] + [("report", "report")] * self.report
        return [(role, name) for role, name in [*own, *told] if name is not None]

    def stated(self, role: str) -> str | None:
        """What is stated for all users, who have no column for it; None where there is one."""
        stated = {"trust": self.trust in TRUST, "records": not isinstance(self.records, str)}
        return str(getattr(self, role)) if stated.get(role) else None

    def option(self, role: str, text: str | int | None = None) -> str:
        """How an option is called where it is stated, with a value."""
        if self.place == "shell":
            return f"--{role}" + ("" if text is None else f" {shlex.quote(str(text))}")
        if self.place == "page":
            field = f"the field {FIELDS[role]}"
            return field if text is None else f"{'choose one' if text == 'COLUMN' else text} in {field}"
        return role if text is None else f"{role}={text!r}"

    def resolved(self, header: list[str]) -> tuple[Self, list[int]]:
        """The reading for a table with this header, and where each of its columns stands."""
        for role in ("trust", "records"):  # a statement for all must not overrule what each user says
            if self.stated(role) and self._place(role, header) is not None:
                stated = self.option(role, getattr(self, role))
                raise ValueError(f"row 0, the header must name no column {role} beside {stated}, which is for all")
        places = {column: self._place(column, header) for _, column in self.columns}
        reading, missing = self, [column for column, place in places.items() if place is None]
        if "user" in missing and self.user == "user" and not self._close("user", header):
            missing.remove(self.user)
            places.pop(self.user)
            reading = replace(self, user=None)
        if missing:
            raise ValueError(reading._missing(missing, header))
        return reading, [place for place in places.values() if place is not None]

    def choices(self, header: list[str]) -> dict[str, tuple[list[str], str]]:
        """For each role the columns that it may have, and which it has or perhaps should have."""
        names, found = list(dict.fromkeys(cell.strip() for cell in header if cell.strip())), {}
        told = [(role, getattr(self, role)) for role in ROLES] + [("value", name) for name in self.value[:1]]
        for role, name in told:
            chosen = "none" if name is None else self.stated(role)
            if chosen is None:
                place = self._place(name, header)
                chosen = (self._close(name, header) or "") if place is None else header[place].strip()
            words = {"user": ["none"], "trust": TRUST}.get(role, ())  # which name no column here
            found[role] = [n for n in names if n not in words and not (role == "records" and n.isdecimal())], chosen
        return found

    def known(self, header: list[str]) -> int:
        """How many of its columns a header names."""
        return len({fold(name) for name in header} & {fold(name) for _, name in self.columns})

    def as_dict(self) -> dict[str, Any]:
        """What a plan keeps: all but the columns of values, and where it was stated."""
        told = {name: getattr(self, name) for name in (*ROLES, "decimal")}
        words = {word: "inf" if e == float("inf") else e for word, e in (self.budgets or {}).items()}
        return told | {"budgets": words or None}

    def _place(self, name, header):
        """Where the column stands, whatever its case; None if it is missing."""
        found = [i for i, cell in enumerate(header) if fold(cell) == fold(name)]
        if len(found) > 1:
            raise ValueError(f"row 0, the header must name every column once, got {name} again")
        return found[0] if found else None

    def _missing(self, missing, header):
        """All that is missing, and which option settles it."""
        roles, hints = {name: role for role, name in self.columns}, []
        nobody = "user=None" if self.place == "python" else self.option("user", "none")
        everybody = {
            "user": f"{nobody} if every row is a person",
            "trust": f"{self.option('trust', TRUST[0])} or {TRUST[1]} if all are",
            "records": f"{self.option('records', 1)} if all have so many",
        }
        for column in missing:
            role = roles[column]
            if role == "report":
                hints.append("what the command report printed for each local user, whom the plan weighs")
            elif close := self._close(column, header):
                hints.append(f"did you mean `{close}`? {self.option(role, close)}")
            else:
                hints.append(", or ".join(filter(None, [self.option(role, "COLUMN"), everybody.get(role)])))
        wanted = ", ".join(name for _, name in self.columns)
        return (
            f"row 0, the header must name the columns {wanted}, got none named {', '.join(missing)}: {'; '.join(hints)}"
        )

    def _close(self, name, header):
        """The name of a column that is nearly the one; nothing where the row may be no header but somebody's data.

        It is a header if nothing in it begins with a number or is a word of a cell, and if it has two such names.
        """
        words = {*TRUST, *map(fold, self.budgets or ())}
        if any(_DATA.match(cell.strip()) or fold(cell) in words for cell in header):
            return None
        names = {fold(cell): cell.strip() for cell in header if cell.isprintable() and 0 < len(cell) <= 60}
        asked = {fold(one) for _, one in self.columns} | {fold(name)}
        others = [other for other in names if other not in asked]
        close = {one: difflib.get_close_matches(one, others, 1) for one in asked if one not in names}
        if self.known(header) + sum(map(bool, close.values())) < 2 or not close.get(fold(name)):
            return None
        return names[close[fold(name)][0]]


def fold(word: str) -> str:
    """What words are compared by: no case, no outer spaces, nothing invisible."""
    return INVISIBLE.sub("", word).strip().casefold()


def _words(budgets, name):
    """What each word means, as a float."""
    if not isinstance(budgets, Mapping) or not budgets:
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
