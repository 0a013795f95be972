"""Commands and their options, each of which stands here once; what they say of a table; and how messages name them."""

import argparse
import re
import sys
from decimal import Decimal
from pathlib import PurePath
from typing import Any

from hdp import __version__
from hdp._cli.answers import UNIT
from hdp._number import between
from hdp.release import Plan
from hdp.release.plans import NOISES
from hdp.release.plans import interval as width_of
from hdp.users import TRUST
from hdp.users.reading import Reading, fold
from hdp.users.tables import Table

SCRIPT, MODULE = "unequal-privacy", "python -m hdp"
VALUE = "value"  # the column, unless a call says otherwise
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}([.,])\d{3}(\1\d{3})*")
# Arguments of the library that are options of the same name, and what it says of others.
_ARGUMENTS = "variance prior spend share outside beta lowest highest epsilon records ledger".split()
_WAYS = (("with Ledger.new", "by `release --new-ledger`"), ("a plan with the argument ledger", "`plan --ledger`"))


def called() -> str:
    """The words before a command: those of the script that is installed, or else of the module."""
    return SCRIPT if PurePath(sys.argv[0]).stem == SCRIPT else MODULE


def end(text: str) -> float:
    """An end of an interval; what may be in thousands or not is refused, for it would be a thousand times too small."""
    if _THOUSANDS.fullmatch(text.strip()):
        plain = text.strip().replace(".", "").replace(",", "")
        raise argparse.ArgumentTypeError(f"{text} may have a sign between thousands: write {plain}, or more decimals")
    return real(text)


def real(text: str) -> float:
    """A number of the call."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number, as 20000.5 with a point is one") from None


COMMANDS = {  # what is said of each in the list of all, and by itself
    "rank": ("every estimator on the users of a file, least error first",
        "Rank every estimator on the users of a file by its error.  Uses no value to do so."),
    "plan": ("weights, noise and everybody's receipt for the users of a file",
        "Plan the best linear release for the users of a file: who counts how much, what each spends and "
        "keeps, and how far the answer errs.  Uses no value to do so."),
    "release": ("release an answer by a plan, with OpenDP's noise (extra opendp)",
        "Release the answer of a plan, count it in a ledger and keep it there, and print it as JSON; or"
        " those of several plans, each for its own column: all of them, or none."),
    "published": ("print again what a ledger has kept, which costs nothing",
        "Print the releases that a ledger keeps, one line of JSON each, or the reports of a user's own"
        " ledger; null where one is not kept."),
    "bounds": ("release an interval for values of which nobody knows one, for a share of every budget (extra opendp)",
        "Release a noisy histogram over powers of two, and the shortest interval that leaves out no more "
        "than a part of the weight, as JSON; count it in the ledger of the releases about these users."),
    "report": ("turn a local user's value into what she hands over (extra opendp)",
        "Print the report of one user who trusts nobody.  Runs on her machine; nothing else leaves it.  Her"
        " value is asked for, or read from the standard input: it stands neither in the shell's history nor in the list"
        " of processes."),
}  # fmt: skip
_TABLE = "text in UTF-8, or UTF-16 with a byte order mark, separated by commas, semicolons or tabs, or Parquet or Arrow"
_ALL = "rank plan bounds"
_REAL, _FLAG, _MANY = {"type": real}, {"action": "store_true"}, {"action": "append"}
_TITLE = "columns, whose names are compared without case and outer spaces"
_COLUMNS, _KNOWN, _LEDGER = {"group": _TITLE}, {"group": "known"}, {"group": "ledger"}
_RECEIPTS = "file for the receipts, one row a user: not for the public"
_OPTIONS: tuple[tuple[str, str, dict[str, Any], str], ...] = (  # of which commands, name, kind, and words
    ("release", "plan", {"nargs": "+"}, "the plan, as `{called} plan` writes it, or several"),
    ("report", "plan", {}, "the plan"),
    ("published", "ledger", {}, "the ledger"),
    ("rank plan", "file", {}, f"{_TABLE}; with columns user (a name), epsilon (budget, from 0 to inf), trust (curator"
     " or local), records (how many she has, or 1); no other is read, values neither; none has a default that is not"
     " stated, for a misspelt trust must not make users trust the curator"),
    ("bounds", "file", {}, f"{_TABLE}; the users and their values"),
    ("release", "file", {}, f"{_TABLE}; the plan says how it is read, and which column of values; a column report where"
     " the plan weighs any: what `{called} report` printed for a local user; what the plan does not use may be empty"),
    (_ALL, "--user COLUMN", _COLUMNS | {"default": "user"},
     "names; with none, which is no column, every row is one person"),
    (_ALL, "--epsilon COLUMN", _COLUMNS | {"default": "epsilon"}, "budgets"),
    (_ALL, "--trust COLUMN", _COLUMNS | {"default": "trust"},
     "who trusts the curator; curator and local are no columns, but what all are in a file without one"),
    (_ALL, "--records COLUMN", _COLUMNS | {"default": "records"},
     "numbers of records; a whole number is no column, but everybody's in a file without one"),
    (_ALL, "--budgets WORD=NUMBER,...", _COLUMNS | _MANY,
     "what words in the column of budgets mean: low=0.1,high=1,open=inf; a word with a comma by itself"),
    (_ALL, "--decimal", _COLUMNS | {"choices": (".", ",")},
     "sign before decimals; with it, signs between thousands are read, too"),
    ("report", "--epsilon EPSILON", _REAL | {"required": True}, "her budget, as in the plan"),
    ("rank plan", "--interval LOW HIGH", {"type": end}, "public interval of the values, in their unit"),
    ("rank plan", "--variance VARIANCE", _KNOWN | _REAL,
     "public upper bound of each value's variance, in squared units (default: a quarter of the interval's square)"),
    ("rank plan", "--prior MEAN SPREAD", _KNOWN | _REAL,
     "public mean and standard deviation of the users' own means, without --interval"),
    ("report", "--value-file FILE", {"group": "value"}, "read her value from this file"),
    ("report", "--value VALUE", {"group": "value"},
     "her value, for scripts: everybody on this machine can see it in the list of processes"),
    ("report", "--records RECORDS", {"type": int, "default": 1}, "her number of records (default: 1)"),
    ("plan", "--value COLUMN", {"default": VALUE}, "values, which are not read yet"),
    ("bounds", "--value COLUMN", _COLUMNS | {"default": VALUE}, "values, in their unit"),
    ("bounds", "--share SHARE", _REAL | {"required": True}, "the part of every budget that is spent, up to 1"),
    ("bounds", "--outside OUTSIDE", _REAL | {"default": 0.05}, "part of the weight left out at most (0.05)"),
    ("bounds", "--beta BETA", _REAL | {"default": 0.05}, "probability that more is left out (0.05)"),
    ("bounds", "--lowest LOWEST", {"type": int, "default": -10}, "2 to this power is the smallest end (-10)"),
    ("bounds", "--highest HIGHEST", {"type": int, "default": 40}, "2 to this power is the largest end (40)"),
    ("plan bounds", "--noise", {"choices": NOISES, "default": NOISES[0]}, "if gaussian, budgets are rho (zCDP)"),
    ("plan", "--truncated", _FLAG, "with --prior: take means to intervals first"),
    ("plan", "--tail P M", _REAL, "say what clipping costs at most if the values' distances from the middle of the"
     " interval, to the power P, have a mean of at most M to the power P"),
    ("plan", "--spend SHARE", _REAL | {"default": 1.0}, "use at most this share of every budget (1)"),
    ("plan", "--ledger LEDGER", {},
     "ledger of earlier releases about these users: use no more than everybody has left by it"),
    ("release bounds report", "--ledger LEDGER", _LEDGER, "file that counts {counted}; it must be there"),
    ("release bounds report", "--new-ledger LEDGER", _LEDGER, "make the file that counts {counted}, which must be new"),
    ("plan", "--out PLAN.json", {}, "write the plan, for the command release"),
    ("plan", "--weights WEIGHTS.csv", {}, "write weight and receipt of every user"),
    ("plan", "--statement STATEMENT.md", {}, "write a page in plain words for those whose values are used"),
    ("rank", "--does", _FLAG, "print what every estimator does"),
    ("rank", "--json", _FLAG, "print JSON, errors as expected squares"),
    ("plan", "--json", _FLAG, "print JSON: ranking, groups, error"),
    ("release", "--receipts RECEIPTS", _MANY, f"{_RECEIPTS}; with several plans once for each of them"),
    ("bounds", "--receipts RECEIPTS", _MANY, _RECEIPTS),
    ("plan release bounds", "--force", _FLAG, "replace files that exist; never one that is read"),
)  # fmt: skip


def parser(kind: type[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    """The parser of all commands, of which each is one of this kind, too."""
    made = kind(prog=called(), description="Mean estimation under unequal privacy.", allow_abbrev=False)
    made.add_argument("--version", action="version", version=f"hdp {__version__}")
    commands = made.add_subparsers(title="commands", required=True, metavar="command", dest="command")
    for command, (words, description) in COMMANDS.items():
        one: Any = commands.add_parser(command, help=words, description=description)
        groups = {"": one}
        counts = "what her reports have cost, her own" if command == "report" else "the releases about these users"
        for of, call, told, said in _OPTIONS:
            if command not in of.split():
                continue
            more, (name, *metavar) = dict(told), call.split()
            if (group := more.pop("group", "")) not in groups and group == _TITLE:
                groups[group] = one.add_argument_group(group)
            elif group not in groups:  # a ledger must be given: a mistyped name must not be a new count
                groups[group] = one.add_mutually_exclusive_group(required=group == "ledger")
            if metavar:
                more |= {"metavar": metavar[0]} if len(metavar) == 1 else {"metavar": (*metavar,), "nargs": 2}
            groups[group].add_argument(name, help=said.format(called=called(), counted=counts), **more)
    return made


def plain(word: str) -> str:
    """A negative number without its exponent, with which `argparse` would take it for an option."""
    exponent = re.fullmatch(r"-(\d+\.?\d*|\.\d+)[eE][+-]?\d{1,2}", word)
    return format(Decimal(word), "f") if exponent else word


def spoken(wrong: Exception, options: argparse.Namespace) -> str:
    """A message of the library in one line, in which options and places of the call stand for arguments."""
    if isinstance(wrong, OSError) and wrong.filename and wrong.strerror:
        return f"{str(wrong.filename)!r} cannot be opened or written: {wrong.strerror.lower()}"
    words = " ".join(str(wrong).split())
    for said, meant in _WAYS:
        words = words.replace(said, meant)
    argument, space, rest = words.partition(" ")
    if argument == "ledger" and getattr(options, "new_ledger", None) is not None:
        argument = "--new-ledger"
    elif argument in _ARGUMENTS and argument in vars(options) and options.command != "published":
        argument = f"--{argument}"
    return counted(argument + space + rest)


def counted(words: str) -> str:
    """A message that names a row, with how rows are counted."""
    return f"{words} (row 1 is the first below the header)" if re.search(r", rows? [1-9]", words) else words


def known(options: argparse.Namespace) -> dict[str, Any]:
    """What a call tells of the values, as arguments of `hdp.release.plan`."""
    told = {"variance": options.variance, "prior": options.prior and tuple(options.prior)}
    told |= zip(("lower", "upper"), options.interval, strict=True) if ends(options) != UNIT else ()
    return {name: value for name, value in told.items() if value is not None}


def ends(options: argparse.Namespace) -> tuple[float, float]:
    """The interval of the values."""
    return tuple(options.interval or UNIT)


def table_of(options: argparse.Namespace) -> Table:
    """The users' table, of which no value is read; what is known of values is checked first."""
    if options.interval and options.prior:
        raise ValueError("--prior must be given without --interval, for values in [0, 1]")
    try:
        most = width_of(*ends(options)) ** 2 / 4
    except ValueError:
        raise ValueError(f"--interval must be LOW and a larger HIGH, got {options.interval!r}") from None
    if options.variance is not None and not 0 < options.variance <= most:
        reason = f"a quarter of the square of {between(*ends(options))}"
        raise ValueError(f"--variance must lie in (0, {most:.12g}], {reason}, got {options.variance:g}")
    if hasattr(options, "value"):
        reading(options, options.value)  # which names a column of its own, though none is read
    return Table(options.file, reading(options))


def reading(options: argparse.Namespace, *value: str) -> Reading:
    """How a call says that its table is read, with these columns of values."""
    records = int(options.records) if options.records.strip().isdecimal() else options.records
    trust = options.trust.strip() if options.trust.strip() in TRUST else options.trust
    user, place = None if options.user == "none" else options.user, getattr(options, "place", "shell")
    budgets, decimal = _budgets(options.budgets), options.decimal
    return Reading(user, options.epsilon, trust, records, value, budgets=budgets, decimal=decimal, place=place)


def _budgets(texts):
    """What each word means, from WORD=NUMBER,..."""
    if texts is None:
        return None
    parts = [part for text in texts for part in ([text] if text.count("=") == 1 else text.split(","))]
    pairs = [part.rpartition("=") for part in parts]
    if not all(word.strip() and sign and "=" not in word for word, sign, _ in pairs):
        raise ValueError("--budgets must be words and their numbers, with points and commas: low=0.1,open=inf")
    if len({fold(word) for word, _, _ in pairs}) < len(pairs):
        raise ValueError("--budgets must name every word once, without case")
    return {word: number for word, _, number in pairs}


def planned(plans: list[Plan]) -> Reading:
    """How the table of these plans is read, each with its column of values."""
    told, columns = plans[0].reading, tuple(plan.value for plan in plans)
    if any(plan.reading != told for plan in plans):
        raise ValueError("plans must be for one table, read in one way, got plans that were made otherwise")
    if len({plan.noise for plan in plans}) > 1:
        raise ValueError("plans must be with the same noise, to be counted in one ledger")
    if len(set(columns)) < len(columns):
        raise ValueError(f"plans must be for different columns of values, got {', '.join(columns)}")
    report = any(plan.reported for plan in plans)
    return Reading(**{**(told or {}), "value": columns, "report": report, "place": "shell"})
