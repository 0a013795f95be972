"""Files that a command writes: checked before anything is charged, whole or not at all, and in nobody's place."""

import os
import re
import tempfile
from contextlib import contextmanager
from pathlib import Path


def add_force(parser):
    """Whether a file that exists may be replaced."""
    parser.add_argument("--force", action="store_true", help="replace files that exist; never one that is read")


@contextmanager
def opened(option, path, force=False, apart=(), private=False, binary=False):
    """A file that gets its name when all of it is written; nothing else has that name, unless that is forced.

    `option` is what messages call it, `apart` the files that the command reads or counts in, which it never replaces.
    A `private` one is readable by its owner alone, a `binary` one has bytes in place of text.
    Without a path there is nothing to write, and no file.
    """
    if path is None:
        yield None
        return
    target = Path(path)
    _refuse(option, target, force, apart)
    descriptor, scratch = tempfile.mkstemp(prefix=f".{target.name}", suffix=".new", dir=target.parent)  # mode 0600
    try:
        text = {} if binary else {"newline": "", "encoding": "utf-8"}
        with open(descriptor, "wb" if binary else "w", **text) as file:
            yield file
        if not private:
            os.chmod(scratch, 0o666 & ~_mask())
        _refuse(option, target, force, apart)  # once more: what was not there before may be by now, a ledger even
        os.replace(scratch, target)
    except BaseException:
        os.unlink(scratch)
        raise


def _refuse(option, target, force, apart):
    if not target.name or not target.parent.is_dir():
        raise ValueError(f"{option} must be a file in a folder that exists, got {str(target)!r}")
    for other in apart:
        if other is not None and os.path.realpath(other) == os.path.realpath(target):
            raise ValueError(f"{option} must be another file than {str(other)!r}, which this command reads or writes")
    if not os.path.lexists(target):
        return
    if target.is_symlink() or not target.is_file():
        raise ValueError(f"{option} must be an ordinary file, got {str(target)!r}")
    if any(target.samefile(other) for other in apart if other is not None and os.path.exists(other)):
        raise ValueError(f"{option} must be another file than those which this command reads, got {str(target)!r}")
    if _is_ledger(target):
        raise ValueError(f"{option} must not replace a ledger, got {str(target)!r}: --force does not do so either")
    if not force:
        raise ValueError(f"{option} must be a new file, got {str(target)!r}, which exists: --force replaces it")


def _is_ledger(path):
    return re.search(rb'"schema"\s*:\s*"hdp-[a-z-]*ledger/', path.read_bytes()) is not None


def _mask():
    mask = os.umask(0)
    os.umask(mask)
    return mask
