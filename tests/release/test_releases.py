"""Releases through OpenDP: its own account of the losses, the errors that were expected, and each output.

OpenDP draws from the system's randomness, so no seed repeats a draw.  Averages over thousands of releases are compared
within six standard errors: what is right fails less than once in ten million runs, and a noise ten per cent too large
or too small is seen all but always.
"""

import math
from fractions import Fraction
from itertools import product
from unittest.mock import MagicMock, Mock

import numpy as np
import pytest
import sympy as sp

pytest.importorskip("opendp", reason="needs OpenDP: pip install 'unequal-privacy[opendp]'")

from hdp._number import between
from hdp.proof import assert_monte_carlo
from hdp.release import (
    Ledger,
    ledgers,
    measurement,
    measuring,
    plan,
    radii,
    receipts,
    release,
    report,
    report_value,
    reports,
)
from hdp.release.bits import chance_of_a_lie
from hdp.release.measuring import opendp, summed
from hdp.release.plans import ends
from hdp.sym.use import real_release as sym
from hdp.users import Users
from tests.release.test_plans import KINDS, METHODS, NOISES, loss, populations

SIGMAS = 6
LARGEST, LEAST = 1.7976931348623157e308, 5e-324


@pytest.mark.parametrize(("method", "noise"), KINDS)
def test_opendp_accounts_for_every_user_within_her_budget(method, noise):
    """For 60 populations of each: its map of a user is what she loses, rounded up, and never above her budget."""
    asked = 0
    for users, made in populations(60, method, noise):
        if not made.kinds.counted.any():
            continue
        measure, found, kind = measurement(made, users), receipts(made, users), made.kind_of(users)
        for i in np.flatnonzero(~users.local):
            account = measure.map(int(i))
            assert account <= users.epsilon[i] and account == pytest.approx(found.spent[i], rel=1e-12)
            if not made.noiseless:
                assert account >= loss(made.kinds.share[kind[i]], made)
                asked += 1
    assert asked > 100


@pytest.mark.parametrize("noise", NOISES)
def test_a_report_of_one_bit_follows_the_value_and_varies_as_the_plan_says(noise):
    made = plan(Users([0.5, 3.0] * 30, "local"), "mixed", noise=noise)
    assert made.kinds.bit.all()
    for epsilon, x in ((0.5, 0.0), (3.0, 0.3), (3.0, 1.0)):
        found = np.array([report_value(made, epsilon, report(made, epsilon, x)) for _ in range(1000)])
        assert_monte_carlo(found, x, SIGMAS)
        variance = 0.25 / (1 - 2 * chance_of_a_lie(epsilon, noise)) ** 2 - (x - 0.5) ** 2
        assert_monte_carlo((found - x) ** 2, variance, SIGMAS)


@pytest.mark.settles("hdp-release-grid")
def test_rounding_the_answer_costs_everybody_the_grid():
    """What OpenDP asks for a sum in floating point that is rounded to a grid: the budget and the grid."""
    dp = opendp()
    dp.enable_features("idealized-numerics")
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    for k, epsilon in product((-30, -20, -10), (1e-6, 0.001, 0.1, 1.0)):
        charged = dp.m.make_laplace(*space, scale=1.0, k=k).map(epsilon)
        stated = float(sym.rounded_after.subs({sym.bits: -k, sym.epsilon: sp.Rational(epsilon)}) * epsilon)
        assert charged > epsilon and charged == pytest.approx(stated, rel=1e-12)


def test_ends_that_are_large_for_their_distance_cost_their_digits():
    """All answers lie within the radius of the noise, to which the floats at the ends give nearly all."""
    low, high = 1e12, 1e12 + 2.0**-10
    made, value = plan([1.0] * 16384, lower=low, upper=high), low + 2.0**-12
    radius, users = radii(made, 0.05).noise, Users([1.0] * 16384, values=np.full(16384, value))
    assert 2.0**-14 < radius < 2.0**-10 and made.error.rounding**0.5 > 2.0**-14
    assert all(abs(release(made, users).answer - value) <= radius for _ in range(20))
    assert between(low, high) == "[1000000000000.0, 1000000000000.001]" and between(0, 9e4) == "[0, 90000]"


@pytest.mark.parametrize("odd", ["0.737", 10**400, 1j, None, object(), Fraction(1, 10**400), math.nan, -math.inf])
def test_what_is_used_is_finite_and_what_is_not_used_is_not_even_converted(odd, tmp_path):
    users = Users([0.0, 5.0, 5.0] * 10, ["curator", "curator", "local"] * 10, names=[*map(str, range(30))])
    made = plan(users, "mixed", value="pay")
    users, ledger = users.having(reports=[None, None, report(made, 5.0, 0.5)] * 10), Ledger.new(tmp_path / "l", made)
    values = [0.5, odd, 0.5] * 10
    with pytest.raises(ValueError, match="column pay must hold a finite number where the plan uses it") as refused:
        ledger.release(made, users.having({"pay": values}))
    assert "737" not in str(refused.value) and ledger.published() == []
    for wrong in (values, values[:9], "no"):
        with pytest.raises(opendp().OpenDPException, match="values must hold a finite number"):
            measurement(made, users)(wrong)
    with np.errstate(all="raise"):
        assert math.isfinite(release(made, users.having({"pay": [odd, 0.5, odd] * 10})).answer)


@pytest.mark.settles("hdp-release-outputs")
@pytest.mark.parametrize(("noise", "kind"), [("laplace", "simple"), ("laplace", "noisy"), ("gaussian", "noisy")])
def test_a_raw_value_cannot_stand_where_a_report_belongs(noise, kind):
    """Nor a report for another plan, nor one that the noise has no business to be; messages name the user alone."""
    users = Users([1.0] * 300 + [2.0], ["curator"] * 300 + ["local"], values=[0.5] * 301)
    users, made = users.having(names=[f"u{i}" for i in range(301)]), plan(users, "mixed", noise=noise, reports=kind)
    told, other = report(made, 2.0, 0.737), f"report:{'0' * 16}:1:1/1"
    start, whole, share = f"report:{made.digest[:16]}:1", 737 if kind == "noisy" else 1, int(told.rpartition("/")[2])
    most = share + ((90 if noise == "laplace" else 14) * made.scale if kind == "noisy" else 0)
    for text in (told, f" {told}  {other} ", f"{start}:{whole}/{share}", f"{start}:{most}/{share}"):
        assert math.isfinite(release(made, users.having(reports=[""] * 300 + [text])).answer)
    wrong = [0.737, "0.737", "", None, f"{whole}/{share}", f"{start}:0.737/{share}", told + "0", told.encode(), other]
    wrong += [f"{start}:{whole}/{share + 1}", f"{start}:{most + 1}/{share}", f"{start}:{share - most - 1}/{share}"]
    wrong += [f"{start[:-1]}0:{whole}/{share}", f"{told} {told}", f"{told} 0.737"]
    for text in wrong:
        with pytest.raises(ValueError, match=r"reports must be as .* none of user 'u300'") as refused:
            release(made, users.having(reports=[None] * 300 + [text]))
        assert "0.737" not in str(refused.value)
    with pytest.raises(ValueError, match="reports must hold one text, or None, for each of 301 users"):
        release(made, users)


@pytest.mark.settles("hdp-release-ledger")
def test_columns_are_released_together_or_not_at_all(tmp_path):
    users, x, file = Users([0.5, 1.0] * 50), np.linspace(0, 1, 100), tmp_path / "ledger.json"
    asked = [("a", 0.5, 9000.0), ("b", 0.3, 100.0), ("c", 0.2, 1.0)]
    plans = [plan(users, spend=share, upper=upper, value=name) for name, share, upper in asked]
    users = users.having({name: upper * x for name, _, upper in asked} | {"d": np.where(x < 1, x, np.nan)})
    ledger, empty = Ledger.new(file, plans[0]), file.read_text()
    for last, said in (
        (plan(users, spend=0.2, value="d"), "column d must hold a finite"),
        (plan(users, spend=0.2, value="e"), "users must have the column of values e, which .*, got a, b, c, d"),
        (plan(users, spend=0.25, value="c"), "ledger must leave budgets for release 3"),
        (plan(users, spend=0.2, noise="gaussian", value="c"), "ledger must be for gaussian"),
        (plan([0.5] * 101), "users must be those of the plan"),
    ):
        with pytest.raises(ValueError, match=said):
            ledger.release([*plans[:2], last], users)
        assert file.read_text() == empty
    made = ledger.release(plans, users)
    assert ledger.published() == made and len({one.noisy_sum for one in made}) == 3
    for one, of in zip(made, plans, strict=True):
        assert one.plan == of.digest and abs(one.answer - of.upper / 2) < 9 * of.error.total**0.5
    spent = sum(one.spent for one in plans)
    assert ledger.left(plans[0]) == pytest.approx(plans[0].kinds.epsilon - spent, abs=1e-12)


# -- From a value to whatever leaves the machine: the noise is not drawn but tried, with values as in hostile files.

VALUES = [0.0, 1.0, -0.0, LEAST, -LEAST, LARGEST, -LARGEST, 1e300, 0.3, 0.5, 1 - 2**-53, -3.0, 5.0, 1.0000000000000002]


def small(seed, method, noise):
    """A few users with large budgets, so that they are worth a release: ties, public and unusable ones, some local."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 8))
    epsilon = rng.choice([0.0, 2.0, 9.0, 9.0, 30.0, math.inf], n, p=[0.1, 0.2, 0.2, 0.2, 0.2, 0.1])
    epsilon[:2] = 20.0
    local = method not in ("adpm", "threshold") and seed % 3
    users = Users(epsilon, rng.choice(["local", "curator"], n) if local else "curator", rng.choice([1, 400], n))
    options = METHODS[method] | {"noise": noise, "reports": ("simple", "noisy")[seed % 2]}
    if "prior" not in options and seed % 5 == 0:
        options = options | {"lower": -3.0, "upper": 5.0} | ({"variance": 16.0} if method == "mixed" else {})
    return users, plan(users, method, bits=None if seed % 4 else int(rng.integers(0, 9)), **options), rng


@pytest.mark.settles("hdp-release-outputs")
@pytest.mark.parametrize(("method", "noise"), KINDS)
def test_what_is_published_is_the_same_for_two_values_of_a_user(method, noise, monkeypatch, tmp_path):
    """Of 200 populations, whatever local users hold; what the sums differ by costs at most what her receipt says.

    And without noise it is the weighted mean of values, each taken to its interval, and of what reports stand for.
    """
    drawn, tried, whole = {}, 0, 0
    monkeypatch.setattr(measuring, "measurement", lambda made, users: lambda x: drawn["z"])
    monkeypatch.setattr(ledgers.secrets, "token_hex", lambda size: "00" * size)  # the salt of a ledger
    for seed in range(200):
        users, made, rng = small(seed, method, noise)
        kind, spent = made.kind_of(users), receipts(made, users).spent
        counted = np.flatnonzero(made.kinds.counted[kind] & np.isfinite(users.epsilon))
        if not counted.size or made.noiseless:
            continue
        shares = np.where(made.kinds.bit, 1, made.kinds.share)
        told = [f"report:{made.digest[:16]}:{k}:1/{shares[k]}" if made.kinds.weight[k] else None for k in kind]
        users, total, x = users.having(reports=told), summed(made, kind), rng.choice(VALUES, users.size)
        asked = zip(users.epsilon, told, users.records.astype(int), np.clip(x, *ends(made, kind)), strict=True)
        each = [report_value(made, e, text, int(k)) if text else inside for e, text, k, inside in asked]
        drawn["z"], rounding = total(x), made.error.rounding**0.5 + 1e-9
        assert release(made, users.having(x)).unclamped == pytest.approx(made.weights[kind] @ each, abs=rounding)
        for i, other in zip(rng.choice(counted, 2), rng.choice(VALUES, 2), strict=True):
            y = np.where(np.arange(users.size) == i, other, x)
            first, second = total(x), total(y)
            assert isinstance(first, int) and abs(first - second) <= made.kinds.share[kind[i]]
            assert loss(abs(first - second), made) <= spent[i], "whatever the noisy sum is"
            for z in (first, second - made.scale, -(2**61)):
                drawn["z"] = z
                unread = np.where(users.local, math.nan, y)
                one, *more = [release(made, users.having(values)) for values in (x, y, unread)]
                assert len({one.to_json(), *(other.to_json() for other in more)}) == 1
                assert math.isfinite(one.unclamped) and made.lower <= one.answer <= made.upper
                tried += 1
        if whole < 5:
            files = [tmp_path / f"{whole}-{j}" for j in range(2)]
            for file, values in zip(files, (x, y), strict=True):
                Ledger.new(file, made).release(made, users.having(values))
            assert files[0].read_text() == files[1].read_text()
        whole += 1
    assert tried > 500 and whole >= 187


@pytest.mark.settles("hdp-release-outputs")
@pytest.mark.parametrize(("method", "noise"), [kind for kind in KINDS if kind[0] not in ("adpm", "threshold")])
def test_every_report_begins_with_a_number_between_0_and_her_share(method, noise, monkeypatch):
    """A whole number before its noise, or the chance of a bit: for all values, ends and hostile ones."""
    seen, tried, dp = [], 0, MagicMock()
    drawn = Mock(side_effect=lambda whole: seen.append(whole) or 0, map=lambda share: 0.0)
    dp.m.make_laplace.return_value = dp.m.make_gaussian.return_value = drawn
    dp.m.make_randomized_response_bool.return_value = Mock(return_value=1, map=drawn.map)
    unit = type("Drawn", (int,), {"__lt__": lambda bits, chance: not seen.append(Fraction(chance) / 2**bits)})
    monkeypatch.setattr(reports.secrets, "randbits", unit)
    monkeypatch.setattr(measuring, "opendp", lambda: dp)
    for seed in range(200):
        _, made, _ = small(seed, method, noise)
        for row in np.flatnonzero(made.kinds.weight > 0):
            seen.clear()
            asked = made.kinds.epsilon[row], int(made.kinds.records[row])
            for value in VALUES:
                assert report(made, asked[0], value, asked[1]).startswith(f"report:{made.digest[:16]}:{row}:")
            (low, high), most = ends(made, row), 1 if made.kinds.bit[row] else int(made.kinds.share[row])
            units, off = (
                (np.clip(VALUES, low, high) - low) / (high - low),
                0.5 * (not made.kinds.bit[row]) / most + 1e-9,
            )
            assert (
                [float(Fraction(one) / most) for one in seen] == pytest.approx(units, abs=off)
                and max(seen) <= most
                and min(seen) >= 0
            )
            tried += 1
    assert tried > 50
