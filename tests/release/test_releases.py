"""Releases through OpenDP: its own account of the losses, and the errors that were expected.

OpenDP draws from the system's randomness, so no seed repeats a draw.  Averages over thousands of releases are compared
within six standard errors: what is right fails less than once in ten million runs, and a noise ten per cent too large
or too small is seen all but always.
"""

import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

pytest.importorskip("opendp", reason="needs OpenDP: pip install 'unequal-privacy[opendp]'")

from hdp import compare
from hdp.compare import Population
from hdp.release import measurement, plan, receipts, release, report
from hdp.release.measuring import opendp
from tests.release.test_plans import exact, populations

SIGMAS = 6


def z_score(samples, expected):
    samples = np.asarray(samples, dtype=float)
    return (samples.mean() - expected) / (samples.std() / math.sqrt(samples.size))


def test_opendp_accounts_for_every_user_within_her_budget():
    """For 200 populations: its map of a user is her share over c, rounded up to a float, and never above her budget."""
    asked = 0
    for users, made in populations(200):
        if not made.kinds.counted.any():
            continue
        measure, found, kind = measurement(made, users), receipts(made, users), made.kind_of(users)
        for i in np.flatnonzero(~users.local):
            loss = measure.map(int(i))
            assert loss == found.spent[i] <= users.epsilon[i]
            if not made.noiseless:
                assert loss >= Fraction(int(made.kinds.share[kind[i]]), 2**made.bits)
                asked += 1
    assert asked > 500


@pytest.mark.parametrize("method", ["adpm", "threshold"])
@pytest.mark.parametrize("bits", [6, None])
def test_the_error_is_the_expected_one(method, bits):
    """Thousand users with three budgets and a public one; values on the ends, where rounding does nothing."""
    rng = np.random.default_rng(5)
    users = Population(rng.choice([0.05, 0.2, 1.0, math.inf], 1000, p=[0.5, 0.3, 0.19, 0.01]))
    made = plan(users, method, bits=bits, lower=-0.5, upper=0.5)
    measure, kind = measurement(made, users), made.kind_of(users)
    errors = []
    for _ in range(4000):
        x = rng.integers(0, 2, 1000) - 0.5
        errors.append((measure(x) / made.total - 0.5) ** 2)
    assert kind.size == 1000 and abs(z_score(errors, made.error.sampling + made.error.noise)) < SIGMAS


def test_the_noise_alone_is_the_expected_one():
    """Of values that do not vary: this sees a scale that is off by a tenth."""
    users = Population([0.1, 1.0] * 500)
    made = plan(users, bits=20)
    measure = measurement(made, users)
    x = np.full(1000, 1.0)
    noise = np.array([measure(x) / made.total - 1 for _ in range(6000)])
    z = z_score(noise**2, made.error.noise)
    assert abs(z) < SIGMAS and abs(z_score(noise, 0)) < SIGMAS
    assert abs(z_score(noise**2, 1.21 * made.error.noise)) > SIGMAS - 2


@pytest.mark.parametrize("reports", ["simple", "laplace"])
def test_the_mixed_release_is_unbiased_with_the_expected_error(reports):
    rng = np.random.default_rng(6)
    users = Population([0.5, 2.0, 8.0, math.inf] * 15, ["local", "curator", "local", "curator"] * 15)
    made = plan(users, "mixed", reports=reports, lower=10.0, upper=30.0)
    assert made.kinds.bit.any() == (reports == "simple")
    found = []
    for _ in range(300):
        x = np.where(rng.random(60) < 0.5, 10.0, 30.0)
        for i in np.flatnonzero(users.local):
            x[i] = report(made, users.epsilon[i], x[i])
        found.append(release(made, users, x).unclamped)
    errors = made.error.sampling + made.error.noise + made.error.reports
    assert abs(z_score(found, 20)) < SIGMAS
    assert abs(z_score((np.array(found) - 20) ** 2, errors)) < SIGMAS


def test_a_report_follows_the_value():
    """Not only on average over values: for each of three, whatever the kind of the report."""
    users = Population([0.5, 3.0] * 30, "local")
    for reports in ("simple", "laplace"):
        made = plan(users, "mixed", reports=reports)
        for epsilon, x in ((0.5, 0.0), (3.0, 0.3), (3.0, 1.0)):
            assert abs(z_score([report(made, epsilon, x) for _ in range(1200)], x)) < SIGMAS


def test_rounding_the_answer_costs_everybody_the_grid():
    """What OpenDP asks for a sum in floating point that is rounded to a grid: the budget and the grid."""
    dp = opendp()
    dp.enable_features("idealized-numerics")
    for k in (-30, -20, -10):
        space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
        measure = dp.m.make_laplace(*space, scale=1.0, k=k)
        for epsilon in (1e-6, 0.001, 0.1, 1.0):
            loss = measure.map(epsilon)
            assert loss > epsilon and loss == pytest.approx(epsilon + 2.0**k, rel=1e-12)


def test_public_values_are_averaged_exactly():
    made, users = plan([math.inf] * 4), Population([math.inf] * 4)
    assert release(made, users, [0.0, 0.25, 0.5, 1.0]).answer == 0.4375
    assert measurement(made, users).map(0) == math.inf


def test_values_outside_are_taken_to_the_nearer_end_and_the_answer_too():
    users = Population([40.0] * 20)
    made = plan(users, lower=2.0, upper=3.0)
    far = release(made, users, [1e300, -1e300] * 10)
    assert far.unclamped == pytest.approx(2.5, abs=0.2) and "OpenDP 0." in far.sampler
    assert {release(made, users, [3.0] * 20).answer <= 3.0 for _ in range(30)} == {True}
    assert json.loads(far.to_json())["plan"] == made.digest


@pytest.mark.parametrize("values", [[math.nan] + [0.5] * 9, [math.inf] + [0.5] * 9, [0.5] * 9, [[0.5] * 10], "no"])
def test_values_that_do_not_fit_are_refused_before_the_ledger_is_charged(values, tmp_path):
    users = Population([2.0] * 10)
    with pytest.raises(ValueError, match=r"^values must be"):
        release(plan(users), users, values, tmp_path / "ledger.json")
    assert not list(tmp_path.iterdir())


def test_what_the_plan_does_not_use_is_not_read():
    users = Population([0.0, 5.0, 5.0] * 10)
    x = [math.nan, 0.5, 0.5] * 10
    assert math.isfinite(release(plan(users), users, x).answer)


def test_a_ledger_lets_no_budget_be_passed(tmp_path):
    users = Population([1.0, 2.0] * 50)
    made = plan(users, releases=2)
    for _ in range(2):
        release(made, users, [0.5] * 100, tmp_path / "ledger.json")
    with pytest.raises(ValueError, match="ledger must leave budgets for release 3"):
        release(made, users, [0.5] * 100, tmp_path / "ledger.json")


def test_a_dearer_plan_cannot_be_made():
    """Nor a report by one: the user's side asks OpenDP itself what it costs."""
    made = plan([0.5, 1.0] * 100, bits=10)
    with pytest.raises(ValueError, match="share must be at most"):
        replace(made, kinds=replace(made.kinds, share=made.kinds.share + 1))
    with pytest.raises(ValueError, match="share must be at most"):
        replace(made, bits=9)
    assert exact(0.5) == Fraction(1, 2)


def test_gaussian_releases_keep_rho_and_err_as_expected():
    """OpenDP's account in zero-concentrated differential privacy, and the error."""
    rng = np.random.default_rng(9)
    users = Population(rng.choice([0.002, 0.05, 0.7, math.inf], 500))
    for bits in (8, None):
        made = plan(users, noise="gaussian", bits=bits)
        measure, found = measurement(made, users), receipts(made, users)
        losses = np.array([measure.map(i) for i in range(500)])
        assert (losses <= users.epsilon).all() and losses == pytest.approx(found.spent, rel=1e-12)
        x = rng.integers(0, 2, (3000, 500)).astype(float)
        errors = [(measure(row) / made.total - 0.5) ** 2 for row in x]
        assert abs(z_score(errors, made.error.sampling + made.error.noise)) < SIGMAS
    assert "OpenDP" in release(made, users, x[0]).sampler


def test_users_of_the_books_file_lose_no_more_than_they_allow(tmp_path):
    (tmp_path / "users.csv").write_text(compare.synthetic_csv())
    users, x = compare.read_csv(tmp_path / "users.csv")
    made = plan(users, "user-level", prior=(0.4, 0.1))
    measure = measurement(made, users)
    losses = np.array([measure.map(i) for i in np.flatnonzero(~users.local)])
    assert (losses <= users.epsilon[~users.local]).all() and losses.max() == pytest.approx(float(made.level))
    for i in np.flatnonzero(users.local):
        x[i] = report(made, users.epsilon[i], x[i], int(users.records[i]))
    assert abs(release(made, users, x).unclamped - 0.4) < 12 * math.sqrt(made.error.total)
