"""Assertions that end the steps of a derivation: identities, certified inequalities, Monte Carlo checks.

What they accept is what the book calls *proved* (the first two) or *checked* (the last).
"""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from hdp import _extras, _validate

with _extras.needed("hdp.proof", "explore", "sympy"):
    import sympy as sp

__all__ = ["assert_identity", "assert_monte_carlo", "assert_nonnegative"]


def assert_identity(left: sp.Expr | int, right: sp.Expr | int) -> None:
    """Prove that two expressions are equal for all values of their symbols.

    Parameters
    ----------
    left, right : sympy.Expr
        Exact expressions; a floating-point number is refused, because rounding is not a proof.
        Equal means equal as functions: where one side is not defined, as (z^2 - 1)/(z - 1) at 1, nothing is claimed.

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
    difference = _exact(left) - _exact(right)
    for bring_to_zero in (sp.expand, lambda e: sp.cancel(sp.together(e)), sp.radsimp, sp.simplify):
        if bring_to_zero(difference) == 0:
            return
    raise AssertionError(f"not shown to be identical: the difference is {sp.simplify(difference)}")


def assert_nonnegative(
    expression: sp.Expr | int,
    substitute: Mapping[sp.Symbol, sp.Expr | int] | None = None,
    squares: Iterable[tuple[sp.Expr | int, sp.Expr | int]] | None = None,
    strict: bool = False,
) -> None:
    """Prove that an expression is nonnegative (or positive), and print the certificate.

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
        Claim positivity: every symbol is then taken as positive, or the numerator has a constant term.

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
    certificate: with r = t + 1, the numerator t**2 + 2*t has no negative coefficient
    """
    expression, strict = _exact(expression), _validate.flag("strict", strict)
    if squares is not None:
        if strict or substitute:
            raise ValueError("squares prove neither strictness nor a claim after a substitution")
        for factor, base in squares:
            if not _exact(base).is_real:
                raise ValueError(f"every base must be real by its assumptions, got {base}")
            _nonnegative_coefficients(_exact(factor), "factor")
        assert_identity(expression, sum(_exact(factor) * base**2 for factor, base in squares))
        terms = " + ".join(f"({sp.factor(factor)})*({base})**2" for factor, base in squares)
        print(f"certificate: equal to {terms}, a sum of squares with nonnegative factors")
        return
    substitute = {k: _exact(v) for k, v in (substitute or {}).items()}
    moved = sp.together(expression.subs(substitute, simultaneous=True))
    numerator, denominator = (sp.expand(part) for part in sp.fraction(moved))
    if denominator.subs({x: 1 for x in denominator.free_symbols}) < 0:
        numerator, denominator = sp.expand(-numerator), sp.expand(-denominator)
    _nonnegative_coefficients(denominator, "denominator", strict=True)
    _nonnegative_coefficients(numerator, "numerator", strict=strict)
    where = "".join(f"with {k} = {v}, " for k, v in substitute.items())
    below = "" if denominator == 1 else f", nor has the denominator {sp.factor(denominator)}"
    print(f"certificate: {where}the numerator {numerator} has no negative coefficient{below}")


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
    samples = _validate.number("samples", samples, -_validate.LARGE, _validate.LARGE)
    expected = _validate.scalar("expected", expected, -_validate.LARGE, _validate.LARGE)
    sigmas = _validate.scalar("sigmas", sigmas, 0, np.inf, open_low=True, open_high=True)
    if samples.ndim != 1 or samples.size < 100 or not np.isfinite(samples).all():
        raise ValueError(f"samples must be a vector of at least 100 finite draws, got shape {samples.shape}")
    error = samples.std(ddof=1) / np.sqrt(samples.size)
    if error == 0:
        raise ValueError("samples must vary, got a constant: compare exactly instead")
    z = float((samples.mean() - expected) / error)
    if not abs(z) < sigmas:
        raise AssertionError(f"mean {samples.mean():.6g} is {z:.2f} standard errors from {expected:.6g}")
    return z


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
