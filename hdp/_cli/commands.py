"""What each command does: a function of its name, which takes its options."""

import argparse
import getpass
import json
import math
import os
import shlex
import sys
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from hdp import release as _release
from hdp._cli import answers
from hdp._cli import options as _options
from hdp._cli.files import opened
from hdp._cli.options import VALUE, called, ends, known
from hdp._number import between, bound, many
from hdp.release import Bounds, Ledger, Plan
from hdp.release.accuracy import says
from hdp.release.groups import NOTHING
from hdp.release.reports import prepared
from hdp.release.statements import belief
from hdp.users import Users
from hdp.users.numerals import number
from hdp.users.tables import Table

_RANKED = ("estimator", "error", "if the bound is wrong", "values", "what a user gives up at the most")
_PLANNED = {
    "epsilon": "budget", "left": "each has left", "trust": "trust", "records": "records", "users": "users",
    "weight": "part of the answer", "spent": "each spends", "kept": "each keeps", "belief": "50 % becomes",
}  # fmt: skip


def rank(options: argparse.Namespace) -> None:
    """Print the ranking as a table, errors as roots of expected squares, or as JSON."""
    people = _read(_options.table_of(options), options.file)
    _say(f"ranking for {many(people.size, 'user')} ...")
    rows = answers.rank(people, **known(options))
    if options.json:
        print(json.dumps(rows, indent=2, allow_nan=False))
        return
    low, high = ends(options)
    places = max(0, math.ceil(4 - math.log10(high - low) - 1e-12))  # to a ten-thousandth of the interval at least
    usable, lines, alike = [row for row in rows if "obstacle" not in row], [_RANKED], ""
    for row in usable:
        errors = (row["error"], math.inf if row["worst_case"] is None else row["worst_case"])
        error, worst = (f"{math.sqrt(square):.{places}f}" for square in errors)
        lines.append((row["estimator"], error, worst, str(row["users"]), row["guarantee"]))
        if row["estimator"] == "uni":
            alike = f"uni weighs all who trust alike, with the error {error}"
    print(_table(lines))
    for row in rows[len(usable) :]:
        print(f"not for these users: {row['estimator']} ({row['obstacle']})")
    unit = f"values in {between(low, high)}" if options.interval or options.prior else "an interval of width 1"
    print(f"errors: roots of the expected squares, for {unit}, against the mean from which all values are drawn")
    if alike:
        print(f"if those who allow less may have other values: {alike}")
    if options.does:
        print()
        print(_table((row["estimator"], row["does"]) for row in usable))


def plan(options: argparse.Namespace) -> None:
    """Print groups and error, or all as JSON; write the files that are asked for."""
    if options.truncated and options.prior is None:
        raise ValueError("--truncated must come with --prior MEAN SPREAD")
    if options.interval is None and options.prior is None:  # what lies outside would be moved unseen
        raise ValueError("--interval LOW HIGH must be given: values beyond it are moved to its ends")
    tail = options.tail and _release.clipping_cost(*ends(options), moment=tuple(options.tail))
    asked = [("--weights", options.weights, True), ("--out", options.out, False)]
    asked += [("--statement", options.statement, False)]
    with opened(asked, options.force, [options.file, options.ledger]) as (weights, out, told):
        table = _options.table_of(options)
        people = _read(table, options.file)
        if options.value != VALUE:  # a table without values can be planned for, but not with another name for them
            table.must_have(options.value)
        _say(f"planning for {many(people.size, 'user')} ...")
        found = report_of(people, options)
        if out:
            out.write(found.plan.to_json())
        if weights:
            _say(f"writing {options.weights} ...")
            kept = None if options.ledger is None else Ledger(options.ledger).left(found.plan, after=True)
            _release.write_weights(weights, found.plan, people, kept)
        if told:
            told.write(_release.statement(found.plan))
    if options.out:
        _say(f"the next command is: {release_call(options)}")
    if options.json:
        print(json.dumps(found.told()))
    else:
        _print_plan(found, options, tail)


def _print_plan(found, options, tail):
    """Groups, remark, error and what is said of the answer."""
    heads = {name: head for name, head in _PLANNED.items() if name != "left" or options.ledger is not None}
    lines = [answers.cells(group, options.noise) for group in found.groups]
    print(_table([[*heads.values()], *([line[name] for name in heads] for line in lines)]))
    if options.ledger is not None:
        print(f"what each has left is what {options.ledger} says: who has nothing left takes no part")
    print(answers.BELIEF)
    if found.remark:
        print(found.remark)
    print(f"error: at most {bound(found.error)}, the root of the expected square, for {found.values}")
    print(f"interval: {says(found.plan)}")
    if tail:
        power, most = options.tail
        print(f"clipping: moves the mean by at most {tail:.4g}, if --tail {power:g} {most:g} is true")
    print(f"plan: {found.plan.digest}")


def report_of(people: Users, options: argparse.Namespace) -> answers.Report:
    """The report on these people that a call of `plan` asks for."""
    names = "truncated", "noise", "spend", "ledger", "value"
    return answers.report(people, **known(options), **{name: getattr(options, name) for name in names})


def release_call(options: argparse.Namespace) -> str:
    """The command that releases by the plan, for the same table."""
    counted = ["--new-ledger", "ledger.json"] if options.ledger is None else ["--ledger", options.ledger]
    return f"{called()} release {shlex.join([options.out, options.file, *counted, '--receipts', 'receipts.csv'])}"


def release(options: argparse.Namespace) -> None:
    """Check, charge, draw, print; of several plans all, or none."""
    plans = [*map(_read_plan, options.plan)]
    users = _read(Table(options.file, _options.planned(plans)), options.file)
    for one in plans:
        _say(f"values lie in {between(one.lower, one.upper)} by the plan; others are moved to its ends")
        _say(f"the answer{'' if len(plans) == 1 else f' about {one.value}'} will be {says(one)}")
    _publish(plans, users, options, options.plan)


def bounds(options: argparse.Namespace) -> None:
    """The same for an interval."""
    users = _read(Table(options.file, _options.reading(options, options.value)), options.file)
    chosen = {name: getattr(options, name) for name in ("outside", "beta", "noise", "lowest", "highest")}
    _publish([_release.plan_bounds(users, options.share, **chosen)], users, options, [])


def _publish(plans, users, options, apart):
    """Make releases, with receipts and a ledger as the options say, and print them, whatever becomes of the files."""
    receipts, named = options.receipts or [], options.ledger if options.new_ledger is None else options.new_ledger
    if receipts and len(receipts) != len(plans):
        raise ValueError(f"--receipts must be given once for each of {len(plans)} plans, got {len(receipts)}")
    apart, made = [*apart, options.file, named, f"{os.path.realpath(named)}.lock"], None
    asked = [("--receipts", path, True) for path in receipts]
    try:
        with opened(asked, options.force, apart) as files, _ledger(options, Ledger.new, plans[0]) as ledger:

            def write(kept):  # once nothing can be refused any more
                if options.new_ledger is not None:
                    _say(f"made {named}, a new ledger: a second one would spend the same users' budgets again")
                for file, path, plan, rest in zip(files, receipts, plans, kept, strict=False):
                    _say(f"writing {path} ...")
                    _release.write_receipts(file, plan, users, rest)
                    file.flush()
                    os.fsync(file.fileno())  # a full disk says so now, not after the charge

            made = ledger.release(plans, users, write)
    finally:
        if made:
            try:
                _say_what_is_left(plans[0], ledger, named, made)
            finally:  # whatever has become of the ledger meanwhile, this may be the only copy
                _print(made, named)


def _say_what_is_left(plan, ledger, named, made):
    """After the release, and where it can be had again."""
    private = np.isfinite(plan.kinds.epsilon)
    rest = ledger.left(plan)[private]
    rest[rest <= NOTHING * plan.kinds.epsilon[private]] = 0.0
    left = f"; users have {rest.min():g} to {rest.max():g} {plan.unit} left" if rest.size else ""
    _say(f"entered in {named}{left}")
    one, it = ("the answer is", "it") if len(made) == 1 else ("the answers are", "them")
    if ledger.published()[-len(made) :] == made:
        _say(f"{one} kept there: {_again(named)} prints {it} again")
    else:
        _say(f"{one} not kept there, which could not be written: what is printed now is the only copy")
    if isinstance(made[0], Bounds) and made[0].lower is None:
        _say("the counts tell of no interval: the noise may hide too much of these users' weight")


def _print(made, named):
    """Print what is counted; where nobody can read it, exit otherwise than a call that was refused does."""
    try:
        print("\n".join(one.to_json() for one in made), flush=True)
        if sys.stdout is not None:
            return
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    _say(f"counted, but not printed: {_again(named)} prints it again")
    sys.exit(3)


def _again(ledger):
    return f"`{called()} published {shlex.quote(ledger)}`"


@contextmanager
def _ledger(options, make, *whose):
    """The ledger; a new one goes again where nothing has been counted in it, and stays while another one writes it."""
    if options.new_ledger is None:
        yield Ledger(options.ledger)
        return
    ledger = make(options.new_ledger, *whose)
    try:
        yield ledger
    except BaseException:
        with suppress(ValueError), ledger.locked():
            if not ledger.published():
                ledger.path.unlink()
        raise


def published(options: argparse.Namespace) -> None:
    """Print what a ledger keeps."""
    for made in Ledger(options.ledger).published():
        print("null" if made is None else made if isinstance(made, str) else made.to_json())


def report(options: argparse.Namespace) -> None:
    """Print what one user hands over who trusts nobody."""
    plan, value, named = _read_plan(options.plan), _value(options), options.ledger or options.new_ledger
    row, _ = prepared(plan, options.epsilon, value, options.records)  # whatever is refused, before a file is made
    cost = float(plan.spent[row])
    believed = f"who gave your value 50 % against another gives it {belief(cost, plan.noise)} at most"
    _say(f"of a budget of {options.epsilon:g} {plan.unit} the report costs {cost:g}: {believed}")
    with _ledger(options, Ledger.own, options.epsilon, plan.noise) as ledger:
        if ledger.budget != options.epsilon:
            raise ValueError(f"ledger must be for the budget {options.epsilon!r}, got one for {ledger.budget!r}")
        if options.new_ledger is not None:
            _say(f"made {named}, a new ledger: a second one for the same value would spend her budget again")
        told = ledger.report(plan, value, options.records)
    _say(f"{_again(named)} prints it again")
    print(told)


def _value(options):
    """Her value, which no message repeats."""
    try:
        text = options.value
        if text is None and options.value_file is not None:
            text = Path(options.value_file).read_text(encoding="utf-8", errors="replace")
        elif text is None:
            text = getpass.getpass("value (it is not shown): ") if sys.stdin.isatty() else sys.stdin.read()
    except (OSError, EOFError, ValueError):  # whose texts might show it, where it was taken for a file's name
        raise ValueError("value must stand in the standard input, or in a file that can be read") from None
    if not math.isfinite(found := number(text)):
        raise ValueError("value must be a finite number, got another text")
    return found


def _read(table, file):
    """The users of the file, and what is assumed in reading it is said."""
    _say(f"reading {file} ...")
    users = table.read()
    if table.said:
        _say(table.said)
    return users


def _read_plan(path):
    """The plan in a file, which messages name."""
    try:
        return Plan.from_json(Path(path).read_text(encoding="utf-8"))
    except ValueError as wrong:
        raise ValueError(f"{path}: {wrong}; the plan comes first, then the table") from None


def _say(text):
    """Tell how far a command has come, beside its output."""
    print(text, file=sys.stderr, flush=True)


def _table(lines):
    """Lines of cells, in columns as wide as they must be."""
    lines = list(lines)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)
