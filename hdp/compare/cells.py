"""Cells of a table of users: what is kept of them, and what is refused, by column and row.

No cell is quoted, for where cells are misplaced it may be anybody's value.
"""

from decimal import Decimal
from typing import Any

import numpy as np

from hdp import _validate
from hdp.compare.layout import Layout, fold
from hdp.compare.names import keys
from hdp.compare.numerals import number, pointed, vanishes, why
from hdp.compare.population import BUDGET, LEAST, TRUST

_RANGES = {"epsilon": (0, np.inf), "records": (1, _validate.EXACT), "value": (0, 1)}
_ENDS = {"epsilon": BUDGET, "records": "must lie in [1, 2^53)", "value": "must lie in [0, 1]"}
_PRINTED = 5e-7  # by how much a share printed to six decimal places may be off


def checked(first: int, columns: Any, layout: Layout, decimal: str = ".") -> Any:
    """What is kept of a block: hashes of names, budgets, who trusts nobody, records, and values, where they are read.

    Where a cell is refused, the first such row is named.
    """
    try:
        return _arrays(first, columns, layout, decimal)
    except ValueError:
        for i in range(len(columns[0])):
            _arrays(first + i, [column[i : i + 1] for column in columns], layout, decimal)
        raise


def _arrays(first, columns, layout, decimal):
    names, epsilon, trust, records, *values = columns
    kept = [_budgets(first, epsilon, layout, decimal)]
    if layout.user is None:
        hashes = np.arange(first, first + len(names))
    else:
        found = keys(first, names, layout.user, np.isinf(kept[0]))
        hashes = np.fromiter(map(hash, found), np.int64, len(names))
    if not set(trust) <= set(TRUST):
        trust = [_trust(row, text, layout) for row, text in enumerate(trust, start=first)]
    local = np.fromiter(map(TRUST[1].__eq__, trust), np.int8, len(trust))
    k = _numbers(first, "records", records, layout, decimal)
    _refuse_unless(k == np.floor(k), first, layout.records, "must be a whole number in [1, 2^53)")
    kept += [local, k]
    if layout.value is not None and layout.interval is None:
        kept.append(_shares(first, values[0], k, layout, decimal))
    elif layout.value is not None:
        unread = (local == 1) & np.isfinite(kept[0]) | (kept[0] == 0)
        kept.append(_values(first, values[0], unread, layout, decimal))
    return hashes, *kept


def _budgets(first, texts, layout, decimal):
    if layout.budgets is None:
        return _numbers(first, "epsilon", texts, layout, decimal)
    meant = {fold(word): budget for word, budget in layout.budgets.items()}
    known = {text: meant.get(_word(text), np.nan) for text in set(_listed(texts))}
    found = np.array([known[text] for text in _listed(texts)])
    if np.isnan(found).any():
        allowed, row = f"must be one of the words {', '.join(layout.budgets)}", int(np.argmax(np.isnan(found)))
        empty = ", got an empty cell" if not _word(_listed(texts)[row]) else _second(first + row, layout)
        _refuse_unless(~np.isnan(found), first, layout.epsilon, f"{allowed} of {layout.option('budgets')}{empty}")
    return found


def _word(text):
    """A cell as the word for a budget; numbers of a table of Arrow as they are written without decimals."""
    return fold(f"{text:.15g}" if isinstance(text, float) else text or "")


def _listed(texts):
    return texts.tolist() if isinstance(texts, np.ndarray) else texts


def _shares(first, texts, k, layout, decimal):
    """Values as shares of ones among k records."""
    v = _numbers(first, "value", texts, layout, decimal)
    off = np.abs(v * k - np.round(v * k))
    wrong = np.flatnonzero(off > _PRINTED * k)  # half a unit of its last digit may be missing
    written = pointed(texts, decimal, layout.decimal) if wrong.size and not isinstance(texts, np.ndarray) else texts
    for i in wrong:
        if off[i] > k[i] * 0.5000001 * 10.0 ** Decimal(str(written[i]).strip()).as_tuple().exponent:
            allowed = f"must be a share of ones among {k[i]:.0f} records"
            raise ValueError(f"column {layout.value}, row {first + i}: {allowed}")
    return v


def _values(first, texts, unread, layout, decimal):
    """Values that may be any numbers, NaN for empty cells and for those that are not read."""
    if isinstance(texts, np.ndarray):
        found = np.where(unread, np.nan, texts)
        fine = np.isnan(texts) | np.isfinite(texts) | unread
    else:
        read = ~unread & np.fromiter((bool(text and text.strip()) for text in texts), bool, len(texts))
        found = np.full(len(texts), np.nan)
        found[read] = _floats(pointed([texts[i] for i in np.flatnonzero(read)], decimal, layout.decimal))
        fine = np.isfinite(found) | ~read
    if not fine.all():
        i = int(np.argmin(fine))
        reason = "" if isinstance(texts, np.ndarray) else why(texts[i], layout.option)
        _refuse_unless(fine, first, layout.value, f"must be a finite number, or empty where no plan uses it{reason}")
    return found


def _trust(row, text, layout):
    if (found := (text or "").strip().lower() if isinstance(text, str) else "") not in TRUST:
        wanted = f"must be one of {', '.join(TRUST)}"
        raise ValueError(f"column {layout.trust}, row {row}: {wanted}{_second(row, layout)}")
    return found


def _numbers(first, role, texts, layout, decimal):
    """The cells of a column as floats."""
    if isinstance(texts, np.ndarray):
        found, written = texts, None
    else:
        written = texts
        if decimal != "." or layout.decimal:
            texts = pointed(texts, decimal, layout.decimal)
        found = _floats(texts)
    low, high = _RANGES[role]
    inside = (found >= low) & (found <= high)  # a NaN compares false
    inside &= (found == 0) | (found >= LEAST) | (role != "epsilon")
    if not inside.all():
        i = int(np.argmin(inside))
        reason = _reason(role, first + i, written[i], layout) if written is not None else ""
        _refuse_unless(inside, first, getattr(layout, role), _ENDS[role] + reason)
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


def _reason(role, row, text, layout):
    """Why a cell is none of the numbers, and which option settles it."""
    if not (text or "").strip():
        return ", got an empty cell" if role != "value" else ""  # what is missing of a value is its owner's, too
    found = why(text, layout.option)
    if layout.decimal == "," and "." in text:
        found = f": with {layout.option('decimal', ',')} a point is no decimal sign"
        found += f"; {layout.option('budgets')} can say what such cells mean" if role == "epsilon" else ""
    if found or not np.isnan(number(text)) or _numeric(text):
        return found
    words = f": {layout.option('budgets')} says what words mean" if role == "epsilon" else ""
    return words + _second(row, layout)


def _numeric(text):
    """Whether it has digits and no word."""
    return any(letter.isdigit() for letter in text)


def _second(row, layout):
    """What settles it where the first row is a second header."""
    skipped = layout.option("skip_rows", row)
    return f"; if that row is no user's, {skipped} leaves it out" if row == layout.skip_rows + 1 else ""


def _refuse_unless(holds, first, column, allowed):
    if not holds.all():
        raise ValueError(f"column {column}, row {first + int(np.argmin(holds))}: {allowed}")
