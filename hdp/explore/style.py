"""The book's one style: colours that keep contrast on white and on dark, fonts, line widths."""

from hdp._number import number

__all__ = ["CASING", "NEUTRAL", "PALETTE", "RC", "SEQUENTIAL", "number"]

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
