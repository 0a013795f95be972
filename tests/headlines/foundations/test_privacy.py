"""Who loses how much where a weighted average is published with noise, and what secret budgets are worth."""

from itertools import pairwise

import numpy as np
import scipy
from hypothesis import example, given
from hypothesis import strategies as st

from hdp import affine
from hdp.noise import Laplace
from tests.populations import PRIVATE, thorough

VALUES = st.floats(-0.5, 0.5)


def loss(w, scale, x, other):
    """The largest loss of an output, from the densities, when her value is one or the other."""
    noise, centres = Laplace(scale), (w * x, w * other)
    y = np.array([*centres, min(centres) - scale, max(centres) + scale, sum(centres) / 2])
    return np.abs(np.log(noise.density(y - centres[0]) / noise.density(y - centres[1]))).max()


@thorough
@given(st.floats(0, 1), st.floats(0.01, 10), VALUES, VALUES)
@example(0.6, 0.4, 0.5, -0.5)
def test_each_user_loses_her_weight_over_the_noise_and_no_more(w, scale, x, other):
    (claimed,) = affine.privacy_loss([w], scale)
    assert loss(w, scale, x, other) <= w / scale * (1 + 1e-9) + 1e-12
    np.testing.assert_allclose([claimed, loss(w, scale, 0.5, -0.5)], w / scale, rtol=1e-9, atol=1e-12)


@thorough
@given(PRIVATE)
@example(np.array([0.1, 2.0]))
def test_weights_and_noise_can_be_chosen_for_any_losses(losses):
    w, scale = losses / losses.sum(), 1 / losses.sum()
    np.testing.assert_allclose(affine.privacy_loss(w, scale), losses, rtol=1e-9)
    np.testing.assert_allclose(affine.noise_scale(w, losses), scale, rtol=1e-9)


@thorough
@given(st.floats(0.01, 3), st.floats(1, 9), st.floats(1, 9), st.floats(0.01, 0.99))
@example(0.5, 3.0, 3.0, 0.01)
def test_no_chance_differs_by_more_than_twice_the_strictest_budget(strictest, one, other, chance):
    budgets = strictest * np.array([1, one, other])  # of a strict record and two others; the first other has the chance
    rows, right = [], []
    for i, j in [(i, j) for i in range(3) for j in range(3) if i != j]:
        factor, (here, there) = np.exp(min(budgets[i], budgets[j])), np.eye(3)[[i, j]]
        rows += [here - factor * there, factor * there - here]  # the answer 1, and the answer 0
        right += [0, factor - 1]
    bounds = [(0, 1), (chance, chance), (0, 1)]
    found = scipy.optimize.linprog([0, 0, -1], A_ub=rows, b_ub=right, bounds=bounds, method="highs")
    assert -found.fun <= np.exp(2 * strictest) * chance * (1 + 1e-4)


@thorough
@given(st.floats(0.01, 20))
@example(20.0)
def test_on_average_she_loses_less(largest):
    noise = Laplace(1.0)
    pieces = [-40.0, 0.0, largest, largest + 40.0]  # her values move the answer from 0 to the largest loss
    mean = sum(
        scipy.integrate.quad(lambda y: noise.density(y) * noise.privacy_loss(y, largest), low, high)[0]
        for low, high in pairwise(pieces)
    )
    assert 0 < mean < largest
