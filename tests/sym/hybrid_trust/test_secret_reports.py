"""Secret reports of two groups: statements against the library, against grids and by limits."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
import z3
from scipy.optimize import minimize_scalar

from hdp.compare import Population, secret_release
from hdp.proof import assert_identity
from hdp.sym.hybrid_trust import secret_reports as sym
from hdp.sym.hybrid_trust.amplification import rho
from hdp.sym.hybrid_trust.baselines import c, w
from hdp.sym.symbols import n, v

GROUPS = [
    (3, 1.0, 20, 1.0),
    (3, 1.0, 28, 1.0),
    (3, 0.3, 9, 0.3),
    (30, 0.2, 970, 0.2),
    (1, 1.0, 4, 2.0),
    (400, 0.02, 20, 2.0),
    (5, 1.5, 2000, 0.1),
]
SHARES = [0, 1, 2]  # of four


def at(users, reach, others, other, pooled=0):
    """Symbols of two groups, of whose second so many quarters pool."""
    size = users + others
    return {c: Fraction(users, size), n: size, v: Fraction(1, 4), sym.reach_T: reach, sym.reach_L: other,
            sym.alpha: Fraction(pooled, 4)}  # fmt: skip


def stated(expression, groups, pooled=0):
    values = at(*groups, pooled)
    return float(expression.subs({symbol: given.subs(values) for symbol, given in sym.groups.items()} | values))


@pytest.mark.parametrize("pooled", SHARES)
@pytest.mark.parametrize("groups", [g for g in GROUPS if g[2] % 4 == 0])
def test_statements_agree_with_the_library(groups, pooled):
    """Weight, error, the gain, and who hides whom."""
    users, reach, others, other = groups
    people = Population(np.repeat([reach, other], [users, others]), np.repeat(["curator", "local"], [users, others]))
    plan = secret_release(people, coalition=pooled * others // 4)
    published = secret_release(people, coalition=others).error()
    best = stated(sym.best_weight, groups, pooled)
    assert plan.weights[:users].sum() == pytest.approx(best, rel=1e-9)
    assert plan.error() == pytest.approx(stated(sym.secret_error.subs(w, sym.best_weight), groups, pooled), rel=1e-9)
    assert published == pytest.approx(stated(sym.best_published, groups), rel=1e-9)
    assert published / plan.error() == pytest.approx(stated(sym.gain, groups, pooled), rel=1e-9)
    low, kink = stated(sym.low, groups, pooled), stated(sym.kink, groups, pooled)
    assert (plan.curator_scale > 0) == (low > kink)
    hidden = plan.weights[0] == pytest.approx(plan.weights[-1] * (1 + 4 / other**2), rel=1e-9)  # unclipped
    assert hidden == (others >= stated(sym.hiders, groups, pooled))


@pytest.mark.parametrize("pooled", SHARES)
@pytest.mark.parametrize("groups", GROUPS)
def test_no_weight_on_a_grid_is_better(groups, pooled):
    error = sp.lambdify(w, sym.secret_error.subs(sym.groups).subs(at(*groups, pooled)))
    best = stated(sym.best_weight, groups, pooled)
    assert error(best) <= min(error(x) for x in np.linspace(0, 1, 5001)) * (1 + 1e-12)
    assert error(best) < 0.999 * min(error(1.1 * best), error(0.9 * best)) or best > 0.9


def test_the_three_weights_are_where_parts_of_the_error_are_least():
    """Two parabolas, and the place where they meet."""
    needed, reported = sym.sampling + sym.needed, sym.sampling + sym.report_noise
    assert sp.cancel(sp.diff(needed, w).subs(w, sym.low)) == 0
    assert sp.cancel(sp.diff(reported, w).subs(w, sym.high)) == 0
    assert_identity((sym.report_noise - sym.needed).subs(w, sym.kink), sp.Integer(0))
    assert_identity(reported.subs(w, sym.kink), sym.kink_error)
    best = sp.cancel(sp.solve(sp.diff(sym.published_error, w), w)[0])
    assert_identity(sym.published_error.subs(w, best), sym.best_published)


def test_the_bound_of_the_gain_is_a_supremum():
    """Budgets that vanish, in the ratio at which the two noises are equal; beyond it z3 finds nothing."""
    ratio = (sym.best_published / sym.kink_error).subs(sym.p, sym.kept * sym.q)
    half = ratio.subs(sym.alpha, sp.Rational(1, 2))
    assert sp.limit(half, sym.q, 0) == sym.largest_gain.subs(sym.alpha, sp.Rational(1, 2)) == sp.Rational(3, 2)
    assert sp.limit(ratio.subs(sym.alpha, 0), sym.q, 0) == sym.largest_gain.subs(sym.alpha, 0) == 2
    for place, relation in ((sym.low, -1), (sym.high, 1)):  # there the noises are indeed equal at the best weight
        beside = (place - sym.kink).subs(sym.p, sym.kept * sym.q).subs(sym.alpha, sp.Rational(1, 2))
        assert sp.sign(sp.limit(beside, sym.q, 0)) == relation
    N, M, share, values = z3.Reals("N M alpha values")
    larger = z3.If(N > M + share * N, N, M + share * N)
    solver = z3.Solver()
    solver.add(N >= 0, M >= 0, values >= 0, share >= 0, share <= 1)
    assert solver.check(values + N + M > (2 - share) * (values + larger)) == z3.unsat
    assert solver.check(values + N + M > (1.9 - share) * (values + larger)) == z3.sat


@pytest.mark.parametrize("others, reach, other", [(100, 0.4, 0.3), (400, 0.1, 0.5), (64, 1.0, 1.0)])
def test_the_frontier_runs_from_equal_weights_to_the_silent_curator(others, reach, other):
    """Every point of it is the best release for its budget, without noise of the curator's."""
    users = 50
    ends = at(users, reach, others, other)
    for much in np.linspace(1, float(sym.frontier_end.subs(ends)), 7):
        here = ends | {rho: much}
        budget = float(sym.frontier_loss.subs(here))
        trust = np.repeat(["curator", "local"], [users, others])
        plan = secret_release(Population(np.repeat([budget, other], [users, others]), trust))
        assert plan.curator_scale == 0 and plan.privacy_loss()[0] == pytest.approx(budget, rel=1e-9)
        assert plan.error() == pytest.approx(float(sym.frontier_error.subs(here)), rel=1e-9)
        assert plan.weights[0] / plan.weights[-1] == pytest.approx(much, rel=1e-9)
    more = secret_release(Population(np.repeat([9.0, other], [users, others]), trust))
    assert more.error() == pytest.approx(plan.error(), rel=1e-9)


def laplace_errors(users, budget, others, other):
    """Least errors of two groups with Laplace noise and pure privacy, whose members weigh alike: published, secret."""

    def parts(x):
        report, own = (1 - x) / others / other, x / users / budget
        return (x**2 / users + (1 - x) ** 2 / others) / 4 + 2 * others * report**2, report, own

    def least(extra, top):
        found = minimize_scalar(lambda x: extra(*parts(x)), bounds=(0, top), method="bounded", options={"xatol": 1e-12})
        return min(found.fun, extra(*parts(top)))

    published = least(lambda error, report, own: error + 2 * own**2, 1.0)
    meet = users * budget / (users * budget + others * other)  # up to here a report has the noise of one who trusts
    return published, min(published, least(lambda error, report, own: error, meet))


@pytest.mark.parametrize("others", [1, 2, 5, 20])
def test_pure_privacy_gains_one_part_in_as_many_as_send_reports(others):
    """Never more over many budgets, and almost that much where noise dominates."""
    bound, rng = float(sym.largest_laplace_gain.subs(sym.ell, others)), np.random.default_rng(others)
    gains = []
    for _ in range(200):
        budgets = np.exp(rng.uniform(-6, 1, 2))
        published, secret = laplace_errors(int(rng.integers(1, 50)), budgets[0], others, budgets[1])
        gains.append(published / secret)
    assert max(gains) <= bound * (1 + 1e-9)
    published, secret = laplace_errors(1, 1e-4, others, 1e-4)
    assert published / secret == pytest.approx(bound, rel=1e-3)
