r"""What each method means for every kind of user: her loss, the weight of her report, the interval of her value.

All methods but the threshold are the one lemma, with the width :math:`d_i` of user i's interval:

.. math:: \min_w \sum_i r_i w_i^2 + 2\max_{i \in C}(w_i d_i/e_i)^2

Here :math:`r_i` is the variance of what she hands over, her value if she is in C and else a report, and :math:`e_i` is
her budget, or with Gaussian noise :math:`2\sqrt{\rho_i}`: Gaussian noise for :math:`\rho` has the variance
:math:`1/(2\rho)`, which is that of Laplace noise for :math:`2\sqrt\rho`.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hdp import Threshold
from hdp._types import Floats
from hdp.release import arithmetic
from hdp.release import bits as _bits

_LARGEST = 1e100  # of budgets: nobody's loss is so large, and its square is a float
_NARROWEST = 2.0**-30  # half of an interval


@dataclass(frozen=True, eq=False)
class Asked:
    """What a method needs to know of the users of each kind: budget of one release, number, variance, interval."""

    epsilon: Floats
    local: NDArray[np.bool_]
    users: NDArray[np.int64]
    variance: Floats
    low: Floats
    high: Floats

    @property
    def width(self):
        """Lengths of the intervals."""
        return self.high - self.low


def chosen(method, people, reports, noise):
    """Loss of one user, weight of her report, and whether that is a bit; each of shape (m,), for kinds of users."""
    e = np.where(np.isinf(people.epsilon), np.inf, np.minimum(people.epsilon, _LARGEST))
    if noise == "gaussian":
        e = 2 * np.sqrt(e)
    if method in ("adpm", "threshold") and people.local.any():
        local = np.count_nonzero(people.local)
        raise ValueError(f"trust must be curator for the method {method}, got {local} kinds of local")
    if not e.any():  # nobody has anything left
        return e, e, e > 0
    if method == "threshold":
        tau = Threshold(np.repeat(e, people.users.astype(np.intp))).tau
        nothing = np.zeros(e.size)
        losses, weights, bit = np.where(e >= tau, tau, 0.0), nothing, nothing.astype(bool)
        if np.isinf(tau):  # then public users alone count, and all the same
            losses = np.isinf(losses).astype(float)
    else:
        losses, weights, bit = _lemma(people, e, reports, noise)
    return losses / math.sqrt(2) if noise == "gaussian" else losses, weights, bit


def _lemma(people, e, reports, noise):
    sends = people.local & (e > 0)
    handed, bit = _handed_over(people, e, sends, reports, noise)
    with np.errstate(divide="ignore"):
        slopes = np.where(sends, np.inf, e / people.width)
    poured = (slopes > 0) & np.isfinite(slopes)
    if poured.any():
        knots = handed[poured] * slopes[poured]
        height = arithmetic.level(knots, people.users[poured] * slopes[poured], 2.0)
        parts = np.minimum(height / handed, slopes)
        losses = parts * people.width
    else:
        parts = np.where(slopes > 0, 1 / handed, 0.0)
        losses = parts * people.width / np.max(parts * people.width)
    weights = np.where(sends, parts / arithmetic.total(people.users, parts), 0.0)
    return np.where(sends, e, losses), weights, bit


def _handed_over(people, e, sends, reports, noise):
    """Variance of a value, or of the better report, and whether that is one bit."""
    handed, bit = np.maximum(people.variance, 1 / _LARGEST), np.zeros(e.size, dtype=bool)
    handed[sends] += 2 * np.square(people.width[sends] / e[sends])
    if reports == "simple":
        budget, lie = (function(people.epsilon, noise) for function in (_bits.bit_budget, _bits.chance_of_a_lie))
        told = np.square(people.width / 2 / arithmetic.tanh(np.where(budget > 0, budget, 1.0) / 2))
        bit = sends & (lie < 0.5) & (told < handed)
        handed[bit] = told[bit]
    return handed, bit


def truncation(p, sigma_p, records, n, beta, proxy):
    r"""Ends of the interval, in [0, 1], that the mean of so many records leaves with probability at most beta/n.

    It is p and more or less :math:`\sqrt{2 s \log(4n/\beta)} + \sqrt{\log(4n/\beta)/(2k)}`, where the users' own means
    are sub-Gaussian with the proxy s, and the second term with 2n, where they are all alike.
    """
    s = sigma_p * sigma_p if proxy is None else proxy
    log = arithmetic.log((4 if s else 2) * n / beta)
    radius = np.maximum(math.sqrt(2 * s * log) + np.sqrt(log / (2 * records)), _NARROWEST)
    return np.maximum(p - radius, 0.0), np.minimum(p + radius, 1.0)
