"""The worst case of one threshold: exact supremum, and instances that approach it."""

from fractions import Fraction
from itertools import combinations, pairwise, product

import mpmath
import numpy as np
import pytest
import sympy as sp

from hdp import Threshold, threshold
from hdp.explore import Points
from hdp.figures.threshold.worst_case import worst_case as drawn
from hdp.sym.symbols import n as users
from hdp.sym.threshold import worst_case as sym
from tests.oracles import every_sequence


def gain(sizes):
    """Return the stated k - sum N_(j-1)/N_j in exact fractions."""
    return sym.gain([Fraction(int(v)) for v in sizes])


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


def cheapest_middle(low, high):
    """The whole number c that minimises low/c + c/high, a convex function: one of the two beside its real minimum."""
    c = np.floor(np.sqrt(low * high))
    return np.where(low / c + c / high <= low / (c + 1) + (c + 1) / high, c, c + 1)


def sequences_by_scan(k, n):
    """All best sequences, within rounding, of k = 3 or 4 counts 1 = N_1 < ... < N_k = n: every third count tried."""
    third = np.arange(3.0, n) if k == 4 else np.array([float(n)])
    second = cheapest_middle(1.0, third)
    value = 1 / second + second / third + (third / n if k == 4 else 0)
    for i in np.flatnonzero(value <= value.min() * (1 + 1e-14)):
        yield [1, second[i], third[i], *([n] if k == 4 else [])]


@pytest.mark.settles("hdp-worst-case")
def test_sizes_are_the_best_of_all_in_fractions():
    """Every sequence for n up to 12, every k; also those that do not begin with 1.  F rises with k and n."""
    found = {}
    for n in range(1, 13):
        for k in range(1, n + 1):
            sizes = threshold.worst_case_sizes(k, n)
            best = found[k, n] = max(map(gain, every_sequence(k, n)))
            assert k == 1 or best > found[k - 1, n]
            assert k in (1, n) or best > found[k, n - 1]
            assert gain(sizes) == best and sizes[-1] == n and len(sizes) == k and (k == 1 or sizes[0] == 1)
            assert threshold.worst_case_ratio(k, n) == pytest.approx(float(best) ** 2, rel=1e-14)


@pytest.mark.parametrize("n, step", [(13, 1), (50, 1), (100, 1), (177, 9), (300, 23)])
def test_ratio_agrees_with_the_plain_programme(n, step):
    """Another algorithm, for every k, or every so many."""
    found = [threshold.worst_case_ratio(k, n) for k in range(1, n + 1, step)]
    np.testing.assert_allclose(found, plain_programme(n)[::step] ** 2, rtol=1e-12)


def six_by_scan(n, cost):
    """All best sequences of six counts: every third and fourth count tried for which real counts cost no more."""
    third, fourth = (np.arange(1.0, n) for _ in range(2))
    third = third[2 * third**-0.5 + 3 * (third / n) ** (1 / 3) <= cost * (1 + 1e-12)]
    fourth = fourth[3 * fourth ** (-1 / 3) + 2 * (fourth / n) ** 0.5 <= cost * (1 + 1e-12)]
    second, fifth = cheapest_middle(1.0, third), cheapest_middle(fourth, float(n))
    value = (1 / second + second / third)[:, None] + third[:, None] / fourth + fourth / fifth + fifth / n
    value[third[:, None] >= fourth] = np.inf
    for i, j in np.argwhere(value <= value.min() * (1 + 1e-14)):
        yield [1, second[i], third[i], fourth[j], fifth[j], n]


@pytest.mark.settles("hdp-extremal-counts")
@pytest.mark.parametrize("n", [10, 100, 1000, 999_983, 10**6])
def test_counts_for_a_million_users_are_the_best_of_all(n):
    """Every third count tried, in exact fractions, for 3, 4 and 6 levels; for more, see the next test."""
    for k in (3, 4, 6):
        best = gain(threshold.worst_case_sizes(k, n))
        others = list(sequences_by_scan(k, n) if k < 6 else six_by_scan(n, float(6 - best)))
        assert others and max(map(gain, others)) == best
        assert threshold.worst_case_ratio(k, n) == pytest.approx(float(best) ** 2, rel=1e-14)


@pytest.mark.settles("hdp-relaxed")
def test_real_counts_gain_at_least_as_much():
    """F(k, n) <= k - (k-1) n^(-1/(k-1)) <= 1 + ln n."""
    for n in (2, 3, 7, 30, 1000, 10**6):
        value = float(sym.equal_revenue_value.subs(users, n))
        for k in range(2, min(n, 50) + 1):
            relaxed = float(sym.relaxed_gain.subs({sym.k: k, users: n}))
            assert threshold.worst_case_ratio(k, n) <= relaxed**2 * (1 + 1e-12)
            assert relaxed < value


@pytest.mark.settles("hdp-relaxed")
@pytest.mark.parametrize("base", [2, 3, 10, 100])
def test_powers_attain_the_gain_of_real_counts(base):
    """n = base^(k-1) with counts in geometric progression, in exact rationals."""
    for k in (2, 3, 4):
        n = base ** (k - 1)
        stated = sym.relaxed_gain.subs({sym.k: k, users: n})
        assert stated == sp.Rational(gain(threshold.worst_case_sizes(k, n)))
        assert threshold.worst_case_ratio(k, n) == pytest.approx(float(stated) ** 2, rel=1e-14)


@pytest.mark.settles("hdp-extremal-counts")
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


@pytest.mark.settles("cz-theorem-4")
def test_harmonic_bound_agrees_with_the_statement():
    """And the harmonic number with fractions, and with its bound."""
    for k, n in ((1, 1), (1, 7), (2, 3), (3, 10), (3, 12), (50, 50), (99, 50)):
        harmonic = sum(Fraction(1, i) for i in range(1, n + 1))
        assert harmonic <= 1 + np.log(n)
        assert threshold.harmonic_bound(k, n) == pytest.approx(float(sym.bound(k, sp.Rational(harmonic))), rel=1e-14)


@pytest.mark.settles("cz-tightness")
def test_the_bound_is_less_than_four_times_too_large():
    """F^2 <= min(k, H_n)^2 < 4 F^2 for all k <= n on a grid, and up to 10^9 users."""
    for n in (2, 5, 17, 100, 3000, 10**6, 10**9):
        for k in (1, 2, 3, 5, 8, 13, 20, 30, *([n] if n <= 10**6 else [])):
            bound, exact = threshold.harmonic_bound(k, n), threshold.worst_case_ratio(k, n)
            assert exact <= bound * (1 + 1e-14) and bound < sym.tight_above * exact


@pytest.mark.settles("cz-tightness")
def test_the_bound_is_more_than_two_and_a_half_times_too_large():
    """At k - 1 = ln n levels, where H_n > ln n and F is at most the gain of real counts: the limit, and close to it."""
    y = sp.Symbol("y", positive=True)
    relaxed = sp.powsimp(sp.expand_log(sym.relaxed_gain.subs(sym.k, 1 + y).subs(users, sp.exp(y)), force=True))
    assert sp.simplify(sp.limit((y / relaxed) ** 2, y, sp.oo) - sym.tight_below) == 0
    for power in range(1, 7):
        at_least = float(((y / relaxed) ** 2).subs(y, 10**power))
        assert at_least < sym.tight_below
    assert sp.Rational(5, 2) < at_least < sym.tight_above


def exact_bound(k, n):
    """The bound of Theorem 4 as a fraction."""
    stated = sym.bound(sp.Integer(k), sp.Rational(sum(Fraction(1, i) for i in range(1, n + 1))))
    return Fraction(int(stated.p), int(stated.q))


def hard_instances():
    """Levels, counts and levels of clipping: a grid, everybody different, and few levels that are far apart."""
    grid = [Fraction(7), Fraction(1), *(Fraction(1, 50 * d) for d in (1, 2, 3, 4, 6))]
    for n in range(1, 7):
        for k in range(1, n + 1):
            yield from product(combinations(grid, k), every_sequence(k, n))
    different = tuple(range(1, 13))
    yield tuple(Fraction(1, 1000 * j) for j in different), different
    for sizes in ((1, 10**4), (1, 10**4, 10**8), (3, 3 * 10**4, 3 * 10**8)):
        yield tuple(Fraction(1, 1000 * v) for v in sizes), sizes


@pytest.mark.settles("cz-lemma-1", "hdp-worst-case")
def test_for_every_clipping_level_some_threshold_is_within_the_bound():
    """Lemma 1, in exact fractions; clipped at, between and below the budgets; the bound is approached."""
    nearest, top = {"k": 0, "H_n": 0}, {}
    for levels, sizes in hard_instances():
        k, n = len(levels), sizes[-1]
        bound = exact_bound(k, min(n, 100))  # of so many users it is k^2
        between = [(a + b) / 2 for a, b in pairwise(levels)]
        for tau in (*levels, *between, levels[-1] / 3):
            one, affine = exact_risks(levels, sizes, tau)
            assert one <= bound * affine
            top[k, n] = max(top.get((k, n), 0), one / affine)
            if k > 1:
                which = "k" if n > 100 else "H_n" if k == n > 5 else None
                if which:
                    nearest[which] = max(nearest[which], one / affine / bound)
    assert min(nearest.values()) > 0.999
    for k, n in ((k, n) for k, n in top if n < 7):  # these are all vectors of budgets on a grid, up to six users
        exact = max(map(gain, every_sequence(k, n))) ** 2
        assert float(exact) == pytest.approx(threshold.worst_case_ratio(k, n), rel=1e-14)
        assert top[k, n] < exact or top[k, n] == exact == k == 1
        assert exact <= exact_bound(k, n)
        assert k < n or exact == exact_bound(n, n)  # F(n, n) = H_n
        assert top[k, n] > 0.99 * exact or k > 4 or n > 4


@pytest.mark.settles("cz-theorem-4", "hdp-worst-case")
def test_one_threshold_is_within_the_bound_of_the_best_weights():
    """In the library, user by user, also budgets 0 and infinity; approached with few levels and with all different."""
    shares = {}
    for k, n in ((1, 5), (2, 10**6), (3, 10**6), (60, 60), (1000, 1000)):
        epsilon = threshold.worst_case_budgets(k, n, 1e-4)
        shares[k] = Threshold(epsilon).mse() / threshold.affine_mse(epsilon) / threshold.harmonic_bound(k, n)
        assert shares[k] <= 1 + 1e-12
    assert all(shares[k] > 0.995 for k in shares)
    rng = np.random.default_rng(605)
    for _ in range(300):
        values = np.append(np.exp(rng.uniform(-8, 2, rng.integers(1, 7))), [0.0, np.inf])
        epsilon = np.append(rng.choice(values, rng.integers(1, 100)), values[0])
        k, n = np.unique(epsilon[epsilon > 0]).size, epsilon.size
        exact = threshold.worst_case_ratio(k, n)
        assert Threshold(epsilon).mse() <= exact * threshold.affine_mse(epsilon) * (1 + 1e-12)
        assert exact <= threshold.harmonic_bound(k, n) * (1 + 1e-14)


@pytest.mark.settles("hdp-worst-case")
@pytest.mark.parametrize(("k", "n"), [(1, 5), (2, 2), (3, 40), (5, 300), (12, 12)])
def test_the_extremal_instance_approaches_the_worst_case(k, n):
    """With the rate that the docstring states, exactly, and never beyond; each threshold has the same noise."""
    for scale in (Fraction(1, 10), Fraction(1, 1000)):
        sizes = [int(v) for v in threshold.worst_case_sizes(k, n)]
        one, affine = exact_risks([scale / v for v in sizes], sizes)
        q = sum(Fraction(b - a, b * b) for a, b in zip([0, *sizes], sizes, strict=False))
        assert one / affine == gain(sizes) ** 2 * (8 + scale**2 / n) / (8 + scale**2 * q)
        epsilon = threshold.worst_case_budgets(k, n, float(scale))
        found = Threshold(epsilon).mse() / threshold.affine_mse(epsilon)
        assert found == pytest.approx(float(one / affine), rel=1e-12)
        assert found <= threshold.worst_case_ratio(k, n) * (1 + 1e-13)
    assert found == pytest.approx(threshold.worst_case_ratio(k, n), rel=1e-6)


CONSTRUCTIONS = ((2, 2, 1, 1), (4, 3, 5, Fraction(1, 7)), (6, 10, 2, 4))


@pytest.mark.settles("cz-theorem-3")
def test_theorem_3_against_the_statement():
    """The construction with counts m B^(j-1), in fractions: ratio of the risks, and of the errors at a point mass."""
    for k, b, m, s in CONSTRUCTIONS:
        sizes = [m * b**j for j in range(k)]
        levels = [Fraction(s) / v for v in sizes]
        one, affine = exact_risks(levels, sizes)
        values = {sym.k: k, sym.B: b, sym.m: m, sym.s: sp.Rational(Fraction(s))}
        assert sp.Rational(one / affine) == sym.geometric_ratio.subs(values)
        total = sum((v - w) * e for v, w, e in zip(sizes, [0, *sizes], levels, strict=False))
        noise = min(2 / (v * e) ** 2 for v, e in zip(sizes, levels, strict=True))  # all that is left there
        assert sp.Rational(noise / (2 / total**2)) == sym.point_mass_ratio.subs(values)


@pytest.mark.settles("cz-theorem-3")
@pytest.mark.parametrize("k", [2, 3, 5])
def test_theorem_3_tends_to_the_square_of_the_number_of_levels(k):
    """First B, then s: the weights of the construction, the best weights of the library, and what a fixed s leaves."""
    by_b = sp.limit(sym.geometric_ratio.subs(sym.k, k), sym.B, sp.oo)
    assert sp.limit(by_b, sym.s, 0) == sp.limit(by_b, sym.m, sp.oo) == sym.geometric_supremum.subs(sym.k, k)
    assert by_b.subs({sym.s: 1, sym.m: 1}) == sp.Rational(8, 9) * k**2
    step = 10 ** (6 // (k - 1))
    sizes = np.array([step**j for j in range(k)])
    ratios = {}
    for s in (1e-4, 1.0):
        epsilon = np.repeat(s / sizes, np.diff(sizes, prepend=0))
        ratios[s] = Threshold(epsilon).mse() / threshold.affine_mse(epsilon)
    gained = float(sym.geometric_gain.subs({sym.k: k, sym.B: step})) ** 2
    assert ratios[1e-4] == pytest.approx(gained, rel=1e-7) and gained < sym.geometric_supremum.subs(sym.k, k)
    assert ratios[1.0] < 0.95 * gained


def test_saturating_budgets_give_every_threshold_the_same_risk():
    """Eq. (3) at each of the budgets, and infinite ones where even public values err too much."""
    for sizes, risk in (([1, 4, 90], 0.25), ([3, 5, 17], 0.25), ([2, 30, 31, 400], 0.05), ([2, 3], 40.0)):
        epsilon = threshold.saturating_budgets(sizes, risk)
        assert epsilon.size == sizes[-1] and np.all(epsilon[1:] <= epsilon[:-1])
        for size in sizes:
            found = Threshold(epsilon, tau=epsilon[size - 1]).mse()
            wanted = risk if np.isfinite(epsilon[size - 1]) else 0.25 / size
            assert found == pytest.approx(wanted, rel=1e-13) and wanted >= risk


@pytest.mark.settles("hdp-worst-case-figure")
def test_dots_of_the_figure_are_the_exact_worst_case():
    """The plain recursion over all pairs of counts, up to 1000 users; beyond, between a sequence and the relaxation."""
    for layer in (layer for layer in drawn.layers if isinstance(layer, Points)):
        n = int(layer.label.split("= ")[1].replace(",", ""))
        levels = np.array(layer.x, dtype=int)
        if n <= 1000:
            np.testing.assert_allclose(layer.y, plain_programme(n, max(levels))[levels - 1] ** 2, rtol=1e-12)
        else:
            relaxed = [float(sym.relaxed_gain.subs({sym.k: int(k), users: n})) for k in levels]
            rounded = [gain(np.unique(np.round(np.geomspace(1, n, k)))) for k in levels]
            assert np.all(np.array(layer.y) <= np.array(relaxed) ** 2 * (1 + 1e-12))
            assert np.all(np.array(layer.y) >= np.array(rounded, dtype=float) ** 2 * (1 - 1e-12))


@pytest.mark.settles("cz-footnote-2")
def test_the_value_of_equal_revenue_is_the_limit_of_many_levels():
    """Expected value by quadrature, revenue at every price, and the relaxation for a million levels."""
    for count in (2, 30, 10**5):
        value = 1 + float(mpmath.quad(lambda p: 1 / p, mpmath.linspace(1, count, 50)))
        assert value == pytest.approx(float(sym.equal_revenue_value.subs(users, count)), rel=1e-12)
        relaxed = float(sym.relaxed_gain.subs({sym.k: 10**6, users: count}).evalf(30))
        assert relaxed < value and relaxed == pytest.approx(value, rel=1e-4)
        instance = threshold.worst_case_budgets(count, count, 1.0)[: min(count, 10**4)]
        np.testing.assert_allclose(instance * np.arange(1, instance.size + 1), 1.0, rtol=1e-14)


@pytest.mark.settles("cz-modest-gains")
def test_half_of_a_thousand_random_populations_lose_little_and_some_lose_much():
    """The gains of full personalisation on budgets of a few random levels: their median, and the worst."""
    rng, lost = np.random.default_rng(11), []
    for _ in range(1000):
        epsilon = rng.choice(np.exp(rng.uniform(-8, 2, rng.integers(2, 7))), rng.integers(2, 200))
        lost.append(Threshold(epsilon).mse() / threshold.affine_mse(epsilon) - 1)
    assert 0.05 < np.median(lost) < 0.2 and max(lost) > 1
