"""How the command was called, so that messages repeat what the reader typed."""

import argparse
import re
import sys
from decimal import Decimal
from pathlib import PurePath

SCRIPT, MODULE = "unequal-privacy", "python -m hdp"
# Arguments of the library that are options of the same name.
_OPTIONS = (
    "variance", "prior", "spend", "share", "outside", "beta", "lowest", "highest", "epsilon", "records", "ledger",
)  # fmt: skip

_WAYS = (("with new_ledger", "by `release --new-ledger`"), ("a plan with the argument ledger", "`plan --ledger`"))


def called() -> str:
    """The words before a command: those of the script that is installed, or else of the module."""
    return SCRIPT if PurePath(sys.argv[0]).stem == SCRIPT else MODULE


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
    if argument in ("path", "population"):
        argument = "data" if hasattr(options, "data") else "file"
    elif argument == "ledger" and getattr(options, "new_ledger", None) is not None:
        argument = "--new-ledger"
    elif argument in _OPTIONS and argument in vars(options) and options.run.__name__ != "_published":
        argument = f"--{argument}"
    return counted(argument + space + rest)


def counted(words: str) -> str:
    """A message that names a row, with how rows are counted."""
    return f"{words} (row 1 is the first below the header)" if re.search(r", rows? [1-9]", words) else words
