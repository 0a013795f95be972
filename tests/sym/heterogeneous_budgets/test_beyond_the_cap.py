"""Both ends of the switch of Algorithm 1: the output leaves the interval, and shrinking beats answering 0."""

import itertools

import numpy as np
import pytest
import sympy as sp

from hdp import adpm, affine
from hdp.proof import assert_monte_carlo
from hdp.sym.heterogeneous_budgets import upper_bound as sym

RUNS = 200_000


def affine_error(epsilon):
    """Error B before the cap."""
    w = adpm.weights(epsilon)
    return affine.mean_squared_error(w, affine.noise_scale(w, epsilon))


def test_the_output_leaves_the_interval_as_often_as_the_noise_does():
    """100 users with budget 0.1 and data 0: Laplace noise of scale 0.1, outside with probability e^-5."""
    epsilon = np.full(100, 0.1)
    outputs = adpm.estimate(np.zeros((RUNS, 100)), epsilon, 5)
    assert_monte_carlo(np.abs(outputs) > 0.5, np.exp(-5))


def test_clamping_never_increases_an_error():
    """For every run and every mean in the interval."""
    outputs = adpm.estimate(np.full((1000, 3), 0.5), [1.0, 2.0, 3.0], 6)
    means = np.linspace(-0.5, 0.5, 11)[:, None]
    clamped = np.clip(outputs, -0.5, 0.5)
    assert np.any(clamped != outputs)
    assert np.all((clamped - means) ** 2 <= (outputs - means) ** 2)


@pytest.mark.parametrize("epsilon", [[1.0], [0.3, 0.3], [0.1, 0.5, np.inf], [0.2] * 12])
@pytest.mark.parametrize("end", [0.0, 0.25, 0.5])
def test_shrinking_keeps_below_its_bound(epsilon, end):
    """The exact error at a coin on {m - h, m + h} inside the interval never exceeds B/(1 + 4B); simulated, too."""
    w, B = adpm.weights(epsilon), affine_error(epsilon)
    scale, c = affine.noise_scale(w, epsilon), 1 / (1 + 4 * B)
    half = 0.5 - end  # the widest coin with mean `end`
    exact = (1 - c) ** 2 * end**2 + c**2 * (half**2 * np.sum(w**2) + 2 * scale**2)
    assert exact <= B / (1 + 4 * B) * (1 + 1e-12) < min(B, 0.25)
    rng = np.random.default_rng(7)
    data = end + half * rng.choice([-1.0, 1.0], (RUNS, w.size))
    assert_monte_carlo((c * affine.estimate(data, w, scale, rng) - end) ** 2, exact)


def test_where_the_algorithm_answers_zero_the_minimax_error_is_below_a_quarter():
    """One user with budget 1: B = 9/4, M/10 is private, and at no distribution its error exceeds 9/40."""
    assert adpm.answers_zero([1.0]) and adpm.worst_case_mse([1.0]) == 0.25
    assert affine_error([1.0]) == pytest.approx(2.25, rel=1e-15)
    assert sym.shrunk_bound.subs(sym.affine_error, sp.Rational(9, 4)) == sp.Rational(9, 40)
    scale = affine.noise_scale([1.0], [1.0])
    assert affine.privacy_loss([1.0], scale) == pytest.approx(1, rel=1e-15)  # dividing the output by 10 is free
    rng = np.random.default_rng(8)
    for low, high in itertools.combinations_with_replacement([-0.5, -0.25, 0.0, 0.25, 0.5], 2):
        data = rng.choice([low, high], (RUNS, 1))
        answers = affine.estimate(data, [1.0], scale, rng) / 10
        mean, spread = (low + high) / 2, (high - low) / 2
        exact = 0.81 * mean**2 + 0.01 * (spread**2 + 2)
        assert exact <= 9 / 40
        assert_monte_carlo((answers - mean) ** 2, exact)


def test_the_bound_gains_a_factor_of_two_and_the_estimator_up_to_four():
    """The bound gains 2 at B = 1/4 and less elsewhere; cM, which is half of one public value, gains 4."""
    B = sym.affine_error
    gain = sym.switched_bound / sym.shrunk_bound
    assert gain.subs(B, sp.Rational(1, 4)) == 2
    assert all(1 < gain.subs(B, b) < 2 for b in (sp.Rational(k, 100) for k in range(1, 200) if k != 25))
    for mean in np.linspace(-0.5, 0.5, 21):  # coins at the ends have the largest variance for their mean
        error = sum(p * (x / 2 - mean) ** 2 for p, x in ((0.5 + mean, 0.5), (0.5 - mean, -0.5)))
        assert error == pytest.approx(float(sym.one_public_user), rel=1e-14)
    assert adpm.worst_case_mse([np.inf]) == float(4 * sym.one_public_user)
    rng = np.random.default_rng(5)
    gains = {}
    for budgets in [[np.inf], [1e3], *(10 ** rng.uniform(-2, 2, size) for size in rng.integers(1, 9, 40))]:
        w = adpm.weights(budgets)
        scale = affine.noise_scale(w, budgets)
        c = 1 / (1 + 4 * affine.mean_squared_error(w, scale))
        at_ends = max((1 - c) ** 2, c**2 * (w @ w)) / 4 + 2 * (c * scale) ** 2  # a point mass, or a fair coin
        gains[tuple(budgets)] = adpm.worst_case_mse(budgets) / at_ends
    assert gains[(np.inf,)] == 4 and all(1 < gain <= 4 for gain in gains.values())
    assert gains[(1e3,)] > 3.9
