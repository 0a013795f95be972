"""The mixed release: its weights, reports and errors, and that no other linear release is better.

And the four local reports: what the library draws and says of them, against their densities, written down anew.
"""

import math
from fractions import Fraction
from functools import partial
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from scipy import integrate, stats

from hdp import ADPM, baselines, compare, hybrid, simulate, threshold
from hdp.compare.local_reports import flip_probability
from hdp.compare.rankings import ESTIMATORS
from hdp.sym.synthesis import which_estimator as sym
from hdp.users import TRUST, Users
from tests.compare.common import coins, inf, random_population, ranked
from tests.oracles import exact_weights


def reported(v, epsilon, reports="simple"):
    """Variance of a local report, from the formulas, in the worst case over the mean."""
    noisy = v + 2 / epsilon**2
    if reports == "laplace":
        return noisy
    simple = np.minimum(noisy, 0.25 / np.tanh(epsilon / 2) ** 2)
    stairs = v + (1 + np.cosh(epsilon / 2) ** (2 / 3)) / np.sinh(epsilon / 2) ** 2 / 4
    window = v + 1 / (12 * np.sinh(epsilon / 4) ** 2)
    return simple if reports == "simple" else np.minimum(simple, np.minimum(stairs, window))


@pytest.mark.settles("hdp-best-mixed", "hdp-mixed-release")
@pytest.mark.parametrize("reports", compare.REPORTS)
@pytest.mark.parametrize("seed", range(12))
def test_mixed_weights_agree_with_exact_fractions(seed, reports):
    """The KKT conditions of the statement's own items, in fractions; with them the noise, the reports, the error."""
    rng = np.random.default_rng(seed)
    epsilon = rng.choice([0.25, 0.5, 1.0, 4.0, 8.0, inf, 0.0], 7)
    epsilon[:2] = 1.0, 8.0
    local, v = rng.random(7) < 0.5, rng.choice([0.03125, 0.125, 0.25], 7)
    local[1] = True
    people = Users(epsilon, np.where(local, "local", "curator"))
    plan = compare.mixed_release(people, v, reports)
    sends = local & (epsilon > 0) & np.isfinite(epsilon)
    items = np.where(sends, reported(v, np.where(sends, epsilon, 1.0), reports), v)
    cost = [inf if e == 0 else 0 if r or e == inf else 1 / Fraction(e) for e, r in zip(epsilon, sends, strict=True)]
    expected = np.array([float(w) for w in exact_weights(items, cost, 2)])
    np.testing.assert_allclose(plan.weights, expected, rtol=1e-12, atol=1e-15)
    scale = max(float(w * s) if w else 0.0 for w, s in zip(expected, cost, strict=True))
    assert plan.curator_scale == pytest.approx(scale, rel=1e-12)
    assert plan.mse() == pytest.approx(np.sum(expected**2 * items) + 2 * scale**2, rel=1e-12)
    assert reports == "laplace" or plan.mse() <= compare.mixed_release(people, v).mse() * (1 + 1e-12)
    loss, weighed = plan.loss, ~sends & (expected > 0)
    assert np.all(loss <= epsilon * (1 + 1e-12))
    np.testing.assert_allclose(loss[sends], epsilon[sends], rtol=1e-12)  # whatever the curator does
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(loss[weighed], np.divide(expected[weighed], scale), rtol=1e-12)
    np.testing.assert_array_equal(plan.report_budgets, np.where(sends, epsilon, 0))
    np.testing.assert_array_equal(plan.reports != "", sends)
    noisy = np.isclose(items, v + 2 / np.where(sends, epsilon, 1.0) ** 2, rtol=1e-12)
    np.testing.assert_array_equal(plan.reports == "laplace", sends & noisy)
    assert set(plan.reports[sends]) <= set({"laplace": ["laplace"], "simple": ["laplace", "one-bit"]}.get(
        reports, compare.LOCAL_REPORTS))  # fmt: skip


@pytest.mark.settles("hdp-mixed-release")
@pytest.mark.parametrize("seed", range(4))
def test_the_two_groups_combine_as_independent_answers(seed):
    """The error of both and the weight of those who trust, from the errors of each group alone."""
    people, v = random_population(seed)
    apart = people.local
    F_C, F_L = (compare.mixed_release(people.where(group), v[group]).mse() for group in (~apart, apart))
    at = {sym.trusting_mse: F_C, sym.local_mse: F_L}
    plan = compare.mixed_release(people, v)
    assert plan.mse() == pytest.approx(float(sym.combined_mse.subs(at)), rel=1e-12)
    assert plan.weights[~apart].sum() == pytest.approx(float(sym.trusting_weight.subs(at)), rel=1e-12)


@pytest.mark.settles("hdp-mixed-special")
@pytest.mark.parametrize("seed", range(3))
def test_mixed_release_is_adpm_ldpe_or_kvh_at_the_corners(seed):
    """All trust; nobody does, with Laplace reports; one budget and one variance: weights and errors."""
    epsilon = np.exp(np.random.default_rng(seed).uniform(-3, 2, 80))
    everybody = compare.mixed_release(Users(epsilon))
    np.testing.assert_allclose(everybody.weights, ADPM(epsilon).weights, rtol=1e-12)
    assert everybody.mse() == pytest.approx(threshold.affine_mse(epsilon), rel=1e-12)
    nobody = compare.mixed_release(Users(epsilon, "local"), reports="laplace")
    ldpe = baselines.BASELINES["ldpe-users"].mechanism(epsilon)
    np.testing.assert_allclose(nobody.weights, ldpe.weights, rtol=1e-12)
    assert nobody.mse() == pytest.approx(baselines.expected_mse("ldpe-users", epsilon), rel=1e-12)
    for budget, v in ((0.7, 0.09), (2.0, 0.25)):
        half = Users(np.full(80, budget), np.repeat(TRUST, [30, 50]))
        s = hybrid.Setting(n=80, c=30 / 80, m=1, epsilon=budget, sigma_t=v**0.5)
        found = compare.mixed_release(half, v, reports="laplace")
        assert found.weights[:30].sum() == pytest.approx(hybrid.kvh_weight(s), rel=1e-12)
        assert found.mse() == pytest.approx(hybrid.true_mean_mse(s, hybrid.kvh_weight(s)), rel=1e-12)


class Uniforms(np.random.Generator):
    """A generator whose two draws for a report, of the bit and of the lie, are every pair of midpoints of a grid."""

    def __init__(self, cells):
        super().__init__(np.random.PCG64(0))
        points = (np.arange(cells) + 0.5) / cells
        self.draws = [np.repeat(points, cells), np.tile(points, cells)]

    def random(self, shape):
        """The next coordinate of all pairs."""
        return self.draws.pop(0).reshape(shape)


@pytest.mark.settles("hdp-one-bit")
@pytest.mark.parametrize("odds", [1.5, 3.0, 9.0])
def test_a_report_of_one_bit_is_private_unbiased_and_varies_as_stated(odds):
    """Its code on a grid of uniform numbers that has the frequencies exactly."""
    cells, epsilon, found = 20, np.log(odds), {}
    bit = compare.LOCAL_REPORTS.index("one-bit")
    plan = compare.MixedRelease(*map(np.array, ([1.0], 0.0, [epsilon], [bit], [0.1])))
    assert plan.reports.tolist() == ["one-bit"]
    for value in (0.0, 0.25, 0.5, 1.0):
        every = np.full((cells**2, 1), value)
        found[value] = compare.one_bit_report(every, [epsilon], Uniforms(cells)).ravel()
        assert found[value].mean() == pytest.approx(value, abs=1e-12)
        assert found[value].var() == pytest.approx(plan.mse(mean=value), rel=1e-12)
        assert found[value].var() == pytest.approx(0.25 / np.tanh(epsilon / 2) ** 2 - (value - 0.5) ** 2, rel=1e-12)
        assert np.unique(found[value].round(12)).size == 2
    up = {value: np.mean(reports > 0.5) for value, reports in found.items()}
    pairs = [(up[one], up[other]) for one in up for other in up]
    losses = [np.log(ratio) for a, b in pairs for ratio in (a / b, (1 - a) / (1 - b))]
    assert max(losses) == pytest.approx(epsilon, rel=1e-12) == pytest.approx(plan.loss[0], rel=1e-12)


@pytest.mark.parametrize("epsilon", [1e-100, 1e-12, 0.01, 1.0, 20.0, 36.0, 40.0, 800.0, 1e7])
def test_the_loss_of_a_bit_is_never_more_than_the_budget(epsilon):
    """To the last digit: a lie is drawn no more rarely than it must be, where uniform numbers have 53 bits."""
    plan = compare.mixed_release(Users([epsilon] * 2, "local"))
    assert plan.report_budgets.tolist() == [epsilon] * 2 and plan.reports.tolist() == ["one-bit"] * 2
    lie = Fraction(float(flip_probability(np.array(epsilon))))
    drawn = Fraction(math.ceil(lie * 2**53), 2**53)  # the share of the generator's numbers below it
    with mpmath.workdps(60):
        least = 1 / (1 + mpmath.exp(mpmath.mpf(epsilon)))
        assert mpmath.mpf(drawn.numerator) / drawn.denominator >= least
    assert np.all(plan.loss <= epsilon) and np.isfinite(plan.loss).all()
    assert flip_probability(np.zeros(1)) == 0.5, "who allows nothing says nothing"
    if 0.01 <= epsilon <= 36:
        np.testing.assert_allclose(plan.loss, epsilon, rtol=1e-11)


def test_clamping_is_free_and_the_rule():
    """The noise has the variance 2."""
    rows = ranked([0.05] * 20)
    x = np.tile([0.0, 1.0], (9, 10))
    for name in ("mixed", "ldpe", "uni"):
        clamped, plain = (rows[name].estimate(x, 3, clamp=flag) for flag in (True, False))
        np.testing.assert_array_equal(clamped, np.clip(plain, 0, 1))
        np.testing.assert_array_equal(clamped, rows[name].estimate(x, 3))
        assert np.any(clamped != plain)


@pytest.mark.settles("hdp-mixed-dominates")
@pytest.mark.parametrize("seed", range(6))
def test_no_linear_release_is_better(seed):
    """No rival of the ranking, no other weights with several noises, no smaller budgets, no fewer users."""
    people, v = random_population(seed)
    plan = compare.mixed_release(people, v)
    rows = {name: row for name, row in ranked(people, variance=v).items() if not row.obstacle}
    assert rows["mixed"].error == pytest.approx(plan.mse(), rel=1e-14)
    others = {"mixed", "centre", "sm", "private-ideal", "algorithm-2"}
    linear = set(rows) - others
    assert linear == {entry.name for entry in ESTIMATORS} - others
    assert all(rows[name].error >= plan.mse() * (1 - 1e-12) for name in linear)
    rng, sends = np.random.default_rng(seed), people.local & np.isfinite(people.epsilon)
    curated = ~people.local & np.isfinite(people.epsilon)
    items = np.where(sends, reported(v, np.where(sends, people.epsilon, 1.0)), v)
    for size in (1e-3, 0.1):
        for noises in (1, 1, 2):
            w = plan.weights * np.exp(size * rng.normal(size=people.size))
            w, group = w / w.sum(), rng.integers(0, noises, people.size)
            scales = [np.max(w[curated] / people.epsilon[curated], initial=0, where=group[curated] == g)
                      for g in range(noises)]  # fmt: skip
            assert np.sum(w**2 * items) + 2 * max(scales) ** 2 > plan.mse()
    assert compare.mixed_release(Users(people.epsilon * 0.9, people.trust), v).mse() > plan.mse()
    fewer = np.arange(people.size) != 5
    assert compare.mixed_release(people.where(fewer), v[fewer]).mse() > plan.mse()


@pytest.mark.settles("hdp-mixed-dominates")
@pytest.mark.parametrize("budget", [0.2, 1.0, 3.0, 5.0, 10.0])
def test_trust_helps_from_some_number_of_users_on(budget):
    """Of users alike and of the largest variance, beside others who send reports; below it, reports are better."""
    limit = float(sym.users_for_trust.subs(sym.epsilon, budget))
    for users in (*range(1, 15), int(limit), int(limit) + 1):
        epsilon = np.append(np.full(users, budget), [0.7] * 5)
        both = [Users(epsilon, np.append([kind] * users, ["local"] * 5)) for kind in TRUST]
        trusting, reporting = (compare.mixed_release(people).mse() for people in both)
        assert (trusting < reporting) == (users > limit)
    pair = ranked([1.0] * 2)
    assert pair["reports"].error < pair["mixed"].error


@pytest.mark.settles("hdp-mixed-dominates")
@pytest.mark.parametrize("second", [0.3, 0.9])
def test_several_noises_hide_no_more_than_the_largest_alone(second):
    """The loss of a user of weight 0.2, by the density of the sum of two Laplace noises, of the scales 1 and less."""
    x = np.linspace(0, 400, 4001)
    far = np.log1p(-second * np.exp(-x / second + x)) - x  # the density, but for a constant
    losses = far[:-2] - far[2:]
    assert losses.max() == pytest.approx(0.2, rel=1e-9)


@pytest.mark.settles("hdp-mixed-dominates")
def test_an_upper_bound_of_the_variances_bounds_the_error():
    """The weights that are best for a bound err by less than they say; and a bound that is wrong costs."""
    people, v = random_population(11)
    bound = compare.mixed_release(people, np.minimum(1.4 * v, 0.25))
    assert compare.mixed_release(people, v).mse() <= bound.mse(v) < bound.mse()
    assert compare.mixed_release(people, v).mse(0.25) > compare.mixed_release(people).mse()


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


@pytest.mark.settles("hdp-best-staircase", "hdp-best-piecewise")
@pytest.mark.parametrize("report", ["laplace", "staircase", "piecewise"])
@pytest.mark.parametrize("budget", [0.3, 2.0, 5.0])
def test_reports_follow_their_densities(report, budget):
    """The distribution of draws, by Kolmogorov's and Smirnov's test, also in the part beyond the outer steps."""
    for x in (0.0, 0.35, 1.0):
        sent = compare.local_report(np.full((200_000, 1), x), [budget], report, 11).ravel()
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
    people = Users(np.where(people.epsilon == 4, 6.0, people.epsilon), people.trust)
    v = np.minimum(v, 0.03)
    plan = compare.mixed_release(people, v, reports="best")
    assert set(plan.reports) == {"", "one-bit", "piecewise", "staircase"}
    found = simulate.compare({"best": partial(plan.estimate, clamp=False)}, coins(v, mean), mean, 40_000, seed=3)
    assert abs(found["best"].mse - plan.mse(mean=mean)) < 4 * found["best"].standard_error
    assert plan.mse(mean=mean) < plan.mse() < compare.mixed_release(people, v).mse()
    sends = plan.reports != ""
    np.testing.assert_allclose(plan.loss[sends], people.epsilon[sends], rtol=1e-12)
