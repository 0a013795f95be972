"""What the page *Your own users* asks: its form in, what it shows and offers as files."""

import argparse
import contextlib
import io
import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hdp._cli import common, plan
from hdp._cli.called import called, counted, plain
from hdp._report.people import from_groups, names_in
from hdp._report.report import Report, report
from hdp._report.shown import many
from hdp.compare import Population
from hdp.compare.held import Held
from hdp.compare.numerals import number
from hdp.compare.population import LEAST
from hdp.compare.users import Users
from hdp.release import statement, write_weights

ANSWER, PLAN, WEIGHTS = "answer.json", "plan.json", "weights.csv"
RECEIPTS, STATEMENT = "receipts.csv", "statement.md"
LARGEST = 60_000_000  # bytes of a file, some two million users, for whom a page needs about a gigabyte
_ABOUT = ("path", "name", "groups")  # what in a form is no option of the command


@dataclass(frozen=True, eq=False)
class Asked:
    """A question that was answered, for what is asked of it later."""

    report: Report  # the answer
    people: Population
    source: Users | None  # their file; None where they are described by groups
    options: argparse.Namespace  # of the command that does the same


def ask(question: str) -> Asked | None:
    """Answer a form's ``question`` in JSON by the files answer.json and plan.json, or by the reason why not.

    It has the path and the name of a file, or groups (users, epsilon, trust, records), and options of `hdp plan`, by
    their names.  The answer has what the columns of a file may be.  What it does is printed, so that the page says it.
    """
    form, asked, source = json.loads(question), None, None
    path, name = form.get("path"), form.get("name") or form.get("path") or ""
    name = f"./{name}" if name.startswith("-") else name  # or else commands would take it for an option
    try:
        options = _options(form, name)
        if path:
            source = _source(options, path, name)
        asked = _answered(form, options, source)
        told = json.loads(asked.report.to_json(shown=True)) | {"read": source.said if source else "", "commands": ""}
        if source:  # the second command does nothing where the first one is refused
            calls = f"{called()} {shlex.join(options.asked)}", plan.release_call(options, source)
            told["commands"] = " &&\n".join(calls)
        Path(PLAN).write_text(asked.report.plan.to_json(), encoding="utf-8")
    except (OSError, ValueError, MemoryError) as wrong:
        told = dict[str, Any](refused=counted(str(wrong)) or "there is not enough memory in this page")
        if path:  # the file has another one here
            told["refused"] = told["refused"].replace(repr(path), repr(name))
    if source:
        told["columns"] = _choices(source, options)
    Path(ANSWER).write_text(json.dumps(told, allow_nan=False), encoding="utf-8")
    return asked


def _options(form, name):
    """What the command would understand of the form; ValueError where it would end."""
    words = []
    for option, value in form.items():
        if option not in _ABOUT and value not in (None, ""):
            flag = f"--{option.replace('_', '-')}"
            values = [str(each) for each in (value if isinstance(value, list) else [value])]
            # Joined, a single value that begins with a dash is no option.
            words += [f"{flag}={values[0]}"] if len(values) == 1 and values[0].startswith("-") else [flag, *values]
    if name in (PLAN, WEIGHTS, RECEIPTS):
        raise ValueError(f"file must have another name than {name}, which the commands write")
    words += [] if form.get("interval") or form.get("prior") else ["--interval", "0", "1"]
    words = ["plan", name, *map(plain, words), "--out", PLAN, "--weights", WEIGHTS]
    parser = argparse.ArgumentParser()
    plan.add(parser.add_subparsers())
    try:
        with contextlib.redirect_stderr(io.StringIO()) as told:
            options = parser.parse_args(words)
    except SystemExit:
        raise ValueError(told.getvalue().rpartition("error: ")[2].removeprefix("argument ").strip()) from None
    options.asked = words
    return options


def _source(options, path, name):
    if (size := Path(path).stat().st_size) > LARGEST:
        limit = f"must have at most {LARGEST / 1e6:.0f} MB, about two million users, in this page"
        raise ValueError(f"file {limit}, got {size / 1e6:.0f} MB: python -m hdp plan reads larger ones")
    options.file = held = Held(path)
    if held.kind:
        raise ValueError("file must be text in this page: python -m hdp plan reads Parquet and Arrow")
    source = common.users(options)
    source.called = options.file = name
    return source


def _answered(form, options, source):
    if source:
        print("Reading and checking the file")
        people, _ = source.read()
    else:
        people = from_groups([(users, _number(budget), *others) for users, budget, *others in form["groups"]])
    print(f"Ranking and planning for {many(people.size, 'user')}")
    found = report(people, options.variance, common.prior(options), source, ends=common.ends(options))
    return Asked(found, people, source, options)


def _choices(source, options):
    try:
        return source.choices(options.value)
    except ValueError:  # a column stands there twice, and that is refused
        return {}


def _number(text):
    """The float that a cell holds, or the cell, which is then refused, as it is in a file."""
    found = number(str(text))
    return found if found == 0 or abs(found) >= LEAST else text


def weights(asked: Asked) -> None:
    """Write weights.csv for the users who were ``asked`` about."""
    print(f"Writing {WEIGHTS}")
    with Path(WEIGHTS).open("w", newline="", encoding="utf-8") as file:
        named = (asked.people, names_in(asked.source)) if asked.source else ()
        write_weights(file, asked.report.plan, *named)


def take(asked: Asked) -> None:
    """Write statement.md for the users who were ``asked`` about."""
    Path(STATEMENT).write_text(statement(asked.report.plan), encoding="utf-8")
