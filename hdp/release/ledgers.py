"""The files that count what was spent: one path a ledger, one writer at a time, all of an entry or nothing.

None is made but by `create`, for a mistyped name must not be a new count; and its owner alone may read it (mode 0600).
"""

import json
import os
import tempfile
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

from hdp import _validate

_NEW = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0)


def file_of(ledger):
    """The path of a ledger, in a folder that exists; of a link to one, where it leads: one ledger has one path."""
    if not isinstance(ledger, str | PathLike):
        raise TypeError(f"ledger must be a str or a pathlib.Path, got {_validate.show(ledger)}")
    try:
        path = Path(ledger).resolve()
        fits = Path(ledger).name and path.parent.is_dir() and (path.is_file() or not os.path.lexists(path))
        names = path.stat().st_nlink if fits and path.is_file() else 1
    except (OSError, RuntimeError, ValueError):  # a loop of links, a name too long, a zero in it
        fits = False
    if not fits:
        raise ValueError(f"ledger must be a file in a folder that exists, got {str(ledger)!r}")
    if names > 1:  # a new file takes one of them, and the others keep the old count
        raise ValueError(f"ledger must have one name, got {str(ledger)!r}, which has {names} (hard links)")
    return path


@contextmanager
def locked(path):
    """Nobody else writes the ledger meanwhile."""
    lock = lock_of(path)
    try:
        descriptor = os.open(lock, _NEW, 0o600)
    except FileExistsError:
        raise ValueError(f"ledger must not be in use, got {lock}: remove it if no release is running") from None
    own = os.fstat(descriptor)
    os.close(descriptor)
    try:
        yield
    finally:  # what somebody has removed meanwhile may be another one's by now, and stays
        if lock.exists() and os.path.samestat(own, lock.lstat()):
            lock.unlink()


def lock_of(path):
    """The file that stands beside a ledger while somebody writes it."""
    return path.with_name(path.name + ".lock")


def create(path, entries):
    """Make a ledger where there is none."""
    try:
        descriptor = os.open(path, _NEW, 0o600)
    except FileExistsError:
        raise ValueError(f"ledger must be a new file, got {str(path)!r}, which exists: count in that one") from None
    _put(descriptor, entries)
    _sync_folder(path)


def read(path, schema, fields, made_by):
    """The entries of a ledger, or ValueError: it has this schema, these fields and no others."""
    if not path.exists():
        raise ValueError(f"ledger must exist, got {str(path)!r}: check the name, or make one with {made_by}")
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or set(found) != {"schema", *fields} or found["schema"] != schema:
        raise no_ledger(path, schema)
    return found


def schema_of(path):
    """The schema that a file says it has, or None."""
    try:
        return json.loads(path.read_text(encoding="utf-8")).get("schema")
    except (OSError, ValueError, RecursionError, AttributeError):
        return None


def no_ledger(path, schema):
    """What is said of a file that is none, or was edited."""
    return ValueError(f"ledger must be a file of the schema {schema} as hdp.release wrote it, got {str(path)!r}")


def write(path, entries):
    """All of it or nothing, and on the disk before anything is released.

    What is written first has a name that nobody could know, so that it is no link to a file of somebody's.
    """
    descriptor, new = tempfile.mkstemp(prefix=path.name, suffix=".new", dir=path.parent)
    try:
        _put(descriptor, entries)
        os.replace(new, path)
    except BaseException:
        os.unlink(new)
        raise
    _sync_folder(path)


def _put(descriptor, entries):
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(json.dumps(entries, sort_keys=True, separators=(",", ":"), allow_nan=False))
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(path):
    if hasattr(os, "O_DIRECTORY"):  # where a folder can be opened, its new entry is only safe once it is written, too
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
