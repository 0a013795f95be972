"""Independent oracles: exact fractions, a convex solver, the residual of its conditions, frequencies of events."""

import random
import warnings
from fractions import Fraction
from itertools import chain, combinations

import numpy as np
import pytest
import sympy as sp
from hypothesis import settings
from hypothesis import strategies as st

from hdp.sym.symbols import epsilon_1, epsilon_2, f, n

inf = float("inf")
thorough = settings(deadline=None, max_examples=150)

_budget = st.one_of(st.floats(1e-6, 1e6), st.sampled_from([0.0, 0.5, 1.0, 1.0, 2.0, 8.0, inf]))


def budgets(max_size=7):
    """Budgets with ties, zeros and public users, not all zero."""
    return st.lists(_budget, min_size=1, max_size=max_size).filter(any)


@st.composite
def problems(draw, max_size=6):
    """Variances, noise costs and a penalty, with ties, public and unusable items, not all unusable."""
    v = st.one_of(st.floats(1e-3, 1e3), st.sampled_from([0.25, 1.0]))
    s = st.one_of(st.floats(1e-5, 1e5), st.sampled_from([0.0, 0.5, 1.0, inf]))
    items = draw(st.lists(st.tuples(v, s), min_size=1, max_size=max_size).filter(lambda x: any(s < inf for _, s in x)))
    return [v for v, _ in items], [s for _, s in items], draw(st.floats(1e-3, 1e3))


def exact_weights(variance, noise_cost, penalty, every_subset=False):
    """Solve the KKT conditions in fractions: try every set C of clipped items, or only those by lowest v/s.

    With the largest noise scaled to 1 and mu the multiplier of the sum: w = 1/s in C and w = mu/(2v) outside;
    the multipliers of the noise, (mu - 2v/s)/s in C, add up to 2 kappa; none is negative; outside C, s w <= 1.
    """
    v = [Fraction(x) for x in variance]
    s = [None if x == inf else Fraction(x) for x in noise_cost]
    kappa = Fraction(penalty)
    noisy = sorted((i for i, x in enumerate(s) if x), key=lambda i: v[i] / s[i])
    if not noisy:
        return _normalised([0 if x is None else 1 / vi for x, vi in zip(s, v, strict=True)])
    sizes = range(1, len(noisy) + 1)
    sets = [combinations(noisy, k) if every_subset else [noisy[:k]] for k in sizes]
    candidates = chain.from_iterable(sets)
    for clipped in candidates:
        mu = (2 * kappa + 2 * sum(v[i] / s[i] ** 2 for i in clipped)) / sum(1 / s[i] for i in clipped)
        outside = set(noisy) - set(clipped)
        if all(2 * v[i] <= mu * s[i] for i in clipped) and all(s[i] * mu <= 2 * v[i] for i in outside):
            free = [mu / (2 * vi) for vi in v]
            return _normalised([0 if s[i] is None else 1 / s[i] if i in clipped else free[i] for i in range(len(v))])
    raise AssertionError("no set of clipped items satisfies the KKT conditions")


def exact_level(epsilon):
    """The level tau with sum eps (tau - eps)_+ = 8 in fractions, by sorted prefixes; None if it is infinite."""
    finite = sorted(Fraction(x) for x in epsilon if 0 < x < inf)
    total, squares = Fraction(0), Fraction(8)
    for x, following in zip(finite, [*finite[1:], inf], strict=False):
        total, squares = total + x, squares + x * x
        if following == inf or squares <= total * following:
            return squares / total
    return None


def exact_mse(epsilon):
    """Least error of weights with the sum 1, level / (4 sum min(eps, level)) before the cap, in fractions."""
    level = exact_level(epsilon)
    if level is None:
        return Fraction(1, 4 * sum(e == inf for e in epsilon))
    return level / (4 * sum(Fraction(min(e, level)) for e in epsilon))


def exact_objective(weights, variance, noise_cost, penalty):
    """F(w) / (sum w)^2 in fractions: the objective of the weights scaled to the simplex."""
    w = [x if isinstance(x, Fraction) else Fraction(float(x)) for x in weights]
    used = [(x, Fraction(v), Fraction(s)) for x, v, s in zip(w, variance, noise_cost, strict=True) if x]
    noise = max(s * x for x, _, s in used)
    return (sum(v * x * x for x, v, _ in used) + Fraction(penalty) * noise**2) / sum(w) ** 2


def convex_weights(variance, noise_cost, penalty, solver="CLARABEL", tolerances=None):
    """Weights of a convex solver, at its tightest if nothing else is said, projected to the simplex: feasible."""
    import cvxpy as cp

    v, s = (np.asarray(x, dtype=float) for x in (variance, noise_cost))
    usable = np.isfinite(s)
    w, noise = cp.Variable(int(usable.sum()), nonneg=True), cp.Variable()
    objective = cp.sum_squares(cp.multiply(np.sqrt(v[usable]), w)) + penalty * cp.square(noise)
    problem = cp.Problem(cp.Minimize(objective), [cp.sum(w) == 1, cp.multiply(s[usable], w) <= noise])
    tight = {
        "CLARABEL": dict(tol_gap_abs=1e-13, tol_gap_rel=1e-13, tol_feas=1e-13, max_iter=500),
        "OSQP": dict(eps_abs=1e-10, eps_rel=1e-10, max_iter=200_000, polishing=True),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # such tolerances are rarely met to the letter
        problem.solve(solver=solver, **tight[solver] if tolerances is None else tolerances)
    found = np.zeros(v.size)
    found[usable] = np.maximum(w.value, 0)
    return found / found.sum()


def relative_error(values, exact):
    """Largest relative difference from fractions; a zero must be met exactly."""
    pairs = [(Fraction(float(x)), Fraction(e)) for x, e in zip(np.ravel(values), exact, strict=True)]
    return max((abs(x - e) / e if e else (inf if x else 0) for x, e in pairs), default=0)


def _normalised(proportions):
    total = sum(proportions)
    return [Fraction(p) / total for p in proportions]


def log_ratio(first, second, event):
    """Log-ratio of the chances of an event of two samples, and its standard error."""
    a, b = np.mean(event(first)), np.mean(event(second))
    return np.log(a / b), np.sqrt((1 - a) / (a * len(first)) + (1 - b) / (b * len(second)))


def polynomials(statement, reals):
    """Numerator and denominator of a rational statement at the variables of z3 that its symbols, by name, stand for.

    The denominator has one sign, and is made positive.
    """
    parts = sp.fraction(sp.factor(sp.together(statement)))
    used = sorted(set().union(*(part.free_symbols for part in parts)), key=str)
    sign = sp.sign(parts[1].subs(dict.fromkeys(used, sp.Rational(1, 2))))
    return [sp.lambdify(used, sign * part, "math")(*(reals[str(s)] for s in used)) for part in parts]


def search(*claims):
    """Ask z3 for values that satisfy all claims; the answer unknown fails."""
    import z3  # heavy, and only certificates need it

    solver = z3.Tactic("qfnra-nlsat").solver()
    solver.set("timeout", 30_000)
    solver.add(*claims)
    answer = solver.check()
    assert answer != z3.unknown, f"z3 gave up: {solver.reason_unknown()}"
    return answer


def every_sequence(k, n):
    """All N_1 < ... < N_k = n, with any N_1."""
    return ((*inner, n) for inner in combinations(range(1, n), k - 1))


def two_groups(count, seed):
    """Budgets, n and f that floats hold exactly, with n f whole, by their symbols; both cases and the cap occur."""
    rng = random.Random(seed)
    for _ in range(count):
        e1 = sp.Rational(rng.randint(1, 200), 64)
        e2 = e1 + sp.Rational(rng.choice([0, 1, 10, 100, 5000]) * rng.randint(1, 20), 64)
        users = 2 ** rng.randint(1, 10)
        yield {epsilon_1: e1, epsilon_2: e2, n: sp.Integer(users), f: sp.Rational(rng.randint(1, users - 1), users)}


def settling(names, settles):
    """The names as parameters of a test, each with the claims of the book that it settles."""
    return [pytest.param(name, id=name, marks=pytest.mark.settles(*settles.get(name, ()))) for name in names]
