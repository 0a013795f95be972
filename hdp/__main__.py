"""The command line: `python -m hdp rank users.csv`, and `python -m hdp plan users.csv --interval 0 1`.

Where the package is installed, `unequal-privacy` stands for `python -m hdp`.

Users are read as `hdp.read_users` does, and `rank` and `plan` read only what is public of them: names, budgets,
trust, numbers of records.  `bounds` may come before a plan, `release`, `published` and `report` after it.  It exits
with 0, with 2 where the call, a file or a number is not what it must be, with 1 where nobody reads what is printed, and
with 3 where a release was counted and kept, and could not be printed.
"""

import argparse
import io
import os
import signal
import sys
from typing import Any

from hdp._cli import commands
from hdp._cli.options import SCRIPT, called, parser, plain, spoken


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return the exit code."""
    made: Any = parser(_Parser)
    made.asked = sys.argv[1:] if arguments is None else arguments
    options = made.parse_args([*map(plain, made.asked)])
    try:
        getattr(commands, options.command)(options)
        if sys.stdout:  # which a caller may have closed
            sys.stdout.flush()
    except BrokenPipeError:  # who reads, such as `head`, wants no more; nor will the flush at the end say so again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (ImportError, OSError, ValueError) as wrong:
        name = SCRIPT if called() == SCRIPT else "hdp"
        print(f"{name}: {spoken(wrong, options)}", file=sys.stderr)
        if sys.stdout and not sys.stdout.closed:
            try:
                sys.stdout.flush()
            except OSError:  # a full disk: Python's flush at the end would fail once more, and exit with 120
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    return 0


class _Parser(argparse.ArgumentParser):
    """Its messages quote nothing of a call in which a person's value may stand."""

    asked: tuple[str, ...] | list[str] = ()

    def error(self, message):
        if self.prog.endswith(" report") or self.asked[:1] == ["report"]:
            self.exit(2, f"{self.prog}: the call is none that --help names\n")
        if message.startswith("unrecognized arguments: ") and "--budgets" in self.asked and " --" not in message:
            message += "; what follows --budgets is one word without spaces, or stands in quotes"
        if message.startswith("one of the arguments --ledger --new-ledger"):
            message += ": --new-ledger LEDGER makes one, for the first release about these users"
        self.exit(2, f"{self.prog}: error: {message} (--help tells what there is)\n")


def script() -> int:
    """The command `unequal-privacy`, and `python -m hdp`."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # infinity and powers of ten, wherever it is printed
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # locks and half of a file are removed
    return main()


if __name__ == "__main__":
    sys.exit(script())
