"""Judge what a reader answers to an exercise of the book: right, or not yet, and what differs.

What is right is an expression in the names that the page's first cell imports: a number, a formula in some symbols, or
a call of the library.  A number is compared within a tolerance, a formula up to equality, a call by what it returns.
"""

import json
import random
from pathlib import Path

import mpmath
import numpy as np
import sympy as sp

from hdp.proof import _read

# What names stand for: 24 values each, near the ends as well.  They are exact in binary, so that a pole is met as one.
VALUES = "1/1024 1/128 1/32 1/16 1/8 3/16 1/4 3/8 1/2 5/8 3/4 7/8 5/4 3/2 2 5/2 3 4 5 7 10 20 50 100"
SHARES = "1/1024 1/256 1/64 1/32 1/16 3/32 1/8 3/16 1/4 5/16 3/8 7/16 1/2 9/16 5/8 11/16 3/4 13/16 7/8 15/16 31/32 "
RANGES = dict.fromkeys("cfp", SHARES + "63/64 255/256 1023/1024")
RANGES["n"] = "2 3 4 5 6 7 8 9 10 12 15 20 30 50 75 100 200 500 1000 3000 10000 30000 100000 1000000"
FAR = {"large": (10**8, 10**12), "small": (sp.Rational(1, 10**8), sp.Rational(1, 10**12))}
OTHERS = (sp.Rational(1, 2), sp.Integer(3))  # what all other symbols are meanwhile
SETTLED = 1e-3  # relative: so little does a ratio change from there to there
EQUAL, DIGITS = mpmath.mpf("1e-12"), 120
HELD = 3 / 4  # of the points: at the others a formula may lack a value, where it has a limit
NEAR = 0.005  # relative: so near to a usual mistake it is one
NO_VALUE = "Not yet: this has no value among the real numbers."
# Of the usual mistakes: what was answered instead of r.
MISTAKES = {
    "its sign is the other one": lambda r: -r,
    "it is twice what is right": lambda r: 2 * r,
    "it is half of what is right": lambda r: r / 2,
    "it is one over what is right": lambda r: 1 / r if r else mpmath.nan,
    "it is the square of what is right": lambda r: r**2,
    "it is the square root of what is right": lambda r: mpmath.sqrt(abs(r)),
    "it is a hundred times what is right, as if it were per cent": lambda r: 100 * r,
    "it is a hundredth of what is right; per cent are written with %": lambda r: r / 100,
    "it is what the right one lacks to 1": lambda r: 1 - r,
    "its logarithm is to the base 2, and should be the natural one": lambda r: r / mpmath.log(2),
}


def judge(given, right, imports="", names=(), within=0, at=None):
    """Return whether an answer is right, or None where it cannot be read, and a sentence.

    ``right`` is evaluated after ``imports`` and may have a variable t of its own; ``names`` are the symbols of a
    formula or, where the points ``at`` are given, the arguments of a call.
    """
    known = {"sp": sp, "np": np, "t": _read.symbol("t")}
    exec(imports, known)
    try:
        with mpmath.workdps(DIGITS):
            if at:
                return judge_call(given, right, known, names, at)
            if names:
                symbols = {name: _read.symbol(name) for name in names}
                found = judge_formula(_read.formula(given, names), renamed(eval(right, known | symbols)), symbols)
                word = "" if found[0] else _read.divisor(given, names)
                told = f"  What is before /{word} is divided by {word[:1]} alone: write /({word}) for all of it."
                return found[0], found[1] + (told if word else "")
            return judge_number(_read.formula(given), eval(right, known), within)
    except _read.Unread as reason:
        return None, str(reason)


def judge_number(given, right, within):
    """Compare two numbers, within a tolerance that the page states."""
    given, right = (number(sp.N(x, DIGITS)) for x in (given, right))
    if given is None:
        return False, NO_VALUE
    if abs(given - right) <= within + EQUAL * abs(right):
        return True, "Right." if equal(given, right) else f"Right: {shown(right)}."
    if mistake := likeness([(given, right)]):
        return False, f"Not yet: {mistake}."
    if abs(given - right) <= 10 * within:
        return False, "Not yet, but near: compute with more digits."
    return False, f"Not yet: it is too {'large' if given > right else 'small'}."


def judge_formula(given, right, symbols):
    """Compare two formulas: at points, then as such; and say where they differ."""
    if given.has(sp.zoo, sp.nan, sp.oo, -sp.oo):
        return False, NO_VALUE
    f, g = (sp.lambdify(list(symbols.values()), x, "mpmath") for x in (right, given))
    pairs = [(point, attempt(g, point), attempt(f, point)) for point in points(symbols)]
    pairs = [pair for pair in pairs if pair[2] is not None]
    held = [pair for pair in pairs if pair[1] is not None]
    pairs = held if len(held) >= HELD * len(pairs) else pairs
    wrong = [pair for pair in pairs if not equal(*pair[1:])]
    if not wrong:
        same, digits = sp.simplify(given - right) == 0, -int(mpmath.log10(EQUAL))
        return True, "Right." if same else f"Right: equal at {len(pairs)} points, to {digits} digits."
    if mistake := likeness([pair[1:] for pair in pairs]):
        return False, f"Not yet: everywhere {mistake}."
    at, found, expected = min(wrong, key=lambda pair: len(placed(symbols, pair[0])))  # the plainest point
    found = "has no value" if found is None else f"is {shown(found)}"
    said = f"Not yet: at {placed(symbols, at)} yours {found}, and what is right is {shown(expected)}."
    return False, " ".join(filter(None, (said, dependence(given, right), limit(f, g, symbols))))


def points(names):
    """Return points at which no name stands for the same twice."""
    draw = random.Random(1)
    ranges = [[sp.Rational(value) for value in RANGES.get(name, VALUES).split()] for name in names]
    return list(zip(*(draw.sample(values, len(values)) for values in ranges), strict=True))


def judge_call(given, right, known, names, at):
    """Compare what two expressions return for the same arguments."""
    f, g = _read.function(right, names, known), _read.call(given, names, known)
    for point in eval(at, known):
        arguments = point if len(names) > 1 else (point,)
        expected = np.asarray(f(*arguments), float)
        try:
            found = np.asarray(g(*arguments), float)
        except Exception as error:  # the library refuses, or the expression is not what it seems
            return False, f"Not yet: {type(error).__name__}: {error}"
        if found.shape != expected.shape:
            return False, f"Not yet: it returns {found.size} numbers, where {expected.size} are right."
        wrong = ~np.isclose(found, expected, rtol=1e-9, atol=0)
        if wrong.any():
            pairs = [(mpmath.mpf(a), mpmath.mpf(b)) for a, b in zip(found.flat, expected.flat, strict=True)]
            a, b = pairs[wrong.argmax()]
            said = likeness(pairs) or f"it is {shown(a)}, and what is right is {shown(b)}"
            return False, f"Not yet: for {placed(names, arguments)} {said}."
    return True, "Right."


def renamed(expression):
    """Return an expression in the symbols of what is read, which are positive."""
    expression = sp.sympify(expression)
    return expression.xreplace({old: _read.symbol(old.name) for old in expression.free_symbols})


def number(value):
    """Return a real, finite number of mpmath, or nothing."""
    if isinstance(value, sp.Expr):
        value = value._to_mpmath(mpmath.mp.prec) if value.is_Float or value.is_Rational else mpmath.nan
    real = mpmath.mpmathify(value)
    return real if isinstance(real, mpmath.mpf) and mpmath.isfinite(real) else None


def attempt(f, point):
    """Return a formula's value at a point, or nothing where it has none."""
    try:
        return number(f(*(mpmath.mpf(x.p) / x.q if isinstance(x, sp.Rational) else mpmath.mpf(x) for x in point)))
    except (ArithmeticError, ValueError, TypeError):
        return None


def equal(a, b):
    """Say whether two numbers are the same to many digits."""
    return a is not None and abs(a - b) <= EQUAL * max(abs(b), EQUAL)


def likeness(pairs):
    """Return the usual mistake that explains all pairs of given and right, if one does."""
    if any(a is None for a, _ in pairs):
        return None
    near = 1e-9 if len(pairs) > 1 else NEAR
    for said, made in MISTAKES.items():
        explained = all(abs(a - made(b)) <= near * abs(made(b)) for a, b in pairs)
        if explained and not all(abs(made(b) - b) <= 2 * near * abs(b) for _, b in pairs):  # it is hardly a mistake
            return said
    return None


def dependence(given, right):
    """Say which symbol was forgotten, or is one too many."""
    given, right = ({symbol.name for symbol in x.free_symbols} for x in (given, right))
    parts = [f"What is right depends on {name}, yours does not." for name in sorted(right - given)]
    return " ".join(parts + [f"What is right does not depend on {name}." for name in sorted(given - right)])


def limit(f, g, symbols):
    """Say how two formulas compare where one symbol is very large or small, if they settle whatever the others are."""
    told = ""
    for i, name in enumerate(symbols):
        for words, ends in FAR.items():
            points = [[x if j == i else rest for j in range(len(symbols))] for rest in OTHERS for x in ends]
            values = [(attempt(g, point), attempt(f, point)) for point in points]
            ratios = [a / b if a and b else None for a, b in values]
            ratio = ratios[-1]
            if None in ratios or any(abs(one / ratio - 1) >= SETTLED for one in ratios):
                continue
            if abs(ratio - 1) < SETTLED:
                return f"For {words} {name} the ratio of the two tends to 1."
            told = told or f"For {words} {name} yours is {shown(ratio)} times what is right."
    return told


def placed(names, values):
    """Return what names stand for, as a reader reads it."""
    return ", ".join(f"{name} = {value}" for name, value in zip(names, values, strict=True))


def shown(value):
    """Return a number as a reader reads it."""
    return mpmath.nstr(value, 6).removesuffix(".0")


def write(asked):
    """Judge what the page has asked, as JSON, and write the answer where it takes it."""
    right, text = judge(**json.loads(asked))
    Path("verdict.json").write_text(json.dumps({"right": right, "text": text}), encoding="utf-8")
