"""Ledgers: what all releases about the same users, or all reports of one of them, have spent, and what they said.

Losses add up: whoever sees two releases, of which the second may have been chosen after the first, has learnt at the
most what both may tell (basic composition).  So the sums of all that was spent must stay within the budgets.  An entry
is made before the noise is drawn, and the answer is put beside it before anybody sees it: it can be printed again,
which costs nothing, and nothing is drawn twice.

A plan knows how many users have each budget; that these are the same persons as before, it does not.  So from its first
release on a ledger keeps a salted digest of who has what, which names nobody.

One path is a ledger, with one writer at a time, and all of an entry or nothing; its owner alone may read it.
"""

import glob
import json
import os
import secrets
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from fractions import Fraction
from hashlib import blake2b, sha256
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np

from hdp import _validate
from hdp._types import Floats
from hdp.release.answers import Bounds, Release, kept
from hdp.release.arithmetic import less
from hdp.release.columns import once, read_column, words
from hdp.release.kinds import WHO
from hdp.release.plans import NOISES, Planned
from hdp.users import Users
from hdp.users.names import keys

SCHEMA = "hdp-ledger/4"
_FIELDS = {"schema", "whose", "noise", "persons", "entries"}
_CLOSE = 1e-9  # relatively: sums of floats this near to a budget are done again with fractions
_ROWS = 2**14  # users at a time
_NEW = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0)

Answer = Release | Bounds | str


@dataclass(frozen=True, init=False)
class Ledger:
    """A ledger that is there; `Ledger.new` and `Ledger.own` make one, for a mistyped name must not be a new count.

    A curator's ledger belongs to one list of users; a change of the list wants a new one, and a decision of whoever
    keeps it, since it does not know who is still there.  A second one for the same users would let their budgets be
    spent again.

    Parameters
    ----------
    path : str or pathlib.Path
        The file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from hdp.release import Ledger, plan
    >>> half = plan([0.5, 1.0] * 100, bits=10, spend=0.5)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ledger = Ledger.new(pathlib.Path(folder, "ledger.json"), half)
    ...     for _ in range(2):
    ...         ledger.charge(half)
    ...     left = ledger.left(half)
    >>> left.round(3).tolist()
    [0.002, 0.002]
    """

    path: Path

    def __init__(self, path: str | PathLike[str]) -> None:
        object.__setattr__(self, "path", _file_of(path))
        self._read()

    @classmethod
    def new(cls, path: str | PathLike[str], plan: Planned) -> Self:
        """Make the ledger of the users of a ``plan``, which has counted nothing, in a new file ``path``."""
        kinds = _validate.instance("plan", plan, Planned).kinds
        return cls._made(path, {name: words(getattr(kinds, name).tolist()) for name in WHO}, plan.noise)

    @classmethod
    def own(cls, path: str | PathLike[str], epsilon: float, noise: str = "laplace") -> Self:
        """Make a local user's own ledger in a new file ``path``: ``epsilon`` is her budget for all of her reports.

        It is rho, if the ``noise`` of the plans is Gaussian.
        """
        budget = _validate.scalar("epsilon", epsilon, 0, open_high=True)
        return cls._made(path, {"epsilon": [budget]}, _validate.choice("noise", noise, NOISES))

    @classmethod
    def of(cls, ledger: "Ledger | str | PathLike[str]") -> "Ledger":
        """The ``ledger``, or the one in this file."""
        return ledger if isinstance(ledger, Ledger) else cls(ledger)

    @classmethod
    def _made(cls, path, whose, noise):
        made = cls.__new__(cls)
        object.__setattr__(made, "path", path := _file_of(path))
        with made.locked():
            try:
                descriptor = os.open(path, _NEW, 0o600)
            except FileExistsError:
                got = f"got {str(path)!r}, which exists: count in that one"
                raise ValueError(f"ledger must be a new file, {got}") from None
            try:
                _put(descriptor, {"schema": SCHEMA, "whose": whose, "noise": noise, "persons": None, "entries": []})
                _sync_folder(path)
            except BaseException:
                path.unlink()
                raise
        return made

    @property
    def lock(self) -> Path:
        """The file that stands beside it while somebody writes it."""
        return self.path.with_name(self.path.name + ".lock")

    @property
    def budget(self) -> float:
        """The budget of the local user whose own ledger it is."""
        whose = self._read()[0]["whose"]
        if set(whose) != {"epsilon"}:
            raise ValueError(f"ledger must be her own, got another one: {str(self.path)!r}")
        return float(whose["epsilon"][0])

    def left(self, plan: Planned, after: bool = False) -> Floats:
        """What each kind of the users of a ``plan`` has left, in nats or rho, never rounded up; inf for public users.

        Or what she would have left ``after`` a release by the plan.
        """
        return self.left_of(plan.kinds, plan.noise, [plan.spent] if after else [])

    def left_of(self, kinds: Any, noise: str, spent: Sequence[Floats] = ()) -> Floats:
        """The same before there is a plan, for ``kinds`` of users and a ``noise``, and after this is ``spent``."""
        return _left(kinds.epsilon, [*self._of(kinds, noise)[1], *spent])

    def published(self) -> list[Answer | None]:
        """All releases or reports that it keeps, in their order; to hand out one of them again costs nothing.

        None where one was counted and its answer is not kept: it was stopped, or the disk was full.
        """
        return self._read()[2]

    def charge(self, plan: Planned, users: Users | None = None) -> None:
        """Enter one release by a ``plan`` for its ``users``, or refuse to; ``release`` does so itself."""
        if users is not None:
            plan.kind_of(users)
        with self.charged([plan], users):
            pass

    def release(
        self,
        plan: Any,
        users: Users,
        before: Callable[[list[Floats]], object] | None = None,
    ) -> Any:
        """Make one release by a ``plan`` for its ``users``, or one by each of several, and keep it.

        All that can be refused is checked first, then all are entered, then noise is drawn: either every plan is within
        what everybody has left together with the others, or nobody is charged.  From the first release on the ledger is
        for these users only, each with her budget, trust and records, known by their names or, without, by their order.
        ``before``, which writes receipts, is called in between, with what each kind of user will have left, for each
        plan.  An answer that a full disk cannot keep is returned all the same.
        """
        from hdp.release.measuring import drawn, ready

        plans = list(plan) if isinstance(plan, Sequence) else [plan]
        asked = [ready(one, users) for one in plans]
        with self.charged(plans, users, before) as keep:
            made = [drawn(one) for one in asked]
            keep(made)
        return made if isinstance(plan, Sequence) else made[0]

    def report(self, plan: Any, value: float, records: int = 1) -> str:
        """Make the report of the local user whose own ledger it is, by a ``plan``, and keep it: see `report`.

        What it costs is entered before it is drawn; a second report of the same ``value``, the mean of so many
        ``records``, costs the same again.
        """
        from hdp.release.reports import prepared

        row, draw = prepared(plan, self.budget, value, records)
        with self.charged([plan], hers=row) as keep:
            told = draw()
            keep([told])
        return told

    @contextmanager
    def charged(
        self, plans: Sequence[Planned], users: Users | None = None, before: Any = None, hers: int | None = None
    ) -> Iterator[Callable[[list[Answer]], None]]:
        """While releases by ``plans`` for ``users`` are made: an entry of each, or of none, and nobody else writes.

        It yields what keeps them; ``before`` is called as by ``release``.
        With the row of a local user in the plan, ``hers``, it is her report in her own ledger.
        """
        with self.locked():
            for plan in plans:
                found, earlier = self._of(plan.kinds, plan.noise, hers)
            spent = [plan.spent if hers is None else plan.spent[hers : hers + 1] for plan in plans]
            columns = [*earlier, *spent]
            if users is not None:
                found["persons"] = _remembered(found["persons"], users, str(self.path))
            allowed = np.asarray(read_column("epsilon", found["whose"]["epsilon"]))
            _refuse_more_than_allowed(columns, np.broadcast_to(allowed, columns[-1].shape), hers is not None)
            if before:
                before([_left(plan.kinds.epsilon, columns) for plan in plans])
            entries = zip(plans, spent, strict=True)
            found["entries"] += [{"plan": p.digest, "spent": words(s.tolist()), "answer": None} for p, s in entries]
            self._write(found)

            def keep(made):
                for entry, one in zip(found["entries"][-len(made) :], made, strict=True):
                    entry["answer"] = one if isinstance(one, str) else asdict(one)
                with suppress(OSError):  # it is drawn and paid for: who called has it, if not the ledger
                    self._write(found)

            yield keep

    def _of(self, kinds, noise, hers=None):
        """The entries, if it counts for the users of a plan, or for her who reports, and what each has spent."""
        found, columns, _ = self._read()
        whose, path = found["whose"], str(self.path)
        own = whose == {"epsilon": None if hers is None else [float(kinds.epsilon[hers])]}
        if own != (hers is not None) or (hers is None and set(whose) == {"epsilon"}):
            one = "the users of the plan" if hers is None else f"her own budget, {float(kinds.epsilon[hers])!r}"
            raise ValueError(f"ledger must be for {one}, got another one: {path!r}")
        if found["noise"] != noise:
            raise ValueError(f"ledger must be for {noise} noise, as the plan, got {found['noise']}: {path!r}")
        for name in () if own else WHO:
            wanted, there = np.asarray(getattr(kinds, name)), np.asarray(read_column(name, whose[name]))
            if there.shape not in ((), wanted.shape) or (there != wanted).any():
                other = "numbers of users of each kind" if name == "users" else f"column {name}"
                raise ValueError(f"ledger must be for the users of the plan, got others: compare the {other}: {path!r}")
        budgets = kinds.epsilon[hers : hers + 1] if own else kinds.epsilon
        if not all(column.shape in ((), budgets.shape) for column in columns):
            raise self._none()
        columns = [np.broadcast_to(column, budgets.shape) for column in columns]
        if any(np.isinf(column[np.isfinite(budgets)]).any() for column in columns):
            raise self._none()
        return found, columns

    def _read(self):
        """What it holds, what each entry has spent, and what each has said; or ValueError."""
        if not self.path.exists():
            made = "check the name, or make one with Ledger.new"
            raise ValueError(f"ledger must exist, got {str(self.path)!r}: {made}")
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"), object_pairs_hook=once)
            if set(found) != _FIELDS or found["schema"] != SCHEMA or found["noise"] not in NOISES:
                raise ValueError("other fields")
            if type(found["entries"]) is not list:
                raise ValueError("entries must be a list")
            entries = [(entry["plan"], entry["spent"], entry["answer"]) for entry in found["entries"]]
            columns = [np.asarray(read_column("spent", spent)) for _, spent, _ in entries]
            said = [one if one is None or isinstance(one, str) else kept(one) for _, _, one in entries]
            told = {"by": "", "salt": "", "digest": ""} if found["persons"] is None else found["persons"]
            texts = [name for name, _, _ in entries] + [*told.values()]
            fits = all(column.size and (column >= 0).all() for column in columns)  # a NaN compares false
            if not fits or set(told) != {"by", "salt", "digest"} or not all(type(text) is str for text in texts):
                raise ValueError("entries must be numbers and names")
            if set(found["whose"]) not in ({"epsilon"}, set(WHO)):
                raise ValueError("whose it is must be said")
            for name, column in found["whose"].items():
                read_column(name, column)
            if any(
                isinstance(one, Release | Bounds) and one.plan != name
                for one, (name, _, _) in zip(said, entries, strict=True)
            ):
                raise ValueError("answers must be those of the plans")
        except (ValueError, TypeError, AttributeError, ArithmeticError, LookupError, RecursionError):
            raise self._none() from None
        return found, columns, said

    def _none(self):
        """What is said of a file that is none, or was edited."""
        return ValueError(
            f"ledger must be a file of the schema {SCHEMA} as hdp.release wrote it, got {str(self.path)!r}"
        )

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Nobody else makes or writes it meanwhile, or ValueError."""
        _file_of(self.path)  # it may have got a second name
        try:
            descriptor = os.open(self.lock, _NEW, 0o600)
        except FileExistsError:
            raise ValueError(
                f"ledger must not be in use, got {self.lock}: remove it if no release is running"
            ) from None
        own = os.fstat(descriptor)
        os.close(descriptor)
        try:
            yield
        finally:  # what somebody has removed meanwhile may be another one's by now, and stays
            if self.lock.exists() and os.path.samestat(own, self.lock.lstat()):
                self.lock.unlink()

    def _write(self, entries):
        """All of it or nothing, and on the disk before anything is released.

        What is written first has a name that nobody could know, so that it is no link to a file of somebody's.
        Those of processes that were killed go: none else can be there, since this one has the lock.
        """
        for left in self.path.parent.glob(f"{glob.escape(self.path.name)}????????.new"):
            left.unlink()
        descriptor, new = tempfile.mkstemp(prefix=self.path.name, suffix=".new", dir=self.path.parent)
        try:
            _put(descriptor, entries)
            os.replace(new, self.path)
        except BaseException:
            os.unlink(new)
            raise
        _sync_folder(self.path)


def is_ledger(path: Path) -> bool:
    """Whether a file is one, which no output replaces."""
    return b'"schema":"hdp-ledger/' in path.read_bytes()


def _left(allowed, columns):
    """What is left of this, never rounded up."""
    rest = allowed
    for column in columns:
        rest = np.maximum(less(rest, column), 0.0)
    return np.where(np.isinf(allowed), np.inf, rest)


def _refuse_more_than_allowed(columns, allowed, own):
    """Floats decide where they are far from the budget, fractions where they are near."""
    total = np.sum(columns, axis=0)
    over = total > allowed * (1 + _CLOSE)
    for row in np.flatnonzero((total > allowed * (1 - _CLOSE)) & np.isfinite(total) & ~over):
        over[row] = sum(Fraction(float(column[row])) for column in columns) > Fraction(float(allowed[row]))
    if over.any():
        row = int(np.flatnonzero(over)[0])
        budget, spent = f"{float(allowed[row])!r}", f"would have spent {float(total[row]):.12g}"
        found = f"users who allow {budget} {spent}; a plan with the argument ledger uses what is left"
        if own:
            found = f"whose budget is {budget} {spent}; what was reported can be read again at no cost"
        raise ValueError(f"ledger must leave budgets for release {len(columns)}: {found}")


def _remembered(kept, users, path):
    """What a ledger keeps of its users from the first release on; ValueError unless these are the users."""
    by = "rows" if users.names is None else "names"
    if kept is None:
        salt = secrets.token_hex(16)
        return {"by": by, "salt": salt, "digest": _digest(users, salt)}
    if kept["by"] != by:
        raise ValueError(f"ledger must be for users known by their {kept['by']}, as at its first release: {path!r}")
    if _digest(users, kept["salt"]) != kept["digest"]:
        known = "rows, which have no names," if users.names is None else "names"
        raise ValueError(
            f"ledger must be for the same users, each with the budget, trust and records that it has counted: {path!r};"
            f" as many have each budget as before, so {known} have changed, or budgets have changed places"
        )
    return kept


def _digest(users, salt):
    """SHA-256 of what each user has: by names, in whatever order they stand and however they are written."""
    row, told = np.dtype("<f8,u1,<f8"), None if users.names is None else iter(users.names)
    found = np.empty(users.size, dtype=row if told is None else "S16")
    for first in range(0, users.size, _ROWS):
        part = slice(first, first + _ROWS)
        each = np.empty(found[part].size, dtype=row)
        for field, column in zip(row.names, (users.epsilon, users.local, users.records), strict=True):
            each[field] = column[part]
        found[part] = each if told is None else _hashed(each, [name or "" for name in islice(told, _ROWS)])
    if told is not None:
        found.sort()
    digest = sha256(f"hdp-persons/1 {salt}".encode())
    digest.update(found.view(np.uint8))
    return digest.hexdigest()


def _hashed(users, names):
    """A hash of each user and her name, which where it is written otherwise is the same; of none, the empty one."""
    known = (key if isinstance(key, str) else "" for key in keys(1, names, nameless=[True] * len(names)))
    text, size = users.tobytes(), users.itemsize
    rows = (text[start : start + size] for start in range(0, len(text), size))
    return [blake2b(row + name.encode(), digest_size=16).digest() for row, name in zip(rows, known, strict=True)]


def _file_of(ledger):
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
