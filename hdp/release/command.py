"""`python -m hdp release` and `python -m hdp report`: a plan and data in, an answer, or one report, out."""

import argparse
import csv
import sys
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from hdp._types import Floats
from hdp.compare import TRUST, Population, files
from hdp.release.measuring import release
from hdp.release.plans import Plan
from hdp.release.receipts import receipts
from hdp.release.spending import report


def add(commands: Any) -> None:
    """Add both commands to the ``commands`` of a parser, as `argparse` calls its subparsers."""
    made = commands.add_parser(
        "release",
        help="release an answer by a plan, with OpenDP's noise (extra opendp)",
        description="Release the answer of a plan, print what is published as JSON, and count it in a ledger.",
    )
    made.set_defaults(run=_release)
    made.add_argument("plan", help="the plan, as `python -m hdp plan` writes it")
    made.add_argument(
        "data",
        help="comma-separated, with columns user, epsilon, trust, records, value; the value of a local user is her"
        " report, and one that the plan does not use may be empty",
    )
    made.add_argument("--ledger", required=True, help="file that counts the releases about these users")
    made.add_argument("--receipts", help="file for the receipts, one row a user: not for the public")
    told = commands.add_parser(
        "report",
        help="turn a local user's value into what she hands over (extra opendp)",
        description="Print the report of one user who trusts nobody.  Runs on her machine; nothing else leaves it.",
    )
    told.set_defaults(run=_report)
    told.add_argument("plan", help="the plan")
    told.add_argument("--epsilon", type=float, required=True, help="her budget, as in the plan")
    told.add_argument("--value", type=float, required=True, help="her value, taken to the interval of the plan")
    told.add_argument("--records", type=int, default=1, help="her number of records (default: 1)")
    told.add_argument("--ledger", required=True, help="her own file, which counts what her reports have cost")


def read_data(path: str | PathLike[str]) -> tuple[list[str], Population, Floats]:
    """Read what a release needs from a file with the columns user, epsilon, trust, records and value.

    Parameters
    ----------
    path : str or pathlib.Path
        As for `hdp.compare.read_csv`, but that a value is any number, or empty where the plan uses none.

    Returns
    -------
    names : list of str
        The users' names.
    population : Population
        What is public.
    values : numpy.ndarray, shape (n,)
        Values of those who trust the curator, reports of the others, NaN for an empty cell.

    Raises
    ------
    ValueError
        Naming column, row and allowed range.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from hdp.release.command import read_data
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "data.csv")
    ...     _ = file.write_text("user,epsilon,trust,records,value\\nann,0.5,local,4,-3.5\\nbob,0,curator,1,\\n")
    ...     names, population, values = read_data(file)
    >>> names, population.local.tolist(), values.tolist()
    (['ann', 'bob'], [True, False], [-3.5, nan])
    """
    names, parts = [], []
    for first, columns in files._blocks(path):
        names += columns[0]
        values = [_value(row, text) for row, text in enumerate(columns[4], start=first)]
        *rest, _ = files._checked(first, [*columns[:4], ("0",) * len(values)])
        parts.append([*rest, np.array(values)])
    if not parts:
        raise ValueError(f"path must be a file with at least one row below the header, got {str(path)!r}")
    hashes, epsilon, local, records, values = (np.concatenate(column) for column in zip(*parts, strict=True))
    files._refuse_repeated(path, hashes)
    return names, Population(epsilon, np.array(TRUST)[local], records), values


def _value(row, text):
    if not (text or "").strip():
        return np.nan
    try:
        found = float("no" if "_" in text else text)
    except ValueError:
        found = np.nan
    if not np.isfinite(found):
        raise ValueError(f"column value, row {row}: must be a finite number, or empty, got {text!r}")
    return found


def _release(options: argparse.Namespace) -> None:
    plan = _plan(options.plan)
    print(f"reading {options.data} ...", file=sys.stderr)
    names, population, values = read_data(options.data)
    print(f"releasing by plan {plan.digest} for {population.size} users ...", file=sys.stderr)
    print(release(plan, population, values, options.ledger).to_json())
    if options.receipts:
        found = receipts(plan, population)
        with Path(options.receipts).open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(("user", "plan", "allowed", "spent", "kept"))
            columns = (column.tolist() for column in (found.allowed, found.spent, found.kept))
            writer.writerows((name, found.plan, *row) for name, *row in zip(names, *columns, strict=True))


def _report(options: argparse.Namespace) -> None:
    print(repr(report(_plan(options.plan), options.epsilon, options.value, options.records, options.ledger)))


def _plan(path):
    return Plan.from_json(Path(path).read_text(encoding="utf-8"))
