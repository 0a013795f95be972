"""Cells of a table of users: what is kept of them, and what is refused, by column and row.

No cell is quoted, for where cells are misplaced it may be anybody's value.
"""

from typing import Any

import numpy as np

from hdp import _validate
from hdp.users.names import keys
from hdp.users.numerals import number, pointed, vanishes, why
from hdp.users.people import BUDGET, LEAST, TRUST
from hdp.users.reading import Reading, fold

_RANGES = {"epsilon": (0, np.inf), "records": (1, _validate.EXACT)}
_ENDS = {"epsilon": BUDGET, "records": "must be a whole number in [1, 2^53)"}


def checked(first: int, cells: dict[str, Any], reading: Reading, decimal: str) -> dict[str, Any]:
    """What is kept of a block: hashes of names, budgets, who trusts nobody, records, and columns of values.

    Where a cell is refused, the first such row is named.
    """
    try:
        return _arrays(first, cells, reading, decimal)
    except ValueError:
        for i in range(len(cells["epsilon"])):
            _arrays(first + i, {name: column[i : i + 1] for name, column in cells.items()}, reading, decimal)
        raise


def _arrays(first, cells, reading, decimal):
    epsilon = _budgets(first, cells["epsilon"], reading, decimal)
    count, trust = epsilon.size, cells["trust"]
    if reading.user is None:
        hashes = np.arange(first, first + count)
    else:
        found = keys(first, cells["user"], reading.user, np.isinf(epsilon))
        hashes = np.fromiter(map(hash, found), np.int64, count)
    if not set(trust) <= set(TRUST):
        trust = [_trust(row, text, reading) for row, text in enumerate(trust, start=first)]
    local = np.fromiter(map(TRUST[1].__eq__, trust), np.int8, count)
    records = _numbers(first, "records", cells["records"], reading, decimal)
    _refuse_unless(records == np.floor(records), first, reading.records, _ENDS["records"])
    kept = {"user": hashes, "epsilon": epsilon, "trust": local, "records": records}
    unread = (local == 1) & np.isfinite(epsilon) | (epsilon == 0)
    return kept | {(v,): _values(first, v, cells[(v,)], unread, reading, decimal) for v in reading.value}


def _budgets(first, texts, reading, decimal):
    if reading.budgets is None:
        return _numbers(first, "epsilon", texts, reading, decimal)
    meant = {fold(word): budget for word, budget in reading.budgets.items()}
    texts = texts.tolist() if isinstance(texts, np.ndarray) else texts
    known = {text: meant.get(_word(text), np.nan) for text in set(texts)}
    found = np.array([known[text] for text in texts])
    if np.isnan(found).any():
        allowed, row = f"must be one of the words {', '.join(reading.budgets)}", int(np.argmax(np.isnan(found)))
        got = ", got another word" if _word(texts[row]) else ", got an empty cell"
        _refuse_unless(~np.isnan(found), first, reading.epsilon, f"{allowed} of {reading.option('budgets')}{got}")
    return found


def _word(text):
    """A cell as the word for a budget; numbers of a table of Arrow as they are written without decimals."""
    return fold((f"{text:.15g}" if text == text else "") if isinstance(text, float) else text or "")


def _values(first, name, texts, unread, reading, decimal):
    """Values, which may be any numbers, NaN for empty cells and for those that are not read."""
    if isinstance(texts, np.ndarray):
        found = np.where(unread, np.nan, texts)
        fine = np.isnan(texts) | np.isfinite(texts) | unread
    else:
        read = ~unread & np.fromiter((bool(text and text.strip()) for text in texts), bool, len(texts))
        found = np.full(len(texts), np.nan)
        told = [texts[i] for i in np.flatnonzero(read)]
        found[read] = _floats(pointed(told, decimal, reading.decimal) if decimal else list(map(_whole, told)))
        fine = np.isfinite(found) | ~read
    if not fine.all():
        i = int(np.argmin(fine))
        reason = "" if isinstance(texts, np.ndarray) else why(texts[i], reading.option)
        if not decimal and isinstance(texts[i], str) and _whole(texts[i]) == "_":
            comma, point = reading.option("decimal", ","), reading.option("decimal", ".")
            reason = f": {comma} or {point} says which sign is before decimals"
        _refuse_unless(fine, first, name, f"must be a finite number, or empty where no plan uses it{reason}")
    return found


def _whole(text):
    """A cell where nothing says how decimals are written; none of the numbers where it has some."""
    return "_" if "." in text or "," in text else text


def _trust(row, text, reading):
    if (found := (text or "").strip().lower() if isinstance(text, str) else "") not in TRUST:
        got = "another word" if found else "an empty cell"
        raise ValueError(f"column {reading.trust}, row {row}: must be one of {', '.join(TRUST)}, got {got}")
    return found


def _numbers(first, role, texts, reading, decimal):
    """The cells of a column as floats."""
    if isinstance(texts, np.ndarray):
        found, written = texts, None
    else:
        written = texts
        if decimal not in ("", ".") or reading.decimal:
            texts = pointed(texts, decimal, reading.decimal)
        found = _floats(texts)
    low, high = _RANGES[role]
    inside = (found >= low) & (found <= high)  # a NaN compares false
    inside &= (found == 0) | (found >= LEAST) | (role != "epsilon")
    if not inside.all():
        i = int(np.argmin(inside))
        text = written[i] or "" if written is not None else ("" if np.isnan(found[i]) else None)
        _refuse_unless(inside, first, getattr(reading, role), _ENDS[role] + _reason(role, text, reading))
    return found


def _floats(texts):
    try:
        found = np.fromiter(map(float, texts), float, len(texts))
        zeros = {texts[i] for i in np.flatnonzero(found == 0)}
        plain = np.isfinite(found).all() and "_" not in "".join(texts) and not any(map(vanishes, zeros))
    except (TypeError, ValueError):
        plain = False
    if not plain:
        known = {text: number(text) for text in set(texts)}
        found = np.array([known[text] for text in texts])
    return found


def _reason(role, text, reading):
    """What was found in words, and which option settles it; of a number out of range nothing is added."""
    if text is None:
        return ""
    if not text.strip():
        return ", got an empty cell"
    words = f": {reading.option('budgets')} says what such cells mean" if role == "epsilon" else ""
    if reading.decimal == "," and "." in text:
        return f": with {reading.option('decimal', ',')} a point is no decimal sign{words.replace(':', ';')}"
    if found := why(text, reading.option):
        return found
    return "" if not np.isnan(number(text)) or any(map(str.isdigit, text)) else f", got a word{words}"


def _refuse_unless(holds, first, column, allowed):
    if not holds.all():
        raise ValueError(f"column {column}, row {first + int(np.argmin(holds))}: {allowed}")
