"""Questions that depend on earlier answers: shares of budgets, plans by what is left, and an adversary who chooses.

The adversary sees what every noisy sum says, and takes her next plan by it, with the ledger or in spite of it.  Her
tree of histories is enumerated: what a sum tells her stands for all the sums that tell the same, of which the worst
counts (pure privacy, in fractions), or all, by their probabilities (orders of Rényi's divergence).
"""

import shutil
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest

from hdp.release import Ledger, Plan, plan
from hdp.release.measuring import summed
from hdp.users import Users
from tests.release.test_plans import NOISES

ORDERS = np.array([1.001, 1.5, 2.0, 7.0, 64.0])
BUDGETS = [3.0, 5.0, 5.0, 8.0]
USERS = Users(BUDGETS * 9)
ROUNDS = 4


@pytest.mark.settles("hdp-release-filter")
@pytest.mark.parametrize("share", [0.1, 0.3, 1 / 3, 1 / 7, 0.7, 0.9, 1e-9, 2.0**-53, 1 - 2.0**-53])
def test_a_share_of_a_budget_is_never_above_it_in_fractions(share):
    made = plan(np.random.default_rng(2).uniform(0.1, 9, 300), spend=share)
    rows = [[*map(Fraction, row)] for row in np.stack([made.allowance, made.kinds.epsilon]).T.tolist()]
    assert all(found <= min(Fraction(share), Fraction(repr(share))) * e for found, e in rows)
    assert all(found >= Fraction(share) * e * (1 - Fraction(1, 2**50)) for found, e in rows)
    assert made.allowance.tolist() == Plan.from_json(made.to_json()).allowance.tolist()


@pytest.mark.settles("hdp-release-filter")
@pytest.mark.parametrize("method", ["adpm", "threshold", "mixed"])
@pytest.mark.parametrize("noise", NOISES)
def test_a_plan_by_a_ledger_uses_what_is_left_and_no_more(method, noise, tmp_path):
    """Who has nothing left takes no part; where all of it is spent the answer is constant."""
    users = Users([4.0] * 20 + [64.0] * 20)
    first = plan(users, spend=0.4, noise=noise)
    ledger = Ledger.new(tmp_path / "ledger.json", first)
    assert plan(users, method, ledger=ledger.path, noise=noise).digest == plan(users, method, noise=noise).digest
    ledger.charge(first)
    rest = ledger.left(first)
    second = plan(users, method, spend=0.7, ledger=ledger, noise=noise)
    assert second.budgets == first.budgets and (second.allowance <= rest).all()
    np.testing.assert_allclose(second.allowance, [rest[0], 0.7 * 64], rtol=1e-15)
    ledger.charge(plan(users, spend=0.7, ledger=ledger, noise=noise))
    third = plan(users, method, ledger=ledger, noise=noise)
    assert third.allowance[0] < 1e-9 and third.spent[0] < 1e-9 < 9 < third.spent[1] <= third.allowance[1]
    ledger.charge(third)
    ledger.charge(last := plan(users, method, ledger=ledger, noise=noise))
    assert last.constant and not last.spent.any() and len(ledger.published()) == 4


# -- An adversary who takes her next plan by the answers.


def entered(seed, told, noise, ledger):
    """The plan of hers that the ledger takes, of several: the last one is by what is left, and is never refused.

    Among the others are such as take a little more than is left.
    """
    rng, rest = np.random.default_rng([seed, *told]), float(ledger.left(plan(USERS, noise=noise))[0])
    method, bits = ("adpm", "threshold", "mixed")[rng.integers(3)], int(rng.integers(1, 4))
    share, options = [0.2, 0.45, 0.7, 0.9, 1.0][rng.integers(5)], {"method": method, "noise": noise}
    anyway = [plan(USERS, spend=min(1.0, 1.08 * rest / BUDGETS[0]), bits=5, **options)] if rest else []
    anyway += [plan(USERS, spend=share, bits=bits, **options)] if rng.random() < 0.5 else []
    for made in anyway:
        try:
            ledger.charge(made)
            return made
        except ValueError as refusal:
            assert "ledger must leave budgets" in str(refusal)
    last = plan(USERS, spend=share if len(told) < ROUNDS - 1 else 1.0, ledger=ledger, bits=bits, **options)
    ledger.charge(last)
    return last


def histories(seed, noise, ledger, told=()):
    """For every user and both orders of her values what is told by all histories from here on.

    A sum tells one of three things: that it is beside or between two sums, or its remainder.
    With Laplace noise the largest log-ratio, in fractions, which beyond both sums changes no more; with Gaussian noise
    logarithms of the means of the ratios to the powers of the orders.
    """
    if len(told) == ROUNDS:
        return [Fraction(0) if noise == "laplace" else 0 * ORDERS] * (2 * len(BUDGETS))
    made, found, later = entered(seed, told, noise, ledger), [], []
    for k in range(3):
        copy = shutil.copy(ledger.path, ledger.path.with_name(f"{len(told) + 1}.json"))
        later.append(histories(seed, noise, Ledger(copy), (*told, k)))
    reach, own = 4 if noise == "laplace" else 320 * 2**made.bits, made.kind_of(USERS)
    total, x = summed(made, own), np.resize([1.0, 0.0, 0.4], USERS.size)
    for i in range(len(BUDGETS)):  # her two most different values, and the others', that do not change
        first, second = (total(np.where(np.arange(USERS.size) == i, end, x)) for end in (0.0, 1.0))
        assert 0 <= second - first <= made.kinds.share[own[i]]
        z = np.arange(first - reach, second + reach)
        each = np.where(z < first, 0, np.where(z <= second, 1, 2)) if seed % 2 else z % 3
        for order, pair in enumerate([(first, second), (second, first)]):
            after = [x[2 * i + order] for x in later]
            if noise == "laplace":
                ratio = np.abs(z - pair[1]) - np.abs(z - pair[0])
                found.append(max(Fraction(int(ratio[each == k].max()), 2**made.bits) + after[k] for k in range(3)))
                continue
            p, q = (-((z - end) ** 2) / (2 * 4**made.bits) for end in pair)
            p, q = (log - np.logaddexp.reduce(log) for log in (p, q))
            terms = ORDERS[:, None] * p + (1 - ORDERS[:, None]) * q
            logs = [np.logaddexp.reduce(terms[:, each == k], axis=1) + after[k] for k in range(3)]
            found.append(reduce(np.logaddexp, logs))
    return found


@pytest.mark.settles("hdp-release-filter")
@pytest.mark.parametrize(("seed", "noise"), [*((k, "laplace") for k in range(8)), *((k, "gaussian") for k in range(4))])
def test_no_history_tells_more_than_the_budget_allows(seed, noise, tmp_path):
    losses = histories(seed, noise, Ledger.new(tmp_path / "ledger.json", plan(USERS, noise=noise)))
    if noise == "gaussian":
        losses = [logs / (ORDERS - 1) / ORDERS * (1 - 1e-9) for logs in losses]
    for i, loss in enumerate(losses):
        assert np.all(loss <= Fraction(BUDGETS[i // 2]))
    assert np.max(losses[0]) > Fraction(BUDGETS[0]) * (Fraction(3, 4) if noise == "laplace" else Fraction(1, 2))
