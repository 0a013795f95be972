"""Assertions that end the steps of a derivation: identities, certified inequalities, agreement, Monte Carlo checks.

What they accept is what the book calls *proved* (the first two) or *checked* (the others).
In a notebook each shows what it has shown, typeset, with a mark that says how; elsewhere it is silent.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from hdp import _extras, _validate

with _extras.needed("hdp.proof", "explore", "sympy"):
    import sympy as sp

    from hdp.proof import _shown
    from hdp.proof._shown import Table

__all__ = ["Table", "assert_agreement", "assert_identity", "assert_monte_carlo", "assert_nonnegative"]


def assert_identity(
    left: sp.Expr | int,
    right: sp.Expr | int,
    name: str | None = "",
    where: Mapping[sp.Symbol, sp.Expr | int] | None = None,
) -> None:
    """Prove that two expressions are equal for all values of their symbols, and show the equation.

    Parameters
    ----------
    left, right : sympy.Expr
        Exact expressions; a floating-point number is refused, because rounding is not a proof.
        Equal means equal as functions: where one side is not defined, as (z^2 - 1)/(z - 1) at 1, nothing is claimed.
    name : str, optional
        LaTeX of what both sides are, shown before them, such as ``r"\\tau"``; None shows nothing.
        What is computed is then left out of the display where it is long.
    where : dict, optional
        Symbols that stand for expressions, which are inserted before the comparison and shown as symbols.

    Raises
    ------
    AssertionError
        If sympy does not bring the difference to 0.
    ValueError
        If an expression contains a floating-point number.

    Examples
    --------
    >>> import sympy as sp
    >>> from hdp.proof import assert_identity
    >>> x = sp.Symbol("x")
    >>> assert_identity((x + 1) ** 2, x**2 + 2 * x + 1)
    """
    left, right, name = _exact(left), _exact(right), _named(name)
    where = {symbol: _exact(value) for symbol, value in (where or {}).items()}
    difference = (left - right).subs(where, simultaneous=True)
    for bring_to_zero in (sp.expand, lambda e: sp.cancel(sp.together(e)), sp.radsimp, sp.simplify):
        if bring_to_zero(difference) == 0:
            _shown.equation(name, left, right, where)
            return
    raise AssertionError(f"not shown to be identical: the difference is {sp.simplify(difference)}")


def assert_nonnegative(
    expression: sp.Expr | int,
    substitute: Mapping[sp.Symbol, sp.Expr | int] | None = None,
    squares: Iterable[tuple[sp.Expr | int, sp.Expr | int]] | None = None,
    strict: bool = False,
    name: str | None = "",
) -> None:
    """Prove that an expression is nonnegative (or positive), and show the certificate.

    Without `squares` the certificate is a list of coefficients: after the substitution every symbol is nonnegative,
    and so is every coefficient of the numerator and of the denominator.
    With `squares` it is an identity: the expression equals a sum of nonnegative factors times squares.

    Parameters
    ----------
    expression : sympy.Expr
        A rational expression with exact coefficients.
    substitute : dict, optional
        Maps symbols to expressions in nonnegative symbols that cover the region of the claim, such as
        ``{r: 1 + t}`` for r >= 1.  That they cover it is for the reader to see.
    squares : list of (factor, base), optional
        Claims ``expression == sum(factor * base**2)``; each factor is itself certified by its coefficients.
    strict : bool
        Claim positivity: the numerator then has a constant term, or one in symbols that are declared positive.
    name : str, optional
        LaTeX of the expression, shown before it; None shows nothing.

    Raises
    ------
    AssertionError
        If the certificate does not hold; the offending terms are named.
    ValueError
        If a symbol is not declared nonnegative, or a number is not exact.

    Examples
    --------
    >>> import sympy as sp
    >>> from hdp.proof import assert_nonnegative
    >>> r, t = sp.symbols("r t", nonnegative=True)
    >>> assert_nonnegative(r**2 - 1, {r: 1 + t})
    """
    expression, strict, name = _exact(expression), _validate.flag("strict", strict), _named(name)
    if squares is not None:
        if strict or substitute:
            raise ValueError("squares prove neither strictness nor a claim after a substitution")
        exact = [(_exact(factor), _exact(base)) for factor, base in squares]
        for factor, base in exact:
            if not base.is_real:
                raise ValueError(f"every base must be real by its assumptions, got {base}")
            _nonnegative_coefficients(factor, "factor")
        assert_identity(expression, sum(factor * base**2 for factor, base in exact), name=None)
        _shown.squares(name, expression, exact)
        return
    substitute = {k: _exact(v) for k, v in (substitute or {}).items()}
    moved = sp.together(expression.subs(substitute, simultaneous=True))
    numerator, denominator = (sp.expand(part) for part in sp.fraction(moved))
    if denominator.subs({x: 1 for x in denominator.free_symbols}) < 0:
        numerator, denominator = sp.expand(-numerator), sp.expand(-denominator)
    _nonnegative_coefficients(denominator, "denominator", strict=True)
    _nonnegative_coefficients(numerator, "numerator", strict=strict)
    _shown.certificate(name, expression, substitute, numerator, denominator, ">" if strict else ">=")


def assert_agreement(
    rows: Iterable[tuple[str, float, float]],
    rtol: float = 1e-12,
    routes: Sequence[str] = ("formula", "independent route"),
    shown: int | None = None,
) -> None:
    """Check numbers against those of a second route, and show the table.

    Parameters
    ----------
    rows : iterable of (str, float, float)
        What it is (may contain LaTeX between dollars), the formula's value, the other route's value.
    rtol : float
        Largest relative difference.
    routes : pair of str
        Headings: what the two values come from.
    shown : int, optional
        How many rows the table has: those that differ most.  All are compared.

    Raises
    ------
    AssertionError
        If two values differ by more; the row is named.
    ValueError
        If there are no rows, or a value is not a finite number.

    Examples
    --------
    >>> from hdp import ADPM, adpm
    >>> from hdp.proof import assert_agreement
    >>> solver = ADPM([0.1] * 7 + [1.0] * 3).mse()
    >>> assert_agreement([("error", adpm.two_group_bound(0.1, 1.0, 10, 0.7), solver)])
    """
    rtol = _validate.scalar("rtol", rtol, 0, 1, open_high=True)
    shown = None if shown is None else _validate.whole("shown", shown, 1)
    headings, table = _sequence("routes", routes, 2), []
    if not all(isinstance(text, str) for text in headings):
        raise TypeError(f"routes must be 2 texts, got {_validate.show(routes)}")
    for row in _sequence("rows", rows):
        what, *values = _sequence("rows", row, 3)
        first, second = (_validate.scalar("rows", v, -_validate.LARGE, _validate.LARGE) for v in values)
        difference = abs(first - second) / (max(abs(first), abs(second)) or 1.0)
        if difference > rtol:
            raise AssertionError(f"{what}: {first!r} and {second!r} differ by {difference:.1e}, more than {rtol:.1e}")
        table.append((str(what), first, second, difference))
    if not table:
        raise ValueError("rows must not be empty: nothing was compared")
    worst = sorted(table, key=lambda row: -row[-1])[:shown]
    said = f"{len(table)} comparisons, here the {len(worst)} that differ most" if len(worst) < len(table) else ""
    rows = [(*row, float(f"{difference:.0e}")) for *row, difference in (worst if said else table)]  # a digit is enough
    _shown.show(Table(("quantity", *headings, "relative difference"), rows, said))


def assert_monte_carlo(samples: ArrayLike, expected: float, sigmas: float = 4.0) -> float:
    """Check an expectation by simulation: the mean of the samples lies within `sigmas` standard errors.

    Parameters
    ----------
    samples : array_like, shape (m,)
        Independent draws whose expectation is claimed; m at least 100.
    expected : float
        The claimed expectation.
    sigmas : float
        Largest distance, in standard errors of the mean.

    Returns
    -------
    float
        The distance z, with sign.

    Raises
    ------
    AssertionError
        If the mean is further away.
    ValueError
        If the samples are fewer than 100, not finite, not a vector, or all equal.

    Examples
    --------
    >>> import numpy as np
    >>> from hdp.proof import assert_monte_carlo
    >>> z = assert_monte_carlo(np.random.default_rng(1).random(10_000), 0.5)
    >>> abs(z) < 4
    True
    """
    samples = _validate.number("samples", samples, -_validate.LARGE, _validate.LARGE, secret=True)
    expected = _validate.scalar("expected", expected, -_validate.LARGE, _validate.LARGE)
    sigmas = _validate.scalar("sigmas", sigmas, 0, np.inf, open_low=True, open_high=True)
    if samples.ndim != 1 or samples.size < 100 or not np.isfinite(samples).all():
        raise ValueError(f"samples must be a vector of at least 100 finite draws, got shape {samples.shape}")
    error = samples.std(ddof=1) / np.sqrt(samples.size)
    if error == 0 or np.ptp(samples) == 0:  # a mean that is rounded is off from all of them
        raise ValueError("samples must vary, got a constant: compare exactly instead")
    z = float((samples.mean() - expected) / error)
    if not abs(z) < sigmas:
        raise AssertionError(f"mean {samples.mean():.6g} is {z:.2f} standard errors from {expected:.6g}")
    _shown.simulation(samples.size, samples.mean(), expected, z)
    return z


def _named(name):
    if not (name is None or isinstance(name, str)):
        raise TypeError(f"name must be a text or None, got {_validate.show(name)}")
    return name


def _sequence(argument, value, length=None):
    try:
        values = list(value)
    except TypeError:
        values = None
    if values is None or isinstance(value, str) or (length and len(values) != length):
        what = "a sequence" if length is None else f"a sequence of {length}"
        raise TypeError(f"{argument} must be {what}, got {_validate.show(value)}")
    return values


def _exact(expression):
    try:
        expression = sp.sympify(expression)
        if not isinstance(expression, sp.Expr):
            raise TypeError
    except (sp.SympifyError, TypeError, ValueError, AttributeError):
        raise TypeError(f"expression must be one of sympy or a number, got {_validate.show(expression)}") from None
    if expression.has(sp.nan, sp.zoo, sp.oo, -sp.oo):
        raise ValueError(f"expression must be finite, got {expression}")
    floats = expression.atoms(sp.Float)
    if floats:
        raise ValueError(f"expression must be exact, got the floating-point numbers {sorted(floats)}")
    return expression


def _nonnegative_coefficients(expression, what, strict=False):
    """Raise unless the polynomial has nonnegative coefficients in symbols that are declared nonnegative."""
    symbols = sorted(expression.free_symbols, key=str)
    for symbol in symbols:
        if not symbol.is_nonnegative:
            raise ValueError(f"every symbol must be declared nonnegative, got {symbol}; substitute for it")
    terms = sp.Poly(expression, *symbols).terms() if symbols else [((), expression)]
    negative = [(monomial, c) for monomial, c in terms if not c >= 0]
    if negative:
        raise AssertionError(f"the {what} {expression} has negative coefficients: {negative}")
    if strict and not any(c > 0 and all(symbols[i].is_positive for i, k in enumerate(m) if k) for m, c in terms):
        raise AssertionError(f"the {what} {expression} may vanish: no term is positive throughout")
