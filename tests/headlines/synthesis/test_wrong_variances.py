"""What weights for wrong variances cost."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from pytest import approx

from hdp import compare
from hdp.robust import loss_of_wrong_variances, price_of_wrong_variances, variance_guess
from tests.headlines.common import people, says, thorough

NOT_ASKED = {
    "synthesis/wrong-variances": {
        "Five lines prove it": "is about the length of a proof",
        "Other routes give the same numbers": "names comparisons that the page shows and asserts",
    },
}
# True variances and noise costs of items, and a share of the ratios' range for each
ITEMS = st.lists(
    st.tuples(st.floats(1e-4, 1), st.one_of(st.just(0.0), st.floats(1e-4, 1e3)), st.floats(0, 1)),
    min_size=1,
    max_size=8,
).map(lambda rows: np.array(rows).T)
TWO_PUBLIC = np.array([[1.0, 1 / 16], [0.0, 0.0], [0.0, 1.0]])


@says("synthesis/wrong-variances", "Variances too large by a factor cost less than a quarter of it")
@says(
    "synthesis/wrong-variances",
    "the excess over the least error, as a share of it, is less than a quarter of that factor",
)
@thorough
@given(ITEMS, st.floats(1, 1e4))
@example(TWO_PUBLIC, 16.0)
def test_variances_too_large_by_a_factor_cost_less_than_a_quarter_of_it(items, factor):
    v, costs, part = items
    assert loss_of_wrong_variances(v, v * factor**part, costs, 2.0) - 1 < factor / 4


@says("synthesis/wrong-variances", "keeps every budget all the same")
@thorough
@given(people(), st.floats(1e-3, 0.25))
def test_a_wrong_variance_keeps_every_budget(population, believed):
    loss = compare.mixed_release(population, believed).privacy_loss()
    assert np.all(loss <= population.epsilon * (1 + 1e-9))


@says("synthesis/wrong-variances", "The noise counts as an item whose variance is known")
@says("synthesis/wrong-variances", "1, the factor of the noise, lies between these too")
@thorough
@given(ITEMS, st.floats(1e-4, 1), st.floats(1, 1e4), st.floats(0.01, 100))
@example(np.array([[0.04, 1e-6], [0.0, 1.0], [0.0, 0.0]]), 1 / 16, 16.0, 0.01)
def test_the_price_holds_with_one_among_the_factors(items, low, high, penalty):
    v, costs, part = items
    ratios = low * (high / low) ** part
    loss = loss_of_wrong_variances(v, v * ratios, costs, penalty)
    assert loss <= price_of_wrong_variances(min(ratios.min(), 1), max(ratios.max(), 1)) * (1 + 1e-9)


@says("synthesis/wrong-variances", "No smaller factor holds")
@says("synthesis/wrong-variances", "may come as near to this as you like")
@thorough
@given(st.floats(0.01, 1), st.floats(1, 100))
@example(0.25, 4.0)
def test_two_public_items_attain_the_price(low, high):
    loss = loss_of_wrong_variances([1 / low, 1 / high], 1.0, [0.0, 0.0], 2.0)
    assert loss == approx((low + high) ** 2 / (4 * low * high))


@says("synthesis/wrong-variances", "One wrong factor for all hurts only if noise and sampling share the error")
@thorough
@given(ITEMS, st.floats(0.01, 100))
@example(np.array([[0.25, 0.25], [0.0, 10.0], [0.0, 0.0]]), 16.0)
def test_one_wrong_factor_costs_nothing_without_noise_or_with_hardly_anything_else(items, factor):
    v, costs, _ = items
    assert loss_of_wrong_variances(v, factor * v, 0 * costs, 2.0) == approx(1)
    assert loss_of_wrong_variances(1e-12 * v, factor * 1e-12 * v, costs + 0.1, 2.0) == approx(1, rel=1e-6)


@says("synthesis/wrong-variances", "No guess is better than the geometric mean")
@says("synthesis/wrong-variances", "Where only an interval is known, believe in the geometric mean of its ends")
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
