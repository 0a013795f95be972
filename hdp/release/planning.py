r"""From budgets to a plan: the loss that each method means for every user, rounded down to a multiple of 1/c.

The methods compute in floats; what they come to is one loss for each user.  From there on all is exact: a float is a
fraction whose denominator is a power of two, and so is 1/c.
"""

import math
from dataclasses import replace
from os import PathLike
from types import SimpleNamespace

import numpy as np
from numpy.typing import ArrayLike

from hdp import _validate, adpm
from hdp.release import arithmetic
from hdp.release import bits as _bits
from hdp.release import kinds as _kinds
from hdp.release.arithmetic import FLOAT, beyond
from hdp.release.choosing import Asked, chosen, truncation
from hdp.release.kinds import Kinds
from hdp.release.ledgers import Ledger
from hdp.release.plans import METHODS, NOISES, Errors, Plan, interval
from hdp.user_level.model import BETA, variance_of_mean
from hdp.users import Users
from hdp.users.people import LEAST

REPORTS = ("simple", "noisy")


def plan(
    users: Users | ArrayLike,
    method: str = "adpm",
    *,
    noise: str = "laplace",
    variance: float | None = None,
    prior: tuple[float, float] | None = None,
    beta: float | None = None,
    proxy: float | None = None,
    reports: str = "simple",
    lower: float = 0.0,
    upper: float = 1.0,
    spend: float = 1.0,
    ledger: Ledger | str | PathLike[str] | None = None,
    value: str | None = None,
    bits: int | None = None,
) -> Plan:
    r"""Shares, weights and noise of a release, from what is public about the users; no value is read.

    .. math:: \text{share}_i = \lfloor c\min(\epsilon_i, \tau)\rfloor, \qquad c = 2^{\text{bits}}

    Parameters
    ----------
    users : Users or array_like, shape (n,)
        Who the users are, or the budgets of users who all trust the curator.
    method : {"adpm", "threshold", "mixed", "user-level", "truncated"}
        "adpm": `hdp.adpm`; "threshold": the best threshold of `hdp.threshold`; "mixed": `hdp.compare.mixed_release`,
        with reports of local users; "user-level": the same for means of several records, whose variances `prior` gives;
        "truncated": the same with the intervals of `hdp.user_level.private_ideal`, to which means are taken first.
        The first two want a curator whom all trust.
    noise : {"laplace", "gaussian"}
        Discrete Laplace noise, for pure differential privacy, or discrete Gaussian noise: then budgets and losses are
        those of zero-concentrated differential privacy, and a share is at most :math:`c\sqrt{2\rho_i}`.
    variance : float, optional
        For "mixed": variance of a value, in squared units, at most a quarter of the squared interval, which it is
        unless given; it must not be taken from the same data.
    prior : (float, float), optional
        For "user-level" and "truncated", on the interval [0, 1]: public mean, in (0, 1), and standard deviation of the
        users' own means.
    beta : float, optional
        For "truncated": chance, in (0, 1), that anybody's mean is outside of her interval; 0.05 unless given.
    proxy : float, optional
        For "truncated": variance proxy of the users' own means, from their variance, which it is unless given, to 1.
        With a wrong one the answer has more bias than the plan says, and as much privacy.
    reports : {"simple", "noisy"}
        What local users send: one bit or their value with noise, whichever varies less, or always the latter.
    lower, upper : float
        Public interval of the values, in their unit, each at most 1e50 in size.
    spend : float
        Share of every budget, in (0, 1], that this release may use at the most: for four alike, 0.25.  It is a share of
        what was allowed at first, with a ledger, too.
    ledger : Ledger or str or pathlib.Path, optional
        The ledger of these users.  Nobody's part is more than she has left by it, so that who has nothing left takes no
        part; the plan lists the budgets as before, by which the ledger knows the users, and beside them the parts.
    value : str, optional
        Column of values that the plan is for; unless given the one that the users have, or else "value".
    bits : int, optional
        The scale c is two to this power, in [0, 52]; the finest that integers of 64 bits allow unless given.

    Returns
    -------
    Plan
        If a constant answer errs less than the release would if nothing were rounded to whole numbers, the plan is to
        answer the centre of the interval.

    Examples
    --------
    >>> import hdp
    >>> from hdp.release import plan
    >>> made = plan([0.5, 1.0, float("inf")] * 100, bits=10)
    >>> made.kinds.share.tolist(), float(made.level), made.scale
    ([512, 675, 675], 0.6591796875, 1024)
    >>> plan([0.1, 0.1]).constant
    True
    >>> many = hdp.Users([1.0] * 200, records=[900] * 20 + [1] * 180)
    >>> plan(many, "truncated", prior=(0.5, 0.05)).kinds.low.round(3).tolist()
    [0.0, 0.207]
    """
    who = _kinds.users_of(users)
    method, noise = _validate.choice("method", method, METHODS), _validate.choice("noise", noise, NOISES)
    width, spend = interval(lower, upper), _validate.scalar("spend", spend, 0, 1, open_low=True)
    lower, upper = float(lower), float(upper)
    reports = _validate.choice("reports", reports, REPORTS)
    first, _, count = _kinds.sort(who)
    epsilon, local, records = who.epsilon[first], who.local[first], who.records[first]
    v = _unit_variance(method, variance, prior, records, (lower, upper))
    low, high, out = _intervals(method, prior, records, who.size, beta, proxy)
    used = _allowance((epsilon, local, records, count), spend, ledger, noise)
    losses, weights, bit = chosen(method, Asked(used, local, count, v, low, high), reports, noise)
    finest = _bits.most_bits(count, losses)
    bits = finest if bits is None else _validate.whole("bits", bits, 0, finest)
    share = np.minimum(_bits.limit(losses, bits), _bits.limit(used, bits, noise))
    share[bit] = 0
    weights = np.where(local & ((share > 0) | bit), weights, 0.0)
    table = _as_whole(Kinds(epsilon, local, records, count, share, weights, bit, low, high))
    error = _errors(table, v, out, used, bits, noise, beyond(lower, upper))
    if not error or error.total - error.rounding > adpm.TRIVIAL_MSE:
        table, error = _without_anybody(table), Errors(0.0, 0.0, 0.0, 0.0, adpm.TRIVIAL_MSE)
    scaled = Errors(*(part * (width * width) for part in vars(error).values()))
    told, column = None if variance is None else float(variance), _kinds.column_of(who, value)
    return Plan(method, noise, bits, lower, upper, told, table, used, scaled, column, who.reading)


def _allowance(kinds, spend, ledger, noise):
    """What the release may use of the budget of each kind: a share of it, and no more than is left."""
    used = _kinds.part_of(kinds[0], spend)
    if ledger is not None:
        known = SimpleNamespace(**dict(zip(_kinds.WHO, kinds, strict=True)))
        used = np.minimum(used, Ledger.of(ledger).left_of(known, noise))
    return np.where(used < LEAST, 0.0, used)


def _without_anybody(table):
    """The kinds where nobody takes part: the answer is the centre of the interval."""
    none = np.zeros(table.share.size, dtype=np.int64)
    return replace(table, share=none, weight=none.astype(float), bit=none.astype(bool))


def _unit_variance(method, variance, prior, records, ends):
    """Variance of a value of each kind in units of the squared interval, shape (m,)."""
    needs = method in ("user-level", "truncated")
    if (prior is not None) != needs:
        raise ValueError(f"prior must be given for user-level and truncated, and no other, got {prior!r} for {method}")
    if variance is not None and method != "mixed":
        raise ValueError(f"variance must be None for the method {method}, got {variance!r}")
    if needs:
        if tuple(ends) != (0, 1):
            raise ValueError(f"prior must come with the interval [0, 1], got {ends!r}")
        p, deviation = _validate.mean_and_deviation(*prior, names=("prior", "prior"), open_low=True, open_high=True)
        bernoulli = p * (1 - p)
        return variance_of_mean(bernoulli, min(deviation * deviation, bernoulli), records)
    width = ends[1] - ends[0]
    square = width * width
    most = square / 4
    v = most if variance is None else _validate.scalar("variance", variance, 0, most, open_low=True)
    return np.full(records.size, v / square)


def _intervals(method, prior, records, n, beta, proxy):
    """Ends of each kind's interval, and the chance that a value of hers lies outside."""
    if method != "truncated":
        for name, given in (("beta", beta), ("proxy", proxy)):
            if given is not None:
                raise ValueError(f"{name} must be None for the method {method}, got {given!r}")
        return np.zeros(records.size), np.ones(records.size), 0.0
    beta = _validate.chance("beta", BETA if beta is None else beta)
    if proxy is not None:
        proxy = _validate.scalar("proxy", proxy, prior[1] * prior[1] * (1 - _validate.ROUNDING), 1)
    low, high = truncation(*map(float, prior), records, n, beta, proxy)
    return low, high, beta / n


def _as_whole(table):
    """The kinds with weights of reports that leave the right rest, which nobody has where no value is counted."""
    if table.counted.any() or not table.weight.any():
        return table
    return replace(table, weight=table.weight / arithmetic.total(table.users, table.weight))


def _errors(table, v, out, budget, bits, noise, ends):
    """Parts of the worst expected squared error on the unit interval, or None where nobody is used."""
    counted, reported = table.counted, table.weight > 0
    if not (counted.any() or reported.any()):
        return None
    total, width = arithmetic.total, table.high - table.low
    own = 1 - total(table.users, table.weight) if counted.any() else 0.0
    units = total(table.users, table.units) or 1.0
    w = np.where(counted, own * table.units / units, table.weight)
    each = arithmetic.noise_variance(bits, noise)
    noisy = each * ((own / units) * (own / units)) if np.isfinite(table.epsilon[counted]).any() else 0.0
    sent, plain, bit = v.copy(), reported & ~table.bit, reported & table.bit
    sent[plain] += each * np.square(width[plain] / table.share[plain])
    sent[bit] = np.square(width[bit]) * bit_variance(budget[bit], noise)
    squares = np.square(w) * sent
    sampling, reports = total(table.users, squares * counted), total(table.users, squares * reported)
    integer = counted | plain
    off = ends + total(table.users[integer], w[integer] * (0.5 * width[integer] / table.share[integer] + FLOAT))
    bias = out * out  # no value is moved by more than 1
    return Errors(sampling, noisy, reports, off * (2 * math.sqrt(sampling + noisy + reports + bias) + off), bias)


def bit_variance(budget, noise):
    """Largest variance of a report of one bit, that where the mean is 1/2, at its chance of a lie."""
    return 0.25 / np.square(1 - 2 * _bits.chance_of_a_lie(budget, noise))
