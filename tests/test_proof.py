"""The assertions of the book: what they must accept and, above all, what they must refuse."""

import numpy as np
import pytest
import sympy as sp

from hdp.proof import assert_identity, assert_monte_carlo, assert_nonnegative

x, y = sp.symbols("x y", nonnegative=True)
p, q = sp.symbols("p q", positive=True)
a = sp.Symbol("a", real=True)
z = sp.Symbol("z")

REFUSALS = (AssertionError, ValueError, TypeError, sp.PolynomialError)


@pytest.mark.parametrize(
    "left, right",
    [
        ((z + 1) ** 3, z**3 + 3 * z**2 + 3 * z + 1),
        (1 / (z - 1) - 1 / (z + 1), 2 / (z**2 - 1)),
        (1 / (sp.sqrt(p) + 1), (sp.sqrt(p) - 1) / (p - 1)),
        (sp.sqrt(p**2 * q), p * sp.sqrt(q)),
        (sp.sqrt(p) * sp.sqrt(q), sp.sqrt(p * q)),
        (sp.exp(a) * sp.exp(2 * a), sp.exp(3 * a)),
        ((sp.exp(2 * a) - 1) / (sp.exp(a) - 1), sp.exp(a) + 1),
        (sp.log(p * q), sp.log(p) + sp.log(q)),
        (sp.sqrt(5 + 2 * sp.sqrt(6)), sp.sqrt(2) + sp.sqrt(3)),
        (sp.Sum(sp.Symbol("k"), (sp.Symbol("k"), 1, z)).doit(), z * (z + 1) / 2),
        (1, 1),
    ],
    ids=str,
)
def test_identity_accepts_what_is_true(left, right):
    """Polynomials, fractions, radicals, exponentials, logarithms with the right assumptions."""
    assert_identity(left, right)


@pytest.mark.parametrize(
    "left, right",
    [
        (z, z + sp.Rational(1, 10**60)),
        ((z + 1) ** 2, z**2 + 1),
        (sp.sqrt(a**2), a),
        (sp.sqrt(z**2), z),
        (sp.log(sp.exp(z)), z),
        (sp.sqrt(z) * sp.sqrt(a), sp.sqrt(z * a)),
        (sp.sqrt(1 / z), 1 / sp.sqrt(z)),
        ((a**3) ** sp.Rational(1, 3), a),
        (sp.atan(sp.tan(a)), a),
        (sp.exp(sp.pi * sp.sqrt(163)), 262537412640768744),
        (sp.Symbol("x"), x),
    ],
    ids=str,
)
def test_identity_refuses_what_is_false_somewhere(left, right):
    """Tiny differences, branches of roots and logarithms, near misses, look-alike symbols."""
    with pytest.raises(AssertionError, match="not shown to be identical"):
        assert_identity(left, right)


@pytest.mark.parametrize("value", [sp.nan, sp.oo, sp.zoo], ids=str)
def test_identity_refuses_what_is_no_number(value):
    """Though sympy has values for them that equal themselves."""
    with pytest.raises(ValueError, match="expression must be finite"):
        assert_identity(value, value)


@pytest.mark.parametrize("float_", [0.5, sp.Float(0.5), np.float64(0.5), x**0.5, sp.exp(0.1 * x)], ids=str)
def test_a_floating_point_number_proves_nothing(float_):
    """Refused on either side of an identity, and in an inequality."""
    for proof in (lambda: assert_identity(float_, x), lambda: assert_identity(x, float_)):
        with pytest.raises(ValueError, match="exact"):
            proof()
    with pytest.raises(ValueError, match="exact"):
        assert_nonnegative(x + float_)


@pytest.mark.parametrize(
    "claim",
    [
        (0,),
        (x,),
        (x**2 + 3 * x * y + y,),
        (a**2 - 1, {a: 1 + x}),
        ((a - 1) / (a + 1), {a: 1 + x}),
        (1 / (1 + x) - 1 / (2 + x),),
        (-1 / (a - 3), {a: 2 - x}),
        (x + (sp.sqrt(2) - 1) * y,),
        (1 - a, {a: p / (p + q)}),
    ],
    ids=str,
)
def test_nonnegative_accepts_certified_claims(claim, capsys):
    """Every coefficient is nonnegative after the substitution; the certificate is printed."""
    assert_nonnegative(*claim)
    assert capsys.readouterr().out.startswith("certificate: ")


def test_the_certificate_shows_what_was_checked(capsys):
    """Substitution, numerator and denominator can be read off."""
    assert_nonnegative((a - 1) / (a + 1), {a: 1 + x})
    assert capsys.readouterr().out == (
        "certificate: with a = x + 1, the numerator x has no negative coefficient, nor has the denominator x + 2\n"
    )
    assert_nonnegative(x**2 - 2 * x + 1 + y, squares=[(1, x - 1), (y, 1)])
    assert "sum of squares" in capsys.readouterr().out


@pytest.mark.parametrize(
    "claim, reason",
    [
        ((x - y,), "negative coefficients"),
        (((x - y) ** 2,), "negative coefficients"),  # true, but not by its coefficients
        ((x - sp.Rational(1, 10**40),), "negative coefficients"),
        ((a**2 - 1, {a: x}), "negative coefficients"),
        ((1 / (1 - x),), "negative coefficients"),
        ((-1 / (x - 2),), "negative coefficients"),
        ((x + (2 - sp.sqrt(5)) * y,), "negative coefficients"),
        ((1 / x,), "may vanish"),  # undefined at 0
        ((a,), "declared nonnegative"),
        ((z,), "declared nonnegative"),
        ((x + a - a**2,), "declared nonnegative"),
    ],
    ids=str,
)
def test_nonnegative_refuses_what_is_not_certified(claim, reason):
    """Negative coefficients, undeclared symbols, vanishing denominators."""
    with pytest.raises((AssertionError, ValueError), match=reason):
        assert_nonnegative(*claim)


@pytest.mark.parametrize(
    "expression",
    [
        1 - sp.sqrt(x),
        1 - sp.exp(x),
        1 - sp.Max(x, 2),
        x - sp.floor(x + 1),
        p * sp.sign(x - 1),
        sp.Piecewise((-1, x > 2), (1, True)),
        (-1) ** x,
        1 - x**x,
        sp.Integral(-y, (y, 0, x)),
        sp.I * x,
        sp.nan,
        sp.zoo,
    ],
    ids=str,
)
def test_nonnegative_refuses_what_is_no_rational_function(expression):
    """Whatever is not polynomial over polynomial, real and finite, gets no certificate."""
    with pytest.raises(REFUSALS):
        assert_nonnegative(expression)


@pytest.mark.parametrize(
    "expression, accepted",
    [(1 + x, True), (p + x, True), (1 / p, True), (x, False), (x * p, False), (0 * x, False), (x + y, False)],
    ids=str,
)
def test_strict_needs_a_term_that_cannot_vanish(expression, accepted):
    """A positive constant or a product of positive symbols."""
    if accepted:
        assert_nonnegative(expression, strict=True)
    else:
        with pytest.raises(AssertionError, match="may vanish"):
            assert_nonnegative(expression, strict=True)


def test_squares_accept_a_true_certificate():
    """(a - 1)^2 + x a^2, with real bases and nonnegative factors."""
    assert_nonnegative(a**2 - 2 * a + 1 + x * a**2, squares=[(1, a - 1), (x, a)])


@pytest.mark.parametrize(
    "expression, squares",
    [
        (a**2 - 2 * a + 2, [(1, a - 1)]),  # the identity is wrong
        (-(a**2), [(-1, a)]),  # a negative factor
        (y * a**2 - x * a**2, [(y - x, a)]),
        (a**3, [(a, a)]),  # a factor of either sign
        (-(x**2), [(1, sp.I * x)]),  # an imaginary base
        (-1 - x, [(1, sp.sqrt(-1 - x))]),
        (a - 1, [(1, sp.sqrt(a - 1))]),  # imaginary where a < 1
        (z**2, [(1, z)]),  # z may be imaginary
        (-(sp.pi**2) * p**2, [(1, p * sp.log(-1))]),
    ],
    ids=str,
)
def test_squares_refuse_a_false_certificate(expression, squares):
    """A sum of squares proves something only if the bases are real and the factors nonnegative."""
    with pytest.raises(REFUSALS):
        assert_nonnegative(expression, squares=squares)


def test_squares_do_not_certify_strict_positivity():
    """x^2 is a square, and vanishes at 0."""
    with pytest.raises(REFUSALS):
        assert_nonnegative(a**2, squares=[(1, a)], strict=True)


def test_a_substitution_must_be_exact():
    """a - 1/10 - 10^-18 is negative at the left end of a >= 1/10, where the float 0.1 would hide it."""
    with pytest.raises(ValueError, match="exact"):
        assert_nonnegative(a - sp.Rational(1, 10) - sp.Rational(1, 10**18), {a: x + 0.1})


def test_accepted_claims_hold_at_random_points():
    """Draw rational functions with random signs: whatever is accepted is nonnegative at random points."""
    rng = np.random.default_rng(8)
    accepted = 0
    for _ in range(150):
        c = [sp.Integer(int(k)) for k in rng.integers(-1, 4, 6)]
        expression = (c[0] + c[1] * x + c[2] * x * y) / (c[3] + c[4] * x + c[5] * y + sp.Rational(1, 2))
        try:
            assert_nonnegative(expression)
        except AssertionError:
            continue
        accepted += 1
        for values in rng.exponential(3, (20, 2)) * rng.integers(0, 2, (20, 2)):
            assert expression.subs({x: values[0], y: values[1]}) >= 0
    assert 20 < accepted < 130


SAMPLES = np.random.default_rng(1).normal(2.0, 3.0, 10_000)
ERROR = SAMPLES.std(ddof=1) / 100


def test_monte_carlo_returns_the_signed_distance():
    """(mean - expected) / standard error."""
    z_score = assert_monte_carlo(SAMPLES, SAMPLES.mean() - 2 * ERROR)
    assert z_score == pytest.approx(2.0, rel=1e-9)


@pytest.mark.parametrize("distance, accepted", [(3.99, True), (-3.99, True), (4.01, False), (-4.01, False), (5, False)])
def test_monte_carlo_rejects_beyond_four_standard_errors(distance, accepted):
    """The limit is where it says, on both sides."""
    expected = SAMPLES.mean() + distance * ERROR
    if accepted:
        assert_monte_carlo(SAMPLES, expected)
    else:
        with pytest.raises(AssertionError, match="standard errors"):
            assert_monte_carlo(SAMPLES, expected)


def test_monte_carlo_never_accepts_nan():
    """An undefined expectation is not met."""
    with pytest.raises((AssertionError, ValueError)):
        assert_monte_carlo(SAMPLES, float("nan"))


@pytest.mark.parametrize(
    "samples",
    [
        np.full(1000, 2.0),
        SAMPLES[:99],
        SAMPLES.reshape(100, 100),
        np.append(SAMPLES, np.nan),
        np.append(SAMPLES, np.inf),
    ],
    ids=["constant", "too few", "not a vector", "nan", "inf"],
)
def test_monte_carlo_refuses_bad_samples(samples):
    """ValueError that names the argument."""
    with pytest.raises(ValueError, match="samples"):
        assert_monte_carlo(samples, 2.0)
