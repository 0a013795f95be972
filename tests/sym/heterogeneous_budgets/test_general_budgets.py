"""The statements for three groups and for log-uniform budgets, against the library and against brute force."""

from functools import cache
from itertools import product

import numpy as np
import pytest
import sympy as sp

from hdp import baselines
from hdp.sym.heterogeneous_budgets import general_budgets as sym
from hdp.sym.heterogeneous_budgets import log_uniform as lu
from hdp.sym.symbols import n


@cache
def compiled(expression, symbols):
    """A function of the symbols."""
    return sp.lambdify(symbols, expression)


def evaluate(expression, values):
    """A number, with the symbols in any order."""
    with np.errstate(all="ignore"):
        return float(compiled(expression, tuple(values))(*values.values()))


def populations(count):
    """Symbols with values, and the budgets of all users: ties and unsorted groups occur."""
    rng = np.random.default_rng(4)
    for _ in range(count):
        budgets = np.exp(rng.uniform(-4, 2, 3))
        if rng.random() < 0.3:
            budgets[rng.integers(3)] = budgets[rng.integers(3)]
        sizes, factor = rng.integers(1, 10, 3), int(rng.integers(1, 50))
        values = dict(zip((*sym.budgets, *sym.sizes), (*budgets, *map(float, sizes)), strict=True))
        yield values | {n: float(sizes.sum() * factor)}, np.repeat(budgets, sizes * factor)


def test_fme_for_groups_is_the_rule_by_sorted_users():
    """Error and weights of the library, where some, all and none are clipped."""
    kinds = set()
    for values, epsilon in populations(150):
        w = baselines.BASELINES["fme"].mechanism(epsilon).weights
        level = evaluate(sym.fme_level, values)
        kinds.add(int(np.sum(np.unique(epsilon) > level)))
        assert evaluate(sym.fme_mse, values) == pytest.approx(baselines.expected_mse("fme", epsilon), rel=1e-12)
        weight = evaluate(sym.fme_weight, values | {sym.budget: epsilon[0]})
        assert weight == pytest.approx(epsilon.size * w[0], rel=1e-12)
    assert kinds == {0, 1, 2, 3}


def test_the_bracket_holds_the_exact_error_of_sampling():
    """Against the sum over every possible sample, few users; the lower end is met where nothing is random."""
    rng = np.random.default_rng(5)
    for _ in range(60):
        epsilon = np.exp(rng.uniform(-2, 1, 7))
        epsilon[: rng.integers(1, 5)] = epsilon.max()
        t = epsilon.max()
        p = np.expm1(epsilon) / np.expm1(t)
        exact = 0.0
        for kept in product((0, 1), repeat=p.size):
            chance, m = np.prod(np.where(kept, p, 1 - p)), sum(kept)
            exact += chance * (1 / (4 * m) + 2 / (m * t) ** 2) if chance > 0 else 0
        assert exact == pytest.approx(baselines.expected_mse("sm", epsilon), rel=1e-12)
        values = {sym.mu: p.sum(), sym.t: t}
        assert evaluate(sym.sampling_lower, values) < exact
        assert p.sum() <= 1 or exact < evaluate(sym.sampling_upper, values)
    many = np.append(np.full(500, 0.05 * 20 / 500), 0.05)  # where the cubic term is needed: 20 of 500 are kept
    sample = 1 + 500 * np.expm1(many[0]) / np.expm1(0.05)
    assert baselines.expected_mse("sm", many) < evaluate(sym.sampling_upper, {sym.mu: sample, sym.t: 0.05})
    same = np.full(9, 0.5)
    lower = evaluate(sym.sampling_lower, {sym.mu: 9.0, sym.t: 0.5})
    assert lower == pytest.approx(baselines.expected_mse("sm", same), rel=1e-13)


@pytest.mark.parametrize("a, b, users", [(0.01, 0.02, 100), (0.001, 0.01, 1000)])
def test_nobody_is_clipped_by_fme_where_budgets_are_tiny(a, b, users):
    """The branch that no slider reaches."""
    values = {lu.low: a, lu.high: b, n: float(users)}
    assert evaluate(lu.fme_mse, values) == evaluate(lu.proportional_mse, values)
