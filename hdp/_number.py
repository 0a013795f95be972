"""How the book writes a number, in tables and beside sliders."""

import math
from decimal import ROUND_CEILING, ROUND_HALF_UP, Context, Decimal

ROUNDING = 1 - 1e-12  # what an error owes to floats makes no digit larger
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float, digits: int = 4) -> str:
    """A number as a reader wants it beside a slider: whole, or so many significant digits; thousands separated.

    What is tiny or huge is written with a power of ten.
    What is not whole but would be written as a whole number up to 100, often a bound that it does not reach, gets as
    many more digits, of seven behind the point, as show it.

    `book/_static/hdp-figure.js` has the same rule for four digits, because a figure's own numbers come from there.

    Examples
    --------
    >>> from hdp._number import number
    >>> number(2000.0), number(12345.6), number(1 / 3), number(0.99995), number(1.5e-7), number(float("inf"))
    ('2,000', '12,350', '0.3333', '0.99995', '1.5·10⁻⁷', '∞')
    """
    value = float(value)
    whole = value.is_integer() and abs(value) < 1e9
    rounded = value if whole else _rounded(value, digits)
    while not whole and rounded.is_integer() and 0 < abs(rounded) <= 100 and digits < 8:
        digits += 1
        rounded = _rounded(value, digits)
    if not math.isfinite(rounded):  # also of what rounds to more than a float holds
        return "NaN" if math.isnan(value) else "∞" if value > 0 else "−∞"
    if rounded and not 1e-4 <= abs(rounded) < 1e9:
        lead, power = f"{Decimal(repr(rounded)).normalize():e}".split("e")
        lead = {"1": "", "-1": "-"}.get(lead, lead + "·")
        return f"{lead}10{str(int(power)).translate(_RAISED)}"
    return f"{rounded + 0.0:,.7f}".rstrip("0").rstrip(".")  # four digits from 1e-4 on end at the seventh place


def _rounded(value, digits):
    return float(Context(prec=digits, rounding=ROUND_HALF_UP).create_decimal(Decimal(value)))


def digits(value: float) -> str:
    """A number, whole or of three digits."""
    return number(value, 3)


def bound(value: float) -> str:
    """What is at most so much: three digits, and not rounded down by more than floats round."""
    return number(float(Context(prec=3, rounding=ROUND_CEILING).create_decimal(Decimal(value * ROUNDING))), 3)


def between(lower: float, upper: float) -> str:
    """An interval, with as many digits as tell its ends apart."""
    short = [f"{end:.12g}" for end in (lower, upper)]
    return f"[{', '.join(map(repr, (lower, upper)) if short[0] == short[1] else short)}]"


def many(count: int, one: str, more: str = "") -> str:
    """A number and what it counts: 1 budget, 2 budgets."""
    return f"{count} {one if count == 1 else more or one + 's'}"
