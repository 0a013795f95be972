"""weights.csv: what each user counts, allowed, spends and keeps; no value is in it."""

import csv
from os import PathLike
from typing import TextIO

import numpy as np

from hdp.compare import Population
from hdp.compare.files import Users, blocks, spreadsheet_safe
from hdp.release import Plan, receipts

HEADER = ("user", "epsilon", "trust", "records", "weight", "spent", "kept")
BY_KIND = ("users", *HEADER[1:])


def write_weights(
    file: TextIO, plan: Plan, people: Population | None = None, path: str | PathLike[str] | Users | None = None
) -> None:
    """Write a line for every user of a file, in its order; without one, a line for each kind of user of a ``plan``.

    What is written to is opened with ``newline=""``; ``people`` are the users of the file at ``path``, or of `Users`
    given for it, which names them, as `hdp.compare.read_csv` has read them.  Names are written so that a spreadsheet
    does not run them.
    """
    columns = _columns(plan)
    writer = csv.writer(file, lineterminator="\n")
    if people is None or path is None:
        writer.writerow(BY_KIND)
        writer.writerows(zip(plan.kinds.users.tolist(), *columns, strict=True))
        return
    writer.writerow(HEADER)
    kind, rows = plan.kind_of(people).tolist(), list(zip(*columns, strict=True))
    for first, (names, *_) in blocks(path):
        of = kind[first - 1 : first - 1 + len(names)]
        writer.writerows((spreadsheet_safe(name or ""), *rows[one]) for name, one in zip(names, of, strict=True))


def _columns(plan):
    """Epsilon, trust, records, weight, spent and kept of each kind, as they are written."""
    kinds, found = plan.kinds, receipts(plan)
    trust = np.where(kinds.local, "local", "curator")
    numbers = kinds.epsilon, kinds.records.astype(np.int64), plan.weights, found.spent, found.kept
    epsilon, records, w, spent, kept = (column.tolist() for column in numbers)
    return epsilon, trust.tolist(), records, w, spent, kept
