"""Four local reports: what the library draws and says of it, against their densities, written down anew."""

from fractions import Fraction
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, stats

from hdp import compare, simulate
from tests.compare.common import coins, random_population

SIGMAS, DRAWS = 4, 200_000


def stairs(budget):
    """Steps down to e^-40: their edges to the right of 0, and the density on each part."""
    b, k = np.exp(-budget), np.arange(int(40 / budget) + 2)
    root = (b - 2 * b**2 + 2 * b**4 - b**5) ** (1 / 3)
    gamma = -b / (1 - b) + root / (2 ** (1 / 3) * (1 - b) ** 2)  # as Geng & Viswanath print it
    top = (1 - b) / (2 * (gamma + b * (1 - gamma)))
    edges = np.append(np.column_stack([k, k + gamma]).ravel(), k[-1] + 1)
    return edges, top * np.column_stack([b**k, b ** (k + 1)]).ravel()


def window(x, budget):
    """The same for the density on an interval in which a window is e^epsilon times as high."""
    h = np.exp(budget / 2)
    edges = np.array([-1, h * x - 1, h * x, h]) / (h - 1)
    low = (h - 1) / (h * (h + 1))
    return edges, low * np.array([1.0, h**2, 1.0])


def pieces(report, x, budget):
    """Edges and heights of the density of what is sent."""
    if report == "piecewise":
        return window(x, budget)
    edges, height = stairs(budget)
    return np.concatenate([x - edges[:0:-1], x + edges]), np.concatenate([height[::-1], height])


def moment(edges, height, power, centre=0.0):
    """Of a density that is constant between edges, by Gauss's rule, which is exact here."""
    parts = [integrate.fixed_quad(lambda y: (y - centre) ** power, a, b, n=3)[0]
             for a, b in pairwise(edges)]  # fmt: skip
    return float(np.dot(height, parts))


@pytest.mark.settles("hdp-best-staircase", "hdp-best-piecewise")
@pytest.mark.parametrize("report", ["staircase", "piecewise"])
@pytest.mark.parametrize("budget", [0.2, 1.0, 3.0, 9.0])
@pytest.mark.parametrize("x", [0.0, 0.3, 1.0])
def test_densities_are_unbiased_and_vary_as_the_library_says(report, budget, x):
    """Mass, mean and variance by quadrature, where the value is known: a mean of its own, without variance."""
    edges, height = pieces(report, x, budget)
    assert moment(edges, height, 0) == pytest.approx(1, rel=1e-10)
    assert moment(edges, height, 1) == pytest.approx(x, rel=1e-9, abs=1e-9)
    assert moment(edges, height, 2, x) == pytest.approx(compare.report_variance(report, budget, 0.0, x), rel=1e-9)


@pytest.mark.settles("hdp-best-staircase")
@pytest.mark.parametrize("budget", [0.5, 1.0, 2.0])
def test_staircase_noise_falls_by_the_budget_from_step_to_step(budget):
    """Its size is at least m with the probability exp(-m epsilon), whole steps being geometric."""
    size = np.abs(compare.local_report(np.zeros((10**6, 1)), [budget], "staircase", rng=7))
    for m in (1, 2):
        tail = np.exp(-m * budget)
        assert abs(np.mean(size >= m) - tail) < SIGMAS * np.sqrt(tail * (1 - tail) / size.size)


@pytest.mark.settles("hdp-best-staircase", "hdp-best-piecewise")
@pytest.mark.parametrize("report", ["laplace", "staircase", "piecewise"])
@pytest.mark.parametrize("budget", [0.3, 2.0, 5.0])
def test_reports_follow_their_densities(report, budget):
    """The distribution of draws, by Kolmogorov's and Smirnov's test, also in the part beyond the outer steps."""
    for x in (0.0, 0.35, 1.0):
        sent = compare.local_report(np.full((DRAWS, 1), x), [budget], report, 11).ravel()
        if report == "laplace":
            assert stats.kstest(sent, stats.laplace(x, 1 / budget).cdf).pvalue > 1e-4
            continue
        edges, height = pieces(report, x, budget)
        below = np.concatenate([[0.0], np.cumsum(height * np.diff(edges))])
        assert stats.kstest(sent, lambda y: np.interp(y, edges, below)).pvalue > 1e-4  # noqa: B023
        if report == "piecewise":
            assert edges[0] <= sent.min() and sent.max() <= edges[-1]


@pytest.mark.settles("hdp-best-staircase", "hdp-best-piecewise")
def test_densities_of_two_values_differ_by_the_budget_at_most():
    """In fractions, for e^epsilon = 4, and every pair of values and output of a grid: never more, somewhere as much."""
    grid = [Fraction(i, 12) for i in range(13)]
    outputs = [Fraction(i, 24) + Fraction(1, 97) for i in range(-90, 114)]

    def piecewise(zeta, x, y):
        width, slope, half = 1 / (4 * zeta - 1), 1 / (1 - zeta), Fraction(1, 2)
        inside = abs(y - half - (x - half) * slope) <= width / 2
        low = zeta / (width + slope)
        return (low + inside * (1 - zeta) / width) if abs(y - half) <= (width + slope) / 2 else Fraction(0)

    def staircase(gamma, x, y):
        k = abs(y - x) // 1
        return Fraction(1, 4) ** (k + (abs(y - x) - k >= gamma))

    chances, parts = (Fraction(1, 3), Fraction(1, 2)), (Fraction(0), Fraction(7, 17), Fraction(1))
    for density in (*(partial(piecewise, zeta) for zeta in chances), *(partial(staircase, gamma) for gamma in parts)):
        found = {(x, y): density(x, y) for x in grid for y in outputs}
        pairs = [(found[a, y], found[c, y]) for a in grid for c in grid for y in outputs]
        assert all((p == 0) == (q == 0) for p, q in pairs)
        assert max(p / q for p, q in pairs if q) == 4
    edges, height = window(0.25, np.log(4))
    np.testing.assert_allclose(edges, [-1, -0.5, 0.5, 2], atol=1e-15)
    np.testing.assert_allclose(height, [1 / 6, 4 / 6, 1 / 6], rtol=1e-14)
    b = np.array([np.exp(-1.0)])
    assert np.allclose(stairs(1.0)[1][:2], stairs(1.0)[1][0] * np.array([1.0, b[0]]))


@pytest.mark.parametrize("epsilon", [1e-150, 1e-9, 0.5, 40.0, 1500.0, np.inf])
def test_extreme_budgets_have_numbers(epsilon):
    """Small ones as their series says; without a limit only the bit still varies by more than the value."""
    v = 0.1
    found = {name: compare.report_variance(name, epsilon, v, 0.5) for name in compare.LOCAL_REPORTS}
    assert all(np.isfinite(list(found.values())))
    if epsilon <= 1e-9:
        leading = {"laplace": 2, "staircase": 2, "one-bit": 1, "piecewise": 4 / 3}
        for name, factor in leading.items():
            assert found[name] * epsilon * epsilon == pytest.approx(factor, rel=1e-6)
    if epsilon == np.inf:
        assert found == {"laplace": v, "staircase": v, "piecewise": v, "one-bit": 0.25}
    for name in compare.LOCAL_REPORTS:
        sent = compare.local_report([[0.25, 0.75]] * 5, [epsilon] * 2, name, 1)
        assert np.isfinite(sent).all()
        if epsilon == np.inf and name != "one-bit":
            np.testing.assert_array_equal(sent, [[0.25, 0.75]] * 5)


def test_the_worst_mean_is_the_worst():
    """Whatever mean such values may have, each report varies at most as it says without a mean, and somewhere so."""
    for name in compare.LOCAL_REPORTS:
        for v in (0.0, 0.05, 0.25):
            most = np.sqrt(0.25 - v)
            found = [compare.report_variance(name, 2.0, v, 0.5 + d) for d in np.linspace(-most, most, 41)]
            assert max(found) == pytest.approx(compare.report_variance(name, 2.0, v), rel=1e-12)


@pytest.mark.settles("hdp-best-report")
def test_the_best_report_varies_least():
    """On a grid: no other varies less; each but Laplace noise is best somewhere, in turn as values vary more."""
    epsilon, v = np.meshgrid(np.geomspace(0.05, 12, 60), np.linspace(0, 0.25, 26))
    for mean in (None, 0.5, 0.2):
        best = compare.best_report(epsilon, v, mean)
        every = {name: compare.report_variance(name, epsilon, v, mean) for name in compare.LOCAL_REPORTS}
        least = np.select([best == name for name in every], list(every.values()))
        np.testing.assert_array_equal(least, np.min(list(every.values()), axis=0))
        order = np.select([best == name for name in ("piecewise", "staircase", "one-bit")], [1, 2, 3])
        assert set(order.ravel()) == {1, 2, 3} and (np.diff(order, axis=0) >= 0).all()
        assert (best[epsilon < 0.6] == "one-bit").all() and (best[v == 0.25] == "one-bit").all()


@pytest.mark.settles("hdp-best-mixed")
@pytest.mark.parametrize("mean", [0.5, 0.2])
def test_the_best_mixed_release_errs_by_what_it_says(mean):
    """With every kind of report in it, simulated; and by no more than with simple reports, or at any other mean."""
    people, v = random_population(5, 40)
    people = compare.Population(np.where(people.epsilon == 4, 6.0, people.epsilon), people.trust)
    v = np.minimum(v, 0.03)
    plan = compare.mixed_release(people, v, reports="best")
    assert set(plan.reports) == {"", "one-bit", "piecewise", "staircase"}
    found = simulate.compare({"best": partial(plan.estimate, clamp=False)}, coins(v, mean), mean, 40_000, seed=3)
    assert abs(found["best"].mse - plan.error(mean=mean)) < SIGMAS * found["best"].standard_error
    assert plan.error(mean=mean) < plan.error() < compare.mixed_release(people, v).error()
    sends = plan.reports != ""
    np.testing.assert_allclose(plan.privacy_loss()[sends], people.epsilon[sends], rtol=1e-12)
