"""What several commands share: which file, what is known of the values, and how tables are printed."""

import argparse
import sys
from collections.abc import Iterable, Sequence

from hdp import compare
from hdp.compare import Population


def add_users(parser: argparse.ArgumentParser) -> None:
    """The file, and what is known of its values from elsewhere."""
    parser.add_argument(
        "file",
        help="comma-separated, with columns user (a name), epsilon (budget, from 0 to inf), trust (curator or local),"
        " records (how many she has, or 1), value (the share of ones among them; checked and not used, so 0 will do);"
        " none has a default, for a misspelt trust must not make users trust the curator",
    )
    known = parser.add_mutually_exclusive_group()
    known.add_argument("--variance", type=float, help="public upper bound of each value's variance (default: 0.25)")
    known.add_argument(
        "--prior",
        type=float,
        nargs=2,
        metavar=("MEAN", "SPREAD"),
        help="public mean and standard deviation of the users' own means",
    )


def read(options: argparse.Namespace) -> Population:
    """The users of the file; their values are checked, and dropped."""
    say(f"reading {options.file} ...")
    return compare.read_csv(options.file)[0]


def prior(options: argparse.Namespace) -> tuple[float, float] | None:
    """The prior as a pair, or None."""
    return options.prior and tuple(options.prior)


def say(text: str) -> None:
    """Tell how far a command has come, beside its output."""
    print(text, file=sys.stderr, flush=True)


def table(lines: Iterable[Sequence[str]]) -> str:
    """Lines of cells, in columns as wide as they must be."""
    lines = list(lines)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)
