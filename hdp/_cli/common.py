"""What several commands share: which file, how it is read, what is known of the values, and how tables are printed."""

import argparse
import math
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from hdp._report.shown import between
from hdp.compare import TRUST, Population
from hdp.compare.files import Users
from hdp.compare.layout import Layout, fold
from hdp.compare.layout import interval as checked_interval

_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}([.,])\d{3}(\1\d{3})*")
HINT = ": --interval LOW HIGH states another interval"
TABLE = "text in UTF-8, or UTF-16 with a byte order mark, separated by commas, semicolons or tabs, or Parquet or Arrow"


def add_users(parser: argparse.ArgumentParser) -> None:
    """The file, how it is read, and what is known of its values from elsewhere."""
    parser.add_argument(
        "file",
        help=f"{TABLE}; with columns user (a name), epsilon (budget, from 0 to inf), trust (curator or local),"
        " records (how many she has, or 1); no other is read, values neither; none has a default that is not stated,"
        " for a misspelt trust must not make users trust the curator",
    )
    add_columns(parser)
    parser.add_argument(
        "--interval",
        type=end,
        nargs=2,
        metavar=("LOW", "HIGH"),
        help="public interval of the values, in their unit, in which errors are printed, too (default: 0 1)",
    )
    known = parser.add_mutually_exclusive_group()
    known.add_argument(
        "--variance",
        type=real,
        help="public upper bound of each value's variance, in squared units (default: a quarter of the interval's"
        " square)",
    )
    known.add_argument(
        "--prior",
        type=real,
        nargs=2,
        metavar=("MEAN", "SPREAD"),
        help="public mean and standard deviation of the users' own means, without --interval",
    )


def add_columns(parser: Any) -> Any:
    """How columns are called, what is stated for those that a file lacks, and how its cells are read; their group."""
    columns = parser.add_argument_group("columns, whose names are compared without case and outer spaces")
    columns.add_argument(
        "--user", default="user", metavar="COLUMN", help="names; with none, which is no column, every row is one person"
    )
    columns.add_argument("--epsilon", default="epsilon", metavar="COLUMN", help="budgets")
    columns.add_argument(
        "--trust",
        default="trust",
        metavar="COLUMN",
        help="who trusts the curator; curator and local are no columns, but what everybody is in a file without one",
    )
    columns.add_argument(
        "--records",
        default="records",
        metavar="COLUMN",
        help="numbers of records; a whole number is no column, but everybody's in a file without one",
    )
    columns.add_argument(
        "--budgets", metavar="WORD=NUMBER,...", help="what words in the column of budgets mean: low=0.1,high=1,open=inf"
    )
    columns.add_argument(
        "--skip-rows", type=int, default=0, metavar="N", help="leave out so many rows below the header"
    )
    columns.add_argument(
        "--decimal", choices=(".", ","), help="sign before decimals; with it, signs between thousands are read, too"
    )
    return columns


def layout(options: argparse.Namespace, **changes: Any) -> Layout:
    """How a call says that its file is laid out; of values, and of nothing else, ``changes`` decide."""
    records = int(options.records) if options.records.strip().isdecimal() else options.records
    return Layout(
        user=None if options.user == "none" else options.user,
        epsilon=options.epsilon,
        trust=options.trust.strip() if options.trust.strip() in TRUST else options.trust,
        records=records,
        budgets=_budgets(options.budgets),
        skip_rows=options.skip_rows,
        decimal=options.decimal,
        shell=True,
        **changes,
    )


def _budgets(text):
    """What each word means, from WORD=NUMBER,..."""
    if text is None:
        return None
    pairs = [part.rpartition("=") for part in text.split(",")]
    if not all(word.strip() and sign and not set("=;") & set(word) for word, sign, _ in pairs):
        raise ValueError("--budgets must be words and their numbers, with points and commas: low=0.1,open=inf")
    if len({fold(word) for word, _, _ in pairs}) < len(pairs):
        raise ValueError("--budgets must name every word once, without case")
    return {word: number for word, _, number in pairs}


def users(options: argparse.Namespace) -> Users:
    """The users of the file, of whom no value is read."""
    if options.interval and options.prior:
        raise ValueError("--prior must be given without --interval, for values in [0, 1]")
    if options.interval:
        checked_interval(options.interval, "--interval")
    low, high = ends(options)
    most = (high - low) ** 2 / 4
    if options.variance is not None and not 0 < options.variance <= most:
        reason = f"a quarter of the square of {interval(options)}{'' if options.interval else HINT}"
        raise ValueError(f"--variance must lie in (0, {most:.12g}], {reason}, got {options.variance:g}")
    layout(options, value=getattr(options, "value", None))  # which names a column of its own, though none is read
    return Users(options.file, layout(options, value=None, lenient=True))


def read(options: argparse.Namespace, found: Users | None = None) -> Population:
    """The population of the file, and what is assumed in reading it is said."""
    found = users(options) if found is None else found
    say(f"reading {options.file} ...")
    population, _ = found.read()
    if found.said:
        say(found.said)
    if not options.interval:
        say(f"values are taken to lie in [0, 1]{'' if options.prior else HINT}")
    return population


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


def prior(options: argparse.Namespace) -> tuple[float, float] | None:
    """The prior as a pair, or None."""
    return options.prior and tuple(options.prior)


def ends(options: argparse.Namespace) -> tuple[float, float]:
    """The interval of the values."""
    return tuple(options.interval) if options.interval else (0.0, 1.0)


def interval(options: argparse.Namespace) -> str:
    """The interval as it is printed."""
    return between(*ends(options))


def root(error: float, options: argparse.Namespace) -> str:
    """An error in the unit of the values, to a ten-thousandth of the interval at least."""
    low, high = ends(options)
    return f"{error:.{places(high - low)}f}"


def places(width: float) -> int:
    """How many decimal places tell a ten-thousandth of the interval."""
    return max(0, math.ceil(4 - math.log10(width) - 1e-12))


def say(text: str) -> None:
    """Tell how far a command has come, beside its output."""
    print(text, file=sys.stderr, flush=True)


def table(lines: Iterable[Sequence[str]]) -> str:
    """Lines of cells, in columns as wide as they must be."""
    lines = list(lines)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)
