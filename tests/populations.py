"""The populations on which the properties of pages are tried."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from hdp.users import Users

thorough = settings(deadline=None, max_examples=60)

_budget = st.one_of(
    st.floats(1e-4, 30).map(lambda e: float(f"{e:.4g}")),
    st.sampled_from([0.0, 1e-6, 0.1, 1.0, 1.0, 1e6, np.inf]),
)


def log_uniform(seed, n, low, high):
    """Budgets that are spread evenly over decades."""
    return np.exp(np.random.default_rng(seed).uniform(np.log(low), np.log(high), n))


def groups(counts, levels):
    """Budgets of groups of these sizes."""
    return np.repeat(np.asarray(levels, dtype=float), counts)


# Budgets of every kind: one user, two, a handful with ties, zeros and public ones; two groups or several of any sizes;
# log-uniform; one strict user among many; all alike.
SIZES = st.one_of(st.integers(1, 12), st.sampled_from([1, 100, 3000]))
TWO_GROUPS = st.builds(groups, st.tuples(SIZES, SIZES), st.tuples(_budget, _budget))
SOME_GROUPS = st.lists(st.tuples(SIZES, _budget), min_size=1, max_size=5).map(lambda g: groups(*zip(*g, strict=True)))
LOG_UNIFORM = st.builds(
    log_uniform, st.integers(0, 99), st.sampled_from([1, 2, 30, 1000]), st.sampled_from([1e-3, 0.1]),
    st.sampled_from([1.0, 10.0, 1e3]),
)  # fmt: skip
ONE_STRICT = st.builds(lambda n, low, high: groups((1, n), (low, high)), SIZES, _budget, _budget)
BUDGETS = st.one_of(
    st.lists(_budget, min_size=1, max_size=6).map(np.array), TWO_GROUPS, SOME_GROUPS, LOG_UNIFORM, ONE_STRICT
).filter(np.any)
PRIVATE = BUDGETS.filter(lambda e: np.isfinite(e).all() and (e > 0).all())  # neither public nor unusable


@st.composite
def people(draw, budgets=BUDGETS, local=True, records=True):
    """A population: any budgets, mixed trust, unequal numbers of records up to a million."""
    epsilon = draw(budgets)
    bits = np.random.default_rng(draw(st.integers(0, 99)))
    trust = np.where(bits.random(epsilon.size) < draw(st.sampled_from([0.0, 0.3, 1.0])), "local", "curator")
    k = bits.choice(draw(st.sampled_from([[1], [1, 2], [1, 30, 900], [1, 10**6]])), epsilon.size)
    return Users(epsilon, trust if local else "curator", k if records else 1)
