"""The book's one style: colours that keep contrast on white and on dark, fonts, line widths."""

import math
from decimal import ROUND_HALF_UP, Context, Decimal

# Okabe-Ito hues, chosen for a contrast of at least 3:1 on both backgrounds and for colour-blind readers
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#aa4499", "#8c6d00", "#777777", "#56799b")
NEUTRAL = "#808080"
SEQUENTIAL = "viridis"  # of the cells: increasing lightness, for colour-blind readers and on both backgrounds
CASING = 3.0  # how much wider than a line is the white band under it that sets it off from the cells

RC = {
    "figure.dpi": 144,
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "axes.titlesize": 10,
    "font.family": "DejaVu Sans",
}


_FOUR_DIGITS = Context(prec=4, rounding=ROUND_HALF_UP)


def number(value):
    """A number as a reader wants it beside a slider: whole, or four significant digits; thousands separated.

    `book/_static/hdp-figure.js` has the same rule, because the page's own numbers come from there.

    Examples
    --------
    >>> from hdp.explore.style import number
    >>> number(2000.0), number(12345.6), number(1 / 3), number(1.5e-7), number(float("inf"))
    ('2,000', '12,350', '0.3333', '1.5e-7', 'Infinity')
    """
    value = float(value)
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    whole = value.is_integer() and abs(value) < 1e9
    rounded = value if whole else float(_FOUR_DIGITS.create_decimal(Decimal(value)))
    if rounded and not 1e-4 <= abs(rounded) < 1e9:
        return f"{Decimal(repr(rounded)).normalize():e}"
    return f"{rounded + 0.0:,.7f}".rstrip("0").rstrip(".")  # four digits from 1e-4 on end at the seventh place
