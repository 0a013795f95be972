"""`python -m hdp plan users.csv --out plan.json`: weights, noise and everybody's receipt, before a value is used."""

from decimal import ROUND_CEILING, Decimal

from hdp._cli import bounds, common, outputs
from hdp._report import report, write_weights
from hdp._report.shown import ROUNDING, cells, many
from hdp.release.plans import NOISES
from hdp.user_level.model import BETA

_COLUMNS = ("budget", "trust", "records", "users", "part of the answer", "each spends", "each keeps")


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
    bounds.add_tail(parser)
    parser.add_argument("--out", metavar="PLAN.json", help="write the plan, for hdp.release.Plan.from_json")
    parser.add_argument("--weights", metavar="WEIGHTS.csv", help="write weight and receipt of every user")
    parser.add_argument("--json", action="store_true", help="print JSON: ranking, groups, error")
    outputs.add_force(parser)


def _run(options):
    """Print groups and error, or all as JSON; write the files that are asked for."""
    with (
        outputs.opened("--out", options.out, options.force, [options.file, options.weights]) as out,
        outputs.opened("--weights", options.weights, options.force, [options.file], private=True) as weights,
    ):
        people = common.read(options)
        common.say(f"planning for {many(people.size, 'user')} ...")
        found = report(people, options.variance, common.prior(options), options.file, options.noise, options.truncated)
        if out:
            out.write(found.plan.to_json() + "\n")
        if weights:
            common.say(f"writing {options.weights} ...")
            write_weights(weights, found.plan, people, options.file)
    if options.json:
        print(found.to_json())
        return
    print(common.table([_COLUMNS, *map(_cells, found.groups)]))
    if found.remark:
        print(found.remark)
    error = Decimal(found.error * ROUNDING).quantize(Decimal("0.0001"), ROUND_CEILING)  # at most means not rounded down
    print(f"error: at most {error}, the root of the expected square, for values in [0, 1]")
    if options.truncated:
        print(f"if every mean lies outside of its interval with a chance of at most {BETA:g}/{found.users}")
    bounds.say_tail(found.plan, options.tail)
    print(f"plan: {found.plan.digest}")


def _cells(group):
    shown = cells(group) | {"trust": "local" if group.local else "curator"}
    return [shown[name] for name in ("epsilon", "trust", "records", "users", "weight", "spent", "kept")]
