"""`python -m hdp report plan.json --epsilon 0.5 --ledger mine.json`: what one user hands over who trusts nobody."""

import getpass
import sys
from pathlib import Path

import numpy as np

from hdp import release
from hdp._cli import common
from hdp._cli.called import called
from hdp._cli.release import add_ledger, number, read_plan, the_ledger, unit
from hdp.release.measuring import opendp
from hdp.release.receipts import spent_by
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
    told.add_argument("--epsilon", type=common.real, required=True, help="her budget, as in the plan")
    value = told.add_mutually_exclusive_group()
    value.add_argument("--value-file", metavar="FILE", help="read her value from this file")
    value.add_argument(
        "--value", help="her value, for scripts: everybody on this machine can see it in the list of processes"
    )
    told.add_argument("--records", type=int, default=1, help="her number of records (default: 1)")
    add_ledger(told, "what her reports have cost, her own")


def _report(options):
    plan, value, ledger = read_plan(options.plan), _value(options), the_ledger(options)
    row = row_of(plan, options.epsilon, options.records)
    common.say(f"of a budget of {options.epsilon:g} {unit(plan)} the report costs {spent_by(plan)[row]:g}")
    if options.new_ledger is not None:
        opendp()  # or say that it is missing, before a file is made for her
        release.new_own_ledger(ledger, options.epsilon, plan.noise)
        common.say(f"made {ledger}, a new ledger: a second one for the same value would spend her budget again")
    told = release.report(plan, options.epsilon, value, options.records, ledger)
    common.say(f"`{called()} published {ledger}` prints it again")
    print(told)


def _value(options):
    """Her value, which no message repeats."""
    if options.value is not None:
        text = options.value
    else:
        try:
            text = _read(options.value_file)
        except (OSError, EOFError, ValueError):  # whose texts might show it, where it was taken for a file's name
            raise ValueError("value must stand in the standard input, or in a file that can be read") from None
    found = number(text.strip())
    if not np.isfinite(found):
        raise ValueError("value must be a finite number, got another text")
    return found


def _read(file):
    if file is not None:
        return Path(file).read_text(encoding="utf-8", errors="replace")
    return getpass.getpass("value (it is not shown): ") if sys.stdin.isatty() else sys.stdin.read()
