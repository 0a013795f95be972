"""Questions that depend on earlier answers: shares of budgets, plans by what is left, and an adversary who chooses.

The adversary sees what every noisy sum says, and takes her next plan by it, with the ledger or in spite of it.  Her
tree of histories is enumerated: what a sum tells her stands for all the sums that tell the same, of which the worst
counts (pure privacy, in fractions), or all, by their probabilities (orders of Rényi's divergence).
"""

import json
import math
import shutil
from dataclasses import replace
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest

from hdp.compare import Population
from hdp.release import Plan, charge, left, new_ledger, new_own_ledger, plan, receipts, spend
from hdp.release.measuring import summed

ORDERS = np.array([1.001, 1.5, 2.0, 7.0, 64.0])
BUDGETS = [3.0, 5.0, 5.0, 8.0]
USERS = Population(BUDGETS * 9)
KINDS = [3.0, 5.0, 8.0]
ROUNDS = 4


@pytest.mark.settles("hdp-release-filter")
@pytest.mark.parametrize("share", [0.1, 0.3, 1 / 3, 0.7, 0.9, 1e-9, 2.0**-53, 1 - 2.0**-53])
def test_a_share_of_a_budget_is_never_above_it_in_fractions(share):
    """Nor above the share as it is written; and not much below."""
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
    assert plan(BUDGETS, spend=1.0).digest == plan(BUDGETS).digest
    for wrong in (0.0, -0.5, 1.1, math.nan, [0.5]):
        with pytest.raises(ValueError, match="spend must"):
            plan(BUDGETS, spend=wrong)
    with pytest.raises(ValueError, match="releases must be 1 where spend says what may be used, got 2"):
        plan(BUDGETS, spend=0.5, releases=2)


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize("shares", [(0.1, 0.9), (0.3, 0.7), (0.6, 0.3, 0.1), (0.2, 0.35, 0.45)])
def test_shares_that_sum_to_one_last(shares, noise, tmp_path):
    """Each is charged by a plan that was made before all releases, and nothing much is left; one more is refused."""
    budgets, file = np.random.default_rng(4).uniform(0.5, 9, 100), tmp_path / "ledger.json"
    plans = [plan(budgets, spend=share, method="threshold", noise=noise) for share in shares]
    new_ledger(plans[0], file)
    for made in plans:
        charge(made, file)
    assert left(made, file)[-1] >= 0
    with pytest.raises(ValueError, match="ledger must leave budgets"):
        charge(plan(budgets, releases=2, noise=noise), file)


@pytest.mark.settles("hdp-release-filter")
@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_a_plan_by_a_ledger_uses_what_is_left_and_no_more(noise, tmp_path):
    """The ledger takes it for one of the same users; the share is one of the budgets."""
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
    """And where nobody has, the plan answers the constant, which costs nothing."""
    file, two = tmp_path / "ledger.json", [4.0] * 20 + [64.0] * 20
    whole = plan(two, noise=noise, bits=4, method="threshold")
    assert whole.kinds.share[0] == 4 * 16 or noise == "gaussian"
    table = replace(whole.kinds, share=np.array([64, 0]) if noise == "laplace" else np.array([45, 0]))
    new_ledger(whole, file)
    charge(replace(whole, kinds=table), file)
    found = plan(two, method, noise=noise, ledger=file, bits=3)
    assert found.kinds.share[0] == 0 < found.kinds.share[1] or found.part[0] < 0.05
    charge(found, file)
    file.write_text(json.dumps(json.loads(file.read_text()) | {"spent": [[4.0, 64.0]] * 2}))
    constant = plan(two, method, noise=noise, ledger=file)
    assert constant.constant and not receipts(constant).spent.any() and not constant.part.any()


def test_a_plan_by_a_ledger_wants_its_users_and_noise(tmp_path):
    file = tmp_path / "ledger.json"
    new_ledger(plan(BUDGETS), file)
    for users, noise, said in (([3.0] * 4, "laplace", "the users"), (BUDGETS, "gaussian", "gaussian noise")):
        with pytest.raises(ValueError, match=f"ledger must be for {said}"):
            plan(users, ledger=file, noise=noise)
    with pytest.raises(ValueError, match="ledger must exist"):
        plan(BUDGETS, ledger=tmp_path / "ledgr.json")
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    ("from_", "to"),
    [('"allowance":[', '"allowance":[9.5,'), ('"allowance":[0.9', '"allowance":[3.1'), ('"releases":1', '"releases":2'),
     ('"allowance":[0.9', '"allowance":["inf",0.9'), ('"allowance":[0.9', '"allowance":[-0.9'), ("/4", "/3"),
     ('"allowance":[0.9', '"allowance":[0.1'), ('"allowance":[0.9', '"allowance":["0.9"'), ('"allowance"', '"other"')],
)  # fmt: skip
def test_an_edited_allowance_is_refused(from_, to):
    """A share above it, as much as one above the budget."""
    text = plan(BUDGETS * 20, "threshold", spend=0.3, bits=20).to_json()
    text = text.replace('"allowance":[0.8999999', '"allowance":[0.9', 1)
    assert '"schema":"hdp-plan/4"' in text and Plan.from_json(text).kinds.epsilon.tolist() == KINDS
    assert text.count(from_) >= 1
    with pytest.raises(ValueError, match="must"):
        Plan.from_json(text.replace(from_, to, 1))


def test_her_own_ledger_takes_a_plan_by_the_curators(tmp_path):
    """It knows her by her whole budget, and counts what the curator's counts."""
    users, file, own = Population([4.0] * 90, "local"), tmp_path / "ledger.json", tmp_path / "own.json"
    first = plan(users, "mixed", spend=0.3)
    new_ledger(first, file)
    new_own_ledger(own, 4.0)
    for made in (first, None, None):
        made = made or plan(users, "mixed", spend=0.5, ledger=file)
        charge(made, file)
        total = spend(made, 4.0, own)
    assert total == pytest.approx(4.0) and total <= 4 and left(first, file)[0] < 1e-9


# -- An adversary who takes her next plan by the answers.


def tried(seed, told, noise, file):
    """Her plans for the next release, in the order in which she tries them: the last is one by the ledger.

    Among the others are such as take a little more than is left.
    """
    rng = np.random.default_rng([seed, *told])
    method = ["adpm", "threshold", "mixed"][rng.integers(3)]
    options = {"method": method, "noise": noise, "bits": int(rng.integers(1, 4))}
    share = [0.2, 0.45, 0.7, 0.9, None][rng.integers(5)]
    anyway = [plan(USERS, spend=share, **options)] if rng.random() < 0.5 else []
    if rest := float(left(plan(USERS, noise=noise), file)[0]):
        anyway.insert(0, plan(USERS, spend=min(1.0, 1.08 * rest / BUDGETS[0]), **options | {"bits": 5}))
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


def histories(seed, noise, file, measure, told=()):
    """For every user and both orders of her values what `measure` makes of all histories from here on."""
    if len(told) == ROUNDS:
        return measure(None, None, None, None)
    made, found = entered(seed, told, noise, file), []
    later = []
    for k in range(3):
        copy = shutil.copy(file, file.with_name(f"{len(told) + 1}.json"))
        later.append(histories(seed, noise, type(file)(copy), measure, (*told, k)))
    reach = 4 if noise == "laplace" else 80 * 2**made.bits * 4
    for i in range(len(BUDGETS)):
        first, second = sums(made, i)
        z = np.arange(first - reach, second + reach)
        each = told_by(z, first, second, seed)
        found += [measure(made, z, pair, (each, [x[2 * i + order] for x in later]))
                  for order, pair in enumerate([(first, second), (second, first)])]  # fmt: skip
    return found


def worst_ratio(made, z, pair, later):
    """Largest log-ratio over the histories from here on, in fractions: beyond both sums it changes no more."""
    if made is None:
        return [Fraction(0)] * (2 * len(BUDGETS))
    ratio = np.abs(z - pair[1]) - np.abs(z - pair[0])
    each, after = later
    return max(Fraction(int(ratio[each == k].max()), 2**made.bits) + after[k] for k in range(3))


@pytest.mark.settles("hdp-release-filter")
@pytest.mark.parametrize("seed", range(8))
def test_no_history_is_likelier_than_the_budget_allows(seed, tmp_path):
    """Whatever she asks next for whatever she was told."""
    file = tmp_path / "ledger.json"
    new_ledger(plan(USERS), file)
    losses = histories(seed, "laplace", file, worst_ratio)
    for i, loss in enumerate(max(pair) for pair in zip(losses[::2], losses[1::2], strict=True)):
        assert 0 < loss <= Fraction(BUDGETS[i])
    assert losses[0] > Fraction(BUDGETS[0]) * 3 / 4


def divergences(made, z, pair, later):
    """Logarithms of the means of the ratios to the powers of the orders, over all histories from here on."""
    if made is None:
        return [np.zeros(ORDERS.size)] * (2 * len(BUDGETS))
    p, q = (-((z - end) ** 2) / (2 * 4**made.bits) for end in pair)
    p, q = (log - np.logaddexp.reduce(log) for log in (p, q))
    each, after = later
    terms = ORDERS[:, None] * p + (1 - ORDERS[:, None]) * q
    return reduce(np.logaddexp, [np.logaddexp.reduce(terms[:, each == k], axis=1) + after[k] for k in range(3)])


@pytest.mark.settles("hdp-release-filter")
@pytest.mark.parametrize("seed", range(4))
def test_no_divergence_of_histories_is_larger_than_the_budget_allows(seed, tmp_path):
    file = tmp_path / "ledger.json"
    new_ledger(plan(USERS, noise="gaussian"), file)
    found = histories(seed, "gaussian", file, divergences)
    for i, logs in enumerate(found):
        rho = logs / (ORDERS - 1) / ORDERS
        assert (rho <= BUDGETS[i // 2] * (1 + 1e-9)).all()
    assert found[0][2] / 2 > 0.5 * BUDGETS[0]
