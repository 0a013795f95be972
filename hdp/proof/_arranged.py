"""Expressions as the papers write them: n f epsilon_1^2 + 8 (1 - f), one fraction and not fractions in fractions.

`arranged` keeps the value.  What it returns is not evaluated, because sympy would undo the order.
"""

import re
from functools import lru_cache

import sympy as sp

from hdp.proof._printer import below, negated, negative, parts, written

FIRST = ("c", "n", "N.*", "f", "k")  # the letters with which a product begins, after its number
LAST = ("epsilon.*", "s_T", "s_L", "sigma.*")  # before these come all other letters, after them brackets and functions
SHARES = ("c", "f", "p", "q", "w", "alpha")  # parts of a whole, whose complement is written 1 - f and stays together
_Powers = dict[sp.Expr, sp.Expr]


@lru_cache(maxsize=1024)
def arranged(expression: sp.Basic) -> sp.Basic:
    """The expression as the papers write it; as it is, should the two differ at a point."""
    result = _arranged(expression)
    return result if _same(expression, result) else expression


def _same(expression: sp.Basic, result: sp.Basic) -> bool:
    """Whether both have one value at a point with rational coordinates, exactly, or to 30 digits where it is not."""
    symbols = sorted(expression.free_symbols, key=sp.default_sort_key)
    point = {s: sp.Integer(i + 2) if s.is_integer else sp.Rational(7 * i + 3, 211) for i, s in enumerate(symbols)}
    one, two = expression.xreplace(point), result.xreplace(point)
    return one == two or bool(abs(sp.N(one - two, 30)) < sp.Float("1e-25") * (1 + abs(sp.N(one, 30))))


@lru_cache(maxsize=4096)
def _arranged(expression: sp.Basic, alone: bool = True) -> sp.Basic:
    """As above; unless it is a term of a sum, a bracket may take its minus."""
    if isinstance(expression, sp.Add):
        return _sum(expression)
    if isinstance(expression, sp.Mul | sp.Pow) and expression.is_commutative:
        number, powers = _one_fraction(*_product(expression))
        number, powers = _signed(*_common(number, powers), alone)
        return written(number, sorted(_one_root(powers).items(), key=_place) if number else ())
    args = [_arranged(arg) for arg in expression.args]
    for kept in ({"evaluate": False}, {}):
        try:
            return expression.func(*args, **kept) if args else expression
        except (TypeError, ValueError):  # it knows no such argument, or takes no others than it has
            pass
    return expression


def _product(expression: sp.Expr) -> tuple[sp.Rational, _Powers]:
    """Number and powers of a product, whose bases are arranged, and each of which occurs once."""
    number, powers = sp.S.One, dict[sp.Expr, sp.Expr]()
    found = [(f.base, f.exp) if f.is_Pow else (f, sp.S.One) for f in sp.Mul.make_args(expression)]
    found = [(_arranged(base, not exponent.is_Integer), exponent) for base, exponent in found]
    while found:
        base, exponent = found.pop(0)
        whole = exponent + (0 if base.is_Rational else powers.get(base, 0))
        if whole.is_Integer and (base.is_Mul or base.is_Pow or base.is_Rational):  # its factors, one by one
            inner, more = parts(base)
            number *= inner**whole
            found = [(b, e * whole) for b, e in more] + found
            powers.pop(base if more else None, None)
        else:
            powers[base] = exponent + powers.get(base, 0)
    return number, {b: _arranged(e) for b, e in powers.items() if e != 0}


def _one_fraction(number: sp.Rational, powers: _Powers) -> tuple[sp.Rational, _Powers]:
    """Without fractions in brackets, if there is a line."""
    inner = {b: _together(b) for b in _brackets(powers) if _has_line(b)}
    if not inner or not (number.q != 1 or any(map(below, powers.values()))):
        return number, powers
    return _product(written(number, [(inner.get(b, b), e) for b, e in powers.items()]))


def _together(total: sp.Expr) -> sp.Expr:
    """Over one denominator, to which no exponential belongs."""
    exponentials = sorted(total.atoms(sp.exp), key=sp.default_sort_key)
    stand_ins = {e: sp.Symbol(f"_{i}", positive=True) for i, e in enumerate(exponentials)}
    back = {d: e for e, d in stand_ins.items()}
    above, under = sp.fraction(sp.together(total.xreplace(stand_ins)))
    return written(sp.S.One, [(above.xreplace(back), sp.S.One), (under.xreplace(back), -sp.S.One)])


def _common(number: sp.Rational, powers: _Powers) -> tuple[sp.Rational, _Powers]:
    """With what the terms of a bracket have in common before it: a number, letters, complements."""
    if number == 1 and len(powers) == 1 and sp.S.One in powers.values():
        return number, powers
    result: _Powers = {b: e for b, e in powers.items() if b not in _brackets(powers)}
    for base in _brackets(powers):
        terms = [(x, dict(found)) for x, found in map(parts, base.args)]
        common = sp.igcd(*(x.p for x, _ in terms)) if all(x.q == 1 for x, _ in terms) else 1
        letters = _letters([found for _, found in terms])
        rest = [written(x / common, [(b, e - letters.get(b, 0)) for b, e in found.items()]) for x, found in terms]
        inner, found = parts(_arranged(sp.Add(*rest)) if letters else sp.Add(*rest, evaluate=False))
        number *= (common * inner) ** powers[base]
        for b, e in [*letters.items(), *found]:
            result[b] = result.get(b, sp.S.Zero) + e * powers[base]
    return number, result


def _letters(terms: list[_Powers]) -> _Powers:
    """Powers of letters and of complements that all have in common, unless they have other brackets."""
    if any(b.is_Add and not _complement(b) for found in terms for b in found):
        return {}
    bases = [b for b in terms[0] if b.is_Symbol or _complement(b)]
    shared = [b for b in bases if all(b in found and found[b].is_Integer and found[b] > 0 for found in terms)]
    return {b: min(found[b] for found in terms) for b in shared}


def _signed(number: sp.Rational, powers: _Powers, alone: bool) -> tuple[sp.Rational, _Powers]:
    """Without a minus that a bracket can take."""
    turned = [b for b in _brackets(powers) if all(map(negative, b.args)) or _is_turned(b)]
    number *= (-sp.S.One) ** sum(powers[b] for b in turned)
    if number < 0 and alone:
        odd = [b for b in _brackets(powers) if powers[b] % 2 and b not in turned and not _complement(b)]
        able = [b for b in odd if 2 * sum(map(negative, b.args)) >= len(b.args)]
        able.sort(key=lambda b: not any(t.is_Integer and t < 0 for t in b.args))  # 2 - c rather than b - a
        turned += able[:1]
        number *= (-1) ** len(able[:1])
    result: _Powers = {}
    for base, exponent in powers.items():
        if base in turned:
            base = sp.Add(*_positive_first(list(map(negated, base.args))), evaluate=False)
        result[base] = result.get(base, sp.S.Zero) + exponent
    return number, result


def _one_root(powers: _Powers) -> _Powers:
    """One square root above and one below the line; of all factors but one the sign must be known."""
    for half in (sp.Rational(1, 2), sp.Rational(-1, 2)):
        roots = [b for b, e in powers.items() if e == half]
        if len(roots) > 1 and sum(not b.is_nonnegative for b in roots) < 2:
            powers = {b: e for b, e in powers.items() if b not in roots}
            powers[_arranged(sp.Mul(*roots, evaluate=False))] = half
    return powers


def _brackets(powers):
    return [b for b, e in powers.items() if b.is_Add and e.is_Integer]


def _has_line(expression):
    """Whether it contains a fraction, outside functions and roots."""
    if isinstance(expression, sp.Pow):
        return below(expression.exp) or bool(expression.exp.is_Integer and _has_line(expression.base))
    if isinstance(expression, sp.Add | sp.Mul):
        return any(map(_has_line, expression.args))
    return bool(expression.is_Rational and expression.q != 1)


def _complement(total):
    """The symbol f of 1 - f; None for all others."""
    two = total.is_Add and len(total.args) == 2 and total.args[0] == 1
    return negated(total.args[1]) if two and negative(total.args[1]) and negated(total.args[1]).is_Symbol else None


def _is_turned(total):
    """Whether it is f - 1."""
    return len(total.args) == 2 and -sp.S.One in total.args and any(t in _shares(total) for t in total.args)


def _shares(expression):
    return sorted((s for s in expression.free_symbols if s.name in SHARES), key=str)


def _place(power):
    """Where a factor stands."""
    base, exponent = power
    symbol = base if base.is_Symbol else _complement(base)
    first, last = (_index(symbol, letters) if symbol else None for letters in (FIRST, LAST))
    if base.is_number:
        place = (0,)
    elif base.is_Mul or (exponent.is_Rational and not exponent.is_Integer):
        place = (5,)
    elif first is not None:
        place = (1, first, not base.is_Symbol)
    elif base.is_Symbol:
        place = (2,) if last is None else (4, last)
    elif base.is_Add:
        place = (3,) if base.args[0] == 1 and all(map(negative, base.args[1:])) else (6,)
    else:
        place = (7,)
    return place, base.sort_key()


def _index(symbol, letters):
    return next((i for i, letter in enumerate(letters) if re.fullmatch(letter, symbol.name)), None)


def _sum(expression: sp.Add) -> sp.Expr:
    """The terms: f before 1 - f, a whole number before fractions, and none with a minus first if that can be."""
    for share in _shares(expression):
        if _vanishes(expression, share):
            return _arranged(sp.factor(expression), False)
    terms = [part for t in expression.as_ordered_terms() for part in sp.Add.make_args(_arranged(t, False))]
    for share in _shares(expression):
        terms = _gathered(terms, share)
    for symbol in sorted({s for t in terms for b, _ in parts(t)[1] if (s := _complement(b))}, key=str):
        terms = _beside(terms, symbol)
    whole = [t for t in terms if t.is_Integer and t > 0]
    others = [t for t in terms if t not in whole]
    minus = [t for t in others if negated(t) in _shares(expression)]
    lines = [_has_line(t) and (len(others) == 1 or any(below(e) for _, e in parts(t)[1])) for t in others]
    if whole and (minus or all(lines)):
        terms = [*whole, *minus, *(t for t in others if t not in minus)]
    terms = _positive_first(terms)
    return sp.Add(*terms, evaluate=False) if len(terms) > 1 else terms[0]


def _vanishes(total, share):
    """Whether it is a polynomial in letters, such as n - f n, that 1 - f divides, but not 1 - f itself."""
    found = [p for term in sp.Add.make_args(total) for p in parts(term)[1]]
    letters = all(b.is_Symbol and e.is_Integer and e > 0 for b, e in found)
    return letters and total not in (1 - share, share - 1) and sp.expand(total.subs(share, 1)) == 0


def _gathered(terms, share):
    """With a (1 - f) for every two terms a and -a f."""
    terms = list(terms)
    for term in list(terms):
        number, powers = parts(term)
        other = _arranged(written(-number, [*powers, (share, sp.S.One)]), False)
        if term in terms and other in terms and not term.has(share) and (powers or abs(number) != 1):
            terms[terms.index(term)] = _arranged(written(number, [*powers, (1 - share, sp.S.One)]), False)
            terms.remove(other)
    return terms


def _beside(terms, symbol):
    """First the terms with f, beside them those with 1 - f, and then those with both."""

    def kind(term):
        bases = [b for b, _ in parts(term)[1]]
        return symbol in bases, any(_complement(b) == symbol for b in bases)

    order = [(True, False), (False, True), (True, True)]
    here = sorted((t for t in terms if any(kind(t))), key=lambda term: order.index(kind(term)))
    if kind(here[0]) != order[0]:
        return terms
    first = next(i for i, term in enumerate(terms) if any(kind(term)))
    return terms[:first] + here + [t for t in terms[first:] if not any(kind(t))]


def _positive_first(terms):
    """The terms in their order, but for one without a minus, which comes first."""
    first = next((i for i, term in enumerate(terms) if not negative(term)), 0)
    return [terms[first], *terms[:first], *terms[first + 1 :]]
