r"""From budgets to a plan: the loss that each method means for every user, rounded down to a multiple of 1/c.

The methods compute in floats; what they come to is one loss for each user.  From there on all is exact: a float is a
fraction whose denominator is a power of two, and so is 1/c.
"""

import math
from dataclasses import replace
from fractions import Fraction
from os import PathLike

import numpy as np
from numpy.typing import ArrayLike

from hdp import _validate, adpm
from hdp.compare import Population
from hdp.compare.population import LEAST
from hdp.release import arithmetic
from hdp.release import bits as _bits
from hdp.release import kinds as _kinds
from hdp.release.charging import left_of
from hdp.release.choosing import Users, chosen, truncation
from hdp.release.kinds import Kinds
from hdp.release.plans import METHODS, NOISES, Errors, Plan, interval
from hdp.user_level.model import BETA, variance_of_mean

FLOAT = 2.0**-50  # more than floats add to what a value stands for, in units of the interval, or of its ends
REPORTS = ("simple", "noisy")


def plan(
    population: Population | ArrayLike,
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
    releases: int = 1,
    spend: float | None = None,
    ledger: str | PathLike[str] | None = None,
    bits: int | None = None,
) -> Plan:
    r"""Shares, weights and noise of a release, from what is public about the users; no value is read.

    .. math:: \text{share}_i = \lfloor c\min(\epsilon_i, \tau)\rfloor, \qquad c = 2^{\text{bits}}

    Parameters
    ----------
    population : Population or array_like, shape (n,)
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
    releases : int
        How many releases of this kind the budgets are to last for: each spends at most this part of them.
    spend : float, optional
        Share of every budget, in (0, 1], that this release may use at the most, instead of `releases`, which is 1/k of
        them: ``spend=0.25`` is ``releases=4``.  It is a share of what was allowed at first, with a ledger, too.
    ledger : str or pathlib.Path, optional
        The ledger of these users.  Nobody's part is more than she has left by it, so that who has nothing left takes no
        part; the plan lists the budgets as before, by which the ledger knows the users, and beside them the parts.
    bits : int, optional
        The scale c is two to this power, in [0, 52]; the finest that integers of 64 bits allow unless given.

    Returns
    -------
    Plan
        If a constant answer errs less than the release would if nothing were rounded to whole numbers, the plan is to
        answer the centre of the interval.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or does not fit the method, or if the ledger is missing, for other users
        or another noise, or no ledger.

    Examples
    --------
    >>> from hdp.compare import Population
    >>> from hdp.release import plan
    >>> made = plan([0.5, 1.0, float("inf")] * 100, bits=10)
    >>> made.kinds.share.tolist(), float(made.level), made.scale
    ([512, 675, 675], 0.6591796875, 1024)
    >>> plan([0.1, 0.1]).constant
    True
    >>> plan([0.5, 1.0] * 100, spend=0.25).digest == plan([0.5, 1.0] * 100, releases=4).digest
    True
    >>> many = Population([1.0] * 200, records=[900] * 20 + [1] * 180)
    >>> plan(many, "truncated", prior=(0.5, 0.05)).kinds.low.round(3).tolist()
    [0.0, 0.207]
    """
    people = _kinds.people(population)
    method, noise = _validate.choice("method", method, METHODS), _validate.choice("noise", noise, NOISES)
    width, (times, rate) = interval(lower, upper), _times(releases, spend)
    lower, upper = float(lower), float(upper)
    reports = _validate.choice("reports", reports, REPORTS)
    first, _, users = _kinds.sort(people)
    epsilon, local, records = people.epsilon[first], people.local[first], people.records[first]
    v = _unit_variance(method, variance, prior, records, (lower, upper))
    low, high, out = _intervals(method, prior, records, people.size, beta, proxy)
    used, allowance = _parts((epsilon, local, records, users), times, rate, noise, ledger)
    losses, weights, bit = chosen(method, Users(used, local, users, v, low, high), reports, noise)
    finest = _bits.most_bits(users, losses)
    bits = finest if bits is None else _validate.whole("bits", bits, 0, finest)
    share = np.minimum(_bits.limit(losses, bits), _bits.limit(used, bits, noise))
    share[bit] = 0
    weights = np.where(local & ((share > 0) | bit), weights, 0.0)
    table = _as_whole(Kinds(epsilon, local, records, users, share, weights, bit, low, high))
    error = _errors(table, v, out, used, bits, noise, beyond(lower, upper))
    if not error or error.total - error.rounding > adpm.TRIVIAL_MSE:
        table, error = _without_anybody(table), Errors(0.0, 0.0, 0.0, 0.0, adpm.TRIVIAL_MSE)
    scaled = Errors(*(part * (width * width) for part in vars(error).values()))
    return Plan(method, noise, bits, lower, upper, times if allowance is None else 1, table, scaled, allowance)


def _without_anybody(table):
    """The kinds where nobody takes part: the answer is the centre of the interval."""
    none = np.zeros(table.share.size, dtype=np.int64)
    return replace(table, share=none, weight=none.astype(float), bit=none.astype(bool))


def _times(releases, spend):
    """For how many releases the budgets are to last, and the share that one may use, if it is not one over k."""
    times = _validate.whole("releases", releases, 1)
    if spend is None:
        return times, None
    if times != 1:
        raise ValueError(f"releases must be 1 where spend says what may be used, got {times}")
    rate = _validate.scalar("spend", spend, 0, 1, open_low=True)
    k = round(min(1 / rate, 2.0**52))
    return (k, None) if Fraction(rate) * k == 1 else (1, rate)


def _parts(kinds, times, rate, noise, ledger):
    """What this release may use of each kind's budget, and the same as a plan keeps it, unless `times` says it."""
    epsilon = kinds[0]
    part = _kinds.part(epsilon, times) if rate is None else _kinds.part_of(epsilon, rate)
    used = part if ledger is None else np.minimum(part, left_of(epsilon, _kinds.fingerprint(*kinds), noise, ledger))
    if rate is None and np.array_equal(used, part):
        return part, None
    used = np.where(used < LEAST, 0.0, used)
    return used, used


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


def beyond(lower, upper):
    """What floats add besides to an answer between ends that are large for their distance, in units of that."""
    return FLOAT * max(0.0, max(abs(lower), abs(upper)) / (upper - lower) - 1)


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
