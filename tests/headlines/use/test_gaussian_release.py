"""Prices in rho, by divergences that are summed, and reports by their variances."""

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hdp.compare import Population
from hdp.release import plan
from hdp.release.kinds import bit_budget
from tests.headlines.common import says, thorough

PAGE = "use/gaussian-release"
NOT_ASKED = {PAGE: {"Two other routes give the same numbers": "it names a table that the page computes and asserts"}}
EPSILON = st.floats(0.05, 25)
ORDERS = 1 + np.geomspace(1e-6, 100, 300)


def variances(epsilon, v):
    """Of one bit for the mean 1/2, and of the value with Gaussian noise, at the price of the bit."""
    rho = epsilon * np.tanh(epsilon / 2)
    return 0.25 / np.tanh(epsilon / 2) ** 2, v + 1 / (2 * rho)


@says(
    PAGE,
    "One bit costs less than the usual conversion charges",
    "The usual conversion charges for what the bit does not do",
)
@says(PAGE, "a report of one bit costs less than the usual rule of conversion says")
@says(PAGE, "one bit costs $\\epsilon\\tanh\\frac\\epsilon2$, and the usual conversion charges more")
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


@says(PAGE, "With Gaussian noise budgets are rho")
@thorough
@given(st.floats(0.01, 20), st.sampled_from([1.0, 2.0, 3.5, 16.0]), st.floats(1.01, 20))
@example(0.5, 1.0, 2.0)
def test_a_share_keeps_its_budget(rho, c, order):
    share, z = int(c * np.sqrt(2 * rho)), np.arange(-4000, 4001)
    for moved in {share, share // 2, min(share, 1)}:
        log = -(order * z**2 + (1 - order) * (z - moved) ** 2) / (2 * c**2)
        norm = np.logaddexp.reduce(-(z**2) / (2 * c**2))
        assert (np.logaddexp.reduce(log) - norm) / (order - 1) <= rho * order * (1 + 1e-9) + 1e-12


@says(PAGE, "Noise is better only below a variance that rises from a twelfth to a quarter")
@says(PAGE, "is the better report more often", "At its own price it is better than Gaussian noise for values that vary")
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


@says(PAGE, "A plan chooses the report of every local user")
@settings(deadline=None, max_examples=30)
@given(st.lists(st.floats(0.05, 12), min_size=1, max_size=5, unique=True), st.floats(0.09, 0.24))
@example([0.1, 1.0, 5.0], 0.12)
def test_a_plan_takes_the_report_that_varies_less(rho, v):
    made = plan(Population(np.repeat(rho, 50), "local"), "mixed", noise="gaussian", variance=v)
    epsilon = bit_budget(made.kinds.epsilon, "gaussian")
    bit, noisy = variances(epsilon, v)
    clear = np.abs(bit - noisy) > 1e-6
    assert (made.kinds.bit == (bit < noisy))[clear].all()
