"""No exception of a function that takes persons' values shows one, whatever is wrong with them, nor one behind it."""

import datetime
import inspect
import itertools
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from hdp import ADPM, _validate, baselines, compare, hybrid, release, simulate
from hdp.baselines import BASELINES, panel
from hdp.users import Users, read_users
from tests.calls import CALLBACKS, COLUMNS, GOOD, HOLD
from tests.secrets import MARKERS, shown
from tests.test_hostile import PUBLIC

PUBLIC_NUMBERS = {  # where a name means no person's value
    "noise.RandomizedResponse.privacy_loss": "answers that may be",
    "laplace_sum.LaplaceSum.density": "a point",
    "laplace_sum.LaplaceSum.log_density": "a point",
    "laplace_sum.LaplaceSum.survival": "a point",
    "simulate.compare": "what a simulation knows",
    "simulate.mean_squared_error": "what a simulation knows",
    "user_level.best_unbiased_variance": "means that may be",
}
TAKEN = [(name, argument) for name in GOOD if name not in PUBLIC_NUMBERS for argument in sorted(HOLD & set(GOOD[name]))]
TAKEN += [("user_level.plug_in_weights", "mean"), ("user_level.plug_in_weights", "variance")]  # of few users


class Marked:
    """An object that says what it holds."""

    def __repr__(self):
        return "marker"


class Raises(Marked):
    """One that says it when it is read, too."""

    def __array__(self, *_, **__):
        raise ValueError("marker")

    def __float__(self):
        raise TypeError("marker")


WRONG = [7.123456789, -7.123456789, 7123456789, 10**400 + 123456789, Decimal("7.123456789"), Decimal("1.23456789e-400")]
WRONG += [Fraction(7123456789, 10**9), Fraction(-123456789, 10**400), 7.123456789 + 1j, np.longdouble("1.23456789e400")]
WRONG += ["marker", "7.123456789", "0.123456789", "1e123456789", b"marker", datetime.date(1234, 5, 6), None]
WRONG += [Marked(), Raises(), {"a": 0.123456789}, {0.123456789}, float("inf"), float("nan")]
FINE = 0.123456789  # by itself


def hostile(good):
    """What may be given in place of good values: among them, as many, fewer, deeper, and instead of all."""
    plain = np.asarray(good).ravel().tolist()
    for bad in WRONG:
        yield from (bad, [bad], [*plain[:-1], bad], [bad] * len(plain), [[bad] * len(plain)] * 2, [plain, [bad]])
        objects = np.empty(len(plain), dtype=object)
        objects.fill(bad)
        yield objects.reshape(np.shape(good))
    for count in {0, 1, len(plain) - 1, len(plain) + 1}:
        yield from ([FINE] * count, np.full((2, count), FINE), [[FINE] * count, [FINE]])
    yield from (FINE, np.full((1, 2, 3, 4), FINE), [FINE, [FINE]], f"{FINE}", Marked, lambda: FINE)
    full = np.full(np.shape(good), FINE)
    for masked in (np.ma.masked_greater(full, 0), np.ma.array(full, mask=False)):
        yield from (masked, list(masked) if masked.ndim else [masked], [masked, FINE])
    yield [np.ma.array(FINE, mask=True)] * len(plain)
    for dtype in (str, bytes, complex, np.float32):
        yield np.full(np.shape(good), 7.123456789).astype(dtype)


def refuses(call, *arguments, **options):
    """Whether a call is refused, in one line, which shows no value, nor does a warning."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            call(*arguments, **options)
            found = False
        except (ValueError, TypeError) as wrong:
            assert not shown(wrong) and len(str(wrong).splitlines()) == 1, f"{shown(wrong)} for {arguments}, {options}"
            found = True
    assert not [text for text in said if shown(text.message)]
    return found


def refused(call, good):
    """How many hostile values a call refuses."""
    return sum(refuses(call, value) for value in hostile(good))


def test_every_argument_that_holds_values_is_asked():
    """So that a new function is."""
    named = {
        name for name, thing in PUBLIC.items() if callable(thing) and HOLD & set(inspect.signature(thing).parameters)
    }
    assert named == {name for name, _ in TAKEN[:-2]} | set(PUBLIC_NUMBERS) and len(TAKEN) > 30


@pytest.mark.parametrize("case", TAKEN, ids=".".join)
def test_no_refusal_of_a_public_function_shows_a_value(case):
    """Numbers that are too large, texts, objects, masks, shapes: by each argument that holds values."""
    name, argument = case
    good = GOOD[name]
    assert refused(lambda value: PUBLIC[name](**good | {argument: value}), good[argument]) > 50


def test_no_refusal_of_an_estimator_shows_a_value():
    """Of every baseline and hybrid estimator by name, of a panel, and of every row of a ranking."""
    for name in BASELINES:
        made = baselines.estimator(name, [1.0, 2.0])
        assert refused(lambda x, made=made: made.estimate(x, 1), [0.1, 0.2]) > 50
    for name in hybrid.NAMES:
        good = GOOD["hybrid.deviation"] | {"name": name}
        assert refused(lambda x, good=good: hybrid.deviation(**good | {"x": x}), good["x"]) > 50
    for shape in ("ball", "cube"):
        made = ADPM([9.0, 9.0], measure="zcdp", shape=shape, dimension=2)
        assert refused(lambda x, made=made: made.estimate(x, 1), [[0.1, 0.1], [0.0, 0.0]]) > 50
    with pytest.raises(ValueError, match="got a longer row of user 1, counted from 0") as wrong:
        ADPM([9.0, 9.0], measure="zcdp", dimension=2).estimate([[[0.0, 0.0], [0.4123456789, 0.4123456789]]], 1)
    assert not shown(wrong.value)
    both = panel([1.0, 2.0], ("adpm", "sm"))
    assert refused(lambda x: both(x, 1), [[0.1, 0.2]]) > 50
    people = Users([1.0, 1.0, 2.0, np.inf], ["curator", "local", "curator", "local"], 9)
    rows = [row for row in compare.ranking(people, prior=(0.5, 0.1)) if not row.obstacle]
    for row in rows:
        assert refused(lambda x, row=row: row.estimate(x, 1), [0.1, 0.2, 0.3, 0.4]) > 50


def test_no_refusal_of_a_release_or_report_shows_a_value():
    """Nor does what is printed of users."""
    pytest.importorskip("opendp", reason="needs OpenDP: pip install 'unequal-privacy[opendp]'")
    people, local = Users([9.0] * 3), Users([9.0] * 3, "local")
    made, own = release.plan(people), release.plan(local, "mixed")
    assert not made.constant and own.reported
    assert refused(lambda x: release.release(made, people.having(x)), [0.1, 0.2, 0.3]) > 50
    assert refused(lambda x: release.report(own, 9.0, x), 0.1) > 50
    assert not shown(ValueError(people.having([FINE] * 3, reports=["marker"] * 3, names=["marker"] * 3)))


def test_no_refusal_of_a_simulation_shows_what_is_drawn_or_estimated():
    """By the sampler, by the estimator, and by a function that returns several."""
    for argument, good in (("sampler", np.full((5, 2), 0.1)), ("estimator", np.full(5, 0.1))):
        calls = CALLBACKS | {"estimator": lambda x, rng: np.asarray(x, dtype=float).mean(axis=1)}

        def call(value, argument=argument, calls=calls):
            return simulate.mean_squared_error(**calls | {argument: lambda *_: value})

        assert refused(call, good) > 50
    assert refused(lambda value: simulate.compare(estimators=lambda x, rng: value, **CALLBACKS), np.full(5, 0.1)) > 50


@pytest.mark.parametrize("case", [
        ("compare.ranking", "population"), ("users.read_users", "source"), ("release.receipts", "plan"),
        ("hybrid.deviation", "s"), ("hybrid.deviation", "name"),
        ("simulate.compare", "sampler"), ("simulate.compare", "estimators"), ("kmeans.run", "draws"),
    ], ids=".".join)  # fmt: skip
def test_values_in_the_place_of_another_argument_are_not_shown_either(case):
    """Of those that are no numbers."""
    name, argument = case
    for value in ([FINE] * 3, np.full(3, FINE), FINE):
        with pytest.raises((TypeError, ValueError), match=f"{argument} must be.*, got an object of type") as wrong:
            PUBLIC[name](**GOOD[name] | {argument: value})
        assert not shown(wrong.value)


WRITTEN = ["{}", "{}%", "€{}", "x{}", "1.{}.000,5", "7,{}.5", "_{}", "{}e999", "\udce9{}", "{}\x00", "'{}", "7 {}"]
WRITTEN += [",{}", "{};"]
READINGS = [{}, {"decimal": ","}, {"decimal": "."}, {"budgets": {"low": 1}}, {"user": None}, {"trust": "curator"}]
READINGS += [{"records": 1}, {"value": (), "epsilon": "value"}]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("place", range(5))
def test_no_refusal_of_a_file_shows_a_cell(separator, place, tmp_path):
    """However it is written, in whatever column, first or second, also where it stands for the header."""
    path, count = tmp_path / "users.csv", 0
    for marker, way in zip(itertools.cycle(MARKERS), WRITTEN, strict=False):
        rows = [["ann", "1", "local", "1", "1"], ["bob", "2", "curator", "1", "1"]]
        for row in rows:
            row[place] = '"' + way.format(marker) + '"'
            lines = [separator.join(cells) for cells in (COLUMNS, *rows)]
            for text in ("\n".join(lines), "\n".join(lines[:0:-1])):
                path.write_text(text, encoding="utf-8", errors="surrogateescape")
                for options in READINGS:
                    count += refuses(read_users, path, **{"value": "value"} | options)
    assert count > 250


@pytest.mark.parametrize("check", ["number", "reals", "with_gaps", "vector", "scalar", "positions"])
def test_what_is_secret_is_named_by_argument_range_and_place(check):
    """And the same check of what is public shows it."""
    ends = {"positions": (5,), "reals": ()}.get(check, (0, 1))
    for value in hostile([0.1, 0.2, 0.3]):
        try:
            getattr(_validate, check)("values", value, *ends, secret=True)
        except ValueError as wrong:
            assert str(wrong).startswith("values must ") and not shown(wrong)
    with pytest.raises(ValueError, match="'marker'"):
        getattr(_validate, check)("epsilon", "marker", *ends)


def test_a_place_is_that_of_the_argument():
    """Also in deeper arrays, and where some are missing."""
    for value, place in (([0.1, 7.0], "1"), ([[0.1, 7.0], [7.0, 7.0]], r"\(0, 1\)")):
        with pytest.raises(ValueError, match=rf"^x must lie in \[0, 1\], which the one at index {place} does not$"):
            _validate.number("x", value, 0, 1, secret=True)
    with pytest.raises(ValueError, match=r"which the one at index 3 does not$"):
        _validate.with_gaps("x", [np.nan, 0.5, np.nan, 7.0], 0, 1, secret=True)
    with pytest.raises(ValueError, match=r"^x must lie in \[0, 1\]$"):
        _validate.scalar("x", 7.0, 0, 1, secret=True)


@pytest.mark.parametrize("value", [Fraction(-1, 10**400), np.longdouble("1e-4000"), [0.5, Decimal("1e-400")]])
def test_a_number_that_a_float_would_round_to_0_is_refused(value):
    """A budget of 0 is unusable."""
    for call in (lambda: _validate.number("epsilon", value), lambda: Users(np.atleast_1d(value))):
        with pytest.raises(ValueError, match="epsilon must be 0 or at least 5e-324 in size, which a float can hold"):
            call()
    for zero in (0, -0.0, Decimal("0e-999"), Fraction(0), np.longdouble(0), False):
        assert _validate.number("epsilon", zero) == 0 == Users([zero, 1.0]).epsilon[0]
