"""Which estimator, what is said of each in a sentence, and what is known before a value is read."""

import re

import numpy as np
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from pytest import approx

from hdp import affine, compare, hybrid, linear, release
from hdp._report.reasons import reasons
from hdp.compare import Population, mixed_release, ranking
from hdp.robust import loss_of_wrong_variances, price_of_wrong_variances, variance_guess
from tests.populations import PRIVATE, SIZES, people, thorough

PAGE, FILE = "synthesis/which-estimator", "synthesis/from-file-to-answer"
COMPUTED = "it names what the page computes and asserts: the same numbers by two routes"
LINEAR = ("mixed", "reports", "ldpe-users", "propdpm", "ldpe", "fme", "uni", "threshold", "tcm-only", "full-lm", "kvh")
UNBIASED = (*LINEAR[2:], "pwh", "naive")
few = settings(deadline=None, max_examples=25)
FEW = people().filter(lambda users: users.size <= 40)
MEANS = st.floats(0.02, 0.98)


def errors_of_draws(estimate, size, p, seed, draws=3000):
    """Squared errors of answers before clamping, each over their mean's standard error; values are 0 or 1."""
    rng = np.random.default_rng(seed)
    squared = (estimate((rng.random((draws, size)) < p).astype(float), rng, clamp=False) - p) ** 2
    return squared.mean(), squared.std() / draws**0.5


@few
@given(FEW, MEANS, st.integers(0, 99))
@example(Population([1.0] * 20 + [0.1] * 20), 0.5, 1)
def test_the_errors_of_a_ranking_bound_those_of_draws(users, p, seed):
    rows = [row for row in ranking(users, p * (1 - p)) if row.name in LINEAR and not row.obstacle]
    for row in rows:
        found, bar = errors_of_draws(row.estimate, users.size, p, seed, 1500)
        assert found <= row.error * (1 + 1e-9) + 7 * bar
    assert (np.diff([row.error for row in rows]) >= -1e-9 * rows[-1].error).all()


@thorough
@given(people(), st.floats(0.01, 0.25), st.integers(0, 99))
@example(Population([5.0, 5.0]), 0.25, 1)
@example(Population([1.0, 30.0]), 0.25, 1)
@example(Population([0.1] * 50 + [1.0] * 50, ["curator", "local"] * 50), 0.25, 1)
def test_no_other_weights_err_less(users, v, seed):
    plan, z = mixed_release(users, v), np.random.default_rng(seed).normal(size=(30, users.size))
    least, trusting = plan.error(), users.trusting
    others = [plan.weights * np.exp(size * row) for size, row in zip(np.geomspace(1e-4, 2, 30), z, strict=True)]
    others += [plan.weights**power for power in (0.9, 0.97, 0.99, 1.01, 1.03, 1.1)]
    for w in [other / other.sum() for other in others]:
        noise = 2 * affine.noise_scale(w[trusting], users.epsilon[trusting]) ** 2 if trusting.any() else 0.0
        e, sent = users.epsilon[w > 0], w[w > 0]
        reports = np.minimum(v + 2 / e**2, 0.25 / np.tanh(e / 2) ** 2)
        assert np.sum(np.where(trusting[w > 0], v, reports) * sent**2) + noise >= least * (1 - 1e-9)


@few
@given(people(), st.floats(0.01, 0.25))
def test_no_unbiased_linear_estimator_of_the_book_is_better_but_reports(users, v):
    rows = {row.name: row.error for row in ranking(users, v)}
    assert min(rows[name] for name in UNBIASED) >= rows["mixed"] * (1 - 1e-9)


@few
@given(st.floats(3.5, 20), st.integers(1, 40), st.floats(1e-4, 0.05))
def test_reports_or_a_constant_are_better_for_few(large, n, small):
    rows = {row.name: row.error for row in ranking(Population([large] * 2))}
    assert rows["reports"] < rows["mixed"]
    rows = {row.name: row.error for row in ranking(Population([small] * n))}
    assert rows["adpm"] == rows["centre"] < rows["mixed"] > linear.worst_case_mse(np.full(n, small))
    local = Population([large] * n, "local")
    assert mixed_release(local, 0.01, reports="best").error() < mixed_release(local, 0.01).error()


def sentences(users, **known):
    rows = ranking(users, **known)
    return {row.name: (row, why) for row, why in zip(rows, reasons(rows, users), strict=True) if not row.obstacle}


def whole(why):
    """The first whole number of a sentence."""
    return int(re.search(r"\d+", why.replace("1/2", ""))[0])


@few
@given(people())
@example(Population([0.0, 1.0, 2.0], ["curator", "local", "curator"]))
def test_the_sentences_count_who_is_asked(users):
    """Summaries of the estimators: how many values count, reports are sent, values are averaged."""
    said, usable = sentences(users), users.epsilon > 0
    assert whole(said["mixed"][1]) == np.count_nonzero(mixed_release(users).weights)
    assert whole(said["ldpe-users"][1]) == np.count_nonzero(usable & np.isfinite(users.epsilon))
    if "full-lm" in said:
        assert whole(said["full-lm"][1]) == np.count_nonzero(usable)
    if "uni" in said:
        assert whole(said["uni"][1]) == whole(said.get("tcm-only", said["uni"])[1]) == users.trusting.sum()
    if "what mixed does" in said["reports"][1]:
        assert said["reports"][0].error == said["mixed"][0].error


@few
@given(people(records=False))
@example(Population([0.1] * 70 + [1.0] * 30))
@example(Population([0.1] * 900 + [1.0] * 100))
def test_the_sentences_say_what_is_spent(users):
    """Summaries of ADPM and of the threshold: who spends how much of what she allows."""
    said, e = sentences(users), users.epsilon[users.trusting]
    assume("adpm" in said and said["adpm"][0].users and np.isfinite(e).any())
    why = said["adpm"][1]
    plan = mixed_release(Population(e))  # all of whom trust
    lost = plan.privacy_loss()
    below = np.count_nonzero(lost < e * (1 - 1e-9))
    assert below == 0 if "every budget in full" in why else below == int(re.search(r"of the (\d+) larger", why)[1])
    why = said["threshold"][1]
    kept, out = int(re.search(r"of each of (\d+)", why)[1]), re.search(r"leaves out (\d+) who", why)
    assert kept + (int(out[1]) if out else 0) == e.size and kept == said["threshold"][0].users


@few
@given(SIZES, SIZES, st.floats(0.01, 10), st.floats(0.01, 0.5), st.floats(0.01, 0.99))
def test_the_sentences_say_how_two_averages_are_combined(trusting, local, epsilon, sigma, other):
    """Summaries of KVH, PWH and the naive hybrid: for the least error, the least noise, by their numbers."""
    s = hybrid.Setting(trusting + local, trusting / (trusting + local), 1, epsilon, sigma)
    least = hybrid.true_mean_mse(s, hybrid.kvh_weight(s))
    assert least <= hybrid.true_mean_mse(s, other) * (1 + 1e-12)
    noise = lambda w: 2 * (w / trusting / epsilon) ** 2 + 2 * ((1 - w) / epsilon) ** 2 / local  # noqa: E731
    assert noise(hybrid.pwh_weight(s)) <= noise(other) * (1 + 1e-12)
    assert np.isclose(hybrid.naive_weight(s), trusting / (trusting + local))


@few
@given(FEW, MEANS, st.floats(1, 2), st.integers(0, 99))
@example(Population([1.0] * 20 + [0.1] * 20, "local"), 0.5, 1.0, 1)
def test_the_bound_that_is_known_beforehand_holds(users, p, loose, seed):
    plan = mixed_release(users, min(loose * p * (1 - p), 0.25))
    found, bar = errors_of_draws(plan.estimate, users.size, p, seed)
    assert found <= plan.error() * (1 + 1e-9) + 6 * bar


@thorough
@given(people(), st.floats(0.01, 0.25))
@example(Population([0.1] * 900 + [5.0] * 100), 0.25)
@example(Population([1.0, 2.0, 2.0], ["local", "local", "curator"]), 0.01)
def test_local_users_spend_all_and_nobody_more_than_her_budget(users, v):
    plan = mixed_release(users, v)
    lost, e, local = plan.privacy_loss(), users.epsilon, users.local
    assert (lost <= e * (1 + 1e-9)).all() and np.allclose(lost[local & (e < 30)], e[local & (e < 30)], rtol=1e-3)
    needed = plan.weights[~local & (e > 0)] / plan.curator_scale if plan.curator_scale else 0
    assert np.allclose(lost[~local & (e > 0)], needed) or not plan.curator_scale


@thorough
@given(people(), st.floats(0.01, 0.25), st.integers(1, 30))
@example(Population([1e-3] * 10), 0.25, 30)
def test_each_of_several_answers_errs_at_most_proportionally(users, v, t):
    one, each = (mixed_release(Population(users.epsilon / k, users.trust), v).error() for k in (1, t))
    assert one * (1 - 1e-12) <= each <= t**2 * one * (1 + 1e-12)


@few
@given(people(PRIVATE.filter(lambda e: e.min() > 1e-3)))
@example(Population([0.1] * 70 + [1.0] * 30))
def test_a_plan_of_a_release_is_made_of_whole_numbers(users):
    made = release.plan(users, "mixed")
    assert made.kinds.share.dtype.kind == "i" and isinstance(made.scale, int)
    assert made.error.total >= min(mixed_release(users).error(), 0.25) * (1 - 1e-9)
    assert (release.receipts(made, users).spent <= users.epsilon).all()


# -- What weights for wrong variances cost.

# True variances and noise costs of items, and a share of the ratios' range for each
ITEMS = st.lists(
    st.tuples(st.floats(1e-4, 1), st.one_of(st.just(0.0), st.floats(1e-4, 1e3)), st.floats(0, 1)),
    min_size=1,
    max_size=8,
).map(lambda rows: np.array(rows).T)
TWO_PUBLIC = np.array([[1.0, 1 / 16], [0.0, 0.0], [0.0, 1.0]])


@thorough
@given(ITEMS, st.floats(1, 1e4))
@example(TWO_PUBLIC, 16.0)
def test_variances_too_large_by_a_factor_cost_less_than_a_quarter_of_it(items, factor):
    v, costs, part = items
    assert loss_of_wrong_variances(v, v * factor**part, costs, 2.0) - 1 < factor / 4


@thorough
@given(people(), st.floats(1e-3, 0.25))
def test_a_wrong_variance_keeps_every_budget(population, believed):
    loss = compare.mixed_release(population, believed).privacy_loss()
    assert np.all(loss <= population.epsilon * (1 + 1e-9))


@thorough
@given(ITEMS, st.floats(1e-4, 1), st.floats(1, 1e4), st.floats(0.01, 100))
@example(np.array([[0.04, 1e-6], [0.0, 1.0], [0.0, 0.0]]), 1 / 16, 16.0, 0.01)
def test_the_price_holds_with_one_among_the_factors(items, low, high, penalty):
    v, costs, part = items
    ratios = low * (high / low) ** part
    loss = loss_of_wrong_variances(v, v * ratios, costs, penalty)
    assert loss <= price_of_wrong_variances(min(ratios.min(), 1), max(ratios.max(), 1)) * (1 + 1e-9)


@thorough
@given(st.floats(0.01, 1), st.floats(1, 100))
@example(0.25, 4.0)
def test_two_public_items_attain_the_price(low, high):
    loss = loss_of_wrong_variances([1 / low, 1 / high], 1.0, [0.0, 0.0], 2.0)
    assert loss == approx((low + high) ** 2 / (4 * low * high))


@thorough
@given(ITEMS, st.floats(0.01, 100))
@example(np.array([[0.25, 0.25], [0.0, 10.0], [0.0, 0.0]]), 16.0)
def test_one_wrong_factor_costs_nothing_without_noise_or_with_hardly_anything_else(items, factor):
    v, costs, _ = items
    assert loss_of_wrong_variances(v, factor * v, 0 * costs, 2.0) == approx(1)
    assert loss_of_wrong_variances(1e-12 * v, factor * 1e-12 * v, costs + 0.1, 2.0) == approx(1, rel=1e-6)


@thorough
@given(st.floats(1e-4, 1), st.floats(1, 1e4), st.floats(0, 1), st.booleans())
@example(0.01, 100.0, 0.9, True)
def test_no_guess_has_a_smaller_price_than_the_geometric_mean(lower, quotient, part, alike):
    ends = np.array([lower, lower * quotient])

    def price(guess):  # the worst of two items with the ends as variances, or of either end for both and the noise
        if not alike:
            return loss_of_wrong_variances(ends, guess, [0.0, 0.0], 2.0)
        return max(price_of_wrong_variances(guess / end, guess / end) for end in ends)

    assert price(variance_guess(*ends)) <= price(lower * quotient**part) * (1 + 1e-9)
