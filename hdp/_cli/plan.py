"""`python -m hdp plan users.csv --out plan.json`: weights, noise and everybody's receipt, before a value is used."""

from decimal import ROUND_CEILING, Decimal

from hdp._cli import common, outputs
from hdp._report import report, write_weights
from hdp._report.shown import ROUNDING, cells, many
from hdp.release.plans import NOISES
from hdp.user_level.model import BETA

_COLUMNS = ("budget", "trust", "records", "users", "part of the answer", "each spends", "each keeps")
_LEFT = ("each has left",)  # with a ledger


def add(commands):
    """Add the command to the parser."""
    parser = commands.add_parser(
        "plan",
        help="weights, noise and everybody's receipt for the users of a file",
        description="Plan the best linear release for the users of a file: who counts how much, what each spends and "
        "keeps, and how far the answer errs.  Uses no value to do so.",
    )
    parser.set_defaults(run=_run)
    common.add_users(parser)
    parser.add_argument("--noise", choices=NOISES, default=NOISES[0], help="if gaussian, budgets are rho (zCDP)")
    parser.add_argument("--truncated", action="store_true", help="with --prior: take means to intervals first")
    parser.add_argument(
        "--spend", type=float, metavar="SHARE", help="use at most this share of every budget, in (0, 1] (default: all)"
    )
    parser.add_argument(
        "--ledger", help="ledger of earlier releases about these users: use no more than everybody has left by it"
    )
    parser.add_argument("--out", metavar="PLAN.json", help="write the plan, for hdp.release.Plan.from_json")
    parser.add_argument("--weights", metavar="WEIGHTS.csv", help="write weight and receipt of every user")
    parser.add_argument("--json", action="store_true", help="print JSON: ranking, groups, error")
    outputs.add_force(parser)


def _run(options):
    """Print groups and error, or all as JSON; write the files that are asked for."""
    apart = [options.file, options.ledger]
    with (
        outputs.opened("--out", options.out, options.force, [*apart, options.weights]) as out,
        outputs.opened("--weights", options.weights, options.force, apart, private=True) as weights,
    ):
        people = common.read(options)
        common.say(f"planning for {many(people.size, 'user')} ...")
        known = options.variance, common.prior(options)
        found = report(
            people, *known, options.file, options.noise, options.truncated, spend=options.spend, ledger=options.ledger
        )
        if out:
            out.write(found.plan.to_json() + "\n")
        if weights:
            common.say(f"writing {options.weights} ...")
            write_weights(weights, found.plan, people, options.file, options.ledger)
    if options.json:
        print(found.to_json())
        return
    before = options.ledger is not None
    lines = (_cells(group, before) for group in found.groups)
    print(common.table([_COLUMNS[:1] + _LEFT * before + _COLUMNS[1:], *lines]))
    if before:
        print(f"what each has left is what {options.ledger} says: who has nothing left takes no part")
    if found.remark:
        print(found.remark)
    error = Decimal(found.error * ROUNDING).quantize(Decimal("0.0001"), ROUND_CEILING)  # at most means not rounded down
    print(f"error: at most {error}, the root of the expected square, for values in [0, 1]")
    if options.truncated:
        print(f"if every mean lies outside of its interval with a chance of at most {BETA:g}/{found.users}")
    print(f"plan: {found.plan.digest}")


def _cells(group, left):
    shown = cells(group) | {"trust": "local" if group.local else "curator"}
    names = "epsilon", *("left",) * left, "trust", "records", "users", "weight", "spent", "kept"
    return [shown[name] for name in names]
