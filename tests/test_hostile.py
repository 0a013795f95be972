"""Every public function: a plain call, bad input, and hostile values, which are harmless or refused by name."""

import datetime
import importlib
import inspect
import pkgutil
import re
from dataclasses import fields, is_dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import hdp
from hdp import compare
from tests.calls import BOX, DRAWS, GOOD, HOLD, ON, PARTS, PEOPLE, RECORDS, S
from tests.ranges import refused
from tests.refusals import ALSO, CASES

inf, nan = float("inf"), float("nan")
MAY_BE_NAN = {"hybrid.n_crit"}  # says so, where both errors are equal for every n
MAY_BE_NAN |= {"users.Users", "users.Users.having", "users.read_users"}  # values that no release uses
NOT_DRIVEN = {"sym", "figures", "explore"}  # statements and drawings for the book's own pages
NOT_DRIVEN |= {"gaussian"}  # `amplification` offers its functions


def public():
    """Every public function, class and method of the package, by name."""
    for module in sorted(m.name for m in pkgutil.iter_modules(hdp.__path__)):
        if module.startswith("_") or module in NOT_DRIVEN:
            continue
        found = importlib.import_module(f"hdp.{module}")
        for name in found.__all__:
            thing, full = getattr(found, name), f"{module}.{name}"
            if callable(thing):
                yield full, thing
            if inspect.isclass(thing):
                own = [base for base in reversed(thing.__mro__) if base.__module__.startswith("hdp.")]
                for method, value in [entry for base in own for entry in vars(base).items()]:
                    if not method.startswith("_") and (inspect.isfunction(value) or isinstance(value, classmethod)):
                        owner = thing if isinstance(value, classmethod) else ON.get(full)
                        yield f"{full}.{method}", getattr(owner, method, None)


PUBLIC = dict(public())
HUGE = [10**400, -(10**400), Fraction(10**400), Decimal("1E999"), np.longdouble("1e400"), [10**400, 1.0], 2**64, 2**53]
EDGES = [0, -0.0, 1, -1, 0.5, 1 - 2**-53, 5e-324, 1e-308, 1e-200, 1e-170, 1e-100, 1e-17, 1e17, 1e100, 1e170, 1e200]
EDGES += [1.7e308, inf, -inf, nan, 255, 10**12, Fraction(1, 3), Decimal("0.1"), Decimal("NaN"), np.uint8(255)]
EDGES += [np.int8(100), np.float16(6e4), np.float32(0.1), True, False, np.True_]
VECTORS = [[], [[]], [0.0, 0.0], [nan, 1.0], [inf, inf], [1e-320, 1e308], [1e200, 1e-200], [1, 2, 3], [[1.0, 2.0]]]
VECTORS += [(1.0, 2.0), np.array([1, 2], np.uint8), np.array([200, 255], np.uint8), [1.0, None], [5e-324] * 2]
VECTORS += [np.ones((2, 2)), np.zeros(0), np.array(1.0), [[1.0], [2.0, 3.0]], [1e308, 1e308], [0.5, 0.5], [True, False]]
OBJECTS = [None, "", "1", "sm", "hybrid", b"1", 1j, object(), {}, {1: 2}, set(), range(3), iter([1.0]), lambda *a: 1.0]
OBJECTS += [np.ma.masked, np.ma.array([0.1, 1e9], mask=[False, True]), [np.ma.masked, 1.0], np.datetime64("2020")]
OBJECTS += [datetime.date(2020, 1, 1), np.array(["a", "b"]), np.array([None, None]), [None], ["False", "True"]]
OBJECTS += [sp.Symbol("y"), sp.oo, sp.nan, np.random.default_rng(1), np.random.SeedSequence(1), ..., slice(1)]
OBJECTS += [S, PEOPLE, BOX, DRAWS]
HOSTILE = HUGE + EDGES + VECTORS + OBJECTS


def numbers(result, depth=0):
    """Every number in a result: of arrays, containers, and the fields and properties of the library's own classes."""
    if isinstance(result, float | int | np.ndarray | np.generic):
        yield np.asarray(result)
    elif isinstance(result, dict):
        yield from (n for value in result.values() for n in numbers(value, depth))
    elif isinstance(result, list | tuple):
        yield from (n for value in result for n in numbers(value, depth))
    elif is_dataclass(result) and depth < 2:
        names = [f.name for f in fields(result)]
        names += [k for k, v in inspect.getmembers(type(result)) if isinstance(v, property) and k[0] != "_"]
        yield from (n for name in names for n in numbers(getattr(result, name), depth + 1))


def call(name, changes):
    """The result of a call with some arguments changed is free of NaN, or the refusal names an argument."""
    good = GOOD[name]
    try:
        result = PUBLIC[name](**good | changes)
    except (ValueError, TypeError) as refusal:
        names = "|".join(map(re.escape, [*good, *PARTS]))
        assert re.search(rf"(?<!\w)({names})(?!\w)", str(refusal)), f"names nothing: {refusal}"
        return
    except AssertionError:
        assert name.startswith("proof.")
        return
    except OSError:
        assert name == "users.read_users"
        return
    if name not in MAY_BE_NAN:
        assert not any(n.dtype.kind == "f" and np.isnan(n).any() for n in numbers(result)), f"NaN in {result!r}"


def test_every_public_function_is_driven():
    """The list is the package's own."""
    assert set(GOOD) | RECORDS == set(PUBLIC) | {name for name in RECORDS if name in PUBLIC}
    assert len(GOOD) > 110 and not set(GOOD) & RECORDS


def test_the_plain_call_is_accepted(subtests, tmp_path, monkeypatch):
    """Otherwise the refusals below would mean nothing; and no argument changes or is missing from the table."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "users.csv").write_text(compare.synthetic_csv(), encoding="utf-8")
    left_out = {"substitute", "squares", "where", "n_jobs"}
    for name, good in GOOD.items():
        with subtests.test(name):
            assert set(good) <= set(inspect.signature(PUBLIC[name]).parameters) <= set(good) | left_out
            PUBLIC[name](**good)


def test_bad_input_is_refused_by_name_and_value(subtests):
    """The message tells which argument, and what was wrong with it: of a person's value, only its place or type."""
    calls = [*((name, {}) for name in GOOD), *ALSO]
    documented = [*refused(PUBLIC, [(call, changes, GOOD[call] | changes) for call, changes in calls])]
    assert len(documented) > 2500
    for call, changes, name, value, shown in [*CASES, *documented]:
        with subtests.test(f"{call}({name}={value!r})"):
            good = GOOD[call] | changes
            if changes:
                PUBLIC[call](**good)
            with pytest.raises(ValueError) as refusal:
                PUBLIC[call](**good | {name: value})
            message = str(refusal.value)
            assert re.search(rf"\b({'|'.join([name, *PARTS])})\b", message), message
            assert shown in message or (name in HOLD and re.search(r"\b(index|type|shape)\b", message)), message


@pytest.mark.parametrize("name", GOOD)
def test_one_hostile_value_is_refused_by_name_or_harmless(name):
    """Each value for each argument."""
    for argument in GOOD[name]:
        for value in HOSTILE:
            call(name, {argument: value})


@settings(deadline=None, max_examples=400)
@given(st.data())
def test_hostile_values_together_are_refused_by_name_or_harmless(data):
    """Several arguments at once, also with numbers that hypothesis finds."""
    name = data.draw(st.sampled_from(sorted(GOOD)))
    floats = st.floats() | st.integers() | st.lists(st.floats(), max_size=3) | st.fractions() | st.text(max_size=3)
    values = st.sampled_from(HOSTILE) | floats
    chosen = data.draw(st.sets(st.sampled_from(sorted(GOOD[name])), max_size=3)) if GOOD[name] else ()
    call(name, {argument: data.draw(values) for argument in sorted(chosen)})
