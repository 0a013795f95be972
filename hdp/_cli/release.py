"""`python -m hdp release plan.json data.csv --ledger ledger.json`, and `published`: an answer, once or once more."""

import argparse
import os
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from hdp import release
from hdp._cli import common, outputs
from hdp._cli.called import called
from hdp._types import Floats
from hdp.compare import TRUST, Population, files
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
        help="comma-separated, with columns user, epsilon, trust, records, value, and report where the plan weighs any:"
        f" what `{called()} report` printed for a local user, whose value is not read; what the plan does not use may"
        " be empty",
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


def read_data(path: str | PathLike[str], reports: bool) -> tuple[list[str], Population, Floats, list[str]]:
    """Read what a release needs from a file with the columns user, epsilon, trust, records, value and report.

    Parameters
    ----------
    path : str or pathlib.Path
        As for `hdp.compare.read_csv`, but that a value is any number, or empty where the plan uses none.
    reports : bool
        Whether the file must have the column report.

    Returns
    -------
    names : list of str
        The users' names.
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
    names: list[str] = []
    told: list[str] = []
    parts = []
    for first, columns in files.blocks(path, (*files.COLUMNS, "report") if reports else files.COLUMNS):
        names += columns[0]
        told += columns[5] if reports else ()
        *public, _ = files._checked(first, [*columns[:4], ("0",) * len(columns[0])])
        unread = (public[2] == TRUST.index("local")) & np.isfinite(public[1]) | (public[1] == 0)
        cells = enumerate(zip(columns[4], unread.tolist(), strict=True), start=first)
        parts.append([*public, np.array([np.nan if skip else _value(row, text) for row, (text, skip) in cells])])
    if not parts:
        raise ValueError(f"path must be a file with at least one row below the header, got {str(path)!r}")
    hashes, epsilon, local, records, values = (np.concatenate(column) for column in zip(*parts, strict=True))
    files._refuse_repeated(path, hashes)
    return names, Population(epsilon, np.array(TRUST)[local], records), values, told


def _value(row, text):
    if not (text or "").strip():
        return np.nan
    found = number(text)
    if not np.isfinite(found):
        raise ValueError(f"column value, row {row}: must be a finite number, or empty")
    return found


def number(text):
    """The float that a text is, or NaN."""
    try:
        return float("no" if "_" in text else text)
    except ValueError:
        return np.nan


def _release(options: argparse.Namespace) -> None:
    plan, ledger = read_plan(options.plan), the_ledger(options)
    common.say(f"reading {options.data} ...")
    names, people, values, reports = read_data(options.data, bool(plan.kinds.weight.any()))
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
