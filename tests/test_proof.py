"""The assertions of the book: what they must accept and, above all, what they must refuse."""

from contextlib import nullcontext

import numpy as np
import pytest
import sympy as sp

from hdp.proof import Table, _shown, assert_agreement, assert_identity, assert_monte_carlo, assert_nonnegative

x, y = sp.symbols("x y", nonnegative=True)
p, q = sp.symbols("p q", positive=True)
a = sp.Symbol("a", real=True)
z = sp.Symbol("z")

REFUSALS = (AssertionError, ValueError, TypeError, sp.PolynomialError)


@pytest.fixture
def shown(monkeypatch):
    """What a notebook would display."""
    displayed = []
    monkeypatch.setattr(_shown, "show", displayed.append)
    return displayed


@pytest.mark.parametrize(
    "left, right",
    [
        (1 / (z - 1) - 1 / (z + 1), 2 / (z**2 - 1)),
        (1 / (sp.sqrt(p) + 1), (sp.sqrt(p) - 1) / (p - 1)),
        (sp.sqrt(p**2 * q), p * sp.sqrt(q)),
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
        (sp.sqrt(a**2), a),
        (sp.log(sp.exp(z)), z),
        (sp.sqrt(z) * sp.sqrt(a), sp.sqrt(z * a)),
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
    """Refused on either side of an identity, in an inequality, and in its substitution.

    There a - 1/10 - 10^-18 is negative at the left end of a >= 1/10, where the float 0.1 would hide it.
    """
    below = a - sp.Rational(1, 10) - sp.Rational(1, 10**18)
    for proof, *claim in (
        (assert_identity, float_, x),
        (assert_identity, x, float_),
        (assert_nonnegative, x + float_),
        (assert_nonnegative, below, {a: x + 0.1}),
    ):
        with pytest.raises(ValueError, match="exact"):
            proof(*claim)


@pytest.mark.parametrize(
    "claim",
    [
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
def test_nonnegative_accepts_certified_claims(claim, shown):
    """Every coefficient is nonnegative after the substitution; the certificate is shown."""
    assert_nonnegative(*claim)
    assert shown[0].kind == "multiplied out, only plus signs"


def test_the_certificate_shows_what_was_checked(shown):
    """Substitution, numerator and denominator can be read off."""
    assert_nonnegative((a - 1) / (a + 1), {a: 1 + x})
    assert_nonnegative(x**2 - 2 * x + 1 + y, squares=[(1, x - 1), (y, 1)])
    assert_nonnegative((1 + x + y) ** 5)
    assert [shown[0].text(), shown[0].where] == [
        "(a - 1)/(a + 1) = x/(x + 2) >= 0 [multiplied out, only plus signs]",
        "a = x + 1",
    ]
    assert shown[1].text() == ("x**2 - 2*x + y + 1 = y + (x - 1)**2 >= 0 [a sum of squares with nonnegative factors]")
    assert "with 21 terms" in shown[2].kind and shown[2].parts[-1] == (">=", 0)


def test_an_identity_shows_both_sides(shown):
    """With their name; a long left side is left out beside one, and abbreviations stay symbols but are inserted."""
    assert_identity((x + 1) ** 2, x**2 + 2 * x + 1)
    assert_identity((x + 1) ** 2, x**2 + 2 * x + 1, name="F")
    assert_identity(sp.expand((x + y + 1) ** 5), (x + y + 1) ** 5, name="F")
    assert_identity(x + 1, a, where={a: 1 + x, z: y})
    assert_identity(x, x, name=None)
    assert [formula.text() for formula in shown] == [
        "(x + 1)**2 = x**2 + 2*x + 1 [identity]",
        "F = (x + 1)**2 = x**2 + 2*x + 1 [identity]",
        "F = (x + y + 1)**5 [identity]",
        "x + 1 = a [identity]",
    ]
    assert shown[3].where == "a = x + 1"
    with pytest.raises(AssertionError, match="not shown"):
        assert_identity(x + 1, a, where={a: 2 + x})
    with pytest.raises(AssertionError, match="not shown"):  # what is inserted is not looked through again
        assert_identity(x, y, where={x: y, y: x})


def test_a_long_chain_breaks_before_its_relation(shown):
    """And a sum that no line holds breaks between its terms; nothing is lost; one that just fits is whole."""
    long = sp.Add(*(sp.Symbol(f"b_{k}") ** k for k in range(2, 40)))
    assert_identity(long, long, name=r"\Phi(x, y)")
    assert_identity(x, x + 0, name="F")
    assert shown[0].latex().count(r"\\[2pt]") >= 2 and shown[0].latex().startswith(r"\begin{aligned} & \Phi")
    assert all(f"b_{{{k}}}^{{{k}}}" in shown[0].latex() for k in range(2, 40))
    assert shown[1].latex() == "F = x"
    full = sp.Add(*sp.symbols("a:p q_1"))
    assert _shown._width(full) == _shown.WIDEST and len(_shown._broken(full)) == 1 < len(_shown._broken(full + 1))


def test_an_index_that_is_a_word_is_not_shown(shown):
    """It only keeps symbols apart, which it still does where two would be written alike."""
    prior, loss, other = sp.symbols("p_prior ell_ratio p_1")
    assert_identity(prior * loss + other, other + loss * prior, name="F")
    assert_identity(prior - sp.Symbol("p"), prior - sp.Symbol("p"), name="F")
    assert_identity(sp.Symbol("x_prime"), sp.Symbol("x_prime"), name="F")
    assert [formula.latex() for formula in shown] == [r"F = \ell p + p_{1}", r"F = p_{prior} - p", "F = x'"]


def test_agreement_compares_every_row_and_shows_a_table(shown):
    """Those that differ most, if not all are shown."""
    rows = [("one", 1.0, 1.0), ("$x$", 2.0, 2.0 * (1 + 4e-13)), ("zero", 0.0, 0.0)]
    assert_agreement(rows)
    assert_agreement(rows, routes=("paper", "solver"), shown=1)
    assert shown[0].headings == ("quantity", "formula", "independent route", "relative difference")
    assert [row[0] for row in shown[0].rows] == ["one", "$x$", "zero"] and not shown[0].note
    assert [row[0] for row in shown[1].rows] == ["$x$"] and "3 comparisons" in shown[1].note
    assert shown[1]._repr_mimebundle_()["text/markdown"].endswith(r"| $4\cdot 10^{-13}$ |")


@pytest.mark.parametrize(
    "rows, error, match",
    [
        ([("x", 1.0, 1.0), ("y", 1.0, 1.0 + 1e-11)], AssertionError, "y: 1.0 and"),
        ([("x", 0.0, 1e-300)], AssertionError, "x: "),
        ([("x", 1.0, -1.0)], AssertionError, "x: "),
        ([], ValueError, "rows must not be empty"),
        ([("x", np.nan, np.nan)], ValueError, "rows must lie"),
    ],
)
def test_agreement_refuses(rows, error, match):
    """A difference, nothing to compare, what is no number."""
    with pytest.raises(error, match=match):
        assert_agreement(rows)


def test_the_headings_of_an_agreement_are_two_texts():
    for routes in (("paper", 1), ("paper",), "ab"):
        with pytest.raises(TypeError, match="routes must be"):
            assert_agreement([("a", 1.0, 1.0)], routes=routes)


def test_a_table_has_a_cell_for_every_heading():
    """Otherwise numbers would stand under the wrong one."""
    with pytest.raises(ValueError, match="rows must have 2 cells"):
        Table(("a", "b"), [(1,)])


@pytest.mark.parametrize(
    "claim, reason",
    [
        (((x - y) ** 2,), "negative coefficients"),  # true, but not by its coefficients
        ((x - sp.Rational(1, 10**40),), "negative coefficients"),
        ((a**2 - 1, {a: x}), "negative coefficients"),
        ((1 / (1 - x),), "negative coefficients"),
        ((x + (2 - sp.sqrt(5)) * y,), "negative coefficients"),
        ((1 / x,), "may vanish"),  # undefined at 0
        ((a,), "declared nonnegative"),
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
        sp.Piecewise((-1, x > 2), (1, True)),
        (-1) ** x,
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
    with nullcontext() if accepted else pytest.raises(AssertionError, match="may vanish"):
        assert_nonnegative(expression, strict=True)


@pytest.mark.parametrize(
    "expression, squares",
    [
        (a**2 - 2 * a + 2, [(1, a - 1)]),  # the identity is wrong
        (-(a**2), [(-1, a)]),  # a negative factor
        (y * a**2 - x * a**2, [(y - x, a)]),
        (a**3, [(a, a)]),  # a factor of either sign
        (-(x**2), [(1, sp.I * x)]),  # an imaginary base
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


def test_squares_certify_no_strict_positivity():
    """Only (a - 1)^2 + x a^2 >= 0, with real bases and nonnegative factors; a^2 is a square, and vanishes at 0."""
    assert_nonnegative(a**2 - 2 * a + 1 + x * a**2, squares=[(1, a - 1), (x, a)])
    with pytest.raises(REFUSALS):
        assert_nonnegative(a**2, squares=[(1, a)], strict=True)


SAMPLES = np.random.default_rng(1).normal(2.0, 3.0, 10_000)
ERROR = SAMPLES.std(ddof=1) / 100


@pytest.mark.parametrize("distance, accepted", [(2, True), (3.99, True), (-3.99, True), (4.01, False), (-4.01, False)])
def test_monte_carlo_rejects_beyond_four_standard_errors(distance, accepted):
    """The limit is where it says, on both sides; what is returned is (mean - expected) / standard error."""
    with nullcontext() if accepted else pytest.raises(AssertionError, match="standard errors"):
        assert assert_monte_carlo(SAMPLES, SAMPLES.mean() - distance * ERROR) == pytest.approx(distance, rel=1e-9)


@pytest.mark.parametrize(
    "samples",
    [
        np.full(1000, 2.0),
        np.full(1000, 0.1),
        SAMPLES[:99],
        SAMPLES.reshape(100, 100),
        np.append(SAMPLES, np.nan),
        np.append(SAMPLES, np.inf),
    ],
    ids=["constant", "constant but for the rounding of its mean", "too few", "not a vector", "nan", "inf"],
)
def test_monte_carlo_refuses_bad_samples(samples):
    """ValueError that names the argument; nor is an undefined expectation met."""
    with pytest.raises(ValueError, match="samples"):
        assert_monte_carlo(samples, 2.0)
    with pytest.raises(ValueError, match="expected"):
        assert_monte_carlo(SAMPLES, np.nan)
