"""What the page *Your own users* asks: its form in, what it shows and offers as files."""

import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hdp._report import script
from hdp._report.people import from_groups, names_in
from hdp._report.report import Report, report
from hdp._report.shown import many
from hdp.compare import Population
from hdp.compare.numerals import number
from hdp.compare.population import LEAST
from hdp.compare.users import Users
from hdp.release import write_weights

ANSWER, PLAN, WEIGHTS = "answer.json", "plan.json", "weights.csv"
SCRIPT, NOTEBOOK, COMMAND = "answer.py", "answer.ipynb", "answer.sh"
LARGEST = 60_000_000  # bytes of a file, some two million users, for whom a page needs about a gigabyte


@dataclass(frozen=True, eq=False)
class Asked:
    """A question that was answered, for what is asked of it later."""

    report: Report  # the answer
    people: Population
    path: str | None  # where their file is; None where they are described by groups
    name: str | None  # what the reader calls it
    known: dict[str, Any]  # variance or prior, or nothing


def ask(question: str) -> Asked | None:
    """Answer a form's ``question`` in JSON by the files answer.json and plan.json, or by the reason why not.

    It has the path and the name of a file, or groups (users, epsilon, trust, records); and variance, prior, or neither.
    What it does is printed, so that the page can say it.
    """
    try:
        asked = _answered(json.loads(question))
    except (OSError, ValueError, MemoryError) as wrong:
        refused = {"refused": str(wrong) or "there is not enough memory in this page"}
        Path(ANSWER).write_text(json.dumps(refused), encoding="utf-8")
        return None
    Path(ANSWER).write_text(asked.report.to_json(shown=True), encoding="utf-8")
    Path(PLAN).write_text(asked.report.plan.to_json(), encoding="utf-8")
    return asked


def _answered(form):
    path, name = form.get("path"), form.get("name") if form.get("path") else None
    known = {"variance": form.get("variance"), "prior": tuple(form.get("prior") or ()) or None}
    if path:
        if (size := Path(path).stat().st_size) > LARGEST:
            limit = f"must have at most {LARGEST / 1e6:.0f} MB, about two million users, in this page"
            raise ValueError(f"file {limit}, got {size / 1e6:.0f} MB: python -m hdp plan reads larger ones")
        print("Reading and checking the file")
        users = Users(path)
        people, _ = users.read()
        if users.said:
            print(users.said)
    else:
        people = from_groups([(users, _number(budget), *others) for users, budget, *others in form["groups"]])
    print(f"Ranking and planning for {many(people.size, 'user')}")
    found = report(people, known["variance"], known["prior"], name)
    return Asked(found, people, path, name, {option: value for option, value in known.items() if value is not None})


def _number(text):
    """The float that a cell holds, or the cell, which is then refused, as it is in a file."""
    found = number(str(text))
    return found if found == 0 or abs(found) >= LEAST else text


def weights(asked: Asked) -> None:
    """Write weights.csv for the users who were ``asked`` about."""
    print(f"Writing {WEIGHTS}")
    with Path(WEIGHTS).open("w", newline="", encoding="utf-8") as file:
        named = (asked.people, names_in(asked.path)) if asked.path else ()
        write_weights(file, asked.report.plan, *named)


def take(asked: Asked) -> None:
    """Write a script, a notebook and, where there is a file of users, the command line that do the same."""
    known = [f"--{name} {shlex.join(map(str, np.ravel(value).tolist()))}" for name, value in asked.known.items()]
    words = ["python -m hdp plan", shlex.quote(asked.name or ""), *known, f"--out {PLAN} --weights {WEIGHTS}"]
    planned = asked.known.get("variance"), asked.known.get("prior")
    again = script.Asked(asked.report.plan, *planned, asked.name, " ".join(words) if asked.name else None)
    for file, text in ((SCRIPT, script.script), (NOTEBOOK, script.notebook), (COMMAND, script.commands)):
        Path(file).write_text(text(again), encoding="utf-8")
