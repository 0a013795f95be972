"""`python -m hdp release plan.json data.csv --ledger ledger.json`, and `published`: an answer, once or once more."""

import argparse
import os
from contextlib import ExitStack
from dataclasses import replace
from itertools import repeat
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from hdp import release
from hdp._cli import common, outputs
from hdp._cli.called import called
from hdp._report.shown import between, interval
from hdp._types import Floats
from hdp.compare import Population, files
from hdp.compare.held import Held
from hdp.compare.layout import Layout
from hdp.compare.names import Names
from hdp.release import Plan
from hdp.release.charging import refuse_together
from hdp.release.groups import NOTHING
from hdp.release.ledgers import file_of, lock_of, schema_of
from hdp.release.measuring import ready
from hdp.release.receipts import less, spent_by
from hdp.release.spending import SCHEMA as OWN


def add(commands: Any) -> None:
    """Add both commands to the ``commands`` of a parser, as `argparse` calls its subparsers."""
    made = commands.add_parser(
        "release",
        help="release an answer by a plan, with OpenDP's noise (extra opendp)",
        description="Release the answer of a plan, count it in a ledger and keep it there, and print it as JSON; or"
        " those of several plans, a column each: all of them, or none.",
    )
    made.set_defaults(run=_release)
    made.add_argument("plan", nargs="+", help=f"the plan, as `{called()} plan` writes it, or one for each of --columns")
    made.add_argument(
        "data",
        help=f"{common.TABLE}; with columns user, epsilon, trust, records, value, and report where the plan weighs any:"
        f" what `{called()} report` printed for a local user, whose value is not read; what the plan does not use may"
        " be empty",
    )
    columns = common.add_columns(made)
    columns.add_argument("--value", default="value", metavar="COLUMN", help="values, in the plan's unit")
    columns.add_argument(
        "--columns",
        metavar="COLUMN,...",
        help="values of several plans, in their order; a cell of the column report then holds a report for each that"
        " weighs any, with spaces between them",
    )
    add_ledger(made, "the releases about these users")
    made.add_argument(
        "--receipts",
        action="append",
        help="file for the receipts, one row a user: not for the public; with several plans once for each of them",
    )
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
        raise ValueError(f"{path}: {wrong}; the plan comes first, then the table") from None


def read_data(
    table: str | PathLike[str] | Held, reports: bool, layout: Layout | None = None
) -> tuple[Names, Population, Floats, list[str]]:
    """What `hdp.release.read_data` returns, of a table with this layout; what was assumed is said."""
    layout = replace(Layout() if layout is None else layout, report="report" if reports else None, interval=(0, 1))
    names = Names()
    told: list[str] = []
    users = files.Users(table, layout)
    people, values = users.read((names, told))
    if users.said:
        common.say(users.said)
    return names, people, values, told


def number(text):
    """The float that a text is, or NaN."""
    try:
        return float("no" if "_" in text else text)
    except ValueError:
        return np.nan


def _release(options: argparse.Namespace) -> None:
    plans, ledger = [*map(read_plan, options.plan)], the_ledger(options)
    columns, receipts = _columns(options), options.receipts or []
    common.say(f"reading {options.data} ...")
    names, people, values, reports = _read(options, plans, columns)
    apart, made = [*options.plan, options.data, ledger, lock_of(file_of(ledger))], None
    try:
        with ExitStack() as stack:
            files = [
                stack.enter_context(
                    outputs.opened("--receipts", path, options.force, [*apart, *receipts[:k]], private=True)
                )
                for k, path in enumerate(receipts)
            ]
            for plan in plans:
                common.say(f"values lie in {between(plan.lower, plan.upper)} by the plan; others are moved to its ends")
            for asked in zip(plans, repeat(people), values, reports, repeat(names)):
                ready(*asked)  # whatever is refused, before a ledger is made or charged
            if options.new_ledger is not None:
                refuse_together(plans)
            for file, plan, path in zip(files, plans, receipts, strict=False):
                common.say(f"writing {path} ...")
                others = [other for other in plans if other is not plan]
                release.write_receipts(file, plan, people, names, left=rest(plan, options.ledger, others))
                file.flush()
                os.fsync(file.fileno())  # a full disk says so now, not after the charge
            if options.new_ledger is not None:
                release.new_ledger(plans[0], ledger)
                common.say(f"made {ledger}, a new ledger: a second one would spend the same users' budgets again")
            made = release.release_together(plans, people, values, ledger, reports=reports, names=names)
    finally:
        if made:
            try:
                _say(plans[0], ledger, made)
                for k, plan in enumerate(plans, start=1):
                    common.say(f"{'the answer' if len(plans) == 1 else f'answer {k}'} is {interval(plan)}")
            finally:  # whatever has become of the ledger meanwhile, this may be the only copy
                print("\n".join(one.to_json() for one in made))


def rest(plan, ledger, others=()):
    """What each kind of user has left by a ledger, which may be new, and after other releases; for her receipt."""
    left = plan.kinds.epsilon if ledger is None else release.left(plan, ledger)
    for other in others:
        left = np.maximum(less(left, spent_by(other)), 0.0)
    return left


def _columns(options):
    """The columns of values, one for each plan; receipts are wanted of each plan, or of none."""
    count, value = len(options.plan), options.value
    if options.columns is None:
        columns = [value]
    else:
        columns = [name.strip() for name in options.columns.split(",")]
        if value != "value":
            raise ValueError("--columns must be given without --value")
    if len(columns) != count or not all(columns):
        instead = ", in place of --value" if options.columns is None else ""
        raise ValueError(f"--columns must name a column for each of {count} plans{instead}, got {len(columns)}")
    if options.receipts and len(options.receipts) != count:
        raise ValueError(f"--receipts must be given once for each of {count} plans, got {len(options.receipts)}")
    return columns


def _read(options, plans, columns):
    """Names and users, and for each plan its column of values and the reports that it weighs, or None; of one table."""
    told, values, cells = [bool(plan.kinds.weight.any()) for plan in plans], [], []
    held = Held(options.data)
    for k, column in enumerate(columns):
        layout = common.layout(options, value=column)
        names, people, x, some = read_data(held, any(told) and k == 0, layout)
        values.append(x)
        cells += some
    parts = [cells] if sum(told) == 1 else _parted(cells, sum(told))
    found = iter(parts)
    return names, people, values, [next(found) if one else None for one in told]


def _parted(cells, count):
    """The reports of each of several plans, which stand in one cell with spaces between them."""
    rows = [(cell or "").split() or [""] * count for cell in cells]  # None in a row that is too short
    for row, parts in enumerate(rows, start=1):
        if len(parts) != count:
            raise ValueError(f"column report, row {row}: must hold a report for each of {count} plans, or nothing")
    return list(map(list, zip(*rows, strict=True)))


def _say(plan, ledger, made):
    """What the release has left, and where it can be had again."""
    private = np.isfinite(plan.kinds.epsilon)
    rest = release.left(plan, ledger)[private]
    rest[rest <= NOTHING * plan.kinds.epsilon[private]] = 0.0
    left = f"; users have {rest.min():g} to {rest.max():g} {unit(plan)} left" if rest.size else ""
    common.say(f"entered in {ledger}{left}")
    one, it = ("the answer is", "it") if len(made) == 1 else ("the answers are", "them")
    if release.published(ledger)[-len(made) :] == made:
        common.say(f"{one} kept there: `{called()} published {ledger}` prints {it} again")
    else:
        common.say(f"{one} not kept in {ledger}, which could not be written: what is printed now is the only copy")


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
