r"""From budgets to a plan: the loss that each method means for every user, rounded down to a multiple of 1/c.

The methods compute in floats; what they come to is one loss for each user.  From there on all is exact: a float is a
fraction whose denominator is a power of two, and so is 1/c.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from hdp import _docs, _validate, adpm, threshold, user_level
from hdp.clipping import level
from hdp.compare import Population, mixed_release
from hdp.release import kinds as _kinds
from hdp.release.kinds import Kinds
from hdp.release.plans import METHODS, NOISES, Errors, Plan, interval

REPORTS = ("simple", "laplace")  # there is no staircase and no piecewise density on the integers here
FLOAT = 2.0**-50  # more than floats add to what a value stands for, in units of the interval


@_docs.USERS
def plan(
    population: Population | ArrayLike,
    method: str = "adpm",
    *,
    noise: str = "laplace",
    variance: float | None = None,
    prior: tuple[float, float] | None = None,
    reports: str = "simple",
    lower: float = 0.0,
    upper: float = 1.0,
    releases: int = 1,
    bits: int | None = None,
) -> Plan:
    r"""Shares, weights and noise of a release, from what is public about the users; no value is read.

    .. math:: \text{share}_i = \lfloor c\min(\epsilon_i, \tau)\rfloor, \qquad c = 2^{\text{bits}}

    Parameters
    ----------
    population : Population or array_like, shape (n,)
        Who the users are, or the budgets of users who all trust the curator.
    method : {"adpm", "threshold", "mixed", "user-level"}
        "adpm": `hdp.adpm`; "threshold": the best threshold of `hdp.threshold`; "mixed": `hdp.compare.mixed_release`,
        with reports of local users; "user-level": the same for means of several records, whose variances `prior` gives.
        The first two want a curator whom all trust.
    noise : {"laplace", "gaussian"}
        Discrete Laplace noise, for pure differential privacy, or, for "adpm" only, discrete Gaussian noise: then
        budgets and losses are those of zero-concentrated differential privacy, and
        :math:`\text{share}_i = \lfloor c\min(\sqrt{2\rho_i}, T)\rfloor` with
        :math:`\sum_i\sqrt{2\rho_i}(T - \sqrt{2\rho_i})_+ = 4`.
    variance : float, optional
        For "mixed": variance of a value, in squared units, at most a quarter of the squared interval, which it is
        unless given; it must not be taken from the same data.
    prior : (float, float), optional
        For "user-level", on the interval [0, 1]: public mean, in (0, 1), and standard deviation of the users' own
        means.
    reports : {"simple", "laplace"}
        What local users send: one bit or their value with noise, whichever varies less, or always the latter.
    lower, upper : float
        Public interval of the values, in their unit, each at most 1e50 in size.
    releases : int
        How many releases of this kind the budgets are to last for: each spends at most this part of them.
    bits : int, optional
        The scale c is two to this power, in [0, 52]; the finest that integers of 64 bits allow unless given.

    Returns
    -------
    Plan
        If a constant answer errs no more than the release, the plan is to answer the centre of the interval.

    Raises
    ------
    ValueError
        If an argument lies outside its range, or does not fit the method.

    Examples
    --------
    >>> from hdp.release import plan
    >>> made = plan([0.5, 1.0, float("inf")] * 100, bits=10)
    >>> made.kinds.share.tolist(), float(made.level), made.scale
    ([512, 675, 675], 0.6591796875, 1024)
    >>> plan([0.1, 0.1]).constant
    True
    """
    people = _kinds.checked(population)
    method = _validate.choice("method", method, METHODS)
    if _validate.choice("noise", noise, NOISES) == "gaussian" and method != "adpm":
        raise ValueError(f"noise must be laplace for the method {method}, got {noise!r}")
    width, times = interval(lower, upper), _validate.whole("releases", releases, 1)
    used = Population(_kinds.part(people.epsilon, times), people.trust, people.records)
    v = _unit_variance(people, method, variance, prior, width)
    losses, weights, bit = _gaussian(used) if noise == "gaussian" else _chosen(used, method, v, reports)
    finest = _kinds.most_bits(losses)
    bits = finest if bits is None else _validate.whole("bits", bits, 0, finest)
    first, _, users = _kinds.sort(people)
    share = _kinds.limit(losses[first], bits)
    share = np.minimum(share, _kinds.limit(used.epsilon[first], bits, noise))
    sends = people.local[first] & ((share > 0) | bit[first])
    table = Kinds(
        epsilon=people.epsilon[first], local=people.local[first], records=people.records[first],
        users=users, share=share, weight=np.where(sends, weights[first], 0.0), bit=bit[first] & sends,
    )  # fmt: skip
    table = _as_whole(table)
    error = _errors(table, v[first], _noise_variance(bits, noise), used.epsilon[first])
    if not error or error.total - error.rounding > adpm.TRIVIAL_MSE:
        none = np.zeros(users.size, dtype=np.int64)
        table = replace(table, share=none, weight=none.astype(float), bit=none.astype(bool))
        error = Errors(0.0, 0.0, 0.0, 0.0, adpm.TRIVIAL_MSE)
    scaled = Errors(*(float(f"{part * width**2:.12g}") for part in vars(error).values()))  # so far alike everywhere
    name = _kinds.fingerprint(people)
    return Plan(method, noise, bits, float(lower), float(upper), times, name, table, scaled)


def _unit_variance(people, method, variance, prior, width):
    """Variances in units of the squared interval, shape (n,)."""
    if (prior is not None) != (method == "user-level"):
        raise ValueError(f"prior must be given for the method user-level and no other, got {prior!r} for {method}")
    if variance is not None and method != "mixed":
        raise ValueError(f"variance must be None for the method {method}, got {variance!r}")
    if prior is not None:
        if width != 1:
            raise ValueError(f"prior must come with the interval [0, 1], got one of width {width!r}")
        return user_level.sample_mean_variance(*_validate.mean_and_deviation(*prior), people.records)
    most = width**2 / 4
    v = most if variance is None else _validate.scalar("variance", variance, 0, most, open_low=True)
    return np.full(people.size, v / width**2)


def _gaussian(people):
    """The same as `_chosen`, where user i costs no more than one over the root of twice her budget."""
    if people.local.any():
        raise ValueError(f"trust must be curator for Gaussian noise, got {int(people.local.sum())} local")
    root = np.sqrt(2 * people.epsilon)
    losses = np.minimum(root, level(root, root, 4.0))
    nothing = np.zeros(people.size)
    return _relative(losses), nothing, nothing.astype(bool)


def _relative(losses):
    """Losses as they are; where some have no bound, these alone count, and all the same."""
    return np.isinf(losses).astype(float) if np.isinf(losses).any() else losses


def _chosen(people, method, v, reports):
    """Loss and weight of every user, and whether she sends a bit; each of shape (n,)."""
    nothing = np.zeros(people.size)
    if method in ("adpm", "threshold"):
        if people.local.any():
            raise ValueError(f"trust must be curator for the method {method}, got {int(people.local.sum())} local")
        if method == "adpm":
            losses = adpm.effective_epsilon(people.epsilon)
        else:
            tau = threshold.best_threshold(people.epsilon)
            losses = np.where(people.epsilon >= tau, tau, 0.0)
        return _relative(losses), nothing, nothing.astype(bool)
    mixed = mixed_release(people, v, _validate.choice("reports", reports, REPORTS))
    bit = (mixed.reports == "one-bit") & (_kinds.chance_of_a_lie(people.epsilon) < 0.5)
    curated = np.where(people.local, 0.0, mixed.weights)
    losses = curated / (mixed.curator_scale or curated.max() or 1.0)
    plain = mixed.reports == "laplace"
    losses[plain] = people.epsilon[plain]
    return losses, np.where(people.local, mixed.weights, 0.0), bit


def _as_whole(table):
    """The kinds with weights of reports that leave the right rest, which nobody has where no value is counted."""
    if table.counted.any() or not table.weight.any():
        return table
    return replace(table, weight=table.weight / np.sum(table.users * table.weight))


def _errors(table, v, noise_variance, epsilon):
    """Parts of the worst expected squared error on the unit interval, or None where nobody is used."""
    counted, reported = table.counted, table.weight > 0
    if not (counted.any() or reported.any()):
        return None
    own = 1 - float(np.sum(table.users * table.weight)) if counted.any() else 0.0
    total = float(np.sum(table.users[counted] * table.share[counted].astype(float)))
    w = np.where(counted, own * table.share / (total or 1.0), table.weight)
    noisy = counted.any() and not np.isinf(table.epsilon[counted]).all()
    noise = noise_variance * (own / total) ** 2 if noisy else 0.0
    sent = v.copy()
    plain, bit = reported & ~table.bit, reported & table.bit
    sent[plain] += noise_variance / table.share[plain].astype(float) ** 2
    sent[bit] = report_variance(epsilon[bit])
    sampling, reports = (float(np.sum(table.users[rows] * w[rows] ** 2 * sent[rows])) for rows in (counted, reported))
    integer = counted | plain
    off = float(np.sum(table.users[integer] * w[integer] * (0.5 / table.share[integer] + FLOAT)))
    deviation = np.sqrt(sampling + noise + reports)
    return Errors(sampling, noise, reports, float(off * (2 * deviation + off)), 0.0)


def _noise_variance(bits, noise):
    """Variance of the noise of scale c, two to this power; at most, if it is Gaussian."""
    return laplace_variance(bits) if noise == "laplace" else 4.0**bits


def laplace_variance(bits):
    r"""Variance :math:`1/(2\sinh^2(1/(2c)))` of discrete Laplace noise of scale c, two to this power."""
    return 0.5 / np.sinh(0.5 * 2.0**-bits) ** 2


def report_variance(epsilon):
    """Largest variance of a report of one bit, that where the mean is 1/2, at its chance of a lie."""
    return 0.25 / (1 - 2 * _kinds.chance_of_a_lie(epsilon)) ** 2
