"""Files that a command writes: checked before anything is charged, whole or not at all, and in nobody's place."""

import glob
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from hdp.release.ledgers import is_ledger


@contextmanager
def opened(asked: Sequence[tuple[str, Any, bool]], force: bool, apart: Sequence[Any]) -> Iterator[list[Any]]:
    """Files that get their names when all are written; nothing else has these names, unless that is forced.

    Each has an option, which messages name, a path, or None where nothing is written, and whether it is private: then
    its owner alone may read it.  No other one of them is replaced, nor what the command reads or counts in, `apart`.
    """
    others, made = [path for path in apart if path is not None], []
    files: list[Any] = []
    with ExitStack() as stack:
        for option, path, private in asked:
            if path is None:
                files.append(None)
                continue
            target, refuse = Path(path), partial(_refuse, option, Path(path), force, [*others])
            refuse()
            scratch = target.with_name(f".{target.name}{secrets.token_hex(8)}.new")  # which nobody could know
            stack.callback(scratch.unlink, missing_ok=True)
            create = partial(os.open, mode=0o600 if private else 0o666)
            _sweep(target)
            files.append(stack.enter_context(open(scratch, "x", newline="", encoding="utf-8", opener=create)))
            with suppress(OSError, AttributeError):  # where no file can be locked, none is swept
                os.lockf(files[-1].fileno(), os.F_LOCK, 0)
            made.append((files[-1], refuse, scratch, target))
            others.append(path)
        yield files
        for file, refuse, scratch, target in made:
            file.flush()
            refuse()  # once more: what was not there before may be by now, a ledger even
            if os.name == "nt":  # where no file is renamed that is open; elsewhere the lock is held until then
                file.close()
            os.replace(scratch, target)


def _sweep(target):
    """Remove what a command that was killed has left beside the target: nobody holds its lock any more."""
    for left in target.parent.glob(f".{glob.escape(target.name)}{'[0-9a-f]' * 16}.new"):
        with suppress(OSError, AttributeError), left.open("r+b") as file:
            os.lockf(file.fileno(), os.F_TLOCK, 0)
            left.unlink()


def _refuse(option, target, force, apart):
    if not target.name or not target.parent.is_dir():
        raise ValueError(f"{option} must be a file in a folder that exists, got {str(target)!r}")
    if target.suffix == ".lock":
        raise ValueError(f"{option} must not be named as the lock of a ledger, got {str(target)!r}")
    for other in apart:  # by what paths lead to, and by what files are where one has several names
        there = os.path.exists(other) and target.exists() and target.samefile(other)
        if there or os.path.realpath(other) == os.path.realpath(target):
            raise ValueError(f"{option} must be another file than {str(other)!r}, which this command reads or writes")
    if not os.path.lexists(target):
        return
    if target.is_symlink() or not target.is_file():
        raise ValueError(f"{option} must be an ordinary file, got {str(target)!r}")
    if is_ledger(target):
        raise ValueError(f"{option} must not replace a ledger, got {str(target)!r}: --force does not do so either")
    if not force:
        raise ValueError(f"{option} must be a new file, got {str(target)!r}, which exists: --force replaces it")
