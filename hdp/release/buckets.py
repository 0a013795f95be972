r"""A plan of bounds: who counts with which share in a histogram over powers of two, and what its noise may hide.

A value of user i puts her share into one bucket, and another value into another one: two counts move by her share, so
with noise of scale c in every count she loses :math:`2\,\text{share}_i/c`, and with Gaussian noise
:math:`(\text{share}_i/c)^2` in rho.  Page :doc:`/book/use/real-release` proves it, and what the interval holds.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hdp import _validate, intervals
from hdp._types import Floats
from hdp.release import bits as _bits
from hdp.release import kinds as _kinds
from hdp.release.choosing import Asked, chosen
from hdp.release.columns import words
from hdp.release.kinds import Kinds
from hdp.release.plans import NOISES, Planned
from hdp.users import Users

SCHEMA = "hdp-bounds/2"
FURTHEST = 166  # 2^166 is the last power of two that an interval of a plan can have
_MARGIN = 1 + 1e-9  # more than the rounding of a radius
_COLUMNS = ("epsilon", "local", "records", "users", "share")


@dataclass(frozen=True, eq=False)
class BoundsPlan(Planned):
    r"""Everything that is public about bounds before a value is read.  `plan_bounds` makes it.

    Parameters
    ----------
    noise : {"laplace", "gaussian"}
        Noise of every count, in integers; with the latter all budgets and losses are rho.
    bits : int
        The scale c of the noise is two to this power, in [0, 52].
    share : float
        Part of every budget that is spent, in (0, 1].
    outside : float
        Part of the weight that the interval may leave out, in (0, 1).
    beta : float
        Probability, in [1e-100, 1), that it leaves out more.
    lowest, highest : int
        Buckets end at the powers of two from the one to the other, in [-166, 166], and one is around zero.
    kinds : Kinds
        One row for all users who are alike, with their shares.
    value : str
        The column of values that it is for.
    reading : mapping or None
        How the users' table is read.

    Examples
    --------
    >>> from hdp.release import plan_bounds
    >>> made = plan_bounds([0.5, 1.0, float("inf")] * 9000, 0.1)
    >>> made.edges.size, made.edges[51:53].tolist(), round(made.least_outside, 4)
    (102, [0.0009765625, 0.001953125], 0.016)
    """

    noise: str
    bits: int
    share: float
    outside: float
    beta: float
    lowest: int
    highest: int
    kinds: Kinds
    value: str = "value"
    reading: Mapping[str, Any] | None = None

    def __post_init__(self):
        self._checked()
        _validate.field(self, "share", _validate.scalar, 0, 1, open_low=True)
        _validate.field(self, "outside", _validate.chance)
        _validate.field(self, "beta", _validate.chance, 1e-100)
        _validate.field(self, "lowest", _validate.whole, -FURTHEST, FURTHEST - 1)
        _validate.field(self, "highest", _validate.whole, self.lowest + 1, FURTHEST)
        allowed = self.kinds.share <= _bits.limit(self.part / 2, self.bits, self.noise)
        if not allowed.all() or self.kinds.share.max() >= 2**53:
            row = int(np.flatnonzero(~allowed)[0]) if not allowed.all() else int(self.kinds.share.argmax())
            raise ValueError(f"share of kinds must be what its part of the budget pays, got more in row {row}")

    @property
    def part(self) -> Floats:
        """What may be spent of the budget of each kind, in nats or rho, shape (m,), rounded down."""
        return _kinds.part_of(self.kinds.epsilon, self.share)

    @property
    def spent(self) -> Floats:
        """What a user of each kind spends, in nats or rho, shape (m,): exactly, or in rho rounded up."""
        each = np.ldexp(self.kinds.share.astype(float), -self.bits)
        if self.noise == "laplace":
            return 2 * each
        return np.where(each > 0, np.nextafter(np.square(each), np.inf), 0.0)

    @property
    def scale(self) -> int:
        """Scale c of the noise."""
        return 2**self.bits

    @property
    def total(self) -> int:
        """Sum of all shares, which is public: the weight of which the interval may leave out a part."""
        return self.kinds.total(self.kinds.share)

    @cached_property
    def edges(self) -> Floats:
        """Ends of the K buckets, ascending, shape (K + 1,): powers of two with both signs."""
        powers = np.ldexp(1.0, np.arange(self.lowest, self.highest + 1))
        return np.concatenate([-powers[::-1], powers])

    @property
    def least_outside(self) -> float:
        """Least part outside that counts of so much weight can tell, if all values are in one bucket."""
        return self.radius(1) / self.total if self.total else math.inf

    def radius(self, buckets: int) -> int:
        r"""What the noise of so many ``buckets`` exceeds with at most the probability beta in any of all intervals.

        There are K (K + 1)/2 intervals.  Whole Laplace noise of scale c is the difference of two floors of exponential
        variables, so a sum of m such noises is less than c Laplace noises and m; whole Gaussian noise has no larger
        exponential moments than :math:`e^{c^2\theta^2/2}`.
        """
        K = self.edges.size - 1
        m = _validate.whole("buckets", buckets, 1, K)
        apart = m if self.noise == "laplace" else 0
        return math.ceil(_scales(m, 2 * self.beta / (K * (K + 1)), self.noise) * self.scale * _MARGIN) + apart

    def _as_dict(self):
        names = ("noise", "bits", "share", "outside", "beta", "lowest", "highest", "budgets", "total", "value")
        own = {name: getattr(self, name) for name in names}
        columns = {name: words(getattr(self.kinds, name).tolist()) for name in _COLUMNS}
        reading = None if self.reading is None else dict(self.reading)
        return {"schema": SCHEMA, **own, "users": self.n, "kinds": columns, "reading": reading}


def plan_bounds(
    users: Users | ArrayLike,
    share: float,
    *,
    outside: float = 0.05,
    beta: float = 0.05,
    noise: str = "laplace",
    lowest: int = -10,
    highest: int = 40,
    value: str | None = None,
) -> BoundsPlan:
    r"""Plan an interval for values of which nobody knows one, for a share of every budget; no value is read.

    .. math:: a_i = \lfloor c\min(\lambda\epsilon_i, \lambda\tau)/2\rfloor, \qquad
       a_i = \lfloor c\min(\sqrt{\lambda\rho_i}, \sqrt\lambda\,\tau)\rfloor

    with Laplace and with Gaussian noise, where :math:`\tau` is the level of `hdp.adpm` for the whole budgets: so a user
    has the weight here that she has in the best mean.

    Parameters
    ----------
    users : Users or array_like, shape (n,)
        Who the users are, or the budgets of users who all trust the curator.  Values of local users are not used, and
        these users spend nothing; values of public users count with noise like the others', for the largest share.
    share : float
        The part :math:`\lambda` of every budget, in (0, 1], that may be spent.
    outside : float
        The part of the weight, in (0, 1), that the interval may leave out.
    beta : float
        Probability, in [1e-100, 1), that it leaves out more, whatever the values are.
    noise : {"laplace", "gaussian"}
        Discrete Laplace noise, or discrete Gaussian noise; then budgets and losses are rho.
    lowest, highest : int
        Ends of the interval are powers of two from :math:`2^\text{lowest}` to :math:`2^\text{highest}`, with either
        sign; in [-166, 166].  Values nearer to zero than the first count together, and those beyond the last are
        outside of every interval.  The fewer they are, the fewer users it takes, most of all for values of both signs.
    value : str, optional
        Column of values, as for `plan`.

    Returns
    -------
    BoundsPlan
        For `release`, as a plan of a mean is.

    Examples
    --------
    >>> from hdp.release import plan_bounds, receipts
    >>> made = plan_bounds([0.5, 1.0, float("inf")] * 3000, 0.25)
    >>> receipts(made).spent.round(3).tolist()
    [0.125, 0.126, 0.126]
    >>> plan_bounds([0.5, 1.0] * 100, 0.1)
    Traceback (most recent call last):
    ValueError: share must be larger, or outside, or the users more: noise may hide 1.87 of their whole weight, and ...
    """
    who = _kinds.users_of(users)
    noise = _validate.choice("noise", noise, NOISES)
    share = _validate.scalar("share", share, 0, 1, open_low=True)
    first, _, count = _kinds.sort(who)
    epsilon, local, records = who.epsilon[first], who.local[first], who.records[first]
    asked = np.where(local, 0.0, epsilon)
    if not (np.isfinite(asked) & (asked > 0)).any():
        raise ValueError("users must include some with a budget who trust the curator, got none")
    losses = _losses(asked, count, share, noise)
    bits = _bits.most_bits(count, losses) - 9  # shares sum to at most 2^53: all are floats
    if bits < 0:
        raise ValueError("epsilon must let the losses sum to at most 2^53 unless it is inf, got more")
    parts = _bits.limit(np.where(local, 0.0, _kinds.part_of(epsilon, share)) / 2, bits, noise)
    none = np.zeros(epsilon.size)
    shares = np.minimum(_bits.limit(losses, bits), parts)
    table = Kinds(epsilon, local, records, count, shares, none, none.astype(bool), none, none + 1)
    made = BoundsPlan(
        noise, bits, share, outside, beta, lowest, highest, table, _kinds.column_of(who, value), who.reading
    )
    if not made.least_outside <= made.outside:
        larger = "share must be larger, or outside" if share < 1 else "outside must be larger"
        raise ValueError(
            f"{larger}, or the users more: noise may hide {made.least_outside:.3g} of their "
            f"whole weight, and {made.outside!r} may be left out"
        )
    return made


def shortest(plan, counts):
    """Ends of the shortest interval of which K noisy counts say that it leaves out so little, or None if of none.

    Its own noisy count, less its radius, is at least what must be inside.
    """
    sums, edges = [0, *accumulate(map(int, counts))], plan.edges.tolist()
    least, best = plan.total - math.floor(Fraction(plan.outside) * plan.total), None
    for m in range(1, len(sums)):
        for i in range(len(sums) - m):
            width, inside = edges[i + m] - edges[i], sums[i + m] - sums[i]
            if inside < least or (best and width > best[0]):
                continue  # so that few radii need be computed
            if inside - plan.radius(m) >= least:
                found = width, plan.radius(m) - inside, edges[i], edges[i + m]
                best = min(best or found, found)
    return best and best[2:]


def histogram(plan, share, x):
    """For each bucket the sum of the shares of those whose value is in it: a list of K integers.

    A float is a fraction in [1/2, 1) times a power of two, which says where it belongs, with no rounding at all.
    """
    power = np.frexp(x)[1] - plan.lowest  # of 2, where the bucket ends
    most = plan.highest - plan.lowest
    away = np.where(x == 0, 0, np.clip(power, 0, most + 1))
    place = most + 1 + np.where(x < 0, -away, away)
    counts = np.zeros(2 * most + 3, dtype=np.int64)  # with both places beyond the last ends, which are not released
    np.add.at(counts, place, share)
    return counts[1:-1].tolist()


def _losses(epsilon, users, share, noise):
    """Shares over c, for kinds who all trust the curator, as the weights of the best mean have them."""
    m = epsilon.size
    alike = Asked(epsilon, np.zeros(m, dtype=bool), users, np.full(m, 0.25), np.zeros(m), np.ones(m))
    losses, _, _ = chosen("adpm", alike, "simple", noise)
    return losses * (share / 2 if noise == "laplace" else math.sqrt(share / 2))


@lru_cache(2**10)
def _scales(m, chance, noise):
    """What a sum of m noises of scale 1 exceeds with at most this chance."""
    if noise == "laplace":
        return intervals.noise_radius(1.0, 2 * chance, count=m)  # that is for both sides
    return math.sqrt(-2 * m * math.log(chance))
