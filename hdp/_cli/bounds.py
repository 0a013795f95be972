"""`python -m hdp bounds users.csv --share 0.1 --new-ledger ledger.json`: an interval for values of an unknown size."""

import os

from hdp import _validate, release
from hdp._cli import common, outputs
from hdp._cli.release import _say, add_ledger, read_data, rest, the_ledger
from hdp.release.bounds import ready
from hdp.release.ledgers import file_of, lock_of
from hdp.release.plans import NOISES


def add(commands):
    """Add the command to the parser."""
    parser = commands.add_parser(
        "bounds",
        help="release an interval for values of which nobody knows one, for a share of every budget (extra opendp)",
        description="Release a noisy histogram over powers of two, and the shortest interval that leaves out no more "
        "than a part of the weight, as JSON; count it in the ledger of the releases about these users.",
    )
    parser.set_defaults(run=_run)
    parser.add_argument("file", help=f"{common.TABLE}; the users and their values, as for `release`")
    common.add_columns(parser).add_argument("--value", default="value", metavar="COLUMN", help="values, in their unit")
    parser.add_argument(
        "--share", type=common.real, required=True, help="the part of every budget that is spent, up to 1"
    )
    parser.add_argument("--outside", type=common.real, default=0.05, help="part of the weight left out at most (0.05)")
    parser.add_argument("--beta", type=common.real, default=0.05, help="probability that more is left out (0.05)")
    parser.add_argument("--lowest", type=int, default=-10, help="2 to this power is the smallest end (-10)")
    parser.add_argument("--highest", type=int, default=40, help="2 to this power is the largest end (40)")
    parser.add_argument("--noise", choices=NOISES, default=NOISES[0], help="if gaussian, budgets are rho (zCDP)")
    add_ledger(parser, "the releases about these users")
    parser.add_argument("--receipts", help="file for the receipts, one row a user: not for the public")
    outputs.add_force(parser)


def add_tail(parser):
    """What is known from elsewhere of values beyond the interval."""
    parser.add_argument(
        "--tail",
        type=common.real,
        nargs=2,
        metavar=("P", "M"),
        help="say what clipping costs at most if the values' distances from the middle of the interval, to the power "
        "P, have a mean of at most M to the power P",
    )


def tail_line(tail, ends):
    """The line of a plan that says so, for an interval with these ends; nothing where nothing is known."""
    if not tail:
        return ""
    power = _validate.scalar("P of --tail", tail[0], 1, 100, open_low=True)
    most = release.clipping_cost(*ends, moment=(power, _validate.scalar("M of --tail", tail[1], 0, _validate.LARGE)))
    return f"clipping: moves the mean by at most {most:.4g}, if --tail {tail[0]:g} {tail[1]:g} is true"


def _run(options):
    """Check, charge, draw, print."""
    ledger, made = the_ledger(options), None
    common.say(f"reading {options.file} ...")
    names, people, values, _ = read_data(options.file, False, common.layout(options, value=options.value))
    chosen = {name: getattr(options, name) for name in ("outside", "beta", "noise", "lowest", "highest")}
    plan = release.plan_bounds(people, options.share, **chosen)
    apart = [options.file, ledger, lock_of(file_of(ledger))]
    try:
        with outputs.opened("--receipts", options.receipts, options.force, apart, private=True) as file:
            ready(plan, people, values, names)  # whatever is refused, before a ledger is made or charged
            if file:
                release.write_receipts(file, plan, people, names, left=rest(plan, options.ledger))
                file.flush()
                os.fsync(file.fileno())  # a full disk says so now, not after the charge
            if options.new_ledger is not None:
                release.new_ledger(plan, ledger)
                common.say(f"made {ledger}, a new ledger: a second one would spend the same users' budgets again")
            made = release.release_bounds(plan, people, values, ledger, names=names)
    finally:
        if made:
            try:
                _say(plan, ledger, [made])
                if made.lower is None:
                    common.say("the counts tell of no interval: the noise may hide too much of these users' weight")
            finally:  # whatever has become of the ledger meanwhile, this may be the only copy
                print(made.to_json())
