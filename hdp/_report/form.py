"""What the page *Your own users* asks: its form in, what it shows and offers as files."""

import json
from dataclasses import dataclass
from pathlib import Path

from hdp._report.people import from_groups
from hdp._report.report import Report, report
from hdp._report.shown import many
from hdp._report.table import write_weights
from hdp.compare import Population
from hdp.compare.numerals import number
from hdp.compare.population import LEAST
from hdp.compare.users import Users

ANSWER, PLAN, WEIGHTS = "answer.json", "plan.json", "weights.csv"
LARGEST = 60_000_000  # bytes of a file, some two million users, for whom a page needs about a gigabyte


@dataclass(frozen=True, eq=False)
class Asked:
    """A question that was answered, for what is asked of it later."""

    report: Report  # the answer
    people: Population
    path: str | None  # where their file is; None where they are described by groups


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
    Path(PLAN).write_text(asked.report.plan.to_json() + "\n", encoding="utf-8")
    return asked


def _answered(form):
    path, prior = form.get("path"), form.get("prior")
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
    found = report(people, form.get("variance"), tuple(prior) if prior else None, form.get("name") if path else None)
    return Asked(found, people, path)


def _number(text):
    """The float that a cell holds, or the cell, which is then refused, as it is in a file."""
    found = number(str(text))
    return found if found == 0 or abs(found) >= LEAST else text


def weights(asked: Asked) -> None:
    """Write weights.csv for the users who were ``asked`` about."""
    print(f"Writing {WEIGHTS}")
    with Path(WEIGHTS).open("w", newline="", encoding="utf-8") as file:
        write_weights(file, asked.report.plan, asked.people, asked.path)
