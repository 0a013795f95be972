"""Users and data that the tests of the ranking share."""

import numpy as np

from hdp import compare
from hdp.users import TRUST, Users

inf = float("inf")


def random_population(seed, n=60):
    """Budgets over two decades and a few public ones, mixed trust, unequal variances."""
    rng = np.random.default_rng(seed)
    epsilon = rng.choice([0.2, 0.7, 1.5, 4.0, inf], n, p=[0.3, 0.3, 0.2, 0.15, 0.05])
    trust = np.where(rng.random(n) < 0.5, *TRUST)
    trust[:2], epsilon[:2] = TRUST, 0.2
    return Users(epsilon, trust, rng.integers(1, 30, n)), rng.choice([0.02, 0.1, 0.25], n)


def ranked(*population, **given):
    """The rows of the ranking of a population, or of what makes one, by their names."""
    people = population[0] if isinstance(population[0], Users) else Users(*population)
    return {row.name: row for row in compare.ranking(people, **given)}


def coins(v, mean=0.5):
    """Values mean +- deviation, with these variances."""

    def draw(rng, runs):
        return mean + np.sqrt(v) * (2 * rng.integers(0, 2, (runs, v.size)) - 1)

    return draw
