"""Which sentences a reader remembers of a page, and the populations on which they are tried."""

import re
from functools import cache

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from hdp.compare import Population
from tests.files import read

thorough = settings(deadline=None, max_examples=60)
ASKED = {}  # the words that properties are about, by page


def says(page, *words):
    """The decorated property is what these words of the page's headlines say."""

    def add(check):
        ASKED.setdefault(page, []).extend(map(_flat, words))
        return check

    return add


@cache
def headlines(page):
    """Title, bold sentence, headings and summary of a page (as in `synthesis/one-picture`), a sentence each."""
    text = read(f"book/{page}.md").split("\n---\n", 1)[-1]
    plain = re.sub(r"^```\{code-cell\}.*?^```$", "", text, flags=re.S | re.M)
    found = [heading for heading in re.findall(r"^#{1,3} (.+)$", plain, re.M) if heading not in ROUTINE]
    found += re.findall(r"^\*\*(.+?)\*\*$", plain, re.M)[:1]
    summary = re.search(r"^## In two sentences\n+(.+?)\n\n", plain, re.S | re.M)
    return list(map(_flat, found + (summary[1].splitlines() if summary else [])))


def _flat(words):
    return " ".join(words.replace("*", "").split())


ROUTINE = {"Exercises", "In two sentences", "What the paper leaves unsaid", "What the papers leave unsaid"}

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
    return Population(epsilon, trust if local else "curator", k if records else 1)
