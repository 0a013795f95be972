"""Checks of arguments: every message names the argument, the value and the allowed range."""

import numpy as np


def number(name, value, low=-np.inf, high=np.inf, *, open_low=False, open_high=False):
    """Return `value` as an array (or 0-d array) of floats within the range, or raise ValueError."""
    try:
        if np.iscomplexobj(value):
            raise TypeError
        array = np.asarray(value, dtype=float) + 0.0  # -0.0 becomes 0.0
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numeric, got {value!r}") from None
    above = array > low if open_low else array >= low
    below = array < high if open_high else array <= high
    inside = above & below  # a NaN compares false, so it is outside
    if not np.all(inside):
        bad = float(array[~inside].flat[0])
        left, right = "(" if open_low else "[", ")" if open_high else "]"
        raise ValueError(f"{name} must lie in {left}{low:g}, {high:g}{right}, got {bad!r}")
    return array


def scalar(name, value, low=-np.inf, high=np.inf, **ends):
    """Return `value` as a float within the range, or raise ValueError."""
    array = number(name, value, low, high, **ends)
    if array.ndim:
        raise ValueError(f"{name} must be a scalar, got shape {array.shape}")
    return float(array)


def whole(name, value, low):
    """Return `value` as an int of at least `low`, or raise ValueError; 3.0 and NumPy's integers pass, True does not."""
    truth = isinstance(value, (bool, np.bool_))
    try:
        count = value if truth else int(value)
    except (TypeError, ValueError, OverflowError):
        count = None
    if truth or count is None or count != value or count < low:
        raise ValueError(f"{name} must be an integer in [{low}, inf), got {value!r}")
    return count


def same_shapes(**arrays):
    """Raise ValueError unless the arrays broadcast."""
    try:
        np.broadcast_shapes(*(a.shape for a in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{k} {a.shape}" for k, a in arrays.items())
        raise ValueError(f"the arguments must broadcast, got the shapes {shapes}") from None


def vector(name, value, low=-np.inf, high=np.inf, **ends):
    """Return `value` as a non-empty vector of floats within the range, or raise ValueError."""
    array = number(name, value, low, high, **ends)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name} must be a non-empty vector of shape (n,), got shape {array.shape}")
    return array


def budgets(epsilon, name="epsilon"):
    """Return the privacy budgets as a vector in [0, inf] with at least one usable (positive) entry."""
    array = vector(name, epsilon, 0)
    if not array.any():
        raise ValueError(f"{name} must have at least one entry in (0, inf], got only zeros")
    return array


def data(x, n, low=-0.5, high=0.5, name="x"):
    """Return data of shape (..., n) with every entry in the public interval, or raise ValueError."""
    plain = isinstance(x, np.ndarray) and x.dtype == np.float64 and x.size > 0
    if plain and low <= x.min() and x.max() <= high:  # two passes and no copy; a NaN compares false
        array = x
    else:
        array = number(name, x, low, high)
    if array.ndim == 0 or array.shape[-1] != n:
        raise ValueError(f"{name} must have shape (..., {n}), one column for each budget, got {array.shape}")
    return array
