"""`python -m hdp rank users.csv`: every estimator on the users of a file, least error first."""

import json
import math

from hdp._cli import common
from hdp._report import rank
from hdp._report.shown import many

_COLUMNS = ("estimator", "error", "if the bound is wrong", "values", "what a user gives up at the most")


def add(commands):
    """Add the command to the parser."""
    parser = commands.add_parser(
        "rank",
        help="every estimator on the users of a file, least error first",
        description="Rank every estimator on the users of a file by its error.  Uses no value to do so.",
    )
    parser.set_defaults(run=_run)
    common.add_users(parser)
    parser.add_argument("--why", action="store_true", help="print a sentence for every estimator")
    parser.add_argument("--json", action="store_true", help="print JSON, errors as expected squares")


def _run(options):
    """Print the ranking as a table, errors as roots of expected squares, or as JSON."""
    people = common.read(options)
    common.say(f"ranking for {many(people.size, 'user')} ...")
    rows = rank(people, options.variance, common.prior(options), common.ends(options))
    if options.json:
        print(json.dumps([row.as_dict() for row in rows], indent=2, allow_nan=False))
        return
    usable = [row for row in rows if not row.candidate.obstacle]
    print(common.table([_COLUMNS, *(_cells(row, options) for row in usable)]))
    for row in rows[len(usable) :]:
        print(f"not for these users: {row.candidate.name} ({row.candidate.obstacle})")
    print(f"errors: roots of the expected squares, for values in {common.interval(options)}")
    if options.why:
        print()
        print(common.table((row.candidate.name, row.why) for row in usable))


def _cells(row, options):
    found = row.candidate
    worst = common.root(math.sqrt(found.worst_case), options)
    return found.name, common.root(row.root, options), worst, str(found.users), found.guarantee
