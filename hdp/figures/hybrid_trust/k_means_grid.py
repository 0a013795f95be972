r"""The same K-means, exact and fast: points binned on a fine grid, and one pass an iteration for all variants.

A cell of the grid that lies wholly nearest to one centre is assigned at once; only the points of cells that a
bisector cuts are looked at one by one.  Whether an LM user's answer is drawn at random, and which, does not depend on
the centres; so one pass over the users gives the totals of the random answers and, for each cell, of the others, from
which every variant takes its own sums.  Nothing is approximated: the draws are those of `hdp.kmeans.run`.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hdp.kmeans import nearest


@dataclass(frozen=True, eq=False)
class Grid:
    """Points sorted by the occupied cells of a grid over the box [low, low + m]^d.

    Build it with `Grid.of`; `x` is the data in the order of the cells, `cell` the cell of each point.
    """

    x: np.ndarray
    cell: np.ndarray
    start: np.ndarray
    centre: np.ndarray
    half_width: float

    @classmethod
    def of(cls, x, low=-0.5, m=1.0, bins=128):
        """Bin data of shape (n, d)."""
        index = np.clip(((x - low) * (bins / m)).astype(int), 0, bins - 1)
        flat = np.ravel_multi_index(tuple(index.T), (bins,) * x.shape[1])
        order = np.argsort(flat, kind="stable")
        _, first, cell = np.unique(flat[order], return_index=True, return_inverse=True)
        centre = low + (index[order][first] + 0.5) * (m / bins)
        return cls(x[order], cell, np.append(first, len(x)), centre, m / bins / 2)

    def cell_labels(self, centres):
        r"""Nearest centre of each cell, -1 where the cell may be cut.

        A cell with centre z and half-width h is nearest to c_k throughout if, for all j, the score
        :math:`z\cdot c - |c|^2/2` of c_k exceeds that of c_j by at least :math:`h\|c_k - c_j\|_1`.
        """
        score = self.centre @ centres.T - (centres**2).sum(axis=1) / 2
        best = score.argmax(axis=1)
        apart = np.abs(centres[:, None] - centres[None]).sum(axis=2)
        need = self.half_width * (1 + 1e-9) * apart + 1e-12  # more than rounding, here and in `nearest`
        np.fill_diagonal(need, 0)
        whole = (score.max(axis=1)[:, None] - score >= need[best]).all(axis=1)
        return np.where(whole, best, -1)

    def points_of(self, cells):
        """Indices of the points in these cells."""
        size = self.start[cells + 1] - self.start[cells]
        return np.repeat(self.start[cells] - np.append(0, size.cumsum()[:-1]), size) + np.arange(size.sum())

    def nearest(self, centres):
        """Nearest centre of every point, in the order of `x`."""
        labels = self.cell_labels(centres)[self.cell]
        cut = np.flatnonzero(labels < 0)
        labels[cut] = nearest(self.x[cut], centres)
        return labels

    def totals(self, centres, per_cell, values):
        """Sum `values` (n, q), whose sums by cell are `per_cell` (M, q), over the points nearest to each centre."""
        labels, k = self.cell_labels(centres), len(centres)
        total = _by_label(labels, per_cell, k)  # the label -1 is left out
        cut = self.points_of(np.flatnonzero(labels < 0))
        return total + _by_label(nearest(self.x[cut], centres), values(cut), k) if len(cut) else total

    @cached_property
    def _by_cell(self):
        return np.add.reduceat(_moments(self.x), self.start[:-1])

    def moments(self, centres):
        """Count, sums and sum of squares of the points nearest to each centre."""
        return self.totals(centres, self._by_cell, lambda i: _moments(self.x[i]))

    def wcss(self, centres):
        """Within-cluster sum of squares."""
        total = self.moments(centres)
        counts, sums, squares = total[:, 0], total[:, 1:-1], total[:, -1]
        return float(np.sum(squares - 2 * (centres * sums).sum(axis=1) + counts * (centres**2).sum(axis=1)))


def _moments(x):
    return np.column_stack([np.ones(len(x)), x, (x**2).sum(axis=1)])


def _by_label(labels, values, k):
    columns = [np.bincount(labels + 1, column, k + 1)[1:] for column in values.T]
    return np.array(columns).T


class Answers:
    """The LM users' answers in one iteration: one pass over them, then totals for any centres."""

    def __init__(self, grid, reports, truthful, other, clusters):
        self.grid, self.reports, self.truthful, self.other, self.k = grid, reports, truthful, other, clusters
        cells = len(grid.centre)
        index = np.where(truthful, grid.cell, np.add(other, cells, dtype=np.intp))
        columns = [np.bincount(index, minlength=cells + clusters).astype(float)]
        columns += [np.bincount(index, column, cells + clusters) for column in reports.T]
        sums = np.array(columns).T
        self.by_cell, self.random = sums[:cells], sums[cells:]

    def totals(self, centres, leave_out):
        """Counts (K,) and sums of reports (K, d) by answer, without the users whose indices are `leave_out`."""
        total = self.random + self.grid.totals(centres, self.by_cell, self._truthful_values)
        labels = np.where(self.truthful[leave_out], nearest(self.grid.x[leave_out], centres), self.other[leave_out])
        total = total - _by_label(labels, self._values(leave_out), self.k)
        return total[:, 0], total[:, 1:]

    def _values(self, index):
        return np.column_stack([np.ones(len(index)), self.reports[index]])

    def _truthful_values(self, index):
        return self._values(index) * self.truthful[index, None]
