"""What readers type in answer to exercises: how it is read, what is refused and how, and what is said to differ."""

import pytest

from hdp.proof._judge import judge

RATIO = {"right": "1 + 8 / (n * f * epsilon_1**2)", "names": ["n", "f", "epsilon_1"]}
CALL = {"right": "2 * max(b)", "names": ["b"], "at": "[1.0, 2.0], [3.0]"}


@pytest.mark.parametrize(
    "typed", ["1/3+1/6", ".5", "50 %", "sqrt(1/4)", "2^-1", "2**(-1)", "e^0 / 2", "{1}/{2}", "5e-1", "√(1/4)"]
)
def test_a_number_can_be_written_in_many_ways(typed):
    assert judge(typed, "sp.Rational(1, 2)") == (True, "Right.")


@pytest.mark.parametrize("typed", ["60%/40%", "1.2/80%", "2.25^50%", "(600%/4)%^1*100", "sqrt(225%)", "150% 100%"])
def test_per_cent_bind_before_any_other_sign(typed):
    assert judge(typed, "sp.Rational(3, 2)") == (True, "Right.")


@pytest.mark.parametrize(
    "typed",
    ["1+8/(n f eps1^2)", "1 + 8/(nfε₁²)", "8/(n·f·ϵ_1**2) + 1", "(n f epsilon_1^2 + 8)/(n f epsilon_1^2)",
     "1 + 8 n^-1 f^-1 eps_1^-2", "1+2(4)/(n f exp(2 ln(eps1)))"],
)  # fmt: skip
def test_a_formula_can_be_written_in_many_ways(typed):
    assert judge(typed, **RATIO)[0] is True


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "Write a number, such as 0.75, 3/4 or sqrt(2)."),
        ("many", "The name many is not known here.  Write a number."),
        ("__import__('os')", "cannot be read"),
        ("x.real", "The name x is not known here."),
        ("1,5", "Write decimals with a point, and no comma."),
        ("2 * (3", "is a parenthesis or a sign missing?"),
        ("2 ln 3", "Write ln with parentheses, as in ln(2)."),
        ("exp()", "is a parenthesis or a sign missing?"),
        ("sqrt(1,0)", "Write decimals with a point, and no comma."),
        ("9^9^9^9", "This power is too large"),
        ("exp(exp(exp(9)))", "This power is too large"),
        ("5!", "The sign ! cannot be read here."),
        ("1" * 400, "Write a number"),
        ("(" * 140 + "1", "cannot be read"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_sentence(typed, said):
    verdict, text = judge(typed, "1")
    assert verdict is None and said in text


@pytest.mark.parametrize("typed", ["lambda: 1", "b.__class__", "open('x')", "[x for x in b]", "__builtins__", "max(b"])
def test_of_a_call_nothing_is_run_but_calls_of_what_the_page_knows(typed):
    assert judge(typed, **CALL)[0] is None


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("-0.4", "its sign is the other one"),
        ("0.8", "it is twice what is right"),
        ("0.2", "it is half of what is right"),
        ("2.5", "it is one over what is right"),
        ("0.16", "it is the square of what is right"),
        ("0.6325", "it is the square root of what is right"),
        ("40", "as if it were per cent"),
        ("0.4%", "per cent are written with %"),
        ("60%", "it is what the right one lacks to 1"),
        ("0.577", "its logarithm is to the base 2"),
        ("0.405", "but near"),
        ("7", "it is too large"),
        ("1/0", "no value among the real numbers"),
    ],
)
def test_the_usual_mistakes_are_named(typed, said):
    verdict, text = judge(typed, "sp.Rational(2, 5)", within=0.001)
    assert verdict is False and text.startswith("Not yet") and said in text


@pytest.mark.parametrize(("typed", "right"), [("1.004", "1"), ("0.997", "1"), ("0.501", "1 / 2"), ("0.498", "1 / 2")])
def test_a_mistake_that_hardly_changes_what_is_right_is_not_named(typed, right):
    text = f"Not yet: it is too {'large' if float(typed) > eval(right) else 'small'}."
    assert judge(typed, right) == (False, text)
    assert judge(typed, right, within=0.0009)[1] == "Not yet, but near: compute with more digits."


@pytest.mark.parametrize("typed", ["max(epsilon_1, epsilon_2)", "exp(epsilon_1 + epsilon_2)"])
def test_a_limit_is_told_only_where_it_is_the_same_whatever_other_symbols_are(typed):
    """Neither agrees in the end: the one differs by the other budget, of the other not even the ratio settles."""
    verdict, text = judge(typed, "epsilon_1 + epsilon_2", names=["epsilon_1", "epsilon_2"])
    assert verdict is False and "agree" not in text and "times what is right" not in text


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("2 + 16/(n f eps1^2)", "everywhere it is twice what is right"),
        ("1 + 8/(n eps1^2)", "What is right depends on f, yours does not."),
        ("1 + 4/(n f eps1^2)", "For large n the ratio of the two tends to 1."),
        ("3 + 8/(n f eps1^2)", "For small n the ratio of the two tends to 1."),
        ("2 + 9/(n f eps1^2)", "For large n yours is 2 times what is right."),
        ("sqrt(-n)", "yours has no value, and what is right is"),
        ("1 + 8/nf", "  What is before /nf is divided by n alone: write /(nf) for all of it."),
    ],
)
def test_what_differs_is_said_at_a_point_and_in_a_limit(typed, said):
    verdict, text = judge(typed, **RATIO)
    assert verdict is False and said in text
    assert "everywhere" in text or text.startswith("Not yet: at n = ")


@pytest.mark.parametrize("typed", ["2^(2^(2^n))", "exp(exp(n))", "2^cosh(n f)", "sinh(n^n)", "exp((n^999)^999)"])
def test_powers_of_powers_are_not_computed(typed):
    assert judge(typed, **RATIO) == (None, "This power is too large to be computed.")
    assert judge("exp(ln(1+exp(ln(8)-ln(f n eps1^2))))", **RATIO)[0] is True


@pytest.mark.parametrize("typed", ["1/0", "n/(1-1)", "f + ln(0)", "0/0"])
def test_a_formula_without_a_value_is_told_so(typed):
    assert judge(typed, **RATIO) == (False, "Not yet: this has no value among the real numbers.")


def test_letters_may_have_words_as_indices():
    right = {"right": "p * (1 - p) / (ell * sigma_p**2)", "names": ["p", "ell", "sigma_p"]}
    assert judge("p(1-p)/(ℓ σ_p²) max(min(1, 2), 0.5, 3/4)", **right) == (True, "Right.")


@pytest.mark.parametrize("typed", ["4n√10", "4√10·n", "n√(160)", "n 2√ 40", "8n/√0.4", "√2√5*4n"])
def test_the_sign_of_a_root_is_parted_from_its_neighbours(typed):
    assert judge(typed, "4 * sp.sqrt(10) * n", names=["n"])[0] is True
    text = judge(typed + "+√2n", "n", names=["n"])[1]
    assert text == "Write sqrt with parentheses, as in sqrt(2).", "it is not clear where the root ends"


@pytest.mark.parametrize(
    ("typed", "right"),
    [
        ("1/(8 min(n, 10))", "1 / (8 * n)"),
        ("1/(8 min(n, 10^5))", "1 / (8 * n)"),
        ("1/(8n) + (n-2)(n-3)(n-5)(n-10)", "1 / (8 * n)"),
        ("max(epsilon_1, 0.2)", "epsilon_1"),
        ("min(epsilon_1, 50)", "epsilon_1"),
    ],
)
def test_a_formula_is_compared_near_the_ends_of_what_its_names_stand_for(typed, right):
    names = ["n", "c", "epsilon_1"]
    assert judge(typed, right, names=names)[0] is False
    assert judge(f"{right} + cosh(epsilon_1)^2 - sinh(epsilon_1)^2 - 1", right, names=names)[0], "digits are lost"


def test_a_formula_may_lack_a_value_at_few_points():
    total = {"right": "epsilon_1 + epsilon_2", "names": ["epsilon_1", "epsilon_2"]}
    assert judge("(epsilon_1^2 - epsilon_2^2)/(epsilon_1 - epsilon_2)", **total) == (True, "Right.")
    for pole in ("1/4", "3", "100"):
        kept = f"(epsilon_1^2 - ({pole})^2)/(epsilon_1 - {pole}) - {pole}"
        assert judge(f"{kept} + epsilon_2", **total) == (True, "Right."), pole
        assert judge(f"{kept} + 2 epsilon_2", **total)[0] is False
    half = judge("1 + sqrt((epsilon_1 - 1)^3)/sqrt(epsilon_1 - 1) + epsilon_2", **total)
    assert half[0] is False and "yours has no value" in half[1]


def test_as_many_points_are_told_as_what_is_right_has_a_value_at():
    text = judge("max(a, b) sqrt(5 - a)", "(a + b + sp.Abs(a - b)) / 2 * sp.sqrt(5 - a)", names=["a", "b"])[1]
    assert text == "Right: equal at 19 points, to 12 digits."


@pytest.mark.parametrize(
    ("typed", "right", "said"),
    [
        ("max(b) + max(b)", True, "Right."),
        ("max(b)", False, "Not yet: for b = [1.0, 2.0] it is half of what is right."),
        ("2 * b[0]", None, "Write one call"),
        ("b", False, "Not yet: it returns 2 numbers, where 1 are right."),
        ("max()", False, "Not yet: TypeError"),
        ("4.0", False, "Not yet: for b = [3.0] it is 4, and what is right is 6."),
    ],
)
def test_calls_are_compared_by_what_they_return(typed, right, said):
    verdict, text = judge(typed, **CALL)
    assert verdict is right and text.startswith(said)


def test_returned_numbers_are_compared_relative_to_their_size():
    small = {"right": "[1e-10 * n, 1e-10]", "names": ["n"], "at": "2.0, 3.0"}
    assert judge("[n * 1e-10, 0.1 ** 10]", **small)[0] is True
    said = "Not yet: for n = 2.0 it is 4.0e-10, and what is right is 2.0e-10."
    assert judge("[2e-10 * n, 1e-10]", **small) == (False, said)
