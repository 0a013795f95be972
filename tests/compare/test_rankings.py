"""The ranking of all estimators on one population: every row's error, what does not apply, and the page's table."""

import re
import tracemalloc
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
import pytest

from hdp import ADPM, Threshold, baselines, compare, hybrid, simulate, user_level
from hdp.baselines import sampling
from hdp.compare import obstacles
from hdp.users import TRUST, Users, read_users
from tests.compare.common import coins, inf, random_population, ranked
from tests.files import ROOT, USERS

PAGE = ROOT / "book/synthesis/which-estimator.md"


@pytest.mark.parametrize(("seed", "variances"), [(2, "unequal"), (4, "equal")])
def test_every_row_errs_by_what_it_says(seed, variances):
    """Simulated, |z| < 4; where the error is a bound, below it."""
    people, v = random_population(seed)
    v = v if variances == "unequal" else np.full(people.size, 0.2)
    rows = {name: row for name, row in ranked(people, variance=v).items() if not row.obstacle}
    assert len(rows) >= 14
    runs = {name: partial(row.estimate, clamp=False) for name, row in rows.items()}
    x = np.full((2, 3, people.size), 0.5)
    assert all(np.shape(run(x, 1)) == (2, 3) and np.shape(run(x[0, 0], 1)) == () for run in runs.values())
    found = simulate.compare(runs, coins(v), 0.5, 6000, seed=seed)
    for name, (error, bar) in found.items():
        if name == "centre":  # its worst distribution is a point mass
            assert error == 0
        elif name == "sm" and variances == "unequal":
            assert error < rows[name].error + 4 * bar
        else:
            assert abs(error - rows[name].error) < 4 * bar, name


def test_the_file_of_the_example_is_the_recipe_run_again():
    """Byte for byte, so the page's numbers come from the seed."""
    assert USERS.read_text(encoding="utf-8") == compare.synthetic_csv() != compare.synthetic_csv(seed=1)


def test_no_estimate_takes_values_that_its_privacy_does_not_hold_for():
    """Every estimator of the ranking, those that average and those that truncate."""
    rows = ranked([1.0] * 4000, ["curator", "local"] * 2000, 20, prior=(0.5, 0.1))
    usable = [row for row in rows.values() if not row.obstacle]
    assert len(usable) >= 15
    wrong = [([0.5, 0.5, bad, bad] * 1000, r"x must lie in \[0, 1\]") for bad in (7.0, np.nan, -3.0)]
    for values, message in [*wrong, ([0.5] * 3999, r"x must have shape \(..., 4000\)")]:
        for row in usable:
            with pytest.raises(ValueError, match=message):
                row.estimate(values, 1)


def test_users_do_not_change_with_the_arrays_they_were_made_of():
    arrays = np.ones(2), np.array(["local", "curator"]), np.ones(2)
    users = Users(*arrays)
    arrays[0][:], arrays[1][:], arrays[2][:] = 9.0, "curator", 9.0
    assert users.epsilon.tolist() == users.records.tolist() == [1, 1] and users.local.tolist() == [True, False]


def test_millions_of_users_fit_into_memory(tmp_path):
    """Reading and ranking take at most 94 bytes a user, ten of them her name, beside the library's 90 MB."""
    table, n = tmp_path / "users.csv", 100_000
    rng = np.random.default_rng(5)
    told = zip(range(n), rng.choice(["0.1", "1", "2"], n), rng.choice(TRUST, n), strict=True)
    table.write_text("user,epsilon,trust,records\n" + "".join(f"user{i},{e},{trust},1\n" for i, e, trust in told))
    compare.ranking(random_population(1)[0])  # what is imported at the first call counts with the library
    tracemalloc.start()
    people = read_users(table)
    rows = compare.ranking(people)
    kept, most = (size / n for size in tracemalloc.get_traced_memory())
    tracemalloc.stop()
    assert kept < 21 and most < 94
    best = next(row for row in rows if row.name == "mixed")
    again, first = best.estimate(np.full(n, 0.5), 1), compare.mixed_release(people).estimate(np.full(n, 0.5), 1)
    assert again == best.estimate(np.full(n, 0.5), 1) == first


def test_sampling_is_ranked_where_it_is_private_and_random():
    """Else refused, with the user who would lose more."""
    refused = ranked(np.log([5 / 4, 9 / 4]))["sm"]
    assert refused.obstacle == "not private: a user who allows 0.223 loses 0.272".replace("0.223", f"{np.log(1.25):g}")
    assert refused.error == inf and refused.estimate is None
    # Equal budgets leave nothing to chance, so nobody is named who loses more.
    assert ranked([0.1] * 3)["sm"].obstacle == "its privacy is not proved for budgets so small"


@pytest.mark.parametrize("holders", [1, 2, 3, 10])
def test_sampling_is_refused_below_the_bound_for_those_who_hold_the_largest_budget(holders):
    """With k of them it is private from t = (k + 1) ln((k + 1)/k) on; below, somebody with a smaller one loses more."""
    bound = (holders + 1) * np.log((holders + 1) / holders)
    for t, private in ((bound * 0.999, False), (bound * 1.001, True)):
        epsilon = np.append([0.01 * t], [t] * holders)
        assert (not ranked(epsilon)["sm"].obstacle) == private
        exceeded = baselines.privacy_loss_witness(epsilon) > epsilon * (1 + 1e-9)
        assert exceeded.any() == (not private)


def test_linear_errors_are_the_sums_that_they_stand_for():
    """To twelve digits, for unequal variances: sampling and noise of every estimator for a curator, written anew."""
    people, v = random_population(3)
    rows = ranked(people, variance=v)
    trusting = ~people.local
    epsilon, u = people.epsilon[trusting], v[trusting]
    with np.errstate(divide="ignore"):
        cost = 1 / epsilon
    tau = Threshold(epsilon).tau
    weights = {
        "adpm": ADPM(epsilon).weights,
        "uni": np.full(epsilon.size, 1 / epsilon.size),
        "threshold": np.where(epsilon >= tau, 1 / np.count_nonzero(epsilon >= tau), 0),
        "propdpm": np.isinf(epsilon) / np.count_nonzero(np.isinf(epsilon)),
    }
    noise = {name: 2 * np.max(w * cost) ** 2 for name, w in weights.items()}
    for (name, w), worst in product(weights.items(), (False, True)):
        found = rows[name].worst_case if worst else rows[name].error
        assert found == pytest.approx(np.sum(w**2 * (0.25 if worst else u)) + noise[name], rel=1e-12), name


def test_the_private_ideal_stays_below_its_bound():
    """Means of Beta distributions around p, and the prior right."""
    k = np.repeat([200, 5], [150, 150])
    row = ranked(np.full(300, 2.0), "curator", k, prior=(0.5, 0.05))["private-ideal"]
    shares = lambda rng, runs: rng.binomial(k, rng.beta(49.5, 49.5, (runs, k.size))) / k  # noqa: E731
    error, bar = simulate.mean_squared_error(row.estimate, shares, 0.5, 4000, seed=5)
    assert 0.8 * row.error < error < row.error + 4 * bar
    assert row.worst_case == inf


def test_algorithm_2_is_predicted_from_the_variance_that_it_aims_at():
    """By hand, for users who are all alike: the first variance lies in the middle of [1, 8] times the true one."""
    n, k, beta, p, spread = 40_000, 400, 0.05, 0.5, 0.01
    _, middle, tail, _ = user_level.user_groups(np.full(n, k), 1.0)
    v = p * (1 - p) / k + (1 - 1 / k) * spread**2
    rare = np.log(4 * n / beta)
    alpha = np.log(2 / beta) / tail.size + np.sqrt(np.log(4 / beta) / (2 * tail.size))
    length = 2 * (alpha + np.sqrt(2 * np.sqrt(8) * v * rare) + np.sqrt(rare / (2 * k)))
    assert length < 1  # or it would be cut
    people = Users(np.ones(n), records=np.full(n, k))
    row = ranked(people, prior=(p, spread))["algorithm-2"]
    assert row.error == pytest.approx(v / middle.size + 2 * (length / middle.size) ** 2, rel=1e-12)
    assert "prior" in ranked(people)["algorithm-2"].obstacle


@pytest.mark.parametrize(
    ("people", "refused"),
    [
        (Users([1.0] * 9, "local"), {"adpm", "sm", "kvh", "tcm-only", "threshold", "algorithm-2"}),
        (Users([1.0] * 9), {"kvh", "pwh", "tcm-only", "full-lm", "naive", "algorithm-2"}),
        (Users([inf] * 9, ["local"] + ["curator"] * 8), {"kvh", "private-ideal", "algorithm-2"}),
    ],
)
def test_what_does_not_apply_says_why_and_comes_last(people, refused):
    """Nobody trusts, all trust, all are public; the private ideal always misses its prior here."""
    rows = compare.ranking(people)
    names = [row.name for row in rows if row.obstacle]
    assert refused <= set(names) and names == [row.name for row in rows][-len(names) :]
    assert [row.error for row in rows] == sorted(row.error for row in rows)
    assert all(len(row.obstacle) > 10 and row.estimate is None and row.users == 0 for row in rows if row.obstacle)


@pytest.mark.parametrize(("users", "epsilon"), [(2, 1.0), (9, 9.0), (600, 0.1), (300, 1e40), (9, 1e-40), (2, 1e-60)])
def test_what_algorithm_2_lacks_is_said_in_words_of_the_page(users, epsilon):
    """Not in names of arguments; and with as many users as it says, it applies."""
    said = ranked(Users([epsilon] * users), prior=(0.4, 0.1))["algorithm-2"].obstacle
    assert said.startswith("needs ") and not re.search(r"\b(tail|head|k|n)\b", said)
    if 1e-6 < epsilon < 1e6:
        enough = int(re.search(r"needs about ([\d,]+) users who trust the curator, got", said)[1].replace(",", ""))
        assert not ranked(Users([epsilon] * enough), prior=(0.4, 0.1))["algorithm-2"].obstacle
        fewer = Users([epsilon] * int(0.97 * enough - 10))
        assert ranked(fewer, prior=(0.4, 0.1))["algorithm-2"].obstacle


def test_a_public_value_takes_no_trust():
    """Whoever publishes her value is used by everybody, whatever the column says."""
    either = [compare.ranking(Users([0.5, 0.5, inf], ["local", "curator", t])) for t in TRUST]
    for row, other in zip(*either, strict=True):
        assert (row.name, row.error, row.users) == (other.name, other.error, other.users)


def test_unusable_users_are_left_out():
    """A budget of 0 changes nothing but n."""
    some = Users([0.0, 1.0, 1.0, 2.0], ["curator", "local", "curator", "curator"])
    without = some.where(some.epsilon > 0)
    for row, other in zip(compare.ranking(some), compare.ranking(without), strict=True):
        assert (row.name, row.users) == (other.name, other.users)
        assert row.error == pytest.approx(other.error, rel=1e-12)


def test_the_prior_gives_the_variances_from_the_records():
    """As Lemma 2.1 says; a variance that is given goes before."""
    people, v = random_population(7)
    implied = user_level.sample_mean_variance(0.3, 0.1, people.records)
    by_prior, by_variance, both = (
        {name: row.error for name, row in ranked(people, **arguments).items()}
        for arguments in ({"prior": (0.3, 0.1)}, {"variance": implied}, {"variance": v, "prior": (0.3, 0.1)})
    )
    assert by_prior["mixed"] == by_variance["mixed"] != both["mixed"]
    assert by_variance["private-ideal"] == inf > by_prior["private-ideal"]


def test_every_call_of_the_decision_table_runs():
    """Each is taken from the page, and answers near the mean of what it is given."""
    listed = PAGE.read_text(encoding="utf-8").split("(which-estimator-calls)=")[1].split("\n```")[0]
    calls = re.findall(r"^`([^`]+)`$", listed, re.M)
    assert len(calls) == 8
    rng, n, t = np.random.default_rng(1), 6000, 4000
    k = np.repeat([100, 20], n // 2)
    x = rng.binomial(k, rng.beta(12, 12, n)) / k
    epsilon = np.full(n, 1.0)
    namespace = {
        "x": x, "epsilon": epsilon, "budget": 1.0, "k": k, "p": 0.5, "sigma_p": 0.1, "variance": 0.1, "t": t,
        "population": Users(epsilon, np.repeat(TRUST, [t, n - t]), k), "rng": rng,
        "Users": Users,
        "setting": hybrid.Setting(n=n, c=t / n, m=1, epsilon=1.0, sigma_t=0.2),
        "ADPM": ADPM, "baselines": baselines, "compare": compare, "hybrid": hybrid, "Threshold": Threshold,
        "user_level": user_level,
    }  # fmt: skip
    for call in calls:
        answer = eval(call, namespace)
        assert abs(answer - x.mean()) < (0.1 if "local" in call else 0.02), call


@pytest.mark.parametrize(
    "epsilon",
    [
        [1e-31, 1.0], [1e31, 1e32], [1e-51, 1.0], [1e-100, 1.0], [1e-100, 1e-99], [1e-60, 1e60], [1e300, 1.7e308],
        [1e-100, inf, 0.0], [1e-76, 1e-70, inf],
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("variance", [None, 1e-300])
def test_whatever_budgets_a_population_admits_are_ranked(epsilon, variance):
    """Whoever cannot compute with them says so; the best local reports err by one over the sum of their precisions."""
    for trust in product(TRUST, repeat=len(epsilon)):
        people = Users(epsilon, trust)
        with np.errstate(all="raise", under="ignore"):
            rows = ranked(people, variance=variance, prior=(0.5, 0.1))
        assert all(np.isfinite(row.error) or row.obstacle for row in rows.values())
        assert all(0 <= row.estimate(np.full(people.size, 0.5), 1) <= 1 for row in rows.values() if row.estimate)
        mixed, finite = people.local.any() and not people.local.all(), inf not in epsilon
        if mixed and finite and not 1e-30 <= min(e for e in epsilon if e) <= 1e30:
            assert "needs budgets in [1e-30, 1e+30]" in rows["pwh"].obstacle
    v, precision = Fraction(0.25 if variance is None else variance), Fraction(0)
    for e in epsilon:
        if e:
            noise = v if e == inf else v + 2 / Fraction(e) ** 2
            bit = noise if e == inf else 1 / (4 * Fraction(np.tanh(e / 2)) ** 2)
            precision += 1 / min(noise, bit)
    exact = float(1 / precision)
    found = compare.mixed_release(Users(epsilon, "local"), 0.25 if variance is None else variance)
    assert found.mse() == pytest.approx(exact, rel=1e-12, abs=0)


@pytest.mark.parametrize("budget", [0.1, 0.1234564, 0.12345649999, 1 / 3, 2 / 3, 1234567.4, 1e-7])
def test_a_budget_that_is_promised_is_not_rounded_down(budget):
    """What a user gives up at the most is not less than what she does."""
    users = Users([budget] * 300, ["curator"] * 290 + ["local"] * 10, records=20)
    rows = ranked(users, prior=(0.5, 0.05))
    for name in ("uni", "threshold", "tcm-only", "private-ideal"):
        assert budget <= float(rows[name].guarantee.split()[0]) <= budget * (1 + 1e-5)
    assert budget != 0.1 or rows["uni"].guarantee == "0.1 for all who trust"


def test_one_strict_local_user_ruins_the_hybrid_estimators():
    """Each runs at the strictest budget of all, TCM-only too, which does not use her."""
    people = Users([2.0] * 99 + [0.5], ["curator", "local"] * 50)
    v = np.linspace(0.01, 0.25, 100)
    rows = ranked(people, variance=v)
    assert rows["full-lm"].error == pytest.approx((100 * 2 / 0.5**2 + v.sum()) / 100**2)
    assert rows["full-lm"].worst_case == pytest.approx((2 / 0.5**2 + 0.25) / 100)
    assert rows["tcm-only"].error == pytest.approx((v[::2].sum() + 2 / 0.5**2) / 50**2)


def test_many_different_budgets_do_not_keep_anybody_waiting(monkeypatch):
    """A law of the sample for each of them would take hours; those that are looked at have the losses of all."""
    asked = []

    def losses(epsilon, users):
        asked.extend(users)
        found = sampling.losses(epsilon, users)
        np.testing.assert_array_equal(found, baselines.privacy_loss_witness(epsilon)[users])
        return found

    monkeypatch.setattr(obstacles, "losses", losses)
    epsilon = np.random.default_rng(1).uniform(0.01, 0.3, 40)
    epsilon[-1] = 1.0
    row = next(row for row in compare.ranking(Users(epsilon)) if row.name == "sm")
    assert "priva" in row.obstacle and 1 < len(asked) <= 8


def test_a_loss_that_is_hardly_more_is_written_to_the_digit_that_shows_it():
    row = next(row for row in compare.ranking(Users([0.1] * 5000 + [0.5] * 5000)) if row.name == "sm")
    allowed, lost = map(float, re.search(r"allows ([\d.]+) loses ([\d.]+)", row.obstacle).groups())
    assert lost > allowed == 0.1
