"""From a person's value to whatever leaves the machine, without leaving anything out: each output has one noise.

A release is a function of the noisy sum and of the reports; here the noise is not drawn but tried: for every noisy sum
the text that is published, the ledger and the receipts are the same for two values of one user, letter by letter, and
how much likelier one value makes that sum than the other is computed in fractions.  The values are those that are
met in files of real people: ends, beyond the ends, the largest and least floats, -0.0, and ties of rounding.
"""

import json
import math
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from hdp.compare import Population
from hdp.release import measuring, new_ledger, plan, receipts, release, report, spending
from hdp.release.bits import chance_of_a_lie
from hdp.release.measuring import summed
from tests.release.test_plans import KINDS, METHODS

LARGEST, LEAST = 1.7976931348623157e308, 5e-324
VALUES = [0.0, 1.0, -0.0, LEAST, -LEAST, LARGEST, -LARGEST, 1e300, 0.3, 0.5, 1 - 2**-53, -3.0, 5.0, 1.0000000000000002]
LOCAL = pytest.mark.parametrize(("method", "noise"), [kind for kind in KINDS if kind[0] not in ("adpm", "threshold")])


def small(seed, method, noise):
    """A few users with large budgets, so that they are worth a release: ties, public and unusable ones, some local."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 8))
    epsilon = rng.choice([0.0, 2.0, 9.0, 9.0, 30.0, math.inf], n, p=[0.1, 0.2, 0.2, 0.2, 0.2, 0.1])
    epsilon[:2] = 20.0
    local = method not in ("adpm", "threshold") and seed % 3
    users = Population(epsilon, rng.choice(["local", "curator"], n) if local else "curator", rng.choice([1, 400], n))
    options = METHODS[method] | {"noise": noise, "reports": ("simple", "noisy")[seed % 2]}
    if "prior" not in options and seed % 5 == 0:
        options = options | {"lower": -3.0, "upper": 5.0} | ({"variance": 16.0} if method == "mixed" else {})
    return users, plan(users, method, bits=None if seed % 4 else int(rng.integers(0, 9)), **options), rng


def log_ratio(z, first, second, made):
    """How much likelier, in nats, the noisy sum z is for the first sum; with Gaussian noise the divergence, rho."""
    c = 2**made.bits
    if made.noise == "gaussian":
        return Fraction((first - second) ** 2, 2 * c**2)
    return Fraction(abs(z - second) - abs(z - first), c)


@pytest.mark.settles("hdp-release-outputs")
@pytest.mark.parametrize(("method", "noise"), KINDS)
def test_what_is_published_is_the_same_for_two_values_of_a_user(method, noise, monkeypatch, tmp_path):
    """Of 200 populations; the loss at every noisy sum is at most what her receipt says."""
    drawn, tried, whole = {}, 0, {}
    monkeypatch.setattr(measuring, "measurement", lambda made, users: lambda x: drawn["z"])
    monkeypatch.setattr(spending, "spend", lambda *_: None)
    for seed in range(200):
        users, made, rng = small(seed, method, noise)
        kind, spent = made.kind_of(users), receipts(made, users).spent
        counted = np.flatnonzero(made.kinds.counted[kind] & np.isfinite(users.epsilon))
        if not counted.size or made.noiseless:
            continue
        total, handed = summed(made, kind), reports_of(made, users)
        x = rng.choice(VALUES, users.size)
        for i, other in zip(rng.choice(counted, 2), rng.choice(VALUES, 2), strict=True):
            y = np.where(np.arange(users.size) == i, other, x)
            first, second = total(x), total(y)
            assert isinstance(first, int) and abs(first - second) <= made.kinds.share[kind[i]]
            for z in (first, second - made.scale, -(2**61)):
                drawn["z"] = z
                texts = [release(made, users, values, reports=handed).to_json() for values in (x, y)]
                assert texts[0] == texts[1] and math.isfinite(json.loads(texts[0])["unclamped"])
                assert log_ratio(z, first, second, made) <= Fraction(spent[i])
                tried += 1
        whole[seed] = made
    assert tried > 500 and len(whole) >= 187
    ledgers = [kept(made, values, tmp_path / f"{seed}-{j}", drawn) for seed, made in list(whole.items())[:5]
               for j, values in enumerate((np.zeros(9), np.full(9, LARGEST)))]  # fmt: skip
    assert ledgers[::2] == ledgers[1::2]


@pytest.mark.settles("hdp-release-outputs")
@pytest.mark.parametrize("share", [2**53 + 1, 2**53 + 3, 2**54 + 6])
def test_a_share_between_two_floats_is_not_rounded_up(share):
    """No plan that is made has one, but one that is read may; then a product with it can be the float above."""
    users = Population([40.0] * 20)
    made = plan(users)
    assert share < made.kinds.share[0]
    total = summed(replace(made, kinds=replace(made.kinds, share=[share])), made.kind_of(users))
    least = total([0.0] * 20)
    assert all(share - 2 <= total([value] + [0.0] * 19) - least <= share for value in (1.0, LARGEST, 1 - 2**-53))


def kept(made, values, ledger, drawn):
    """The ledger after a release."""
    table = made.kinds
    parts = (np.repeat(column, table.users) for column in (table.epsilon, table.local, table.records))
    epsilon, local, records = parts
    users = Population(epsilon, np.where(local, "local", "curator"), records)
    new_ledger(made, ledger)
    drawn["z"] = 7
    release(made, users, np.resize(values, users.size), ledger, reports=reports_of(made, users))
    return ledger.read_text()


def reports_of(made, users):
    """Some report of everybody whom the plan weighs."""
    kind = made.kind_of(users)
    shares = np.where(made.kinds.bit, 1, made.kinds.share)
    return [f"report:{made.digest[:16]}:{row}:1/{shares[row]}" if made.kinds.weight[row] else None for row in kind]


@pytest.mark.settles("hdp-release-outputs")
@LOCAL
def test_every_report_is_possible_for_every_value_and_as_likely_as_her_receipt_says(method, noise, monkeypatch):
    """A whole number before its noise, or the chance of a bit: for all values, ends and hostile ones."""
    pytest.importorskip("opendp", reason="needs OpenDP: pip install 'unequal-privacy[opendp]'")
    seen, tried = [], 0
    noisy = spending._noisy
    monkeypatch.setattr(spending, "_noisy", lambda dp, made, x, *more: seen.append(x) or noisy(dp, made, x, *more))
    monkeypatch.setattr(spending, "_bit", lambda dp, unit, *_: seen.append(unit) or 1)
    for seed in range(200):
        _, made, _ = small(seed, method, noise)
        spent = receipts(made).spent
        for row in np.flatnonzero(made.kinds.weight > 0):
            seen.clear()
            asked = made.kinds.epsilon[row], int(made.kinds.records[row])
            for value in VALUES:
                assert report(made, asked[0], value, asked[1]).startswith(f"report:{made.digest[:16]}:")
            assert len(seen) == len(VALUES)
            if made.kinds.bit[row]:
                assert 0 <= min(seen) <= max(seen) <= 1
                assert cost_of_a_bit(made, row, min(seen), max(seen)) <= spent[row] * (1 + 2**-45)
            else:
                assert 0 <= min(seen)
                assert log_ratio(0, 0, max(seen) - min(seen), made) <= Fraction(spent[row])
            tried += 1
    assert tried > 50


def cost_of_a_bit(made, row, low, high):
    """The loss between two values in [0, 1], from the chances that they are told as 1, in 40 digits."""
    with mpmath.workdps(40):
        lie = mpmath.mpf(float(chance_of_a_lie(made.part[row], made.noise)))
        ones = [lie + unit * (1 - 2 * lie) for unit in map(mpmath.mpf, (low, high))]
        if made.noise == "laplace":
            return max(mpmath.log(ones[1] / ones[0]), mpmath.log((1 - ones[0]) / (1 - ones[1])))
        zeros = [1 - one for one in ones]  # of both orders the dearer divergence, that of order 1
        both = [p * mpmath.log(p / q) + (1 - p) * mpmath.log((1 - p) / (1 - q)) for p, q in (ones, ones[::-1])]
        return max(both) if all(zeros) else mpmath.inf


@pytest.mark.settles("hdp-release-outputs")
@LOCAL
@pytest.mark.parametrize("unread", [math.nan, LARGEST, 0.737])
def test_what_stands_where_a_local_users_value_would_changes_nothing(unread, method, noise, monkeypatch):
    monkeypatch.setattr(measuring, "measurement", lambda *_: lambda x: 12345)
    for seed in range(0, 60, 2):
        users, made, _ = small(seed + 1, method, noise)
        plain = np.full(users.size, 0.5)
        told = reports_of(made, users)
        texts = {release(made, users, np.where(users.local, v, plain), reports=told).to_json() for v in (0.5, unread)}
        assert len(texts) == 1
