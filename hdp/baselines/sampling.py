r"""The sampling mechanism (SM): who is kept, how many, and what the release gives away.

With :math:`t = \max_i \epsilon_i`, user i is kept independently with probability
:math:`p_i = (e^{\epsilon_i}-1)/(e^t-1)`, and the answer is the mean of the m users kept plus Laplace noise of scale
:math:`1/(m t)`.  Whoever has the largest budget is always kept, so the sample is never empty.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
import scipy
from numpy.typing import ArrayLike

from hdp import _validate
from hdp._types import Floats, Rng, _plain
from hdp.estimator import variance_vector

_NEAR = 2**16  # numbers that are used more than once before the next ones
_TOGETHER = 64  # coins that are added at once
_CUSPS = 1023  # at which densities are compared, beside 0
_NEGLIGIBLE = 1e-60  # probabilities below this, which a convolution would only carry along


def inclusion(epsilon):
    """Probability that each user is kept, and that she is not, both to full relative precision."""
    t = epsilon.max()
    if np.isinf(t):
        return np.isinf(epsilon).astype(float), np.isfinite(epsilon).astype(float)
    with np.errstate(under="ignore"):
        kept = np.exp(epsilon - t) * (np.expm1(-epsilon) / np.expm1(-t))
        dropped = np.expm1(epsilon - t) / np.expm1(-t)
    return kept, np.abs(dropped)


def sample_size_law(kept, dropped):
    """Exact law of the number of users kept: the smallest size and the probabilities from there on.

    A Poisson-binomial law, built by convolving one binomial for each distinct probability, neighbours first, so that
    many distinct ones are few long convolutions.  All terms are positive, so each probability has full relative
    precision; those below 1e-60 are left out.
    """
    random = (kept > 0) & (kept < 1)
    values, first, counts = np.unique(kept[random], return_index=True, return_counts=True)
    others, once = dropped[random][first], counts == 1
    several = zip(counts[~once], values[~once], others[~once], strict=True)
    parts = [(int(np.count_nonzero(kept == 1)), np.ones(1)), *(_binomial(int(n), p, q) for n, p, q in several)]
    parts += _coins(values[once], others[once])
    while len(parts) > 1:
        last = parts[len(parts) // 2 * 2 :]
        parts = [_convolved(*pair) for pair in zip(parts[::2], parts[1::2], strict=False)] + last
    return parts[0]


def _coins(p, q):
    """Laws of the numbers of heads among coins that are alike to no other, some of them together."""
    rows = -(-p.size // _TOGETHER)
    missing = rows * _TOGETHER - p.size  # as many coins that never show heads
    heads, tails = (np.append(x, np.full(missing, end)).reshape(rows, _TOGETHER) for x, end in ((p, 0.0), (q, 1.0)))
    law = np.zeros((rows, _TOGETHER + 1))
    law[:, 0] = 1
    for i in range(_TOGETHER):
        law[:, 1:] = law[:, 1:] * tails[:, [i]] + law[:, :-1] * heads[:, [i]]
        law[:, 0] *= tails[:, i]
    return [_trim(row / row.sum()) for row in law]


def _convolved(first, second):
    """Law of a sum of two numbers."""
    start, law = _trim(np.convolve(first[1], second[1]))
    return first[0] + second[0] + start, law


def _binomial(n, p, q):
    """Law of a binomial count, from its mode outwards by the ratio of neighbours."""
    mode = min(int((n + 1) * p), n)
    k = np.arange(n)
    odds = p / q
    with np.errstate(over="ignore", under="ignore"):
        upwards = np.cumprod((n - k[mode:]) / (k[mode:] + 1) * odds)
        downwards = np.cumprod(((k + 1) / (n - k) / odds)[:mode][::-1])[::-1]
    start, law = _trim(np.concatenate([downwards, [1.0], upwards]))
    return start, law / law.sum()


def _trim(law):
    """Cut negligible ends off; return how many entries went in front, and what is left."""
    inside = np.flatnonzero(law > _NEGLIGIBLE)
    return int(inside[0]), law[inside[0] : inside[-1] + 1]


@dataclass(frozen=True, eq=False)
class Sampling:
    """Mean of a random sample plus Laplace noise of scale 1/(m t), as an estimator; see the module."""

    kept: Floats  # probability of each user, in [0, 1]
    dropped: Floats
    budget: float  # t
    epsilon: Floats
    lower: float = -0.5  # of the interval that holds the data
    upper: float = 0.5

    def within(self, lower: float, upper: float) -> Self:
        """The same for data in another interval."""
        return replace(self, lower=lower, upper=upper)

    @property
    def users(self) -> int:
        """How many users are kept on average."""
        return round(self.kept.sum())

    def mse(self, variance: ArrayLike | None = None) -> float:
        """Expected squared error; where users differ in variance, in (0, 1/4], a bound of it by the largest."""
        width = self.upper - self.lower
        v = variance_vector(0.25 * width**2 if variance is None else variance, self.kept.size, width)
        return width**2 * self.mean_squared_error(float(v.max()) / width**2, 0.0)

    @property
    def loss(self) -> Floats:
        """What is proved of the loss of every user: her budget where budgets are large enough, else the largest.

        Whoever is kept moves the mean of the sample by 1/m at most, which its noise hides up to t.
        """
        return self.epsilon if proved(self.epsilon) else np.where(self.kept > 0, self.budget, 0.0)

    def estimate(self, x: ArrayLike, rng: Rng) -> float | Floats:
        """Draw one answer for each data set, shape (..., n), whose values the interval holds."""
        x = _validate.data(x, self.kept.size, self.lower, self.upper)
        width, centre = self.upper - self.lower, (self.lower + self.upper) / 2
        rows = (x.reshape(-1, x.shape[-1]) - centre) / width
        return _plain(width * self.draw(rows, _validate.generator(rng)).reshape(x.shape[:-1]) + centre)

    def mean_squared_error(self, variance, mean):
        """E[v/m + 2/(m t)^2] over the sample size m; the mean of the data does not matter."""
        smallest, law = self._size
        m = smallest + np.arange(law.size)
        with np.errstate(over="ignore", under="ignore"):
            return float(law @ (variance / m + 2 * (1 / (m * self.budget)) ** 2))

    def draw(self, x, rng, unit_noise=None):
        """One estimate for each row of x, in blocks of 2^18 numbers, so that masks take little memory."""
        rows, noise = max(1, 2**18 // x.shape[1]), rng.laplace(size=len(x)) if unit_noise is None else unit_noise
        blocks = (slice(i, i + rows) for i in range(0, len(x), rows))
        return np.concatenate([self._draw_block(x[b], rng, noise[b]) for b in blocks] or [np.empty(0)])

    def _draw_block(self, x, rng, unit_noise):
        first, last = self._random
        mask = draw_masks(self._coins, len(x), rng).view(np.uint8)
        count = np.uint16 if mask.shape[1] < 2**16 else np.int64
        size = self._always + np.add.reduce(mask, axis=1, dtype=count)
        total = np.empty(len(x))
        for near in nearby(x):
            np.vecdot(x[near, first:last], mask[near], out=total[near])
        if self._always:
            total += x @ self.certain
        return (total + unit_noise / self.budget) / size

    @cached_property
    def _size(self):
        """Law of the sample size."""
        return sample_size_law(self.kept, self.dropped)

    @cached_property
    def _random(self):
        """First and last user, as a slice, who may or may not be kept: the others need no random bits."""
        inside = np.flatnonzero((self.kept > 0) & (self.kept < 1))
        return int(inside[0]), int(inside[-1]) + 1

    @cached_property
    def _coins(self):
        first, last = self._random
        return coins(self.kept[first:last])

    @cached_property
    def _always(self):
        """How many are certain."""
        return self.certain.sum()

    @cached_property
    def certain(self):
        """1 for those outside that slice who are always kept."""
        first, last = self._random
        certain = (self.kept == 1).astype(float)
        certain[first:last] = 0
        return certain


def proved(epsilon):
    """Whether the mechanism is private as it promises: k users hold the largest budget, t >= (k+1) log((k+1)/k)."""
    top = epsilon.max()
    holders = np.count_nonzero(epsilon == top)
    return bool(top >= (holders + 1) * np.log1p(1 / holders))


def nearby(x):
    """Slices of so few rows that half a megabyte, which stays in a processor's second cache, holds them."""
    rows = max(1, _NEAR // x.shape[1])
    return [slice(i, i + rows) for i in range(0, len(x), rows)]


class Coins(NamedTuple):
    """How `draw_masks` tosses a coin for each user: by a random byte, and seldom by a flip of what it said."""

    byte: np.ndarray  # smaller bytes say yes
    always: np.ndarray | None  # of these users every byte says yes; None if of nobody
    yes: np.ndarray  # what a flip makes of the answer
    rate: np.ndarray  # expected number of flips in one toss
    most: float  # of these


def coins(kept):
    r"""Coins for these probabilities p, in [0, 1].

    Up to 1/2 a byte says yes with probability :math:`c/256 \le p`, above with :math:`c/256 \ge p`; a flip to yes or no
    with probability q, at most 1/128, does the rest: :math:`p = c/256 + (1 - c/256)\,q` or :math:`(1 - q)\,c/256`.
    """
    few = kept <= 1 / 2
    c = np.where(few, np.floor(256 * kept), np.ceil(256 * kept))
    flip = np.abs(256 * kept - c) / np.where(few, 256 - c, c)
    always, rate = c == 256, -np.log1p(-flip)
    return Coins(np.minimum(c, 255).astype(np.uint8), always if always.any() else None, few, rate, float(rate.max()))


def draw_masks(coins, runs, rng):
    """Independent Bernoulli masks of shape (runs, n) for the price of one random byte an entry; see `coins`.

    The flips fall like rain, a Poisson number of them anywhere, of which as many are kept as each user needs: so their
    numbers are independent, and none is there with probability exp(-rate) = 1 - q.  That is exact but for rounding
    and for the 53 bits of `Generator.random`, which move a probability by at most 1e-18.  With
    `rng.random(...) < kept` six baselines took 1.3 to 1.4 times as long.
    """
    n = coins.byte.size
    words = rng.integers(0, 2**64 - 1, size=-(-runs * n // 8), dtype=np.uint64, endpoint=True)
    mask = words.view(np.uint8)[: runs * n].reshape(runs, n) < coins.byte
    if coins.always is not None:
        mask |= coins.always
    place = rng.integers(0, runs * n, rng.poisson(coins.most * runs * n))
    user = place % n
    needed = coins.most * rng.random(place.size) < coins.rate[user]
    mask.ravel()[place[needed]] = coins.yes[user[needed]]
    return mask


def privacy_loss_witness(epsilon: ArrayLike) -> Floats:
    r"""What each user of SM loses at the least when her *value* changes, the relation of Definition 1.

    Everybody else is at -1/2, user i moves from -1/2 to 1/2, and the two exact output densities, mixtures over who
    is kept, are compared at their cusps, at 1024 of them where there are more.  Every such ratio is a lower bound of
    the loss; where nobody else's inclusion is random it is the loss itself
    (``hdp.sym.heterogeneous_budgets.experiments.sampling_loss``).  The time grows with the number of different budgets:
    for each it takes some hundredths of a second for a thousand users, and about a second for a million.

    Parameters
    ----------
    epsilon : numpy.ndarray, shape (n,)
        Budgets in [1e-50, 1e50].

    Returns
    -------
    numpy.ndarray, shape (n,)
        Lower bounds in nats; SM keeps its promise only if none exceeds epsilon.

    Examples
    --------
    >>> import numpy as np
    >>> from hdp.baselines import privacy_loss_witness
    >>> budgets = np.log([5 / 4, 9 / 4])
    >>> np.exp(privacy_loss_witness(budgets)).round(12)  # 21/16 is more than the 5/4 that user 1 allowed
    array([1.3125, 2.25  ])
    """
    epsilon = _validate.vector("epsilon", epsilon, _validate.SMALL, _validate.LARGE)
    _, first, inverse = np.unique(epsilon, return_index=True, return_inverse=True)
    return losses(epsilon, first)[inverse]


def losses(epsilon, users):
    """The same of these users alone."""
    kept, dropped = inclusion(epsilon)
    t = epsilon.max()
    log_kept = epsilon - t + np.log(np.expm1(-epsilon) / np.expm1(-t))  # `kept` may vanish
    others = (np.delete(np.arange(epsilon.size), i) for i in users)
    laws = (sample_size_law(kept[o], dropped[o]) for o in others)
    return np.array([_loss(log_kept[i], dropped[i], t, *law) for i, law in zip(users, laws, strict=True)])


def _loss(log_p, q, t, smallest, law):
    """Largest log-ratio at the cusps; z is the output's distance from -1/2.  In logarithms: e^-t may vanish."""
    size = smallest + np.arange(law.size)  # of the sample without her
    some = np.linspace(0, size.size - 1, min(size.size, _CUSPS)).astype(int)
    z = np.concatenate([[0.0], 1 / (size[some] + 1)])[:, None]
    with np.errstate(divide="ignore"):
        log_law, absent = np.log(law), np.log(q) + np.log(size) - size * t * z
    present = log_p + np.log(size + 1)
    high = present - (size + 1) * t * np.abs(z - 1 / (size + 1))
    low = present - (size + 1) * t * z
    high, low = (scipy.special.logsumexp(np.logaddexp(seen, absent) + log_law, axis=1) for seen in (high, low))
    return float(np.max(np.abs(high - low)))
