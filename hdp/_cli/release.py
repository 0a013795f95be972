"""`python -m hdp release plan.json data.csv --ledger ledger.json`, and `published`: an answer, once or once more."""

import argparse
import os
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from hdp import release
from hdp._cli import common, outputs
from hdp._cli.called import called
from hdp._types import Floats
from hdp.compare import Population, files
from hdp.compare.layout import Layout
from hdp.release import Plan
from hdp.release.ledgers import file_of, lock_of, schema_of
from hdp.release.measuring import ready
from hdp.release.spending import SCHEMA as OWN


def add(commands: Any) -> None:
    """Add both commands to the ``commands`` of a parser, as `argparse` calls its subparsers."""
    made = commands.add_parser(
        "release",
        help="release an answer by a plan, with OpenDP's noise (extra opendp)",
        description="Release the answer of a plan, count it in a ledger and keep it there, and print it as JSON.",
    )
    made.set_defaults(run=_release)
    made.add_argument("plan", help=f"the plan, as `{called()} plan` writes it")
    made.add_argument(
        "data",
        help=f"{common.TABLE}; with columns user, epsilon, trust, records, value, and report where the plan weighs any:"
        f" what `{called()} report` printed for a local user, whose value is not read; what the plan does not use may"
        " be empty",
    )
    common.add_columns(made).add_argument(
        "--value", default="value", metavar="COLUMN", help="values, in the plan's unit"
    )
    add_ledger(made, "the releases about these users")
    made.add_argument("--receipts", help="file for the receipts, one row a user: not for the public")
    outputs.add_force(made)
    again = commands.add_parser(
        "published",
        help="print again what a ledger has kept, which costs nothing",
        description="Print the releases that a ledger keeps, one line of JSON each, or the reports of a user's own"
        " ledger; null where one is not kept.",
    )
    again.set_defaults(run=_published)
    again.add_argument("ledger", help="the ledger")


def add_ledger(parser, counts):
    """One that is there, or explicitly a new one: a mistyped name must not be a new count."""
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--ledger", help=f"file that counts {counts}; it must be there")
    which.add_argument("--new-ledger", metavar="LEDGER", help=f"make the file that counts {counts}, which must be new")


def read_plan(path):
    """The plan in a file, which messages name."""
    try:
        return Plan.from_json(Path(path).read_text(encoding="utf-8"))
    except ValueError as wrong:
        raise ValueError(f"{path}: {wrong}") from None


def read_data(
    path: str | PathLike[str], reports: bool, layout: Layout | None = None
) -> tuple[list[str], Population, Floats, list[str]]:
    """Read what a release needs from a file with the columns user, epsilon, trust, records, value and report.

    Parameters
    ----------
    path : str or pathlib.Path
        As for `hdp.compare.read_csv`, but that a value is any number, or empty where the plan uses none.
    reports : bool
        Whether the file must have the column report.
    layout : Layout, optional
        How it names its columns, and what is stated for those that it lacks.

    Returns
    -------
    names : list of str
        The users' names; empty for a public user who has none.
    population : Population
        What is public.
    values : numpy.ndarray, shape (n,)
        Values of those who trust the curator or are public; NaN for an empty cell and for local users, whose cell is
        not read.
    reports : list of str
        What stands in the column report, or nothing.

    Raises
    ------
    ValueError
        Naming column, row and allowed range.
    """
    layout = replace(Layout() if layout is None else layout, report="report" if reports else None, interval=(0, 1))
    names: list[str] = []
    told: list[str] = []
    users = files.Users(path, layout)
    people, values = users.read((names, told))
    if users.said:
        common.say(users.said)
    return [name or "" for name in names], people, values, told


def number(text):
    """The float that a text is, or NaN."""
    try:
        return float("no" if "_" in text else text)
    except ValueError:
        return np.nan


def _release(options: argparse.Namespace) -> None:
    plan, ledger = read_plan(options.plan), the_ledger(options)
    common.say(f"reading {options.data} ...")
    layout = common.layout(options, value=options.value)
    names, people, values, reports = read_data(options.data, bool(plan.kinds.weight.any()), layout)
    handed, made = {"reports": reports or None, "names": names}, None
    apart = [options.plan, options.data, ledger, lock_of(file_of(ledger))]
    try:
        with outputs.opened("--receipts", options.receipts, options.force, apart, private=True) as file:
            ready(plan, people, values, **handed)  # whatever is refused, before a ledger is made or charged
            if file:
                release.write_receipts(file, plan, people, names)
                file.flush()
                os.fsync(file.fileno())  # a full disk says so now, not after the charge
            if options.new_ledger is not None:
                release.new_ledger(plan, ledger)
                common.say(f"made {ledger}, a new ledger: a second one would spend the same users' budgets again")
            made = release.release(plan, people, values, ledger, **handed)
    finally:
        if made:
            try:
                _say(plan, ledger, made)
            finally:  # whatever has become of the ledger meanwhile, this may be the only copy
                print(made.to_json())


def _say(plan, ledger, made):
    """What the release has left, and where it can be had again."""
    rest = release.left(plan, ledger)[np.isfinite(plan.kinds.epsilon)]
    left = f"; users have {rest.min():g} to {rest.max():g} {unit(plan)} left" if rest.size else ""
    common.say(f"entered in {ledger}{left}")
    if release.published(ledger)[-1] == made:
        common.say(f"the answer is kept there: `{called()} published {ledger}` prints it again")
    else:
        common.say(f"the answer could not be kept in {ledger}: what is printed now is the only copy")


def the_ledger(options):
    """The one that is named, whichever way; an empty name is none, and is refused as such."""
    return options.new_ledger if options.ledger is None else options.ledger


def unit(plan):
    """What a plan's budgets count."""
    return "rho" if plan.noise == "gaussian" else "nats"


def _published(options: argparse.Namespace) -> None:
    path = file_of(options.ledger)
    if schema_of(path) == OWN:
        print("\n".join(text or "null" for text in release.reported(path)))
        return
    for made in release.published(path):
        print(made.to_json() if made else "null")
