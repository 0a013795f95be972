"""`python -m hdp plan users.csv --out plan.json`: weights, noise and everybody's receipt, before a value is used."""

import shlex
from decimal import ROUND_CEILING, Context, Decimal

from hdp._cli import bounds, common, outputs
from hdp._cli.called import called
from hdp._report import names_in, report
from hdp._report.shown import ROUNDING, cells, interval, many
from hdp.release import left, statement, write_weights
from hdp.release.plans import NOISES
from hdp.user_level.model import BETA

_COLUMNS = ("budget", "trust", "records", "users", "part of the answer", "each spends", "each keeps")
_LEFT = ("each has left",)  # with a ledger
_VALUE = "value"  # unless a call says otherwise
_READ: dict[str, str | int | None] = {  # how a table is read, unless a call says otherwise
    "user": "user", "epsilon": "epsilon", "trust": "trust", "records": "records", "budgets": None, "skip_rows": 0,
    "decimal": None, "value": _VALUE,
}  # fmt: skip


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
    parser.add_argument(
        "--spend",
        type=common.real,
        metavar="SHARE",
        help="use at most this share of every budget, in (0, 1] (default: all)",
    )
    parser.add_argument(
        "--ledger", help="ledger of earlier releases about these users: use no more than everybody has left by it"
    )
    parser.add_argument("--out", metavar="PLAN.json", help="write the plan, for hdp.release.Plan.from_json")
    parser.add_argument("--weights", metavar="WEIGHTS.csv", help="write weight and receipt of every user")
    parser.add_argument(
        "--statement", metavar="STATEMENT.md", help="write a page in plain words for those whose values are used"
    )
    parser.add_argument("--json", action="store_true", help="print JSON: ranking, groups, error")
    parser.add_argument(
        "--value", default=_VALUE, metavar="COLUMN", help="values, which are not read, but named in the next command"
    )
    outputs.add_force(parser)


def _run(options):
    """Print groups and error, or all as JSON; write the files that are asked for."""
    apart, files = [options.file, options.ledger], [options.out, options.weights]
    if options.truncated and options.prior is None:
        raise ValueError("--truncated must come with --prior MEAN SPREAD")
    if options.out and options.interval is None and options.prior is None:  # what lies outside would be moved unseen
        raise ValueError("--out must come with --interval LOW HIGH, for values beyond it are moved to its ends")
    clipping = bounds.tail_line(options.tail, common.ends(options))
    with (
        outputs.opened("--out", options.out, options.force, [*apart, options.weights]) as out,
        outputs.opened("--weights", options.weights, options.force, apart, private=True) as weights,
        outputs.opened("--statement", options.statement, options.force, [*apart, *files]) as told,
    ):
        source = common.users(options)
        people = common.read(options, source)
        if options.value != _VALUE:
            source.must_have(options.value)
        common.say(f"planning for {many(people.size, 'user')} ...")
        known = options.variance, common.prior(options)
        used = options.spend, options.ledger
        found = report(people, *known, source, options.noise, options.truncated, common.ends(options), *used)
        rest = None if options.ledger is None else left(found.plan, options.ledger)
        if out:
            out.write(found.plan.to_json())
        if weights:
            common.say(f"writing {options.weights} ...")
            write_weights(weights, found.plan, people, names_in(source), left=rest)
        if told:
            told.write(statement(found.plan))
    if options.out:
        common.say(f"the next command is: {release_call(options, source)}")
    if options.json:
        print(found.to_json())
    else:
        _show(found, options, clipping)


def release_call(options, source):
    """The command that releases by the plan, for the same table."""
    told = {name: getattr(options, name) for name in _READ}
    if "user=None" in source.arguments():  # also where nobody said so
        told["user"] = "none"
    words = [(f"--{name.replace('_', '-')}", str(told[name])) for name in told if told[name] != _READ[name]]
    columns = [word for pair in words for word in (["=".join(pair)] if pair[1][:1] == "-" else pair)]
    counted = ["--new-ledger", "ledger.json"] if options.ledger is None else ["--ledger", options.ledger]
    counted += ["--receipts", "receipts.csv"]
    return f"{called()} release {shlex.join([options.out, str(source.called), *columns, *counted])}"


def _show(found, options, clipping):
    """Print groups, and how far the answer errs."""
    before = options.ledger is not None
    lines = (_cells(group, before) for group in found.groups)
    print(common.table([_COLUMNS[:1] + _LEFT * before + _COLUMNS[1:], *lines]))
    if before:
        print(f"what each has left is what {options.ledger} says: who has nothing left takes no part")
    if found.remark:
        print(found.remark)
    last = Decimal(1).scaleb(-common.places(found.plan.upper - found.plan.lower))
    error = Decimal(found.error * ROUNDING).quantize(last, ROUND_CEILING, Context(99))  # not rounded down
    print(f"error: at most {error}, the root of the expected square, for values in {common.interval(options)}")
    print(f"interval: {interval(found.plan)}")
    if options.truncated:
        print(f"if every mean lies outside of its interval with a chance of at most {BETA:g}/{found.users}")
    print(*filter(None, (clipping, f"plan: {found.plan.digest}")), sep="\n")


def _cells(group, before):
    shown = cells(group) | {"trust": "local" if group.local else "curator"}
    names = "epsilon", *("left",) * before, "trust", "records", "users", "weight", "spent", "kept"
    return [shown[name] for name in names]
