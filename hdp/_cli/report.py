"""`python -m hdp report plan.json --epsilon 0.5 --ledger mine.json`: what one user hands over who trusts nobody."""

import getpass
import sys
from pathlib import Path

import numpy as np

from hdp import release
from hdp._cli import common
from hdp._cli.release import add_ledger, number, read_plan
from hdp.release.spending import row_of


def add(commands):
    """Add the command to the parser."""
    told = commands.add_parser(
        "report",
        help="turn a local user's value into what she hands over (extra opendp)",
        description="Print the report of one user who trusts nobody.  Runs on her machine; nothing else leaves it.  Her"
        " value is asked for, or read from the standard input: it stands neither in the shell's history nor in the list"
        " of processes.",
    )
    told.set_defaults(run=_report)
    told.add_argument("plan", help="the plan")
    told.add_argument("--epsilon", type=float, required=True, help="her budget, as in the plan")
    value = told.add_mutually_exclusive_group()
    value.add_argument("--value-file", metavar="FILE", help="read her value from this file")
    value.add_argument(
        "--value", help="her value, for scripts: everybody on this machine can see it in the list of processes"
    )
    told.add_argument("--records", type=int, default=1, help="her number of records (default: 1)")
    add_ledger(told, "what her reports have cost, her own")


def _report(options):
    plan, value, ledger = read_plan(options.plan), _value(options), options.ledger or options.new_ledger
    asked = options.epsilon, value, options.records
    if options.new_ledger:
        row_of(plan, options.epsilon, options.records)  # before a file is made for her
        release.new_own_ledger(ledger, options.epsilon, plan.noise)
        common.say(f"made {ledger}, a new ledger: a second one for the same value would spend her budget again")
    print(release.report(plan, *asked, ledger))


def _value(options):
    """Her value, which no message repeats."""
    if options.value is not None:
        text = options.value
    elif options.value_file:
        text = Path(options.value_file).read_text(encoding="utf-8", errors="replace")
    elif sys.stdin.isatty():
        text = getpass.getpass("value (it is not shown): ")
    else:
        text = sys.stdin.read()
    found = number(text.strip())
    if not np.isfinite(found):
        raise ValueError("value must be a finite number, got another text")
    return found
