"""A release in whole numbers."""

import math
import tempfile
from fractions import Fraction
from pathlib import Path

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hdp.compare import Population
from hdp.release import Plan, charge, clipping_cost, left, new_ledger, plan, plan_bounds, receipts
from hdp.release.arithmetic import noise_variance
from hdp.release.bits import bit_budget, chance_of_a_lie
from hdp.release.bounds import histogram
from hdp.release.buckets import shortest
from hdp.release.measuring import summed
from tests.populations import people, thorough

PAGE = "use/real-release"
SEARCH = "use/no-interval"
few = settings(deadline=None, max_examples=40)
NOISES = st.sampled_from(["laplace", "gaussian"])
METHODS = st.sampled_from([("mixed", {}), ("user-level", {"prior": (0.4, 0.1)}), ("truncated", {"prior": (0.4, 0.01)})])


def planned(users, kind, noise, bits=None):
    """A plan that is worth a release, where there is one: for these users ten times over."""
    many = Population(np.tile(users.epsilon, 10), np.tile(users.trust, 10), np.tile(users.records, 10))
    return plan(many, kind[0], noise=noise, bits=bits, **kind[1])


@few
@given(people(), METHODS, NOISES)
@example(Population([1 / 3, 0.1, 2.0] * 30), ("mixed", {}), "laplace")
def test_nobody_is_over_her_budget(users, kind, noise):
    made = planned(users, kind, noise)
    for row, share in enumerate(made.kinds.share.tolist()):
        loss = Fraction(share, 2**made.bits) ** (1 if noise == "laplace" else 2) / (1 if noise == "laplace" else 2)
        assert math.isinf(made.kinds.epsilon[row]) or loss <= Fraction(float(made.kinds.epsilon[row]))
        if made.kinds.bit[row] and noise == "laplace":
            lie = float(chance_of_a_lie(made.part[row]))
            assert math.log((1 - lie) / lie) <= made.kinds.epsilon[row] * (1 + 1e-12)


@few
@given(people(), METHODS, NOISES)
def test_what_is_not_spent_is_kept(users, kind, noise):
    made = planned(users, kind, noise)
    found = receipts(made)
    private = np.isfinite(found.allowed)
    assert (found.kept[private] >= 0).all() and (found.spent[private] >= 0).all()
    np.testing.assert_allclose(found.kept[private] + found.spent[private], found.allowed[private], rtol=1e-12)


@few
@given(st.fractions(Fraction(1, 900), 3, max_denominator=997), st.integers(0, 6))
@example(Fraction(1, 2), 1)
def test_a_rounded_sum_moves_by_more_than_a_budget_beside_the_grid(epsilon, bits):
    grid = Fraction(1, 2**bits)
    steps = [math.floor(s / grid + Fraction(1, 2)) for s in (grid / 2 - epsilon, grid / 2)]  # halves upwards
    furthest = max(steps[1] - steps[0], 0) * grid
    assert (furthest > epsilon) == (epsilon % grid != 0) and furthest >= epsilon


@few
@given(people(local=False), st.integers(3, 20), st.integers(0, 99))
def test_the_noise_is_smaller_and_rounded_values_stay_near(users, bits, seed):
    made = planned(users, ("mixed", {}), "laplace", bits)
    assert noise_variance(bits, "laplace") < 2 * 4.0**bits
    if made.constant or made.noiseless:
        return
    kind = np.repeat(np.arange(made.kinds.users.size), made.kinds.users)
    x = np.random.default_rng(seed).random(kind.size)
    rounded = summed(made, kind)(x) / made.total
    offset = np.sum(made.kinds.counted[kind]) / (2 * made.total)
    assert abs(rounded - made.weights[kind] @ x) <= offset * (1 + 1e-9) + 1e-12
    noise = noise_variance(bits, "laplace") / made.total**2
    root = (np.sum(made.weights[kind] ** 2) / 4 + noise) ** 0.5
    assert made.error.total <= (root + offset * (1 + 1e-6) + 1e-12) ** 2 * (1 + 1e-9)


@few
@given(st.integers(200, 10**6), NOISES)
def test_means_of_many_records_are_taken_to_a_part(records, noise):
    made = plan(Population([0.5] * 500, records=records), "truncated", noise=noise, prior=(0.4, 0.01))
    assert 0 < made.kinds.low[0] < 0.4 < made.kinds.high[0] < 1


@few
@given(st.integers(0, 99), st.floats(-150, 150), st.floats(0.2, 1), NOISES)
@example(3, 100.0, 0.5, "laplace")
def test_an_interval_is_found_for_a_part_of_the_budgets(seed, size, part, noise):
    """Whatever the values' size and sign, by counts whose noise is drawn with a seed; the rest of budgets is kept."""
    rng = np.random.default_rng(seed)
    epsilon = rng.choice([0.0, 10.0, 40.0, np.inf], 2000, p=[0.1, 0.5, 0.3, 0.1])
    made = plan_bounds(epsilon, part, noise=noise, lowest=-160, highest=160)
    x, kind = rng.lognormal(0, 0.2, 2000) * 2.0**size * rng.choice([-1, 1]), made.kind_of(Population(epsilon))
    counts = np.array(histogram(made, made.kinds.share[kind], x), dtype=float)
    found = shortest(made, np.rint(counts + made.scale * rng.laplace(size=counts.size)).tolist())
    inside = made.kinds.share[kind] @ ((found[0] <= x) & (x <= found[1]))
    assert inside >= 0.95 * made.total and found[1] - found[0] <= 2.0 ** (size + 4)
    private = np.isfinite(made.kinds.epsilon)
    assert (receipts(made).spent[private] <= part * made.kinds.epsilon[private]).all()


@few
@given(st.lists(st.floats(20, 90), min_size=3, max_size=9), st.floats(0.6, 1), st.floats(-30, 30), st.floats(-30, 30))
@example([40.0, 40.0, 40.0], 0.7, 1.0, -1.0)
def test_at_most_two_counts_move_by_the_share(epsilon, part, first, second):
    made = plan_bounds(epsilon, part, outside=0.9, lowest=0, highest=4)
    share = made.kinds.share[made.kind_of(Population(epsilon))]
    x = np.full(len(epsilon), 3.0)
    before, after = (np.array(histogram(made, share, np.append(v, x[1:]))) for v in (first, second))
    moved = np.abs(before - after)
    assert moved.sum() <= 2 * share[0] and set(moved.tolist()) <= {0, int(share[0])}
    row = made.kind_of(Population(epsilon))[0]
    assert Fraction(made.spent[row]) == Fraction(2 * int(share[0]), made.scale) <= Fraction(part) * Fraction(epsilon[0])


@few
@given(st.floats(1.2, 6), st.floats(0.05, 0.3), st.floats(0.3, 3), st.floats(1.1, 10))
@example(3.0, 0.05, 1.0, 2.0)
def test_with_more_users_a_smaller_part_is_best(index, outside, epsilon, times):
    """By the quantiles of a Pareto law, on a grid of parts."""
    parts, n, h = np.linspace(0.001, 0.999, 4000), 10_000 / epsilon / min(outside, 0.2), 20.0
    best = []
    for users in (n, times * n):
        rest = outside - 2 * h / (users * epsilon * parts)
        with np.errstate(invalid="ignore", divide="ignore"):
            noise = np.where(rest > 0, np.maximum(rest, 1e-300) ** (-1 / index) / (1 - parts), np.inf)
        best.append(parts[noise.argmin()])
    assert best[1] < best[0]


@few
@given(st.integers(0, 99), st.floats(1.01, 9), st.floats(0.1, 30))
@example(1, 2.0, 0.5)
def test_values_beyond_are_told_like_ends_and_cost_at_most_so_much(seed, order, half):
    """For heavy tails, and for some users as far away as costs most."""
    far = np.where(np.arange(500) <= seed, min(order / (order - 1), 30.0) * half, 0.0)
    made = plan([1.0] * 500, lower=-half, upper=half)
    total = summed(made, made.kind_of(Population([1.0] * 500)))
    for x in (np.random.default_rng(seed).standard_t(1.5, 500), far):
        clipped = np.clip(x, -half, half)
        assert total(x) == total(clipped)
        size = np.mean(np.abs(x) ** order) ** (1 / order)
        most = clipping_cost(-half, half, moment=(order, size))
        assert abs(x.mean() - clipped.mean()) <= most * (1 + 1e-9)


@few
@given(people(), METHODS, NOISES, st.floats(-1e308, 1e308))
def test_a_value_moves_the_sum_by_her_share_and_nothing_else(users, kind, noise, value):
    """What is published follows from this sum, its noise and the reports: tests/release/test_outputs.py."""
    made = Plan.from_json(planned(users, kind, noise).to_json())
    row = np.repeat(np.arange(made.kinds.users.size), made.kinds.users)
    total, x = summed(made, row), np.full(row.size, 0.5)
    for i in np.unique(row, return_index=True)[1][:6]:
        moved = abs(total(np.where(np.arange(row.size) == i, value, x)) - total(x))
        assert moved <= (made.kinds.share[row[i]] if made.kinds.counted[row[i]] else 0)


@few
@given(people(), st.lists(st.tuples(METHODS, st.floats(0.01, 1), st.integers(1, 9)), min_size=2, max_size=5), NOISES)
def test_what_a_plan_by_a_ledger_uses_is_left(users, asked, noise):
    """Whatever is asked next, as if answers had said so: the ledger takes it, and nobody spends more than allowed."""
    total = 0.0
    with tempfile.TemporaryDirectory() as folder:
        ledger = Path(folder, "ledger.json")
        first = plan(users, "mixed", noise=noise)
        new_ledger(first, ledger)
        for (method, known), share, bits in asked:
            made = plan(users, method, noise=noise, spend=share, ledger=ledger, bits=bits, **known)
            rest = left(first, ledger)
            total = total + receipts(made).spent
            assert (made.part <= rest).all() and np.array_equal(charge(made, ledger), total)
    assert (total <= first.kinds.epsilon * (1 + 1e-12)).all()


# -- Prices in rho, by divergences that are summed, and reports by their variances.

GAUSSIAN = "use/gaussian-release"
EPSILON = st.floats(0.05, 25)
ORDERS = 1 + np.geomspace(1e-6, 100, 300)


def variances(epsilon, v):
    """Of one bit for the mean 1/2, and of the value with Gaussian noise, at the price of the bit."""
    rho = epsilon * np.tanh(epsilon / 2)
    return 0.25 / np.tanh(epsilon / 2) ** 2, v + 1 / (2 * rho)


@thorough
@given(EPSILON)
@example(1.0)
def test_the_price_of_one_bit(epsilon):
    truth = 1 / (1 + np.exp(-epsilon))
    logs = np.log(truth), np.log1p(-truth)
    terms = [ORDERS * a + (1 - ORDERS) * b for a, b in (logs, logs[::-1])]
    price = np.max(np.logaddexp(*terms) / (ORDERS - 1) / ORDERS)
    assert np.isclose(price, epsilon * np.tanh(epsilon / 2), rtol=1e-3) and price < (1 - 1e-5) * epsilon**2 / 2
    assert np.isclose(bit_budget(np.array([price]), "gaussian")[0], epsilon, rtol=1e-3)


@thorough
@given(st.floats(0.01, 20), st.sampled_from([1.0, 2.0, 3.5, 16.0]), st.floats(1.01, 20))
@example(0.5, 1.0, 2.0)
def test_a_share_keeps_its_budget(rho, c, order):
    share, z = int(c * np.sqrt(2 * rho)), np.arange(-4000, 4001)
    for moved in {share, share // 2, min(share, 1)}:
        log = -(order * z**2 + (1 - order) * (z - moved) ** 2) / (2 * c**2)
        norm = np.logaddexp.reduce(-(z**2) / (2 * c**2))
        assert (np.logaddexp.reduce(log) - norm) / (order - 1) <= rho * order * (1 + 1e-9) + 1e-12


@thorough
@given(EPSILON, st.floats(1.01, 2), st.floats(0, 1))
@example(0.05, 1.5, 1.0)
def test_where_one_bit_varies_less(epsilon, more, share):
    bit, noisy = variances(epsilon, 0.25)
    assert bit < noisy and variances(epsilon, share / 12)[0] > variances(epsilon, share / 12)[1]
    least, later = (e - n for e, n in (variances(epsilon, 0.0), variances(more * epsilon, 0.0)))
    rho = epsilon * np.tanh(epsilon / 2)
    converted = variances(np.sqrt(2 * rho), 0.0)[0] - 1 / (2 * rho)
    assert 1 / 12 < least < later < 0.25 and least < converted < 0.25


@settings(deadline=None, max_examples=30)
@given(st.lists(st.floats(0.05, 12), min_size=1, max_size=5, unique=True), st.floats(0.09, 0.24))
@example([0.1, 1.0, 5.0], 0.12)
def test_a_plan_takes_the_report_that_varies_less(rho, v):
    made = plan(Population(np.repeat(rho, 50), "local"), "mixed", noise="gaussian", variance=v)
    epsilon = bit_budget(made.kinds.epsilon, "gaussian")
    bit, noisy = variances(epsilon, v)
    clear = np.abs(bit - noisy) > 1e-6
    assert (made.kinds.bit == (bit < noisy))[clear].all()
