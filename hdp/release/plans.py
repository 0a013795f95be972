r"""A plan of a release: who counts with which share, how much noise there is, and what each user gives up.

All of it is public, and decided before a value is read.  A value in the interval stands for an integer between 0 and
her share, the curator adds these integers and one discrete Laplace noise of scale c, a power of two, and
:math:`\text{share}_i/c` is what user i gives up.  A share is at most :math:`c\,\epsilon_i`: a plan that says
otherwise cannot be made, or read.  Page :doc:`/book/use/real-release` proves it.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hdp import _validate
from hdp._types import Floats
from hdp.release import arithmetic
from hdp.release import bits as _bits
from hdp.release.columns import once, read_column, word, words
from hdp.release.kinds import WHO, Kinds, fingerprint, sort
from hdp.users import Users

SCHEMA = "hdp-plan/5"
METHODS = ("adpm", "threshold", "mixed", "user-level", "truncated")
NOISES = ("laplace", "gaussian")
PUBLIC = ("the number of users", "epsilon, trust and records of each", "the interval", "this plan")
_MOST_OF_A_BIT = np.nextafter(53 * np.log(2), np.inf)  # no lie is drawn more rarely than 2^-53


@dataclass(frozen=True)
class Errors:
    """Parts of a bound on the worst expected squared error before clamping, in squared units of the values.

    Parameters
    ----------
    sampling : float
        From the variance of the values that the curator sees, 1/4 of the squared interval unless a plan was told less.
    noise : float
        From the curator's noise: exactly if it is Laplace noise, and a bound on it if it is Gaussian.
    reports : float
        From the local users' reports, their own variance included.
    rounding : float
        At most, from values that are rounded to integers.
    bias : float
        Where the answer is constant, a quarter of the squared interval, and nothing else.  Where values are truncated,
        the square of the most that this moves the mean, if each of n values lies outside of its interval with a chance
        of at most beta/n; that the users have the mean and the deviation of the prior is not enough.

    Examples
    --------
    >>> from hdp.release import Errors
    >>> Errors(0.25, 0.5, 0.0, 0.0, 0.0).total
    0.75
    """

    sampling: float
    noise: float
    reports: float
    rounding: float
    bias: float

    def __post_init__(self):
        for name in self.__dataclass_fields__:
            _validate.field(self, name, _validate.scalar, 0, open_high=True)

    @property
    def total(self) -> float:
        """The bound itself."""
        return self.sampling + self.noise + self.reports + self.rounding + self.bias


class Planned:
    """What both kinds of plans are: shares of users who are alike, at a scale of noise, by a name."""

    noise: str
    bits: int
    value: str
    reading: Mapping[str, Any] | None
    kinds: Kinds

    def _checked(self):
        _validate.instance("kinds", self.kinds, Kinds)
        _validate.choice("noise", self.noise, NOISES)
        _validate.field(self, "bits", _validate.whole, 0, 52)
        if not (isinstance(self.value, str) and isinstance(self.reading, Mapping | None)):
            raise ValueError(f"value must be the name of a column, got {_validate.show(self.value)}")

    @property
    def n(self) -> int:
        """Number of users."""
        return self.kinds.n

    @cached_property
    def budgets(self) -> str:
        """SHA-256 of how many users there are of each budget, trust and number of records, in whatever order."""
        return fingerprint(self.kinds)

    @property
    def spent(self) -> Floats:
        """Upper bound on the loss of a user of each kind, shape (m,)."""
        raise NotImplementedError

    @property
    def unit(self) -> str:
        """What budgets and losses count: nats, or rho of zero-concentrated differential privacy."""
        return "nats" if self.noise == "laplace" else "rho"

    def kind_of(self, users: Users) -> NDArray[np.intp]:
        """Row of the kinds for each of the ``users``, shape (n,), or ValueError if they are not the plan's."""
        first, kind, count = sort(_validate.instance("users", users, Users))
        wanted = "users must be those of the plan"
        if kind.size != self.n:
            raise ValueError(f"{wanted}, {self.n} of them, got {kind.size}")
        there = users.epsilon[first], users.local[first], users.records[first], count
        for name, column in zip(WHO, there, strict=True):
            if not np.array_equal(column, getattr(self.kinds, name)):
                other = "numbers of users of each kind" if name == "users" else f"{name} of its users"
                raise ValueError(f"{wanted}, got other ones: compare the {other}")
        return kind

    def _as_dict(self) -> dict[str, Any]:
        raise NotImplementedError

    def to_json(self) -> str:
        """Canonical text: keys sorted, no spaces, floats as the shortest digits that give them back, inf as a word."""
        return json.dumps(self._as_dict(), sort_keys=True, separators=(",", ":"), allow_nan=False)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the canonical text, 64 hexadecimal digits: the name of the plan in receipts and ledgers.

        The same budgets and options have the same digest on every machine, since a plan is computed with operations
        that IEEE 754 rounds correctly, and with no other: the last digit of nobody's logarithm can change it.  A budget
        or an option that is given with another last digit is another one, and so is the plan; write them to all digits.
        """
        return hashlib.sha256(self.to_json().encode()).hexdigest()


@dataclass(frozen=True, eq=False)
class Plan(Planned):
    r"""Everything that is public about a release, before it is made.  `plan` makes it, `Plan.from_json` reads it.

    Parameters
    ----------
    method : {"adpm", "threshold", "mixed", "user-level", "truncated"}
        How the shares were chosen.
    noise : {"laplace", "gaussian"}
        The curator's noise, in integers; with the latter all budgets and losses are those of zero-concentrated
        differential privacy, rho.
    bits : int
        The scale c of the noise is two to this power, in [0, 52].
    lower, upper : float
        Public interval of the values, in their unit; what lies outside is taken to its nearer end.
    variance : float or None
        Bound of the values' variance that was stated, in squared units, on which error and interval rest.
    kinds : Kinds
        Shares and weights, one row for all users who are alike.
    allowance : numpy.ndarray, shape (m,)
        What this release may use of the budget of each kind at the most, in [0, budget], and inf for public users.
    error : Errors
        What the answer errs by.
    value : str
        The column of values that it is for.
    reading : mapping or None
        How the users' table is read, as `hdp.users.read_users` was told; None for users of no table.

    Examples
    --------
    >>> from hdp.release import Plan, plan
    >>> made = plan([0.5, 1.0, float("inf")] * 100)
    >>> made.method, made.n, round(float(made.level), 4), len(made.digest)
    ('adpm', 300, 0.66, 64)
    >>> Plan.from_json(made.to_json()).digest == made.digest
    True
    >>> made.digest[:12], plan([0.5, 0.7] * 100, "truncated", noise="gaussian", prior=(0.4, 0.01)).digest[:12]
    ('b70e54ae6389', '0ad7b23157f1')
    """

    method: str
    noise: str
    bits: int
    lower: float
    upper: float
    variance: float | None
    kinds: Kinds
    allowance: Floats
    error: Errors
    value: str = "value"
    reading: Mapping[str, Any] | None = None

    def __post_init__(self):
        self._checked()
        _validate.instance("error", self.error, Errors)
        _validate.choice("method", self.method, METHODS)
        self._check_allowance()
        width = interval(self.lower, self.upper)
        for name in ("lower", "upper"):
            _validate.field(self, name, _validate.scalar)
        if self.variance is not None:
            _validate.field(self, "variance", _validate.scalar, 0, width * width / 4, open_low=True)
        low, high = ends(self, slice(None))
        if not (high > low).all():
            raise ValueError(f"low and high must be ends that floats tell apart from {self.lower!r} to {self.upper!r}")
        if (_bits.chance_of_a_lie(self.allowance[self.kinds.bit], self.noise) >= 0.5).any():
            raise ValueError("bit must not be set where a report would lie as often as not")
        allowed = self.kinds.share <= _bits.limit(self.allowance, self.bits, self.noise)
        if not allowed.all():
            row = np.flatnonzero(~allowed)[0]
            most = f"2^{self.bits} * {float(self.allowance[row])!r}, the scale times what the release may use"
            raise ValueError(f"share must be at most {most}, got {int(self.kinds.share[row])}")

    def _check_allowance(self):
        column, allowed = np.array(_validate.number("allowance", self.allowance, 0)), self.kinds.epsilon
        if column.shape != allowed.shape:
            raise ValueError(f"allowance must have shape ({allowed.size},), got {column.shape}")
        over = np.flatnonzero((column > allowed) | (np.isinf(column) != np.isinf(allowed)))
        if over.size:
            raise ValueError(f"allowance must be at most the budget, inf for public users, got more in row {over[0]}")
        column.flags.writeable = False
        object.__setattr__(self, "allowance", column)

    @property
    def spent(self) -> Floats:
        r"""Upper bound on the loss of a user of each kind, in nats or rho, shape (m,), never above her budget.

        It is :math:`\text{share}/c` for a value that the curator counts and for a report with noise, her allowance, up
        to :math:`53\log 2`, for one bit; with Gaussian noise :math:`(\text{share}/c)^2/2`.
        """
        kinds, rounded = self.kinds, self.kinds.share.astype(float)
        low = np.array([int(a) < b for a, b in zip(rounded.tolist(), kinds.share.tolist(), strict=True)], dtype=bool)
        spent = np.ldexp(np.where(low, np.nextafter(rounded, np.inf), rounded), -self.bits)
        if self.noise == "gaussian":
            spent = np.where(spent > 0, np.nextafter(np.square(spent) / 2, np.inf), 0.0)
        spent[kinds.bit] = np.minimum(self.allowance[kinds.bit], _MOST_OF_A_BIT)
        if self.noiseless:
            spent[kinds.counted] = np.inf
        return spent

    @property
    def scale(self) -> int:
        """Scale c of the integer noise: 0 where only public values are counted, which need none."""
        return 0 if self.noiseless else 2**self.bits

    @property
    def noiseless(self) -> bool:
        """Whether the curator adds no noise, since every value that counts is public."""
        return bool(np.isinf(self.kinds.epsilon[self.kinds.counted]).all())

    @property
    def constant(self) -> bool:
        """Whether the answer is the centre of the interval, whatever the values: then nobody gives up anything."""
        return not (self.kinds.counted.any() or self.kinds.weight.any())

    @property
    def reported(self) -> bool:
        """Whether reports of local users count."""
        return bool(self.kinds.weight.any())

    @property
    def total(self) -> int:
        """Sum of the shares of all users whose values the curator counts."""
        return self.kinds.total(np.where(self.kinds.counted, self.kinds.share, 0))

    @property
    def weights(self) -> Floats:
        """Weight of one user of each kind in the answer, shape (m,); they sum to 1 over all users, or to 0."""
        units = self.kinds.units
        own = self.curator_weight / (arithmetic.total(self.kinds.users, units) or 1.0)
        return np.where(self.kinds.counted, own * units, self.kinds.weight)

    @property
    def curator_weight(self) -> float:
        """Weight of the curator's mean in the answer, in [0, 1]; the reports have the rest."""
        if not self.kinds.counted.any():
            return 0.0
        return max(0.0, 1.0 - arithmetic.total(self.kinds.users, self.kinds.weight))

    @property
    def level(self) -> Fraction | float:
        """Largest share over the scale, exactly; inf if public values are counted, and no others.

        With Laplace noise that is the most that anybody gives up whose value the curator counts, with Gaussian noise
        the root of twice that.  A local user may give up more: her report costs up to her budget, see `receipts`.
        """
        shares = self.kinds.share[self.kinds.counted]
        if shares.size and self.noiseless:
            return math.inf
        return Fraction(int(shares.max(initial=0)), 2**self.bits)

    def _as_dict(self):
        own = {name: getattr(self, name) for name in ("method", "noise", "bits", "budgets", "variance", "value")}
        named = {name: words(getattr(self.kinds, name).tolist()) for name in Kinds.__dataclass_fields__}
        level = self.level if self.level == math.inf else str(self.level)
        derived = {"scale": self.scale, "level": word(level), "users": self.n, "public": list(PUBLIC)}
        told = {"interval": [float(self.lower), float(self.upper)], "error": dict(sorted(vars(self.error).items()))}
        told["reading"] = None if self.reading is None else dict(self.reading)
        return {"schema": SCHEMA, **own, **derived, **told, "kinds": named, "allowance": words(self.allowance.tolist())}

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what ``to_json`` wrote from ``text``; ValueError if it is no plan, or breaks a budget."""
        try:
            found = json.loads(text, object_pairs_hook=once)
            if found["schema"] != SCHEMA:
                raise ValueError(f"schema must be {SCHEMA}, got {_validate.show(found['schema'])}")
            kinds = {name: read_column(name, found["kinds"][name]) for name in Kinds.__dataclass_fields__}
            allowance, m = read_column("allowance", found["allowance"]), max(map(np.size, kinds.values()))
            if not {*map(np.size, (*kinds.values(), allowance))} <= {1, m}:
                raise ValueError("kinds and allowance must be columns of one length, got others")
            columns = Kinds(**{name: np.broadcast_to(column, (m,)) for name, column in kinds.items()})
            own = {name: found[name] for name in ("method", "noise", "bits", "variance", "value", "reading")}
            lower, upper = found["interval"]
            allowance = np.broadcast_to(allowance, (m,))
            error = Errors(**found["error"])
            read = cls(**own, lower=lower, upper=upper, kinds=columns, allowance=allowance, error=error)
        except (KeyError, TypeError, OverflowError, RecursionError, json.JSONDecodeError) as wrong:
            raise ValueError(f"text must be a plan as to_json writes it, got {type(wrong).__name__}: {wrong}") from None
        if read._as_dict() != found:
            raise ValueError("text must be a plan as to_json writes it, got entries that contradict each other")
        return read


def ends(plan, kind):
    """Ends of the interval to which a value is taken, in its unit, for users of these kinds."""
    width = plan.upper - plan.lower
    return plan.lower + width * plan.kinds.low[kind], plan.upper - width * (1 - plan.kinds.high[kind])


def interval(lower, upper):
    """Return the interval's width, or raise ValueError."""
    low, high = (_validate.scalar(name, value, -1e50, 1e50) for name, value in (("lower", lower), ("upper", upper)))
    if not high - low >= _validate.SMALL:
        raise ValueError(f"upper must exceed lower = {low!r} by 1e-50, got {high!r}")
    return high - low
