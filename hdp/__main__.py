"""The command line: `python -m hdp rank users.csv` ranks the estimators for the users of a file.

It reads the file as `hdp.compare.read_csv` does, and uses only what is public in it: budgets, trust, numbers of
records.  It exits with 0, with 1 where a file or a number is not what it must be, and with 2 where the call is not.
`release` and `report` are described in `hdp.release.command`.
"""

import argparse
import json
import math
import sys

from hdp import __version__, compare
from hdp.release import command

_COLUMNS = ("estimator", "error", "if the bound is wrong", "values", "what a user gives up at the most")


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return the exit code."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except (ImportError, OSError, ValueError) as wrong:
        print(f"hdp: {wrong}", file=sys.stderr)
        return 1
    return 0


def _parser():
    parser = argparse.ArgumentParser(prog="python -m hdp", description="Mean estimation under unequal privacy.")
    parser.add_argument("--version", action="version", version=f"hdp {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="command")
    rank = commands.add_parser(
        "rank",
        help="every estimator on the users of a file, least error first",
        description="Rank every estimator on the users of a file by its error.  Reads no value to do so.",
    )
    rank.set_defaults(run=_rank)
    rank.add_argument("file", help="comma-separated, with columns user, epsilon, trust, records, value")
    known = rank.add_mutually_exclusive_group()
    known.add_argument("--variance", type=float, help="public upper bound of each value's variance (default: 0.25)")
    known.add_argument(
        "--prior",
        type=float,
        nargs=2,
        metavar=("MEAN", "SPREAD"),
        help="public mean and spread of the users' own means",
    )
    rank.add_argument("--json", action="store_true", help="print JSON, errors as expected squares")
    command.add(commands)
    return parser


def _rank(options):
    """Print the ranking as a table, errors as roots of expected squares, or as JSON."""
    print(f"reading {options.file} ...", file=sys.stderr)
    population, _ = compare.read_csv(options.file)
    print(f"ranking for {population.size} users ...", file=sys.stderr)
    rows = compare.ranking(population, options.variance, options.prior and tuple(options.prior))
    if options.json:
        print(json.dumps([_as_dict(row) for row in rows], indent=2))
        return
    lines = [_COLUMNS]
    for row in rows:
        if not row.obstacle:
            error, worst = (f"{math.sqrt(value):.4f}" for value in (row.error, row.worst_case))
            lines.append((row.name, error, worst, str(row.users), row.guarantee))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        print("  ".join(map(str.ljust, line, widths)).rstrip())
    for row in rows:
        if row.obstacle:
            print(f"not for these users: {row.name} ({row.obstacle})")


def _as_dict(row):
    """One row of the ranking, without what JSON has no word for: null is an error without a bound."""
    if row.obstacle:
        return {"estimator": row.name, "obstacle": row.obstacle}
    errors = {"error": row.error, "worst_case": row.worst_case}
    written = {name: value if math.isfinite(value) else None for name, value in errors.items()}
    return {"estimator": row.name, **written, "users": row.users, "guarantee": row.guarantee, "needs": row.needs}


if __name__ == "__main__":
    sys.exit(main())
