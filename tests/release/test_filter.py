"""Questions that depend on earlier answers: shares of budgets, plans by what is left, and an adversary who chooses.

The adversary sees what every noisy sum says, and takes her next plan by it, with the ledger or in spite of it.  Her
tree of histories is enumerated: what a sum tells her stands for all the sums that tell the same, of which the worst
counts (pure privacy, in fractions), or all, by their probabilities (orders of Rényi's divergence).
"""

import json
import math
import shutil
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest

from hdp.compare import Population
from hdp.release import Plan, charge, left, new_ledger, plan, receipts
from hdp.release.measuring import summed

ORDERS = np.array([1.001, 1.5, 2.0, 7.0, 64.0])
BUDGETS = [3.0, 5.0, 5.0, 8.0]
USERS = Population(BUDGETS * 9)
KINDS = [3.0, 5.0, 8.0]
ROUNDS = 4


@pytest.mark.settles("hdp-release-filter")
@pytest.mark.parametrize("share", [0.1, 0.3, 1 / 3, 0.7, 0.9, 1e-9, 2.0**-53, 1 - 2.0**-53])
def test_a_share_of_a_budget_is_never_above_it_in_fractions(share):
    budgets = np.random.default_rng(2).uniform(0.1, 9, 300)
    made = plan(budgets, spend=share)
    rows = [(Fraction(float(p)), Fraction(e)) for p, e in zip(made.part, made.kinds.epsilon.tolist(), strict=True)]
    assert all(found <= min(Fraction(share), Fraction(repr(share))) * e for found, e in rows)
    assert all(found >= Fraction(share) * e * (1 - Fraction(1, 2**50)) for found, e in rows)
    assert made.part.tolist() == Plan.from_json(made.to_json()).part.tolist()
    assert (receipts(made).spent <= made.part).all() and (made.kinds.epsilon == np.sort(budgets)).all()


def test_a_share_of_one_over_a_whole_number_is_so_many_releases():
    for k in (1, 2, 4, 2**40):
        assert plan(BUDGETS, spend=1 / k).digest == plan(BUDGETS, releases=k).digest
    with pytest.raises(ValueError, match="releases must be 1 where spend says what may be used, got 2"):
        plan(BUDGETS, spend=0.5, releases=2)


@pytest.mark.settles("hdp-release-filter")
@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_a_plan_by_a_ledger_uses_what_is_left_and_no_more(noise, tmp_path):
    budgets, file = [0.5, 1.0, 9.0, math.inf] * 30, tmp_path / "ledger.json"
    first = plan(budgets, spend=0.4, noise=noise)
    new_ledger(first, file)
    assert plan(budgets, ledger=file, noise=noise).digest == plan(budgets, noise=noise).digest
    charge(first, file)
    rest = left(first, file)
    second = plan(budgets, spend=0.7, ledger=file, noise=noise)
    wanted = np.minimum(0.7 * first.kinds.epsilon, rest)
    assert second.budgets == first.budgets and second.releases == 1
    np.testing.assert_allclose(second.part, wanted, rtol=1e-15)
    assert (second.part <= rest).all() and wanted[0] == rest[0] < 0.7 * 0.5 and wanted[2] < rest[2]
    charge(second, file)
    third = plan(budgets, ledger=file, noise=noise)
    assert third.part[0] < 1e-9 and receipts(third).spent[0] < 1e-9 and third.part[2] > 1
    charge(third, file)
    assert len(json.loads(file.read_text())["plans"]) == 3


@pytest.mark.parametrize("method", ["adpm", "threshold", "mixed"])
@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_who_has_nothing_left_takes_no_part(method, noise, tmp_path):
    file, two = tmp_path / "ledger.json", [4.0] * 20 + [64.0] * 20
    new_ledger(plan(two, noise=noise), file)
    entries = json.loads(file.read_text()) | {"plans": ["a"], "answers": [None]}
    file.write_text(json.dumps(entries | {"spent": [[4.0, 3.0]]}))
    found = plan(two, method, noise=noise, ledger=file)
    assert found.kinds.share[0] == 0 < found.kinds.share[1] and receipts(found).spent[0] == found.part[0] == 0
    charge(found, file)
    file.write_text(json.dumps(entries | {"spent": [[4.0, 64.0]]}))
    constant = plan(two, method, noise=noise, ledger=file)
    assert constant.constant and not receipts(constant).spent.any() and not constant.part.any()


@pytest.mark.parametrize(
    ("from_", "to"),
    [('"allowance":[', '"allowance":[9.5,'), ('"allowance":[0.9', '"allowance":[3.1'), ('"releases":1', '"releases":2'),
     ('"allowance":[0.9', '"allowance":["inf",0.9'), ("/4", "/3"), ('"allowance":[0.9', '"allowance":[0.1')],
)  # fmt: skip
def test_an_edited_allowance_is_refused(from_, to):
    text = plan(BUDGETS * 20, "threshold", spend=0.3, bits=20).to_json()
    text = text.replace('"allowance":[0.8999999', '"allowance":[0.9', 1)
    assert '"schema":"hdp-plan/4"' in text and Plan.from_json(text).kinds.epsilon.tolist() == KINDS
    assert text.count(from_) >= 1
    with pytest.raises(ValueError, match="must"):
        Plan.from_json(text.replace(from_, to, 1))


# -- An adversary who takes her next plan by the answers.


def tried(seed, told, noise, file):
    """Her plans for the next release, in the order in which she tries them: the last is one by the ledger.

    Among the others are such as take a little more than is left.
    """
    rng = np.random.default_rng([seed, *told])
    options = {
        "method": ["adpm", "threshold", "mixed"][rng.integers(3)],
        "noise": noise,
        "bits": int(rng.integers(1, 4)),
    }
    share, rest = [0.2, 0.45, 0.7, 0.9, None][rng.integers(5)], float(left(plan(USERS, noise=noise), file)[0])
    anyway = [plan(USERS, spend=min(1.0, 1.08 * rest / BUDGETS[0]), **options | {"bits": 5})] if rest else []
    anyway += [plan(USERS, spend=share, **options)] if rng.random() < 0.5 else []
    return [*anyway, plan(USERS, spend=share if len(told) < ROUNDS - 1 else None, ledger=file, **options)]


def entered(seed, told, noise, file):
    """The plan of hers that the ledger takes: one by what is left is never refused."""
    *anyway, last = tried(seed, told, noise, file)
    for made in anyway:
        try:
            charge(made, file)
            return made
        except ValueError as refusal:
            assert "ledger must leave budgets" in str(refusal)
    charge(last, file)
    return last


def told_by(z, low, high, seed):
    """What each sum tells her, one of three things: beside or between two sums, or its remainder."""
    return np.where(z < low, 0, np.where(z <= high, 1, 2)) if seed % 2 else z % 3


def sums(made, i):
    """Of a user's two most different values, and of the others' that do not change."""
    total, x = summed(made, made.kind_of(USERS)), np.resize([1.0, 0.0, 0.4], USERS.size)
    ends = [total(np.where(np.arange(USERS.size) == i, end, x)) for end in (0.0, 1.0)]
    assert 0 <= ends[1] - ends[0] <= made.kinds.share[made.kind_of(USERS)[i]]
    return ends


def histories(seed, noise, file, told=()):
    """For every user and both orders of her values what is told by all histories from here on.

    With Laplace noise the largest log-ratio, in fractions, which beyond both sums changes no more; with Gaussian noise
    logarithms of the means of the ratios to the powers of the orders.
    """
    if len(told) == ROUNDS:
        return [Fraction(0) if noise == "laplace" else 0 * ORDERS] * (2 * len(BUDGETS))
    made, found, later = entered(seed, told, noise, file), [], []
    for k in range(3):
        copy = shutil.copy(file, file.with_name(f"{len(told) + 1}.json"))
        later.append(histories(seed, noise, copy, (*told, k)))
    reach = 4 if noise == "laplace" else 320 * 2**made.bits
    for i in range(len(BUDGETS)):
        first, second = sums(made, i)
        z = np.arange(first - reach, second + reach)
        each = told_by(z, first, second, seed)
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
    file = tmp_path / "ledger.json"
    new_ledger(plan(USERS, noise=noise), file)
    losses = histories(seed, noise, file)
    if noise == "gaussian":
        losses = [logs / (ORDERS - 1) / ORDERS * (1 - 1e-9) for logs in losses]
    for i, loss in enumerate(losses):
        assert np.all(loss <= Fraction(BUDGETS[i // 2]))
    assert np.max(losses[0]) > Fraction(BUDGETS[0]) * (Fraction(3, 4) if noise == "laplace" else Fraction(1, 2))
