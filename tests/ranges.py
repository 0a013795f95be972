"""What a docstring says of a number's range and shape, turned into bad values which the function must refuse."""

import inspect
import re

import numpy as np
import sympy as sp
from numpydoc.docscrape import ClassDoc, FunctionDoc

RANGE = re.compile(r"\b[Ii]n ([\[(])([^,\[\]()]+), ([^,\[\]()]+)([\])])")
NAME = re.compile(r"str( or Notion)?|\{.*\}")
NUMBER = re.compile(r"(float or )?(array_like|float|int|numpy.ndarray)(, shape \(.*\))?( or scalar)?(, optional)?")
SAID_OTHERWISE = {("hybrid.Setting", "delta"), ("user_level.private_ideal", "sigma_p")}  # 0 beside a range; two in one
SAID_OTHERWISE |= {("user_level.initial_estimates", "p_hat")}  # as many as one likes


def described(thing):
    """What the docstring says of each argument: its type, and the rest."""
    entries = (ClassDoc if inspect.isclass(thing) else FunctionDoc)(thing)["Parameters"]
    return {name: (entry.type, " ".join(entry.desc)) for entry in entries for name in entry.name.split(", ")}


def outside(kind, text):
    """Numbers just outside of the only range that a description has, so that an end that moves is noticed."""
    ((left, low, high, right),) = RANGE.findall(text)
    for end, towards, is_open in ((low, -1, left == "("), (high, 1, right == ")")):
        if re.fullmatch(r"-?[\d.e/^]+", end):  # neither endless nor a symbol
            number = float(sp.sympify(end))
            if "int" in kind:
                yield int(number) + towards * (not is_open)
            else:
                yield number + towards * (not is_open) * max(1e-9 * abs(number), 1e-300)
        elif end.endswith("inf") and is_open:
            yield float(end)


def in_place(good, value):
    """A good argument whose last number is this one."""
    changed = np.array(good, dtype=object)
    changed[(-1,) * changed.ndim] = value
    return changed.tolist()


def bad_values(kind, text, good):
    """Numbers outside of the range, no numbers, and other shapes, with what the refusal shows."""
    one = np.asarray(good).tolist()
    if NAME.fullmatch(kind):
        yield from ((value, "must be one of") for value in ("nobody", "", 3, None, [good]))
    if len(RANGE.findall(text)) == 1:
        for value in (*outside(kind, text), np.nan, "0.2", 1j):
            yield in_place(good, value), f"{value:.5g}" if isinstance(value, float) else str(value)
        yield from (("many", "many"), (np.array(good) + 0j, "j"))  # not silently cut down to its real part
    if "not all 0" in text and isinstance(one, list):
        yield np.zeros(len(one)), "zero"
    if isinstance(one, list) and kind.startswith("array_like"):
        masked = np.ma.masked_equal(good, np.ravel(good)[-1])  # under the mask there may be anything
        yield from ((masked, "must not be masked"), (list(masked), "must not be masked"))
    if isinstance(one, list) and kind.startswith("array_like, shape (n,)") and "scalar" not in kind:
        yield from (([], "(0,)"), (one[0], "()"), ([one], f"(1, {len(one)})"))
    elif isinstance(one, list) and kind.startswith("array_like, shape (..., n)"):
        yield from (([], "(0,)"), (one[0], "()"), (one[:1], "(1,)"), ([[*one, one[0]]] * 2, f"(2, {len(one) + 1})"))
    elif kind.startswith(("float", "int")) and "array_like" not in kind:
        yield [one, one], str([one, one]) if kind.startswith("int") else "(2,)"
    if kind.startswith("int"):
        yield from ((value, "must be an integer") for value in (1.5, True, np.nan, "a"))
        if least := re.search(r"^[^.]*?(?<!even, )at least (\d+)", text):
            yield int(least[1]) - 1, f"got {int(least[1]) - 1}"


def refused(public, calls):
    """Bad values of every argument of these calls that has a range or a shape in its description."""
    for call, changes, good in calls:
        said = described(public[call])
        for name in [name for name in good if name in said and (call, name) not in SAID_OTHERWISE]:
            kind, text = said[name]
            if good[name] is not None and (NUMBER.fullmatch(kind) or NAME.fullmatch(kind)):
                yield from ((call, changes, name, value, shown) for value, shown in bad_values(kind, text, good[name]))
