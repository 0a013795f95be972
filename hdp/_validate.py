"""The one entrance for arguments: every message names the argument, what was wrong with it and what is allowed.

Budgets, trust and parameters are public, and are shown.  What is `secret`, as everything is that holds persons' values,
is not: the message says where it stands, or its type, and neither does an exception behind it quote it.

What comes in may be a list, a tuple, an array of any numeric type, an integer, a Fraction or a Decimal; what goes on is
a float64, an int, a bool or a generator.  So no arithmetic of the library is done in a caller's type, whose overflow
would be a caller's loss of privacy.  Refused are, besides what lies outside its range: masked arrays (their mask would
be lost), text, dates, complex numbers, and numbers that no float can hold.
"""

import operator

import numpy as np

EXACT = 2**53 - 1  # up to here no float rounds an integer
SMALL, LARGE = 1e-50, 1e50  # of quantities with a unit, and budgets that divide them: their squares are floats
FINITE = {"open_low": True, "open_high": True}
TINY = np.finfo(float).tiny  # smallest float with all digits: a smaller scale or weight may be off by a factor
FREE = 1e100  # no answer shows the noise of a larger budget, and products of this one are floats
ROUNDING = 1e-12  # how far sigma_p^2 may exceed p (1 - p), relatively
NUMBERS = 2**30  # most numbers that one call may ask for, 8 GiB
_NOT_A_FLOAT = (TypeError, ValueError, ArithmeticError, AttributeError)


def number(name, value, low=-np.inf, high=np.inf, *, open_low=False, open_high=False, secret=False):
    """Return `value` as an array (or 0-d array) of floats within the range, or raise ValueError."""
    array = _float64(name, value, secret)
    inside = array > low if open_low else array >= low  # a NaN compares false, so it is outside
    if high < np.inf or open_high:  # otherwise nothing is above
        inside &= array < high if open_high else array <= high
    if not inside.all():
        found = f", got {float(array[~inside].flat[0])!r}" if not secret else _where(~inside)
        left, right = "(" if open_low else "[", ")" if open_high else "]"
        raise ValueError(f"{name} must lie in {left}{low:g}, {high:g}{right}{found}")
    return array


def size(name, value):
    """Return `value` as a float in [1e-50, 1e50], whose square and its reciprocal are floats, or raise ValueError."""
    return scalar(name, value, SMALL, LARGE)


def sizes(name, value):
    """Return `value` as an array of floats in [1e-50, 1e50], or raise ValueError."""
    return number(name, value, SMALL, LARGE)


def reals(name, value, *, secret=False):
    """Return `value` as an array (or 0-d array) of finite floats, or raise ValueError."""
    return number(name, value, **FINITE, secret=secret)


def scalar(name, value, low=-np.inf, high=np.inf, **ends):
    """Return `value` as a float within the range, or raise ValueError."""
    array = number(name, value, low, high, **ends)
    if array.ndim:
        raise ValueError(f"{name} must be a scalar, got shape {array.shape}")
    return float(array)


def interval(lower, upper):
    """Return both ends as floats, if they tell an interval of some width, or raise ValueError."""
    lower, upper = scalar("lower", lower, -LARGE, LARGE), scalar("upper", upper, -LARGE, LARGE)
    if not upper - lower >= SMALL:
        raise ValueError(f"upper must exceed lower = {lower!r} by 1e-50, got {upper!r}")
    return lower, upper


def chance(name, value, least=0.0):
    """Return `value` as a float in (0, 1), or in [least, 1), or raise ValueError."""
    return scalar(name, value, least, 1, open_low=not least, open_high=True)


def whole(name, value, low, high=EXACT):
    """Return `value` as an int in [low, high], or raise ValueError; 3.0 and NumPy's integers pass, True does not."""
    try:
        array = _float64(name, value)
        inside = array.ndim == 0 and not _is_truth(value) and low <= array <= high and array == np.floor(array)
    except ValueError:
        inside = False
    if not inside:
        end = "2^53)" if high == EXACT else f"{high}]"
        raise ValueError(f"{name} must be an integer in [{low}, {end}, got {show(value)}")
    return int(array)


def positions(name, value, high=EXACT, *, secret=False):
    """Return `value` as an array of integers in [0, high], in the integer type that it has, or raise ValueError."""
    found = array(name, value, secret)
    if found.dtype.kind not in "iu" or ((found < 0) | (found > high)).any():
        raise ValueError(f"{name} must hold integers in [0, {high}], got {show(value, secret)}")
    return found


def same_shapes(**arrays):
    """Return the shape to which the arrays broadcast, or raise ValueError."""
    try:
        return np.broadcast_shapes(*(a.shape for a in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{k} {a.shape}" for k, a in arrays.items())
        raise ValueError(f"the arguments must broadcast, got the shapes {shapes}") from None


def alike(**arrays):
    """Raise ValueError unless the arrays have one shape."""
    if len({a.shape for a in arrays.values()}) > 1:
        shapes = " and ".join(str(a.shape) for a in arrays.values())
        raise ValueError(f"{' and '.join(arrays)} must agree in shape, got {shapes}")


def vector(name, value, low=-np.inf, high=np.inf, **ends):
    """Return `value` as a non-empty vector of floats within the range, or raise ValueError."""
    array = number(name, value, low, high, **ends)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name} must be a non-empty vector of shape (n,), got shape {array.shape}")
    return array


def unbiased(name, value):
    """Return `value` as a vector of floats whose sum is 1 but for rounding, or raise ValueError."""
    array = vector(name, value, -LARGE, LARGE)
    if abs(array.sum() - 1) > 1e-9:
        raise ValueError(f"{name} must sum to 1 for an unbiased estimate, got a sum of {array.sum()!r}")
    return array


def with_gaps(name, value, low=-np.inf, high=np.inf, *, secret=False):
    """Return `value` as a vector of floats, each within the range or NaN where it is missing, or raise ValueError."""
    array = _float64(name, value, secret)
    if array.ndim != 1:
        raise ValueError(f"{name} must be a vector of shape (n,), got shape {array.shape}")
    middle = low if low > -np.inf else min(high, 0.0)
    number(name, np.where(np.isnan(array), middle, array), low, high, secret=secret)  # at their own positions
    return array


def budgets(epsilon, name="epsilon"):
    """Return the privacy budgets as a vector in [0, inf] with at least one usable (positive) entry."""
    array = vector(name, epsilon, 0)
    if not array.max():
        raise ValueError(f"{name} must have at least one entry in (0, inf], got only zeros")
    return array


def mean_and_deviation(p, sigma_p, names=("p", "sigma_p"), **ends):
    """Return both as floats, if any distribution on [0, 1] has them but for rounding, or raise ValueError."""
    p = scalar(names[0], p, 0, 1, **ends)
    sigma_p = scalar(names[1], sigma_p, 0, 1)
    bernoulli = p * (1 - p)
    if sigma_p**2 > bernoulli * (1 + ROUNDING):
        allowed = f"[0, sqrt(p (1 - p))] = [0, {bernoulli**0.5:.6g}]"
        raise ValueError(f"{names[1]} must lie in {allowed} for p = {p:g}, got {sigma_p!r}")
    return p, sigma_p


def data(x, n, low=-0.5, high=0.5, name="x"):
    """Return data of shape (..., n) with every entry in the public interval, or raise ValueError; they are secret."""
    plain = type(x) is np.ndarray and x.dtype == np.float64 and x.size > 0
    if plain and low <= x.min() and x.max() <= high:  # two passes and no copy; a NaN compares false
        array = x
    else:
        array = number(name, x, low, high, secret=True)
    if array.ndim == 0 or array.shape[-1] != n:
        raise ValueError(f"{name} must have shape (..., {n}), one column for each user, got {array.shape}")
    return array


def flag(name, value):
    """Return `value` as a bool, or raise ValueError: 1 is no truth value here, and 'False' would be true."""
    if not _is_truth(value):
        raise ValueError(f"{name} must be True or False, got {show(value)}")
    return bool(value)


def flags(name, value):
    """Return `value` as an array of bools, or raise ValueError."""
    found = array(name, value)
    if found.dtype == object and all(map(_is_truth, found.flat)):
        found = found.astype(bool)
    if found.dtype != bool:
        raise ValueError(f"{name} must hold True and False only, got {show(value)}")
    return found


def generator(rng, name="rng"):
    """Return a generator: the one given, or a new one for a seed; or raise ValueError."""
    if isinstance(rng, np.random.Generator):
        return rng
    if isinstance(rng, np.random.BitGenerator | np.random.SeedSequence):
        return np.random.default_rng(rng)
    return np.random.default_rng(seed(name, rng, "a numpy.random.Generator or an integer"))


def seed(name, value, allowed="an integer"):
    """Return an int of at least 0, however large, or raise ValueError."""
    try:
        found = -1 if _is_truth(value) else operator.index(value)
    except TypeError:
        found = -1
    if found < 0:
        raise ValueError(f"{name} must be {allowed} in [0, inf), got {show(value)}")
    return found


def shape(size, name="size"):
    """Return a shape as a tuple of at most 2^30 numbers altogether, () for None, or raise ValueError."""
    lengths = () if size is None else size if isinstance(size, tuple | list) else (size,)
    found = tuple(whole(name, length, 0, NUMBERS) for length in lengths)
    affordable(name, *found)
    return found


def affordable(name, *lengths):
    """Raise ValueError if an array of these lengths would hold more than 2^30 numbers."""
    total = 1
    for length in lengths:
        total *= int(length)
    if total > NUMBERS:
        raise ValueError(f"{name} must ask for at most {NUMBERS} numbers, got {total:.3g}")


def instance(name, value, kind):
    """Return `value` if it is an instance of the class, or of one of several, or raise TypeError."""
    if not isinstance(value, kind):
        kinds = " or ".join(one.__name__ for one in (kind if isinstance(kind, tuple) else (kind,)))
        raise TypeError(f"{name} must be a {kinds}, got {show(value, secret=True)}")
    return value


def function(name, value):
    """Return `value` if it can be called, or raise TypeError."""
    if not callable(value):
        raise TypeError(f"{name} must be a function, got {show(value, secret=True)}")
    return value


def choice(name, value, options):
    """Return `value` if it is one of these names, or raise ValueError."""
    if not isinstance(value, str) or value not in options:
        raise ValueError(
            f"{name} must be one of {', '.join(options)}, got {show(value, secret=not isinstance(value, str))}"
        )
    return value


def field(instance, name, check, *allowed, **ends):
    """Check a field of a frozen dataclass with a function of this module, and store what it becomes."""
    object.__setattr__(instance, name, check(name, getattr(instance, name), *allowed, **ends))


def show(value, secret=False):
    """What a message shows of a value: its representation, cut where it is long, or only its type if it is secret."""
    try:
        text = f"an object of type {type(value).__name__}" if secret else repr(value)
    except Exception:  # of an integer beyond 4300 digits, or of whatever a caller wrote
        return show(value, secret=True)
    return text if len(text) <= 200 else f"{text[:200]}..."


def _where(wrong):
    """Where in an array something is wrong, for a message that must not say what."""
    place = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f", which the one at index {place[0] if len(place) == 1 else place} does not" if place else ""


def _float64(name, value, secret=False):
    """A float64 array of what `value` holds, without its -0.0; NaN, inf and 0 only where `value` has them."""
    refuse_masked(name, value, secret)
    wrong = None
    try:
        raw = np.asarray(value)
        if raw.dtype.kind not in "biufO":
            raise TypeError
        with np.errstate(over="ignore", under="ignore"):
            array = np.add(raw, 0.0, dtype=np.float64, casting="unsafe")  # one pass, one new array
        if raw.dtype != np.float64:
            infinite, zero = np.isinf(array), array == 0
            if infinite.any() and np.any(array[infinite] != raw[infinite]):
                raise OverflowError
            if zero.any() and raw[zero].astype(bool).any():
                wrong = "0 or at least 5e-324 in size, which a float can hold"
    except _NOT_A_FLOAT as error:
        wrong = "at most 1.8e308 in size, which a float can hold" if isinstance(error, OverflowError) else "numeric"
    if wrong:  # out here no exception stands behind it, which might quote what is secret
        raise ValueError(f"{name} must be {wrong}, got {show(value, secret)}")
    return array


def array(name, value, secret=False):
    """What NumPy makes of `value`; of what it cannot read, floats, where the callers want none."""
    refuse_masked(name, value, secret)
    try:
        return np.asarray(value)
    except _NOT_A_FLOAT:
        return np.empty(1)


def refuse_masked(name, value, secret=False):
    """Raise ValueError for a masked array, also as an element of lists: conversion would lose its mask."""
    if type(value) is np.ndarray and value.dtype != object:  # most often
        return
    waiting, depths = [(value, 0)], {}
    while waiting:
        item, depth = waiting.pop()
        if isinstance(item, np.ma.MaskedArray):
            raise ValueError(f"{name} must not be masked, got {show(item, secret)}: fill or leave out what is hidden")
        if not (isinstance(item, list | tuple) or (isinstance(item, np.ndarray) and item.dtype == object)):
            continue
        if depths.setdefault(id(item), depth) != depth:  # it contains itself, which NumPy would follow to 64 levels
            raise ValueError(f"{name} must be numeric, got lists of unequal depth")
        elements = item if isinstance(item, list | tuple) else item.flat
        if any(issubclass(kind, list | tuple | np.ndarray) for kind in set(map(type, elements))):
            waiting += [(e, depth + 1) for e in elements if isinstance(e, list | tuple | np.ndarray)]


def _is_truth(value):
    single = isinstance(value, np.ndarray) and value.shape == ()
    return isinstance(value, bool | np.bool_) or (single and value.dtype == bool)
