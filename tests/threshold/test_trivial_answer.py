"""The worst case of one threshold once the trivial answer is admitted: instances, closed forms, growth."""

import mpmath
import numpy as np
import pytest
import sympy as sp

from hdp import adpm, threshold
from hdp.sym.symbols import n as users
from hdp.sym.threshold import worst_case as sym
from tests.oracles import convex_weights, every_sequence, exact_objective


@pytest.mark.settles("hdp-capped-two")
@pytest.mark.parametrize("n", [2, 3, 10, 200, 5000])
def test_two_levels_with_the_trivial_answer_agree_with_the_statement(n):
    """NumPy against `hdp.sym`, for every number of generous users on a grid."""
    for m in {1, *np.unique(np.geomspace(1, n - 1, 12).astype(int)).tolist()}:
        found = 0.25 / threshold.affine_mse(threshold.saturating_budgets([m, n]))
        statement = sym.two_level_public if m == 1 else sym.two_level_capped.subs(sym.m, m)
        assert found == pytest.approx(float(statement.subs(users, n)), rel=1e-12)


@pytest.mark.settles("hdp-capped-all")
@pytest.mark.parametrize("n", [2, 3, 5, 30, 400])
def test_all_different_with_the_trivial_answer_agrees_with_statement_and_solver(n):
    """J from the clipping level; a convex solver as a third party."""
    epsilon = threshold.saturating_budgets(np.arange(1, n + 1))
    clipped = int(np.sum(epsilon >= adpm.clipping_level(epsilon) * (1 - 1e-12)))
    tail = sum(1 / np.sqrt(j * (j - 1)) for j in range(clipped + 1, n + 1))
    expected = float(sym.all_different_capped.subs({sym.J: clipped, sym.A_J: tail, users: n}))
    assert 0.25 / threshold.affine_mse(epsilon) == pytest.approx(expected, rel=1e-12)
    problem = np.full(n, 0.25), 1 / epsilon, 2.0
    solved = float(exact_objective(convex_weights(*problem), *problem))
    assert threshold.affine_mse(epsilon) == pytest.approx(solved, rel=1e-6)


def two_level_worst(n):
    """Largest `two_level_capped` over whole numbers of generous users, in 40 digits, and who attains it."""
    value = sp.lambdify((sym.m, users), sym.two_level_capped, "mpmath")
    with mpmath.workdps(40):
        middle = int(mpmath.sqrt(n / 2))
        near = range(max(2, middle - 3), min(middle + 5, n - 1))
        far = {max(2, min(n - 2, int(middle * factor))) for factor in (0.01, 0.5, 0.9, 1.1, 2, 100)}
        found = {m: value(mpmath.mpf(m), mpmath.mpf(n)) for m in {*near, *far}}
    best = max(found, key=found.get)
    return found[best], best


@pytest.mark.settles("hdp-capped-two")
def test_two_levels_with_the_trivial_answer_lose_four_but_for_the_root():
    """4 - 4 sqrt(2/n) to first order: what is left is of the next order, 1/n; the best m approaches sqrt(n/2)."""
    for n in (10**2, 10**4, 10**6, 10**9, 10**12, 10**15):
        worst, generous = two_level_worst(n)
        with mpmath.workdps(40):
            left = (worst - mpmath.mpf(sym.two_level_expansion.subs(users, n).evalf(40))) * n / 2
        assert 0.4 < left < 1
        assert abs(generous - float(sym.two_level_generous.subs(users, n))) < 2
    whole = threshold.saturating_budgets([two_level_worst(5000)[1], 5000])
    every = [0.25 / threshold.affine_mse(threshold.saturating_budgets([m, 5000])) for m in range(1, 5000, 7)]
    assert 0.25 / threshold.affine_mse(whole) == pytest.approx(float(two_level_worst(5000)[0]), rel=1e-12)
    assert max(every) <= float(two_level_worst(5000)[0]) * (1 + 1e-12)


def all_different_root(log_n):
    """Root of G(n, n) between two bounds, for n = exp(log_n): A_J lies between ln(n/J) and that plus 1/(2J)."""
    value = sp.lambdify((sym.J, sym.A_J, users), sym.all_different_capped, "mpmath")
    with mpmath.workdps(40):
        log_n, ends = mpmath.mpf(log_n), []
        for excess in (0, mpmath.mpf(1) / 2):
            tail = lambda J: log_n - mpmath.log(J) + excess / J  # noqa: B023, E731
            J = int(mpmath.findroot(lambda J: tail(J) - J, log_n - mpmath.log(log_n)))  # noqa: B023
            ends.append([value(mpmath.mpf(j), tail(mpmath.mpf(j)), mpmath.exp(log_n)) for j in range(J - 2, J + 4)])
        return mpmath.sqrt(min(ends[0])), mpmath.sqrt(max(ends[1]))


@pytest.mark.settles("hdp-capped-all")
def test_all_different_with_the_trivial_answer_grow_as_stated():
    """The root of G(n, n) exceeds ln n - ln ln n by what tends to 0: exactly to a million, by bounds on A_J beyond."""
    excess = []
    for n in (10, 10**3, 10**6):
        exact = 0.25 / threshold.affine_mse(threshold.saturating_budgets(np.arange(1, n + 1)))
        excess.append(exact**0.5 - float(sp.sqrt(sym.all_different_growth.subs(users, n))))
        if n > 10:
            low, high = all_different_root(np.log(n))
            assert low * (1 - 1e-3) < exact**0.5 < high * (1 + 1e-3)
    for log_n in (10**3, 10**5, 10**7):
        with mpmath.workdps(40):
            stated = mpmath.sqrt(mpmath.mpf(sym.all_different_growth.subs(users, sp.exp(log_n)).evalf(40)))
            low, high = all_different_root(log_n)
        assert 0 < low - stated and high - stated < 3 * np.log(log_n) / log_n
        excess.append(float(high - stated))
    assert excess == sorted(excess, reverse=True) and excess[-1] < 1e-5


@pytest.mark.settles("hdp-capped")
@pytest.mark.parametrize("seed", range(12))
def test_nothing_beats_the_saturating_budgets(seed):
    """Random budgets, and random sizes saturated at another risk, stay below the best sizes at risk 1/4."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    for k in range(1, n + 1):
        best = max(0.25 / threshold.affine_mse(threshold.saturating_budgets(s)) for s in every_sequence(k, n))
        for _ in range(40):
            sizes = np.append(np.sort(rng.choice(n - 1, k - 1, replace=False) + 1), n)
            levels = np.sort(np.exp(rng.normal(-1, 1.5, k)))[::-1]
            levels[1:][-1:] *= rng.integers(2)  # 0 may be a budget
            saturated = threshold.saturating_budgets(sizes, rng.uniform(0.26 / n, 0.25))
            near = saturated * np.repeat(np.exp(rng.normal(0, 0.1, k)), np.diff(sizes, prepend=0))
            for epsilon in (np.repeat(levels, np.diff(sizes, prepend=0)), saturated, near):
                one, affine = threshold.threshold_mse(epsilon), threshold.affine_mse(epsilon)
                assert min(one, 0.25) / min(affine, 0.25) <= best * (1 + 1e-12)
        assert best < threshold.worst_case_ratio(k, n) or k == 1


@pytest.mark.settles("hdp-capped")
def test_the_worst_case_with_the_trivial_answer_is_attained():
    """At the stated budgets every threshold errs exactly 1/4, and the ratio exceeds 1; it comes near k^2."""
    for sizes in ([2, 4, 90], [3, 5, 17], [2, 30, 31, 400]):
        epsilon = threshold.saturating_budgets(sizes)
        stated = [float(sym.saturating_budget.subs(sym.m, size)) for size in sizes]
        np.testing.assert_allclose(epsilon[np.array(sizes) - 1], stated, rtol=1e-14)
        risks = [threshold.threshold_mse(epsilon, epsilon[size - 1]) for size in sizes]
        np.testing.assert_allclose(risks, 0.25, rtol=1e-13)
        assert 0.25 / threshold.affine_mse(epsilon) > 1
    public = threshold.saturating_budgets([1, 4])
    assert public[0] == np.inf and threshold.threshold_mse(public, np.inf) == 0.25
    for k, sizes in ((2, [10**3, 10**6]), (3, [500, 30_000, 2_000_000])):
        ratio = 0.25 / threshold.affine_mse(threshold.saturating_budgets(sizes))
        assert 0.97 * k**2 < ratio < k**2
