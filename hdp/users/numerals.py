"""Numbers as they are written in cells: infinity, decimal signs, thousands, and why a text is none."""

import math
import re
import unicodedata

INFINITY = frozenset(("inf", "+inf", "infinity", "+infinity", "∞", "+∞"))
_APART = " '\u00a0\u2009\u202f\u2019"  # between thousands, beside the other decimal sign
_GROUPED = {
    sign: re.compile(rf"[+-]?[1-9]\d{{0,2}}([{_APART}{other}])\d{{3}}(?:\1\d{{3}})*(?:[{sign}]\d*)?")
    for sign, other in (".,", ",.")
}
_SIGNS = {sign: re.compile(f"[{_APART}{other}]") for sign, other in (".,", ",.")}
_DECIMAL = re.compile(r"[+-]?\d*([.,])\d*(?:[eE][+-]?\d+)?")
_DOUBTFUL = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}")  # 1.234 may be 1234


def number(text):
    """The float that a cell holds, or NaN; 1e999 is not infinite, and 1e-400 is not 0."""
    try:
        if text.strip().lower() in INFINITY:
            return math.inf
        found = float(text)
    except (AttributeError, TypeError, ValueError):
        return math.nan
    if "_" in text or math.isinf(found):
        return math.nan
    return math.copysign(5e-324, found) if found == 0 and vanishes(text) else found


def vanishes(text):
    """Whether the text of a number that no float tells apart from 0 is another number."""
    return any(unicodedata.decimal(letter, 0) for letter in text.lower().partition("e")[0])


def pointed(texts, decimal, grouped):
    """The cells with decimal points; with ``grouped`` without the signs between thousands, too."""
    if not _SIGNS[decimal].search("".join(text or "" for text in texts)) and decimal == ".":
        return texts
    return [text and _pointed(text.strip(), decimal, grouped) for text in texts]


def _pointed(text, decimal, grouped):
    if grouped and (found := _GROUPED[decimal].fullmatch(text)):
        text = text.replace(found[1], "")
    if decimal == ".":
        return text
    return f"_{text}" if "." in text else text.replace(",", ".")  # the one is none then


def sign_of(text):
    """The decimal sign in a cell, and whether it may be one between thousands; None where there is not one of them."""
    text = (text or "").strip()
    found = _DECIMAL.fullmatch(text)
    return found and (found[1], bool(_DOUBTFUL.fullmatch(text)))


def why(text, option):
    """Why a text is no number, and what would settle it; nothing where it is one, or is another word."""
    text = (text or "").strip()
    if not math.isnan(number(text)):
        return ""
    if "%" in text or "‰" in text:
        return ": without a percent sign, 50 % is 0.5"
    if any(unicodedata.category(letter) == "Sc" for letter in text):
        return ": without the sign of a currency"
    point, comma = option("decimal", "."), option("decimal", ",")
    found = [f"{point} reads signs between thousands"] * bool(_GROUPED["."].fullmatch(text))
    if _DECIMAL.fullmatch(text):
        found.append(f"{comma} reads decimal commas")
    elif _GROUPED[","].fullmatch(text) and not found:
        found.append(f"{comma} reads decimal commas and signs between thousands")
    return f": {', '.join(found)}" if found else ""
