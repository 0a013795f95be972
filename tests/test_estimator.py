"""What is asked of everything that estimates: made once, frozen, and as good and as private as it says."""

from dataclasses import FrozenInstanceError
from functools import partial

import numpy as np
import pytest

from hdp import ADPM, GivenData, Linear, Threshold, baselines, compare, hybrid, notions, user_level
from hdp.affine import Affine
from hdp.compare.rankings import ESTIMATORS, Asked
from hdp.estimator import Estimator
from hdp.simulate import mean_squared_error
from hdp.users import Users
from tests.compare.common import coins

inf = float("inf")
E = np.array([0.2, 0.5, 0.5, 1.0, 2.0, 4.0] * 4)
K = np.repeat([400, 20], [1000, 4000])
HALF = Users(E, ["curator", "local"] * 12)
MANY = Users(np.full(5000, 1.5), "curator", K)


def ranked(entry):
    """An estimator of the ranking, for people whom it fits, with the budgets of those whom it asks."""
    people, spread = (MANY, 0.03) if entry.name == "algorithm-2" else (HALF, 0.1)
    if entry.name == "sm":
        people = Users(np.append(E, [4.0] * 4))
    asked = Asked.of(entry.who, people, np.full(people.size, 0.2), (0.5, spread))
    assert not entry.obstacle(asked)
    return entry.make(asked), asked.epsilon


S = hybrid.Setting(n=24, c=0.25, m=2, epsilon=0.7, sigma_t=0.3, mu_t=0.9, mu_l=1.1)
GAUSSIAN = hybrid.Setting(n=24, c=0.25, m=2, epsilon=0.7, sigma_t=0.3, delta=1e-6)
MADE = {entry.name: partial(ranked, entry) for entry in ESTIMATORS}
MADE |= {
    "best linear": lambda: (Linear(E), E),
    "given data": lambda: (GivenData(E), E),
    "one threshold, chosen": lambda: (Threshold(E, tau=0.7), E),
    "stretching": lambda: (baselines.estimator("stretching", E), E),
    "sampling, not private": lambda: (baselines.estimator("sm", [0.1, 1.0, 1.0]), [1.0, 1.0, 1.0]),
    "adpm, zcdp": lambda: (ADPM(E, measure="zcdp"), E),
    "adpm, approximate": lambda: (ADPM(E, measure=notions.approximate(1e-6)), E),
    "adpm, in a ball": lambda: (ADPM(9 * E, dimension=3), 9 * E),
    "adpm, answers 0": lambda: (ADPM([0.1, 0.1]), [0.0, 0.0]),
    "adpm, answers 0 in a cube": lambda: (ADPM([0.1, 0.1], dimension=2, shape="cube"), [0.0, 0.0]),
    "secret": lambda: (compare.secret_release(HALF), E),
    "best reports": lambda: (compare.mixed_release(HALF, 0.1, "best"), E),
    "ideal, a budget each": lambda: (user_level.private_ideal(np.full(24, 9), 0.5, 0.1, E), E),
    **{f"hybrid, {name}": partial(lambda name: (hybrid.estimator(name, S), 0.7), name) for name in hybrid.NAMES},
    "hybrid, Gaussian": lambda: (hybrid.estimator("kvh", GAUSSIAN), 0.7),
}


def test_who_may_lose_more_is_told_so():
    """By SM below the budgets for which it is proved, and in a setting with too little noise of its own."""
    assert baselines.estimator("sm", [0.2, 0.8]).loss.tolist() == [0.8, 0.8]
    own = hybrid.Setting(n=4, c=0.5, m=1, epsilon=0.1, sigma_t=0.3, s_t2=0.02, s_l2=0.18)
    np.testing.assert_allclose(hybrid.estimator("kvh", own).loss, [5, 5, 10 / 3, 10 / 3], rtol=1e-12)


@pytest.mark.parametrize("name", MADE)
def test_everything_that_estimates_has_one_shape(name):
    """Three methods and a number of users; nobody loses more than she allows; nothing can be changed afterwards."""
    made, epsilon = MADE[name]()
    assert isinstance(made, Estimator)
    loss = made.loss
    assert np.all(loss <= np.asarray(epsilon) * (1 + 1e-12)) and np.all(loss >= 0)
    assert 0 < made.mse() < inf and isinstance(made.mse(), float)
    assert 0 <= made.users <= loss.size and isinstance(made.users, int)
    with pytest.raises(FrozenInstanceError):
        made.scale = 0.0
    x = np.full((2, loss.size, 3) if "ball" in name else (2, loss.size, 2) if "cube" in name else (2, loss.size), 0.25)
    np.testing.assert_array_equal(made.estimate(x, 1), made.estimate(x, 1))
    assert len(made.estimate(x, 1)) == 2
    with pytest.raises(ValueError, match=r"must lie in \["):
        made.estimate(x + 2, 1)
    if name in ("private-ideal", "algorithm-2", "ideal, a budget each"):
        assert made.mse(0.2) == inf
    else:
        with pytest.raises(ValueError, match="variance must"):
            made.mse([0.1, -1.0])


@pytest.mark.parametrize(
    "name", ["best linear", "given data", "stretching", "ldpe", "ldpe-users", "threshold", "secret"]
)
@pytest.mark.parametrize("mean", [0.0, 0.3])
def test_an_error_is_that_of_draws(name, mean):
    """Simulated, |z| < 4: at the mean for which it is largest, and elsewhere no more."""
    made, _ = MADE[name]()
    centre = (getattr(made, "lower", 0) + getattr(made, "upper", 1)) / 2
    v = np.full(made.loss.size, (0.5 - mean) ** 2)  # whose values mean +- deviation stay inside
    options = {"clamp": False} if name == "secret" else {}
    found, bar = mean_squared_error(
        partial(made.estimate, **options), coins(v, centre + mean), centre + mean, 20_000, seed=3, progress=False
    )
    assert found < made.mse(v) + 4 * bar
    if name not in ("best linear", "given data", "stretching"):
        assert abs(found - made.mse(v)) < 4 * bar


@pytest.mark.parametrize("weights", [[0.3, 0.2, 0.1], [0.0, 0.0, 0.0], [0.5, 0.2, 0.3]])
def test_the_error_of_a_biased_answer_is_that_of_the_worst_mean(weights):
    """Over a grid of means, next to each of which a value varies as much as it may and can."""
    v, made = np.array([0.05, 0.2, 0.25]), Affine(np.array(weights), np.array([0.1]))
    squares = np.linspace(0, 0.25, 2001)[:, None]
    sampling = np.sum(np.minimum(v, 0.25 - squares) * made.weights**2, axis=1)
    worst = np.max(sampling + (1 - made.weights.sum()) ** 2 * squares[:, 0]) + 2 * 0.1**2
    assert made.mse(v) == pytest.approx(worst, rel=1e-12)


@pytest.mark.parametrize("epsilon", [[1.0], [0.1] * 5, [0.3, 1.0, 9.0, inf], np.linspace(0.01, 3, 40)], ids=len)
def test_the_worst_error_is_that_of_the_modules(epsilon):
    """Its formula, and what weights and noise err by."""
    assert Threshold(epsilon).mse() == pytest.approx(Threshold(epsilon).as_affine.mse(), rel=1e-14)
    for name in baselines.BASELINES.keys() - {"stretching", "adpm"}:
        made = baselines.estimator(name, epsilon)
        assert made.mse(0.1) == pytest.approx(baselines.expected_mse(name, epsilon, 0.1), rel=1e-14)


def test_data_may_lie_around_any_centre():
    """The same answer, moved, and the same error and losses."""
    for name in ("adpm", "ldpe", "stretching", "sm"):
        made = baselines.estimator(name, E)
        moved, x = made.within(0, 1), np.random.default_rng(1).random((3, E.size))
        np.testing.assert_allclose(moved.estimate(x, 4), made.estimate(x - 0.5, 4) + 0.5, rtol=1e-13)
        assert moved.mse() == made.mse() and np.all(moved.loss == made.loss)
