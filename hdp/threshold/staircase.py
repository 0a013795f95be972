r"""The staircase of at most j steps below falling budgets that serves best, exactly.

Users in the order of falling budgets draw a falling curve; j levels draw a staircase below it.  For a scale
:math:`\tau` the levels :math:`x` count with their heights :math:`x(2\tau - x)`, and the best staircase is the one of
the largest area.  Page :doc:`/book/threshold/few-levels` proves what is used here.
"""

from typing import NamedTuple

import numpy as np
import scipy

from hdp import clipping

_SAME = 1e-13  # part of the best value below which the search does not look for a better one


class Steps(NamedTuple):
    """A staircase: so many `users` stand on a first step at `top`, then follow the levels in these rows."""

    value: float
    top: float
    users: float
    rows: tuple[int, ...]


class Curve(NamedTuple):
    """Different finite budgets, falling, how many users have at least each, and the weight of the noise."""

    budgets: np.ndarray
    counts: np.ndarray
    noise: float

    def rows(self, tau):
        """The first row with a budget of at most tau, and how many users have more."""
        row = int(np.searchsorted(-self.budgets, -tau))
        return row, self.counts[row - 1] if row else 0.0

    def sums(self, rows, users=0.0):
        """Sum and sum of squares of the levels in these rows, for all but the first so many users."""
        rows = list(rows)
        numbers, levels = np.diff(self.counts[rows], prepend=users), self.budgets[rows]
        return float(numbers @ levels), float(numbers @ levels**2)

    def everybody(self, tau):
        """The value for as many levels as budgets, clipped at tau."""
        row, users = self.rows(tau)
        numbers, levels = np.diff(self.counts[row:], prepend=users), self.budgets[row:]
        return float(users + (2 * tau * (numbers @ levels) - numbers @ levels**2 - self.noise) / tau**2)

    def level(self):
        """The scale at which that is largest."""
        return clipping.level(self.budgets, np.diff(self.counts, prepend=0) * self.budgets, self.noise)


def largest(budgets, counts, tau, steps, users=0.0):
    """Rows of at most so many levels of which the staircase behind the first users has the largest area, at scale tau.

    One step more ends at a row with the height h of that row: the area of what is before it, at a place N, less hN,
    is to be as large as possible.  Only corners of the concave hull of all (N, area) can be that, one after the other.
    """
    if not (steps and budgets.size):
        return ()
    heights, places = budgets * (2 * tau - budgets), np.append(users, counts)
    widths, base, before = np.diff(places), users * tau**2, []
    areas = base + (counts - users) * heights
    for _ in range(steps - 1):
        points = np.append(base, areas)
        hull = scipy.optimize.isotonic_regression(np.diff(points) / widths, weights=widths, increasing=False)
        corner = hull.blocks[np.searchsorted(-hull.x[hull.blocks[:-1]], -heights)]
        before.append(corner)
        areas = points[corner] + (counts - places[corner]) * heights
    point = int(np.argmax(np.append(base, areas)))
    found = {point}
    for corner in reversed(before):
        point = int(corner[point - 1]) if point else 0
        found.add(point)
    return tuple(sorted(p - 1 for p in found if p))


def best(curve, steps):
    """The staircase of at most so many steps with the largest value.

    The area is a convex function of tau, and the value that it allows is (area - noise)/tau^2.  So the chord over an
    interval bounds the value there.  Where it does not rule the interval out, that is halved, until no budget is left
    inside; then the area is the larger one of two functions that `_ridge` takes to pieces.
    """
    search, level = _Search(curve, steps), curve.level()
    start = level
    while True:
        known = search.found.value
        search.at(start)
        if search.found.value <= known * (1 + _SAME):
            break
        start = search.scale()
    ends = _ends(curve, search.found.value, level)
    intervals = [(*ends, search.at(ends[0]), search.at(ends[1]))] if ends else []
    while intervals:
        low, high, area, area_high = intervals.pop()
        if search.ruled_out(low, high, area, area_high):
            continue
        inner = curve.budgets[(curve.budgets > low) & (curve.budgets < high)]
        if inner.size:
            middle = float(inner[inner.size // 2])
            between = search.at(middle)
            intervals += [(low, middle, area, between), (middle, high, between, area_high)]
        else:
            search.cell(low, high)
    return search.found


class _Search:
    """The best staircase so far."""

    def __init__(self, curve, steps):
        self.curve, self.steps = curve, steps
        self.found = Steps(-np.inf, 0.0, 0.0, ())

    def scale(self):
        """The scale at which the best staircase so far has its value."""
        total, squares = self.curve.sums(self.found.rows, self.found.users)
        users, top = self.found.users, self.found.top
        return (self.curve.noise + squares + users * top**2) / (total + users * top)

    def at(self, tau):
        """The largest area at this scale, and its staircase tried."""
        row, users = self.curve.rows(tau)
        budgets, counts = self.curve.budgets[row:], self.curve.counts[row:]
        first = int(users > 0)  # tau itself may be a level
        if first:
            budgets, counts = np.append(tau, budgets), np.append(users, counts)
        rows = largest(budgets, counts, tau, self.steps)
        used = users if first and rows[0] == 0 else 0.0
        rows = tuple(r + row - first for r in rows[int(used > 0) :])
        total, squares = self.try_steps(rows, used)
        return used * tau**2 + 2 * tau * total - squares

    def try_steps(self, rows, users=0.0):
        """The sums of these rows, behind users whose common level is as good as it can be for them."""
        total, squares = self.curve.sums(rows, users)
        top = 0.0
        if users:
            lowest = self.curve.budgets[np.searchsorted(self.curve.counts, users)]
            top = min(lowest, (self.curve.noise + squares) / total) if total else lowest
        whole = total + users * top
        value = whole**2 / (self.curve.noise + squares + users * top**2)
        if value > self.found.value:
            self.found = Steps(float(value), float(top), float(users), rows)
        return total, squares

    def ruled_out(self, low, high, area, area_high, users=0.0):
        """Whether the chord leaves no better value, of which a common level adds the number of its users."""
        slope = (area_high - area) / (high - low)
        rest = self.curve.noise - (area - slope * low)
        peak = min(max(2 * rest / slope, low), high) if slope > 0 else low
        most = users + max((slope * tau - rest) / tau**2 for tau in (low, peak, high))
        return most <= self.found.value * (1 + _SAME)

    def cell(self, low, high):
        """Between two neighbouring budgets: all levels are budgets, or the first is tau for all who have more."""
        row, users = self.curve.rows(low)
        self._ridge(low, high, row, 0.0, self.steps)
        if users:
            self._ridge(low, high, row, users, self.steps - 1)

    def _ridge(self, low, high, row, users, steps):
        """The best of the staircases with this first step: lines in tau, found where known ones meet."""

        def line(tau):
            rows = largest(self.curve.budgets[row:], self.curve.counts[row:], tau, steps, users)
            return self.try_steps(tuple(r + row for r in rows), users)

        pieces = [(low, high, line(low), line(high))]
        while pieces:
            low, high, left, right = pieces.pop()
            area, area_high = (2 * tau * s - q for tau, (s, q) in ((low, left), (high, right)))
            if left == right or self.ruled_out(low, high, area, area_high, users):
                continue
            meet = (right[1] - left[1]) / (2 * (right[0] - left[0])) if right[0] != left[0] else low
            if low < meet < high:
                between = line(meet)
                pieces += [(low, meet, left, between), (meet, high, between, right)]


def _ends(curve, value, level):
    """Scales between which all budgets together reach a value; None if they hardly do at the best."""
    if curve.everybody(level) <= value * (1 + _SAME):
        return None
    ends = []
    for factor in (0.5, 2.0):
        near, far = level, level * factor
        while curve.everybody(far) > value:
            near, far = far, far * factor
        for _ in range(20):
            middle = (near * far) ** 0.5
            near, far = (middle, far) if curve.everybody(middle) > value else (near, middle)
        ends.append(far)
    return tuple(ends)
