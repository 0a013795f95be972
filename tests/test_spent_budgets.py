"""Whoever calls the library gets the noise that her budget wants: no less of it, and for no other budget.

Nothing here looks at the scale that a plan states.  A generator in the place of NumPy's lets one noise at a time be as
large as its scale, and all others 0: how far the answer then moves is the noise that was really drawn, and how far a
user's value moves it from one end to the other is what that noise has to hide.  Their ratio is what she really loses.
What is drawn in other ways, in test_drawn_noise.py.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from hdp import ADPM, GivenData, Linear, Threshold, affine, baselines, hybrid, intervals, kmeans, threshold, user_level
from hdp.amplification import exact_scale
from hdp.at_scale import weigh
from hdp.compare import local_report, mixed_release, ranking, secret_release
from hdp.noise import Gaussian, Laplace
from hdp.notions import SHAPES, approximate, renyi
from hdp.users import Users

N = 12
E = np.repeat([0.5, 1.0, 4.0], 4)
K = np.repeat([400.0, 30.0, 5.0], 4)
TRUST = np.resize(["curator", "local"], N)
PEOPLE = Users(E, TRUST)
EIGHT = Users(E[2:10], TRUST[:8], K[:8])
HUNDREDS = Users(np.full(420, 3.0), records=np.repeat([400.0, 5.0], 210))


class Impulse(np.random.Generator):
    """Noise of which every number is 0 but one, which is the scale asked for; all else is drawn with a seed."""

    def __init__(self, place=-1):
        super().__init__(np.random.PCG64(1))
        self.place, self.laws = place, []

    def _noise(self, law, scale, size):
        unit = np.zeros(np.shape(scale) if size is None else size)
        here = self.place - len(self.laws)
        if 0 <= here < unit.size:
            unit.flat[here] = 1.0
        self.laws += [law] * unit.size
        return scale * unit

    def laplace(self, loc=0.0, scale=1.0, size=None):
        return loc + self._noise("laplace", scale, size)

    def normal(self, loc=0.0, scale=1.0, size=None):
        return loc + self._noise("normal", scale, size)

    def standard_normal(self, size=None):
        return self._noise("normal", 1.0, size)


@dataclass
class Row:
    """A public call `run(x, rng)` for the values x of all users along the first axis, and what it may cost them.

    `ratio` is how far each of the users `who` moves the answer over the noise that hides her, as it is documented;
    None where only the most that `budget` allows is known: then nobody exceeds it, and somebody reaches it.
    `hides` is the place of her noise among those that are drawn, or "any" where they are drawn in another order.
    All other values are `base`, while hers goes from one of the `ends` to the other.
    """

    id: str
    run: Callable[..., Any]
    budget: Any
    ratio: Any = None
    ends: tuple = (-0.5, 0.5)
    base: float = 0.0
    hides: Any = 0
    law: str = "laplace"
    who: Any = range(N)
    n: int = N


def moved(run, x, y, place=-1):
    """How far the answer for y with one noise is from the silent one for x."""
    return np.linalg.norm(np.subtract(run(y, Impulse(place)), run(x, Impulse())))


def measured(row):
    """How far every user moves the answer, from end to end, and how far every noise that is drawn moves it."""
    still, users = np.full((row.n, *np.shape(row.ends[0])), row.base), []
    for i in row.who:
        low, high = still.copy(), still.copy()
        low[i], high[i] = row.ends
        users.append(moved(row.run, low, high))
    silent = Impulse()
    row.run(still, silent)
    assert set(silent.laws) == {row.law}, set(silent.laws)
    return np.array(users), np.array([moved(row.run, still, still, place) for place in range(len(silent.laws))])


GAUSSIAN = {  # budgets under a notion, and the ratio that they allow
    "zcdp": ("zcdp", E / 2, lambda rho: np.sqrt(2 * rho)),
    "gdp": ("gdp", E, lambda mu: mu),
    "renyi": (renyi(3.0), E, lambda loss: np.sqrt(2 * loss / 3)),
    "approximate": (approximate(1e-3), E, np.vectorize(lambda epsilon: 1 / exact_scale(1.0, epsilon, 1e-3))),
}


def by_notion(name, dimension=1, shape="ball"):
    """`ADPM.estimate` with Gaussian noise; a user moves between opposite corners."""
    notion, epsilon, reach = GAUSSIAN[name]
    options = dict(measure=notion, dimension=dimension, shape=shape)
    corner = 0.5 if dimension == 1 else np.full(dimension, 0.5 if shape == "cube" else 0.5 / np.sqrt(dimension))
    run = lambda x, rng: ADPM(epsilon, **options).estimate(x, rng)  # noqa: E731
    ratio = reach(ADPM(epsilon, **options).loss)
    return Row(f"adpm {name} {dimension} {shape}", run, reach(epsilon), ratio, (-corner, corner), law="normal")


def in_panel(name):
    return lambda x, rng: baselines.panel(E, [name])(x[None], rng)[name]


def baseline(name, ratio, budget=E, **more):
    """A baseline by its name."""
    return Row(f"baselines {name}", lambda x, rng: baselines.estimator(name, E).estimate(x, rng), budget, ratio, **more)


def of_two_groups(name, ratio, delta=0.0, **more):
    """`hybrid.estimate` with six users who trust and six who do not, values in [0, 2]."""
    s = hybrid.Setting(n=N, c=0.5, m=2, epsilon=0.7, sigma_t=0.3, delta=delta, **more)
    run = lambda x, rng: hybrid.estimate(name, x[:6], x[6:], s, rng)  # noqa: E731
    hides = np.append(np.arange(6, N) if name == "full-lm" else np.full(6, 6), np.arange(6))  # reports come first
    who = {"tcm": range(6), "lm": range(6, N)}.get(name, range(N))
    law = "normal" if delta else "laplace"
    return Row(f"hybrid {name} {law} {more}", run, np.inf, ratio, (0, 2), 1.0, hides, law, who)


def deviation(x, rng):
    """The same from the mean of these very values."""
    s = hybrid.Setting(n=N, c=0.5, m=2, epsilon=0.7, sigma_t=0.3)
    return hybrid.deviation("kvh", x, s, rng) + x.mean()


def clustered(x, rng, variant):
    """The first new centre of one cluster in [-1/2, 1/2], where everybody is, after one of three iterations."""
    s = kmeans.Setting(iterations=3, epsilon=60.0, clusters=2, dimension=1)
    report, central = rng.laplace(size=(N, 1)), rng.laplace(size=(3, 2, 2))
    draws = kmeans.Draws(report, np.zeros((3, N)), np.zeros((3, N), dtype=int), central)
    return kmeans.run(x[:, None], np.full(N, variant == "tcm"), np.zeros((2, 1)), s, draws, variant)[1, 0, 0]


def ranked(name, who, budget, ratio=None, hides=0, people=EIGHT):
    """A row of `compare.ranking`: what it hands on to the estimator that it names."""
    found = next(row for row in ranking(people, prior=(0.5, 0.02)) if row.name == name)
    row = Row(f"ranking {name}", lambda x, rng: found.estimate(x, rng, clamp=False), budget, ratio, **UNIT)
    return replace(row, hides=hides, who=who, n=people.size)


def hidden_together(plan, who):
    """A secret release hides those who trust: up to somebody's budget, and everybody as it says."""
    row = Row("secret", lambda x, rng: plan.estimate(x, rng, clamp=False), E, law="normal", who=who, **UNIT)
    return [row, replace(row, ratio=plan.loss)]


def algorithm_2(x, rng):
    return user_level.private_estimate(x, K, 4.0, rng, head=2, tail=2)


def personal(x, rng):
    return user_level.private_estimate(x, K, E, rng, head=2, tail=2)


def truncated(x, rng):
    return user_level.truncated_estimate(x, E / 22, 0.5, np.linspace(0.05, 0.3, N), 0.7, rng)


def only(users):
    """All of the budget of a few users, who allow 4 each, and nothing of anybody else's."""
    return np.where(np.isin(np.arange(N), users), 4.0, 0.0)


UNIT = dict(ends=(0.0, 1.0), base=0.5)
CLIPPED, TAU = np.minimum(E, 13 / 6), Threshold(E).tau
_, MIDDLE, TAIL, _ = user_level.user_groups(K, 4.0, head=2, tail=2)
PERSONAL = user_level.user_groups(K, E, head=2, tail=2)
IDEAL, ONE = (user_level.private_ideal(K, 0.5, 0.02, budget) for budget in (E, 0.7))
MIXED, SECRET = mixed_release(PEOPLE, reports="laplace"), secret_release(PEOPLE)
REPORTS = secret_release(Users(E, "local"))
BOTH = secret_release(Users(E, np.repeat(TRUST[:2], [N - 1, 1])))  # here the curator adds noise, too
SMALLER = np.repeat([4.0, 4.0, 1.0, 1.0, 0.5, 0.5], 2)[::-1]  # of the two budgets of a pair
EVEN, CURATOR = range(0, 8, 2), range(0, N, 2)  # those who trust, of eight and of all
LEVELS, LARGE = threshold.best_levels(E, 2), weigh(E)


def for_a_few_levels(x, rng):
    return affine.estimate(x, LEVELS.weights, affine.noise_scale(LEVELS.weights, LEVELS.effective_epsilon), rng)


ROWS = [
    Row("affine", lambda x, rng: affine.estimate(x, E / 22, affine.noise_scale(E / 22, E), rng), E, E),
    Row(
        "affine.privacy_loss", lambda x, rng: affine.estimate(x, E / 22, 0.1, rng), E, affine.privacy_loss(E / 22, 0.1)
    ),
    Row("Laplace.calibrated", lambda x, rng: x[0] + Laplace.calibrated(1.0, 0.7).sample(rng), 0.7, 0.7, who=[0]),
    Row("Gaussian.sample", lambda x, rng: x[0] + Gaussian(2.0).sample(rng), 0.5, 0.5, law="normal", who=[0]),
    Row("adpm", lambda x, rng: ADPM(E).estimate(x, rng), E, CLIPPED),
    Row("linear", lambda x, rng: Linear(E).estimate(x, rng), E, Linear(E).loss),
    Row("given_data", lambda x, rng: GivenData(E).estimate(x, rng), E, np.minimum(E, 1.0)),
    Row("threshold", lambda x, rng: Threshold(E).estimate(x, rng), E, np.where(E >= TAU, TAU, 0.0)),
    Row("threshold of 1/2", lambda x, rng: Threshold(E, tau=0.5).estimate(x, rng), E, 0.5),
    Row("threshold.best_levels", for_a_few_levels, E, LEVELS.effective_epsilon),
    Row("at_scale", lambda x, rng: affine.estimate(x, LARGE.of(E), LARGE.noise_scale, rng), E, CLIPPED),
    Row("at_scale, loss", lambda x, rng: affine.estimate(x, LARGE.of(E), LARGE.noise_scale, rng), E, LARGE.loss(E)),
    *map(by_notion, GAUSSIAN),
    *(by_notion("gdp", 2, shape) for shape in SHAPES),
    baseline("adpm", CLIPPED),
    baseline("propdpm", E),
    baseline("uni", 0.5),
    baseline("fme", 1 / np.sqrt(N)),
    baseline("stretching", E),
    baseline("ldpe", E, hides="any"),
    baseline("sm", None, budget=4.0),  # of those who are kept
    Row("panel, linear", in_panel("stretching"), E, E),
    Row("panel, sampled", in_panel("sm"), 4.0),
    *(of_two_groups(name, 0.7) for name in hybrid.NAMES),
    replace(of_two_groups("kvh", 0.7), id="hybrid.deviation", run=deviation),
    of_two_groups("kvh", 0.7 / np.sqrt(2 * np.log(1.25e6)), delta=1e-6),
    of_two_groups("kvh", np.repeat([2 / 6 / 0.1, 2 / 0.3], 6), s_t2=0.02, s_l2=0.18),
    Row("k-means, reports", lambda x, rng: clustered(x, rng, "lm"), 15.0, 15.0, hides=np.arange(N)),
    Row("k-means, curator", lambda x, rng: clustered(x, rng, "tcm"), 20.0, 20 / 3, hides=13),
    Row("private_mean", lambda x, rng: user_level.private_mean(x, 0.7, 0.05, rng)[0], 0.7, 0.7, **UNIT),
    Row("private_mean, own budgets", lambda x, rng: user_level.private_mean(x, E, 0.05, rng)[0], E, CLIPPED, **UNIT),
    Row("private_ideal", IDEAL.estimate, E, **UNIT),
    Row("private_ideal, one budget", ONE.estimate, 0.7, 0.7, **UNIT),
    Row("truncated_estimate", truncated, 0.7, **UNIT),
    Row("Algorithm 2, first mean", lambda x, rng: algorithm_2(x, rng).initial_mean, 4.0, only(TAIL), **UNIT),
    Row("Algorithm 2", lambda x, rng: algorithm_2(x, rng).estimate, 4.0, hides=1, who=MIDDLE, **UNIT),
    Row("personal, first mean", lambda x, rng: personal(x, rng).initial_mean, E, only(PERSONAL.tail), **UNIT),
    Row("personal", lambda x, rng: personal(x, rng).estimate, E, hides=1, who=PERSONAL.middle, **UNIT),
    Row(
        "private_variance",
        lambda x, rng: intervals.private_variance(x, E, rng),
        SMALLER,
        np.minimum(SMALLER, ADPM(SMALLER[::2]).level),
        base=-0.5,
    ),
    Row("local_report", lambda x, rng: local_report(x, E, "laplace", rng).sum(), E, E, hides=np.arange(N), **UNIT),
    Row("mixed", lambda x, rng: MIXED.estimate(x, rng, clamp=False), E, MIXED.loss, hides="any", **UNIT),
    *(row for plan, who in ((SECRET, CURATOR), (BOTH, range(N - 1))) for row in hidden_together(plan, who)),
    Row(
        "secret, reports alone",
        lambda x, rng: REPORTS.estimate(x, rng, clamp=False),
        np.inf,
        REPORTS.weights / np.linalg.norm(REPORTS.weights / E),
        law="normal",
        **UNIT,
    ),
    *(ranked(name, EVEN, EIGHT.epsilon) for name in ("adpm", "propdpm", "fme")),
    ranked("ldpe", EVEN, EIGHT.epsilon, EIGHT.epsilon, hides="any"),
    ranked("ldpe-users", range(8), EIGHT.epsilon, EIGHT.epsilon, hides="any"),
    ranked("sm", EVEN, 4.0),
    *(ranked(name, EVEN, 0.5, 0.5) for name in ("uni", "private-ideal")),
    ranked("threshold", EVEN, Threshold(EIGHT.epsilon[::2]).tau),
    *(ranked(name, EVEN, 0.5, 0.5, hides=4) for name in ("tcm-only", "kvh", "pwh", "naive")),
    ranked("full-lm", range(8), 0.5, 0.5, hides=[4, 0, 5, 1, 6, 2, 7, 3]),
    ranked("algorithm-2", range(205, 215), 3.0, hides=1, people=HUNDREDS),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_an_answer_tells_of_every_user_what_her_budget_allows(row):
    """And no less: who waits for more noise than she asked for has a right to know."""
    who, (users, noise) = list(row.who), measured(row)
    budget, ratio = (
        np.broadcast_to(np.nan if value is None else value, row.n)[who] for value in (row.budget, row.ratio)
    )
    assert row.ratio is None or np.all(ratio <= budget * (1 + 1e-12))
    if isinstance(row.hides, str):
        scales = (np.unique(np.round(scale[scale > 0], 12)) for scale in (noise, users / ratio))
        np.testing.assert_allclose(*scales, rtol=1e-9)
        return
    hidden = np.broadcast_to(noise[row.hides], row.n)[who]
    if row.ratio is None:
        assert np.max(users / hidden / budget) == pytest.approx(1, rel=1e-9)
    else:
        np.testing.assert_allclose(users / hidden, ratio, rtol=1e-9)


@pytest.mark.parametrize(("name", "trust"), [("mixed", EIGHT.trust), ("reports", "local")])
def test_a_ranking_runs_the_mixed_release_itself(name, trust):
    """Draw for draw: the one that the rows above ask about."""
    variance = user_level.sample_mean_variance(0.5, 0.02, EIGHT.records)
    plan = mixed_release(Users(EIGHT.epsilon, trust), variance)
    found = next(row for row in ranking(EIGHT, prior=(0.5, 0.02)) if row.name == name)
    x = np.linspace(0, 1, 8)
    assert found.estimate(x, 7, clamp=False) == plan.estimate(x, 7, clamp=False)
