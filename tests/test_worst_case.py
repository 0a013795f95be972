"""The worst case of one threshold: exact supremum, instances that approach it, the trivial answer admitted."""

from fractions import Fraction
from itertools import combinations, pairwise

import cvxpy as cp
import mpmath
import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from hdp import adpm, threshold
from hdp.explore import Points
from hdp.figures import ALL
from hdp.sym import cz_worst_case as sym
from hdp.sym.symbols import n as users


def gain(sizes):
    """Return k - sum N_(j-1)/N_j in exact fractions."""
    return len(sizes) - sum(Fraction(int(a), int(b)) for a, b in pairwise(sizes))


def every_sequence(k, n):
    """All N_1 < ... < N_k = n, with any N_1."""
    return ((*inner, n) for inner in combinations(range(1, n), k - 1))


def exact_risks(levels, sizes, tau=None):
    """Eqs. (3) and (2) in fractions, for descending levels and cumulative counts."""
    one = min(Fraction(1, 4 * m) + 2 / (m * e) ** 2 for e, m in zip(levels, sizes, strict=True))
    tau = tau or levels[0]
    groups = [(b - a, min(e, tau)) for e, a, b in zip(levels, (0, *sizes), sizes, strict=False)]
    total = sum(m * e for m, e in groups)
    return one, (sum(m * e**2 for m, e in groups) / 4 + 2) / total**2


def plain_programme(n, most=None):
    """F(k, n) for all k up to `most` by the textbook recursion over all pairs of counts."""
    counts = np.arange(1.0, n + 1)
    step = np.where(counts[:, None] < counts, 1 - counts[:, None] / counts, -np.inf)
    best = np.where(counts == 1, 1.0, -np.inf)
    found = [1.0]
    for _ in range((most or n) - 1):
        best = np.max(best[:, None] + step, axis=0)
        found.append(best[-1])
    return np.array(found)


def affine_by_solver(epsilon):
    """Eq. (1) by a convex solver; public users have no noise."""
    w = cp.Variable(epsilon.size, nonneg=True)
    cost = np.where(np.isinf(epsilon), 0.0, 1 / epsilon)
    objective = cp.sum_squares(w) / 4 + 2 * cp.square(cp.max(cp.multiply(cost, w)))
    return cp.Problem(cp.Minimize(objective), [cp.sum(w) == 1]).solve(solver=cp.CLARABEL)


def test_sizes_are_the_best_of_all_in_fractions():
    """Every sequence for n up to 12, every k; also those that do not begin with 1."""
    for n in range(1, 13):
        for k in range(1, n + 1):
            sizes = threshold.worst_case_sizes(k, n)
            best = max(map(gain, every_sequence(k, n)))
            assert gain(sizes) == best and sizes[-1] == n and len(sizes) == k and (k == 1 or sizes[0] == 1)
            assert threshold.worst_case_ratio(k, n) == pytest.approx(float(best) ** 2, rel=1e-14)


@pytest.mark.parametrize("n", [13, 50, 100, 177, 300])
def test_ratio_agrees_with_the_plain_programme(n):
    """Another algorithm, for every k."""
    found = [threshold.worst_case_ratio(k, n) for k in range(1, n + 1)]
    np.testing.assert_allclose(found, plain_programme(n) ** 2, rtol=1e-12)


def test_a_million_users_nearly_meet_the_relaxation():
    """All k up to 50 and k = n; between a valid sequence and the bound of real counts, which it nearly reaches."""
    n = 10**6
    found = [threshold.worst_case_ratio(k, n) for k in (*range(2, 51), n)]
    relaxed = [float(sym.relaxed_gain.subs({sym.k: k, users: n})) ** 2 for k in range(2, 51)]
    assert np.all(np.array(found[:-1]) <= np.array(relaxed) * (1 + 1e-12))
    np.testing.assert_allclose(found[:5], relaxed[:5], rtol=1e-5)
    assert found[-1] == pytest.approx(float(mpmath.harmonic(n) ** 2), rel=1e-14)


@pytest.mark.parametrize("n", [10**4, 10**6, 999_983])
def test_no_neighbour_of_a_long_sequence_is_better(n):
    """Moving one or two adjacent counts by up to 3 never gains: a check that knows nothing of the search."""
    for k in (3, 7, 14, 30):
        sizes = threshold.worst_case_sizes(k, n)
        best = gain(sizes)
        assert float(best) ** 2 == pytest.approx(threshold.worst_case_ratio(k, n), rel=1e-14)
        moves = range(-3, 4)
        for j in range(1, k - 1):
            for move in ((a, b) for a in moves for b in (moves if j + 1 < k - 1 else [0])):
                other = sizes.copy()
                other[j : j + len(move)] += np.array(move)[: k - j]
                if np.all(np.diff(other) > 0):
                    assert gain(other) <= best


def test_harmonic_bound_and_its_place():
    """F^2 <= min(k, H_n)^2 < 4 F^2, and the harmonic number against fractions."""
    for n in (2, 5, 17, 100, 3000, 10**6):
        for k in (2, 3, 5, 8, 13, 20, n):
            bound, exact = threshold.harmonic_bound(k, n), threshold.worst_case_ratio(k, n)
            assert exact <= bound * (1 + 1e-14) and bound < 4 * exact
    harmonic = sum(Fraction(1, i) for i in range(1, 51))
    assert threshold.harmonic_bound(99, 50) == pytest.approx(float(harmonic) ** 2, rel=1e-14)


def test_no_small_instance_exceeds_the_worst_case():
    """All vectors of up to 6 users with budgets on a grid, in exact fractions and against every clipping level."""
    grid = [Fraction(1, d) / 50 for d in (1, 2, 3, 4, 6)] + [Fraction(1), Fraction(7)]
    top = {}
    for n in range(1, 7):
        for k in range(1, n + 1):
            for sizes in every_sequence(k, n):
                for levels in combinations(sorted(grid, reverse=True), k):
                    for tau in levels:
                        one, affine = exact_risks(levels, sizes, tau)
                        top[k, n] = max(top.get((k, n), 0), one / affine)
    for (k, n), ratio in top.items():
        assert ratio <= max(map(gain, every_sequence(k, n))) ** 2 <= min(k, gain(range(1, n + 1))) ** 2
        assert ratio > 0.99 * max(map(gain, every_sequence(k, n))) ** 2 or k > 4 or n > 4


@settings(max_examples=300, deadline=None)
@given(st.lists(st.floats(1e-6, 1e3), min_size=1, max_size=60), st.integers(1, 8), st.booleans())
def test_no_random_instance_reaches_the_worst_case(budgets, k, public):
    """At most k different budgets among up to 60 users, one of them perhaps public."""
    epsilon = np.array(budgets)[np.arange(60) % min(k, len(budgets))][: len(budgets)]
    if public:
        epsilon[epsilon == epsilon.max()] = np.inf
    levels = len(set(epsilon))
    one, affine = threshold.threshold_mse(epsilon), threshold.affine_mse(epsilon)
    assert one <= threshold.worst_case_ratio(levels, epsilon.size) * affine * (1 + 1e-12)
    capped = min(one, 0.25) / min(affine, 0.25)
    assert capped <= threshold.worst_case_ratio(levels, epsilon.size) * (1 + 1e-12)


@pytest.mark.parametrize(("k", "n"), [(1, 5), (2, 2), (3, 40), (5, 300), (12, 12)])
def test_the_extremal_instance_approaches_the_worst_case(k, n):
    """With the rate that the docstring states, exactly, and never beyond; each threshold has the same noise."""
    for scale in (Fraction(1, 10), Fraction(1, 1000)):
        sizes = [int(v) for v in threshold.worst_case_sizes(k, n)]
        one, affine = exact_risks([scale / v for v in sizes], sizes)
        q = sum(Fraction(b - a, b * b) for a, b in zip([0, *sizes], sizes, strict=False))
        assert one / affine == gain(sizes) ** 2 * (8 + scale**2 / n) / (8 + scale**2 * q)
        epsilon = threshold.worst_case_budgets(k, n, float(scale))
        found = threshold.threshold_mse(epsilon) / threshold.affine_mse(epsilon)
        assert found == pytest.approx(float(one / affine), rel=1e-12)
        assert found <= threshold.worst_case_ratio(k, n) * (1 + 1e-13)
    assert found == pytest.approx(threshold.worst_case_ratio(k, n), rel=1e-6)


def test_theorem_3_against_the_statement():
    """The construction with counts m B^(j-1), in fractions."""
    for k, b, m, s in ((2, 2, 1, 1), (4, 3, 5, Fraction(1, 7)), (6, 10, 2, 4)):
        sizes = [m * b**j for j in range(k)]
        one, affine = exact_risks([Fraction(s) / v for v in sizes], sizes)
        values = {sym.k: k, sym.B: b, sym.m: m, sym.s: sp.Rational(Fraction(s))}
        assert sp.Rational(one / affine) == sym.geometric_ratio.subs(values)


def test_saturating_budgets_give_every_threshold_the_same_risk():
    """Eq. (3) at each of the budgets, and infinite ones where even public values err too much."""
    for sizes, risk in (([1, 4, 90], 0.25), ([3, 5, 17], 0.25), ([2, 30, 31, 400], 0.05), ([2, 3], 40.0)):
        epsilon = threshold.saturating_budgets(sizes, risk)
        assert epsilon.size == sizes[-1] and np.all(epsilon[1:] <= epsilon[:-1])
        for size in sizes:
            found = threshold.threshold_mse(epsilon, epsilon[size - 1])
            wanted = risk if np.isfinite(epsilon[size - 1]) else 0.25 / size
            assert found == pytest.approx(wanted, rel=1e-13) and wanted >= risk


@pytest.mark.parametrize("n", [2, 3, 10, 200, 5000])
def test_two_levels_with_the_trivial_answer_agree_with_the_statement(n):
    """NumPy against `hdp.sym`, for every number of generous users on a grid."""
    for m in {1, *np.unique(np.geomspace(1, n - 1, 12).astype(int)).tolist()}:
        found = 0.25 / threshold.affine_mse(threshold.saturating_budgets([m, n]))
        statement = sym.two_level_public if m == 1 else sym.two_level_capped.subs(sym.m, m)
        assert found == pytest.approx(float(statement.subs(users, n)), rel=1e-12)


@pytest.mark.parametrize("n", [2, 3, 5, 30, 400])
def test_all_different_with_the_trivial_answer_agrees_with_statement_and_solver(n):
    """J from the clipping level; a convex solver as a third party."""
    epsilon = threshold.saturating_budgets(np.arange(1, n + 1))
    clipped = int(np.sum(epsilon >= adpm.clipping_level(epsilon) * (1 - 1e-12)))
    tail = sum(1 / np.sqrt(j * (j - 1)) for j in range(clipped + 1, n + 1))
    expected = float(sym.all_different_capped.subs({sym.J: clipped, sym.A_J: tail, users: n}))
    assert 0.25 / threshold.affine_mse(epsilon) == pytest.approx(expected, rel=1e-12)
    assert threshold.affine_mse(epsilon) == pytest.approx(affine_by_solver(epsilon), rel=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_nothing_beats_the_saturating_budgets(seed):
    """Random budgets, and random sizes saturated at another risk, stay below the best sizes at risk 1/4."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    for k in range(2, n + 1):
        best = max(0.25 / threshold.affine_mse(threshold.saturating_budgets(s)) for s in every_sequence(k, n))
        for _ in range(40):
            sizes = np.append(np.sort(rng.choice(n - 1, k - 1, replace=False) + 1), n)
            levels = np.sort(np.exp(rng.normal(-1, 1.5, k)))[::-1]
            saturated = threshold.saturating_budgets(sizes, rng.uniform(0.26 / n, 0.25))
            for epsilon in (np.repeat(levels, np.diff(sizes, prepend=0)), saturated):
                one, affine = threshold.threshold_mse(epsilon), threshold.affine_mse(epsilon)
                assert min(one, 0.25) / min(affine, 0.25) <= best * (1 + 1e-12)
        assert best <= threshold.worst_case_ratio(k, n)


@pytest.mark.parametrize(("k", "n"), [(0, 3), (3, 0), (1.5, 3), (2, 10**10), ("a", 2), (2, float("nan"))])
def test_bad_counts_are_refused(k, n):
    """The message names the argument."""
    for function in (threshold.worst_case_ratio, threshold.harmonic_bound, threshold.worst_case_sizes):
        with pytest.raises(ValueError, match=r"[kn] must"):
            function(k, n)


def test_bad_scales_sizes_and_risks_are_refused():
    """The message names the argument."""
    for scale in (0, -1, float("inf")):
        with pytest.raises(ValueError, match="scale must"):
            threshold.worst_case_budgets(2, 3, scale)
    for sizes in ([], [0, 2], [2, 2], [1, 2.5], [3, 1]):
        with pytest.raises(ValueError, match="sizes must"):
            threshold.saturating_budgets(sizes)
    with pytest.raises(ValueError, match="risk must"):
        threshold.saturating_budgets([1, 4], 1 / 16)


def test_dots_of_the_figure_are_the_exact_worst_case():
    """The plain recursion over all pairs of counts, up to 1000 users; beyond, between a sequence and the relaxation."""
    for layer in (layer for layer in ALL["cz-worst-case"].layers if isinstance(layer, Points)):
        n = {"10": 10, "100": 100, "1000": 1000, "10⁶": 10**6}[layer.label.split("= ")[1]]
        levels = np.array(layer.x, dtype=int)
        if n <= 1000:
            np.testing.assert_allclose(layer.y, plain_programme(n, max(levels))[levels - 1] ** 2, rtol=1e-12)
        else:
            relaxed = [float(sym.relaxed_gain.subs({sym.k: int(k), users: n})) for k in levels]
            rounded = [gain(np.unique(np.round(np.geomspace(1, n, k)))) for k in levels]
            assert np.all(np.array(layer.y) <= np.array(relaxed) ** 2 * (1 + 1e-12))
            assert np.all(np.array(layer.y) >= np.array(rounded, dtype=float) ** 2 * (1 - 1e-12))


def test_the_value_of_equal_revenue_is_the_limit_of_many_levels():
    """Expected value by quadrature, revenue at every price, and the relaxation for a million levels."""
    for count in (2, 30, 10**5):
        value = 1 + float(mpmath.quad(lambda p: 1 / p, mpmath.linspace(1, count, 50)))
        assert value == pytest.approx(1 + np.log(count), rel=1e-12)
        relaxed = float(sym.relaxed_gain.subs({sym.k: 10**6, users: count}).evalf(30))
        assert relaxed < value and relaxed == pytest.approx(value, rel=1e-4)
        instance = threshold.worst_case_budgets(count, count, 1.0)[: min(count, 10**4)]
        np.testing.assert_allclose(instance * np.arange(1, instance.size + 1), 1.0, rtol=1e-14)
