"""What the page *Your own users* asks: its form in, what it shows and offers as files."""

import argparse
import json
import re
import shlex
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from hdp import _validate
from hdp._cli.answers import Report, python_call
from hdp._cli.commands import release_call, report_of
from hdp._cli.options import VALUE, called, counted, parser, plain, table_of
from hdp._number import many
from hdp.release import statement, write_weights
from hdp.users.numerals import number
from hdp.users.people import BUDGET, LEAST, TRUST, Users
from hdp.users.reading import FIELDS

ANSWER, PLAN, WEIGHTS = "answer.json", "plan.json", "weights.csv"
RECEIPTS, STATEMENT = "receipts.csv", "statement.md"
LARGEST = 60_000_000  # bytes of a file, some two million users, for whom a page needs about a gigabyte
MOST = 2_000_000  # users of all groups


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise ValueError(message.removeprefix("argument "))


def ask(question: str) -> Report | None:
    """Answer a form's ``question`` in JSON by answer.json, plan.json and statement.md, or by the reason why not.

    It has the path and the name of a file, or groups (users, epsilon, trust, records), and options of `hdp plan`, by
    their names.  The answer has what the columns of a file may be.  What it does is printed, so that the page says it.
    """
    form, found, table = json.loads(question), None, None
    path, groups, name = (form.pop(part, None) for part in ("path", "groups", "name"))
    name = name or path or ""
    name = f"./{name}" if name.startswith("-") else name  # or else commands would take it for an option
    try:
        words = _words(form, name)
        options = parser(_Parser).parse_args(words)
        options.place = "page"
        if path:
            options.file = _small(path)
            table = table_of(options)
            table.name = options.file = name
            print("Reading and checking the file")
            people = table.read()
            if options.value != VALUE:
                table.must_have(options.value)
        else:
            people = from_groups(groups)
        if options.interval is None and options.prior is None:
            raise ValueError("the fields They lie from and to must be filled: values beyond them are moved to the ends")
        print(f"Ranking and planning for {many(people.size, 'user')}")
        found = report_of(people, options)
        told = found.told() | {"shown": found.shown(), "read": table.said if table else ""}
        told["call"] = python_call(found, name if table else None)
        # The second command does nothing where the first one is refused.
        told["commands"] = f"{called()} {shlex.join(words)} &&\n{release_call(options)}" if table else ""
        Path(PLAN).write_text(found.plan.to_json(), encoding="utf-8")
        Path(STATEMENT).write_text(statement(found.plan), encoding="utf-8")
    except (OSError, ValueError, MemoryError) as wrong:
        said = re.sub("--([a-z]+)", lambda option: f"the field {FIELDS.get(option[1], option[1])}", str(wrong))
        told = dict[str, Any](refused=counted(said) or "there is not enough memory in this page")
        if path:  # the file has another one here
            told["refused"] = told["refused"].replace(repr(path), repr(name))
    if table:
        with suppress(ValueError):  # a column stands there twice, and that is refused
            told["columns"] = table.choices(options.value)
    Path(ANSWER).write_text(json.dumps(told, allow_nan=False), encoding="utf-8")
    return found


def _words(form, name):
    """The call of the command that does what the form says."""
    if name in (PLAN, WEIGHTS, RECEIPTS):
        raise ValueError(f"file must have another name than {name}, which the commands write")
    words = []
    for option, value in form.items():
        if value not in (None, ""):
            values = [str(each) for each in (value if isinstance(value, list) else [value])]
            # Joined, a single value that begins with a dash is no option.
            joined = len(values) == 1 and values[0].startswith("-")
            words += [f"--{option}={values[0]}"] if joined else [f"--{option}", *values]
    return ["plan", name, *map(plain, words), "--out", PLAN, "--weights", WEIGHTS]


def _small(path):
    if (size := Path(path).stat().st_size) > LARGEST:
        limit = f"must have at most {LARGEST / 1e6:.0f} MB, about two million users, in this page"
        raise ValueError(f"file {limit}, got {size / 1e6:.0f} MB: python -m hdp plan reads larger ones")
    with Path(path).open("rb") as file:
        if file.read(4) in (b"PAR1", b"ARRO"):
            raise ValueError("file must be text in this page: python -m hdp plan reads Parquet and Arrow")
    return path


def from_groups(rows: list[tuple[int, float | str, str, int]]) -> Users:
    """The users of groups, each a number of users, at most 2e6 in all, with their budget, trust and records."""
    if not rows:
        raise ValueError(f"groups must have at least one row, got {rows!r}")
    for k, (users, epsilon, trust, records) in enumerate(rows, start=1):
        budget = number(str(epsilon))  # as of a cell: no number becomes 0 or inf in silence
        for name, value, right, wanted in (
            ("users", users, _whole(users, MOST), f"must be a whole number in [1, {MOST}]"),
            ("records", records, _whole(records, _validate.EXACT), f"must be a whole number in [1, {_validate.EXACT}]"),
            ("epsilon", epsilon, budget == 0 or budget >= LEAST, BUDGET),
            ("trust", trust, trust in TRUST, f"must be one of {', '.join(TRUST)}"),
        ):
            if not right:
                raise ValueError(f"column {name}, group {k}: {wanted}, got {value!r}")
    counts, budgets, *others = zip(*rows, strict=True)
    if sum(counts) > MOST:
        raise ValueError(f"users must be at most {MOST} in all groups together, got {sum(counts)}")
    columns = [number(str(budget)) for budget in budgets], *others
    return Users(*(np.repeat(column, np.asarray(counts, dtype=np.intp)) for column in columns))


def _whole(value, most):
    return isinstance(value, int | float) and 1 <= value <= most and value == int(value)


def weights(asked: Report) -> None:
    """Write weights.csv for the users who were ``asked`` about."""
    print(f"Writing {WEIGHTS}")
    with Path(WEIGHTS).open("w", newline="", encoding="utf-8") as file:
        write_weights(file, asked.plan, asked.people if asked.plan.reading else None)
