"""What a budget buys: the chance of a lie in a report of one bit, and the largest share at a scale of 2^bits."""

import numpy as np

from hdp.release import arithmetic

MOST = 2**62  # of the sum of shares: twice that, and the noise could leave the integers of 64 bits
_UPWARDS = 1 + 2.0**-48  # more than the rounding of a chance
_DOWNWARDS = 1 - 2.0**-50  # more than the rounding of a root, and than what OpenDP rounds up when it squares it


def chance_of_a_lie(budget, noise="laplace"):
    """That of a report of one bit: a multiple of 2^-53, so that its complement is a float too, and rounded up."""
    odds = arithmetic.exp(-bit_budget(budget, noise))
    return np.clip(np.ceil(odds / (1 + odds) * _UPWARDS * 2.0**53) * 2.0**-53, 2.0**-53, 0.5)


def bit_budget(budget, noise="laplace"):
    r"""The epsilon of a report of one bit: for zero-concentrated privacy the one where epsilon tanh(epsilon/2) is rho.

    Newton's iteration, from below, and a little less than it comes to.
    """
    if noise == "laplace":
        return budget
    rho = np.minimum(budget, 1e6)  # beyond, no lie can be drawn
    epsilon = np.maximum(rho, np.sqrt(2 * rho))
    for _ in range(8):
        t = arithmetic.tanh(epsilon / 2)
        slope = t + epsilon / 2 * (1 - t * t)
        epsilon = epsilon + np.where(rho > 0, (rho - epsilon * t) / np.where(rho > 0, slope, 1.0), 0.0)
    return epsilon * (1 - 2.0**-45)


def limit(epsilon, bits, noise="laplace"):
    """The largest shares that these budgets allow at the scale 2^bits, exactly: a power of two changes no digit.

    With Gaussian noise the square of a share is at most twice the budget times the squared scale.
    """
    if noise == "gaussian":
        with np.errstate(over="ignore"):
            epsilon = np.sqrt(2 * epsilon) * _DOWNWARDS
    with np.errstate(over="ignore", under="ignore"):
        return np.minimum(np.floor(np.ldexp(epsilon, bits)), MOST).astype(np.int64)


def most_bits(users, losses):
    """The finest scale, 2^52 at the most, at which shares for these losses sum to at most 2^62."""
    with np.errstate(over="ignore"):
        total = arithmetic.total(users, losses)
    bits = min(52, 62 - int(np.frexp(total * (1 + 1e-9))[1])) if np.isfinite(total) else -1
    if bits < 0:
        raise ValueError(f"epsilon must let the losses sum to at most 2^62 unless it is inf, got {total:g}")
    return bits
