"""What is done to each budget before it is counted: one for whoever gave none, and rounding down to a grid."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hdp import _validate
from hdp._types import Floats

FINEST = 52  # bits after the first: then every normal float is on the grid


def round_down(epsilon: ArrayLike, bits: int) -> Floats:
    r"""Budgets rounded down to the grid of the numbers :math:`(1 + j/2^b)\,2^k`, of which each octave has :math:`2^b`.

    .. math:: \epsilon_i / (1 + 2^{-b}) < \epsilon_i' \le \epsilon_i \qquad (0 < \epsilon_i < \infty)

    Parameters
    ----------
    epsilon : array_like
        Budgets in [0, inf]; 0 and inf are on the grid.
    bits : int
        Binary digits b that are kept after the first one, in [0, 52].

    Returns
    -------
    numpy.ndarray
        Budgets on the grid, in the same shape, none above the one that was given: no arithmetic rounds here.

    Examples
    --------
    >>> from hdp.at_scale import round_down
    >>> round_down([0.1, 1.0, 1.9, float("inf")], 2)
    array([0.09375, 1.     , 1.75   ,     inf])
    """
    epsilon = _validate.number("epsilon", epsilon, 0)
    bits = _validate.whole("bits", bits, 0, FINEST)
    fraction, exponent = np.frexp(epsilon)
    return np.ldexp(np.floor(np.ldexp(fraction, bits + 1)), exponent - bits - 1)


@dataclass(frozen=True)
class Rules:
    """How a budget is read: what counts where it is `missing`, and to how many `bits` it is rounded down, or None."""

    missing: float | None
    bits: int | None

    def __post_init__(self):
        if self.missing is not None:
            _validate.field(self, "missing", _validate.scalar, 0)
        if self.bits is not None:
            _validate.field(self, "bits", _validate.whole, 0, FINEST)

    def read(self, epsilon):
        """Budgets as they count, and how many were missing; without a default these count as 0, until refused."""
        epsilon = _validate.with_gaps("epsilon", epsilon, 0)
        gaps = np.isnan(epsilon)
        epsilon[gaps] = self.missing or 0.0
        return (epsilon if self.bits is None else round_down(epsilon, self.bits)), int(np.count_nonzero(gaps))
