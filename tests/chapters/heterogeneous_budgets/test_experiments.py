"""The statements about the baselines, in exact rationals, against the implementation and against each other."""

import json
import re
from functools import cache

import numpy as np
import pytest
import sympy as sp
from hypothesis import example, given
from hypothesis import strategies as st

from hdp import ADPM, adpm, baselines, threshold
from hdp.explore.evaluate import expression_values
from hdp.figures import declared
from hdp.figures.heterogeneous_budgets.experiments import _coin, _compared, _uniform
from hdp.proof import assert_identity
from hdp.sym.heterogeneous_budgets import experiments as c
from hdp.sym.heterogeneous_budgets import upper_bound as sym
from hdp.sym.symbols import R, epsilon_1, epsilon_2, f, n
from tests.chapters.heterogeneous_budgets import test_upper_bound as upper_bound
from tests.chapters.heterogeneous_budgets.test_upper_bound import budgets, in_order, saturation
from tests.figures.captions import line, says
from tests.figures.lemma import average
from tests.files import SITE, built_text
from tests.oracles import budgets as any_budgets
from tests.oracles import thorough

POINTS = [(0.03125, 0.0625, 16, 0.5), (0.125, 0.5, 64, 0.25), (1.0, 1.5, 8, 0.5), (0.0625, 4.0, 1024, 0.75)]
POINTS += [(2.0, 32.0, 4, 0.25)]
STATEMENTS = {"uni": c.uniform_mse, "fme": c.fme_mse, "propdpm": c.proportional_mse, "ldpe": c.local_mse}
STATEMENTS |= {"stretching": c.stretched_mse}


@pytest.mark.settles("cc-baseline-ldpe")
@pytest.mark.parametrize("name", STATEMENTS)
@pytest.mark.parametrize("point", POINTS, ids=str)
def test_errors_are_implemented_as_stated(name, point):
    """At budgets that floats hold exactly, for variance 1/16 and mean 1/4."""
    e1, e2, users, share = point
    epsilon = np.repeat([e1, e2], [round(users * share), round(users * (1 - share))])
    symbols = dict(zip((epsilon_1, epsilon_2, n, f), map(sp.Rational, point), strict=True))
    exact = STATEMENTS[name].subs(symbols).subs({c.v: sp.Rational(1, 16), c.mu: sp.Rational(1, 4)})
    assert baselines.expected_mse(name, epsilon, 1 / 16, 0.25) == pytest.approx(float(exact), rel=1e-14)


@pytest.mark.settles("cc-remark-2")
@pytest.mark.parametrize("variance", [0.0, 0.04, 0.25])
def test_remark_2_holds_for_the_implementation(variance):
    """For every variance of the data, and the noise is the same."""
    epsilon = np.repeat([0.1, np.inf], [700, 300])
    at = {epsilon_1: sp.Rational(1, 10), n: 1000, f: sp.Rational(7, 10)}
    at[R] = sym.saturation_ratio.subs(at)
    ours, theirs = (baselines.expected_mse(name, epsilon, variance) for name in ("ldpe", "adpm"))
    assert ours == pytest.approx(theirs, rel=1e-13)
    if variance == 0.25:
        assert theirs == pytest.approx(float(c.remark_2.subs(at)), rel=1e-13)
        assert theirs == pytest.approx(float(c.public_local_mse.subs(at)), rel=1e-13)
    local, optimal = (baselines.BASELINES[name].mechanism(epsilon) for name in ("ldpe", "adpm"))
    np.testing.assert_allclose(local.weights, optimal.weights, rtol=1e-13)
    for shares in (c.public_shares, c.public_adpm_shares):
        stated = [float(share.subs(at)) for share in shares]
        np.testing.assert_allclose([local.weights[:700].sum(), local.weights[700:].sum()], stated, rtol=1e-12)
    assert local.scales.max() == pytest.approx(optimal.scales[0], rel=1e-13)


@pytest.mark.settles("cc-baseline-ldpe", "cc-ldpe-no-saturation")
def test_local_noise_never_saturates():
    """The error of LDPE falls at every step of epsilon_2, over seven decades, towards that with a public group."""
    budgets = np.geomspace(0.11, 1e6, 40)  # equal budgets would be one group
    errors = [baselines.expected_mse("ldpe", np.repeat([0.1, e], [70, 30])) for e in budgets]
    symbols = {epsilon_1: sp.Rational(1, 10), n: 100, f: sp.Rational(7, 10)}
    stated = [float(sym.local_mse.subs({**symbols, epsilon_2: e})) for e in budgets]
    np.testing.assert_allclose(errors, stated, rtol=1e-12)
    assert (np.diff(errors) < 0).all()
    assert errors[-1] == pytest.approx(baselines.expected_mse("ldpe", np.repeat([0.1, np.inf], [70, 30])), rel=1e-6)


@pytest.mark.settles("cc-baseline-ldpe")
@pytest.mark.parametrize("variance", [0, sp.Rational(1, 12), sp.Rational(1, 4)])
@pytest.mark.parametrize("share", [sp.Rational(1, 100), sp.Rational(1, 2), sp.Rational(99, 100)])
@pytest.mark.parametrize("budget", [sp.Rational(1, 100), 1, 100])
def test_local_noise_errs_more_than_the_plain_average_for_equal_budgets(variance, share, budget):
    """And for nearly equal ones, also in the library, which takes equal ones for one group."""
    at = {epsilon_1: budget, n: 100, f: share, c.v: variance}
    excess = (c.local_mse - c.uniform_mse).subs(epsilon_2, epsilon_1).subs(at)
    assert excess > 0
    nearly = np.repeat([float(budget), float(budget) * (1 + 1e-12)], [round(100 * share), round(100 * (1 - share))])
    ldpe, uni = (baselines.expected_mse(name, nearly, float(variance)) for name in ("ldpe", "uni"))
    assert ldpe - uni == pytest.approx(float(excess), rel=1e-4) and ldpe > uni


@pytest.mark.settles("cc-sm-public")
def test_a_public_group_makes_sampling_disregard_the_private_one():
    """Nobody else is kept in the limit, whatever she allows; the library at the limit is the mean of the public."""
    assert sp.limit(c.inclusion, c.t, sp.oo) == 0
    for strict in (0.1, 3.0, 1e3, 1e50):  # the last is the largest budget that is not infinite
        epsilon = np.repeat([strict, np.inf], [70, 30])
        assert baselines.expected_mse("sm", epsilon, 0.2) == pytest.approx(0.2 / 30, rel=1e-14)
        x = np.random.default_rng(1).uniform(-0.5, 0.5, (5, 100))
        np.testing.assert_allclose(
            baselines.estimator("sm", epsilon).estimate(x, 1), x[:, 70:].mean(axis=1), rtol=1e-12
        )


@pytest.mark.settles("cc-example-2")
def test_example_2():
    """81/1600 + 200/n^2; the paper prints 0.05."""
    assert_identity(c.stretched_mse.subs(c.example_2), c.example_2_mse)
    assert c.stretched_bias.subs(c.example_2) == -sp.Rational(9, 40)
    for users in (10, 100, 1000):
        found = baselines.expected_mse("stretching", np.repeat([0.01, 0.1], users // 2), variance=0.0, mean=0.5)
        assert found == pytest.approx(float(c.example_2_mse.subs(n, users)), rel=1e-13)


@pytest.mark.settles("cc-example-1")
def test_example_1():
    """FME's ratio stops at sqrt 2, ADPM's at R = 17, by the statement and by the implementation."""
    assert c.fme_ratio.subs(c.example_1).subs(epsilon_2, 1) == sp.sqrt(2)
    assert sym.saturation_ratio.subs(c.example_1) == 17
    for e2 in (0.012, 0.0142, 0.1, 1.0, 2.0, np.inf):
        epsilon = np.repeat([0.01, e2], [5000, 5000])
        w = baselines.BASELINES["fme"].mechanism(epsilon).weights
        stated = float(c.fme_ratio.subs(c.example_1).subs(epsilon_2, e2))
        assert w[-1] / w[0] == pytest.approx(stated, rel=1e-14)
    for e2 in (0.1, 0.169, 0.17, 0.171, 1.0, 2.0, np.inf):
        w = ADPM(np.repeat([0.01, e2], [5000, 5000])).weights
        assert w[-1] / w[0] == pytest.approx(min(e2 / 0.01, 17), rel=1e-12)


@pytest.mark.parametrize("m, t", [(2, 0.1), (2, 1.3), (5, 0.7), (50, 1.0)])
def test_sampling_loss_is_implemented_as_stated(m, t):
    """One strict user beside m - 1 with the largest budget: the witness is the closed form."""
    exact = float(c.sampling_loss.subs({c.m: m, c.t: sp.Rational(t), epsilon_1: sp.Rational(t) / 3}).evalf(30))
    found = baselines.privacy_loss_witness([t / 3, *[t] * (m - 1)])[0]
    assert found == pytest.approx(exact, rel=1e-10)
    assert (found > t / 3) == (t < float(c.sampling_threshold.subs(c.m, m)))


@pytest.mark.settles("cc-sampling-loss")
def test_the_example_of_a_broken_promise():
    """Budgets ln(5/4) and ln(9/4): the strict user loses ln(21/16)."""
    assert float(c.sampling_loss.subs(c.sampling_example)) == pytest.approx(float(c.sampling_example_loss), rel=1e-12)


@pytest.mark.settles("cc-stretching-public")
def test_a_public_group_makes_stretching_disregard_the_private_one():
    """Its share of the mean is lost, however many users there are: the error is (f mu)^2 and what sampling adds."""
    assert_identity(sp.limit(c.stretched_bias, epsilon_2, sp.oo), -f * c.mu)
    for users in (10, 1000):
        epsilon = np.repeat([0.3, np.inf], [3 * users, 7 * users])
        found = baselines.expected_mse("stretching", epsilon, variance=0.09, mean=0.4)
        assert found == pytest.approx((0.3 * 0.4) ** 2 + 0.09 * 0.7 / (10 * users), rel=1e-13)


# -- The experiments of Chaudhuri & Courtade (2023): what they say of FME, UNI and SM, and the points of the page.

PAGE = "book/heterogeneous-budgets/simulations"
ALL = {figure.name: figure for figure in declared("heterogeneous_budgets")}
OTHERS = ("adpm", "propdpm", "ldpe", "sm", "uni")
FME_LIMIT = sp.lambdify((epsilon_1, n, f), c.fme_ratio_limit.subs(R, sym.saturation_ratio))


def error(name, first, second, users, share, variance):
    """Exact error for two groups."""
    return baselines.expected_mse(name, budgets(first, second, users, share), variance)


@pytest.mark.settles("cc-fme-two-groups")
@pytest.mark.parametrize(
    ("first", "second", "users", "share", "case"),
    [
        (0.25, 4.0, 64, 0.25, c.fme_all_clipped),
        (0.0625, 4.0, 64, 0.25, c.fme_group_2_clipped),
        (0.125, 0.25, 64, 0.75, c.proportional_mse),  # 1/sqrt(n) and 1/sqrt(n(1 - f)): a tie clips nobody
        (0.0625, 0.125, 64, 0.5, c.proportional_mse),
        (0.0625, 0.1875, 64, 0.75, c.proportional_mse),
    ],
)
def test_fme_for_two_groups(first, second, users, share, case):
    """Each case, chosen by the statement, is what the algorithm for any vector gives."""
    at = dict(zip((epsilon_1, epsilon_2, n, f), map(sp.Rational, (first, second, users, share)), strict=True))
    at[c.v] = sp.Rational(1, 16)
    assert c.fme_mse.subs(at) == case.subs(at)
    assert error("fme", first, second, users, share, 1 / 16) == pytest.approx(float(case.subs(at)), rel=1e-13)


@pytest.mark.settles("cc-fme-nine")
@thorough
@given(
    users=st.integers(2, 60),
    first=st.floats(1.001, 50),
    ratio=st.floats(1, 100),
    share=st.floats(0, 1),
)
def test_fme_is_at_most_so_many_times_as_bad_as_adpm(users, first, ratio, share):
    """On fair coins for every budget above 1/sqrt(n), unless ADPM answers 0."""
    first = first / np.sqrt(users)
    fme, best = (error(b, first, first * ratio, users, share, 0.25) for b in ("fme", "adpm"))
    assert fme == pytest.approx(2.25 / users, rel=1e-12)
    of_first = round(users * share) / users
    if of_first > 0 and best > 0:
        assert fme <= FME_LIMIT(first, users, of_first) * best * (1 + 1e-9)
    bound = c.fme_ratio_limit.subs(R, sym.saturation_ratio) * sym.bound_b_in_ratios.subs(R, sym.saturation_ratio)
    assert_identity(bound, c.fme_all_clipped.subs(c.v, sp.Rational(1, 4)))


@pytest.mark.settles("cc-fme-nine")
@thorough
@given(any_budgets())
@example(1 / np.sqrt(np.arange(10**5, 0, -1)))  # as many below their levels as there can be
@example([1e-3] * 10 + [0.1] * 2 + [16.0] * 1000)
@example([5.0] * 3)
def test_fme_is_never_ten_times_worse_for_any_budgets(epsilon):
    """Beside the best weights, and so beside the others."""
    found = [baselines.expected_mse(name, epsilon) for name in (*OTHERS, "ldpe-users") if name != "adpm"]
    assert baselines.expected_mse("fme", epsilon) <= 9 * min(*found, threshold.affine_mse(epsilon)) * (1 + 1e-9)


@pytest.mark.settles("cc-fme-order")
def test_fme_and_an_order_of_magnitude():
    """Better than two others in Table II; what Figure 3 has of it, the errata compute."""
    rng = np.random.default_rng(1)
    high, low = (np.exp(rng.uniform(*edges, 1000)) for edges in ((-4, 2), (-3, -2)))
    assert baselines.expected_mse("fme", low, 0.04) == pytest.approx(2.04e-3, rel=1e-12)
    assert baselines.expected_mse("ldpe-users", low, 0.04) > 50 * 2.04e-3
    assert baselines.expected_mse("uni", high, 0.04) > 2 * baselines.expected_mse("fme", high, 0.04)


@pytest.mark.settles("cc-low-variance")
def test_low_variance():
    """PropDPM is ADPM there, always; on average UNI is 2.7 times worse (62 for high variance), SM 1.1 times."""
    rng = np.random.default_rng(2)

    def factors(low, high):
        drawn = [np.exp(rng.uniform(low, high, 1000)) for _ in range(10)]
        errors = {b: np.array([baselines.expected_mse(b, e, 0.04) for e in drawn]) for b in OTHERS}
        return {b: errors[b] / errors["adpm"] for b in errors}

    low, high = factors(-3, -2), factors(-4, 2)
    np.testing.assert_allclose(low["propdpm"], 1, rtol=1e-12)
    edge = np.exp(np.repeat([-2.0, -3.0], [500, 500]))  # near the least level that there can be
    assert baselines.expected_mse("propdpm", edge, 0.04) == baselines.expected_mse("adpm", edge, 0.04)
    assert round(low["uni"].mean(), 1) == 2.7 and round(low["sm"].mean(), 1) == 1.1
    assert high["uni"].mean() == pytest.approx(62, abs=3)


@pytest.mark.settles("cc-baseline-uni")
def test_one_strict_user_ruins_the_uniform_budget_only():
    """Her budget goes to 0: UNI's error to infinity, as stated, ADPM's to that of the others alone."""
    others = 0.25 / 999 + 2 / 999**2
    errors = [[baselines.expected_mse(b, [first] + [1.0] * 999) for b in ("uni", "adpm")] for first in (1e-3, 1e-6)]
    assert errors[0][0] > 1 and errors[1][0] > 1e6
    stated = c.uniform_mse.subs({n: 1000, f: sp.Rational(1, 1000), epsilon_2: 1, c.v: sp.Rational(1, 4)})
    assert sp.limit(stated, epsilon_1, 0) == sp.oo
    for first, found in zip((1e-3, 1e-6), errors, strict=True):
        assert found[0] == pytest.approx(float(stated.subs(epsilon_1, first)), rel=1e-12)
    assert errors[1][1] == pytest.approx(others, rel=1e-5)


@pytest.mark.settles("cc-sm-first-order", "cc-sm-few-users", "cc-figure-1a")
def test_sampling_rises_in_figure_1a():
    """Its curve, Jensen's bound, lies less than a line's width below the exact error, and has the stated slope.

    For few users it is close to that of ADPM.
    """
    figure = ALL["cc-figure-1a"]
    curve = next(layer for layer in figure.curves if layer.label.startswith("SM"))
    kept = (1 + np.expm1(0.1) / np.expm1(0.15)) / 2
    for users in (400, 1000, 4000):
        bound = float(expression_values(figure, curve.y, figure.paper_values, users))
        exact = (error("sm", 0.1, 0.15, users, 0.5, 1 / 12) - 1 / 12 / users) * users**2
        assert bound < exact < 1.002 * bound
        assert bound == pytest.approx((1 / kept - 1) / 12 * users + 2 / (kept * 0.15) ** 2, rel=1e-10)
        adpm = (error("adpm", 0.1, 0.15, users, 0.5, 1 / 12) - 1 / 12 / users) * users**2
        if users in (400, 4000):
            assert round(100 * (exact / adpm - 1)) == {400: 7, 4000: 36}[users]
        assert exact > (1 / kept - 1) / 12 * users  # although it grows by a little less than this for each user
        later = (error("sm", 0.1, 0.15, users + 2, 0.5, 1 / 12) - 1 / 12 / (users + 2)) * (users + 2) ** 2
        assert 0.95 < (later - exact) / 2 / ((1 / kept - 1) / 12) < 1


@pytest.mark.parametrize("figure", ["1a", "1b", "2", "3a", "3b", "4"])
def test_figures_say_that_their_ranges_are_ours(figure):
    """No text at hand has the pictures: the caption says what is our choice."""
    drawn = ALL[f"cc-figure-{figure}"]
    caption = " ".join(drawn.caption.split())
    assert re.search(r"range[^.;]* (is|are) ours|ours like the range", caption)
    assert "log" not in {drawn.x.scale, drawn.y.scale} or "logarithmic" in caption


def points(name):
    """Points of a figure on the built page: for each label x, y and the half length of the bar."""
    if not (SITE / f"{PAGE}.html").exists():
        pytest.skip(f"asks the built page {PAGE}, whose cells simulate for minutes: run `make book` first")
    text = built_text(PAGE).split(f'id="figure-{name}"')[1]
    document = json.loads(re.search(r'class="hdp-spec">(.*?)</script>', text, re.S)[1])
    layers = [layer for layer in document["layer"] if layer["mark"]["type"] == "point" and "filter" in str(layer)]
    return {
        layer["encoding"]["color"]["datum"]: np.array(
            [[row["x"], row["y"], row["high"] - row["y"]] for row in layer["data"]["values"]]
        )
        for layer in layers
    }


@cache
def smallest(draw, second, users, share, seed):
    """Simulate the leftmost point of a figure."""
    return _compared(budgets(0.1, second, users, share), draw, 200_000, seed)


@pytest.mark.settles("cc-figure-1a", "cc-figure-1b-simulated", "cc-figure-3a", "cc-figure-3b")
@pytest.mark.parametrize(
    ("name", "leftmost", "ends", "factor", "offset", "axes"),
    [
        ("cc-figure-1a", (_uniform, 0.15, 500, 0.5, 500), [500.0, 3800.0], 500**2, 1 / 6000, (400, 4000, "linear")),
        ("cc-figure-3a", (_uniform, 0.15, 500, 0.5, 500), [500.0, 3800.0], 500, 1 / 6000, (400, 4000, "log")),
        ("cc-figure-1b", (_coin, 0.12, 1000, 0.7, 120), [0.12, 0.95], 1e4, 0.0, (0.02, 1, "linear")),
        ("cc-figure-3b", (_coin, 0.12, 1000, 0.7, 120), [0.12, 0.95], 1e4, 0.0, (0.02, 1, "log")),
    ],
    ids=["1a", "3a", "1b", "3b"],
)
def test_points_are_what_the_seed_gives(name, leftmost, ends, factor, offset, axes):
    """The leftmost ones simulated again with their seed are the same; all are within four standard errors."""
    figure, shown, again = ALL[name], points(name), smallest(*leftmost)
    curves = {curve.label: curve for curve in figure.curves if curve.label.split()[0].lower() in baselines.NAMES}
    assert set(shown) == set(curves) and (*figure.x.domain, figure.y.scale) == axes
    for label, rows in shown.items():
        found = again[label.split()[0].lower()]
        expected = [ends[0], factor * (found.mse - offset), 2 * factor * found.standard_error]
        np.testing.assert_allclose(rows[0], expected, rtol=1e-9)
        assert len(rows) == 8 and list(rows[[0, -1], 0]) == ends and (rows[:, 2] > 0).all()
        exact = expression_values(figure, curves[label].y, figure.paper_values, rows[:, 0])
        slack = 0.002 * exact if label.startswith("SM") else 0  # its curve is a bound, this close to the exact error
        assert (np.abs(rows[:, 1] - exact) < 2 * rows[:, 2] + slack).all(), label


# -- What the figures draw, by the library.


@in_order
def fme_ratio(*point):
    w = baselines.BASELINES["fme"].mechanism(budgets(*point)).weights
    return w[-1] / w[0]


REFERENCES = {
    "cc-figure-4": {
        "ADPM": in_order(lambda e_1, e_2, n, f: min(e_2, saturation(e_1, n, f)) / e_1),
        "FME": fme_ratio,
        "saturation, ": saturation,
        "saturation ratio": adpm.saturation_ratio,
    }
}


# -- Errors of two groups of any sizes, from a population of 100 with the same shares.


def uniform_error(name, epsilon_1, epsilon_2, n, f):
    """For uniform data; n users with budgets e have 100/n times the error of 100 users with e sqrt(n/100)."""
    if name == "sm":
        return average(n * (1 - f + f * np.expm1(epsilon_1) / np.expm1(epsilon_2)), epsilon_2, 1 / 12)
    budgets = np.repeat([epsilon_1, epsilon_2], [round(100 * f), 100 - round(100 * f)])
    return baselines.expected_mse(name, budgets * np.sqrt(n / 100), 1 / 12) * 100 / n


def excess(name, power):
    """What privacy costs, times a power of n."""
    return lambda epsilon_1, epsilon_2, n, f: (
        (uniform_error(name, epsilon_1, epsilon_2, n, f) - 1 / (12 * n)) * n**power
    )


def tenth(function):
    return lambda epsilon_1, epsilon_2, n, f: function(epsilon_1, epsilon_2, n, f) / 10


FME_A, FME_B = excess("fme", 1), upper_bound.baseline("fme")
REFERENCES |= {
    "cc-figure-1a": {name.upper(): excess(name, 2) for name in ("uni", "ldpe", "sm", "adpm")},
    "cc-figure-3a": {name.upper(): excess(name, 1) for name in ("uni", "ldpe", "sm", "adpm")}
    | {"FME": FME_A, "a tenth of FME": tenth(FME_A)},
    "cc-figure-3b": upper_bound.FIGURE_1B | {"FME": FME_B, "a tenth of FME": tenth(FME_B)},
}


# -- What the captions say.


@says("cc-figure-3a", "the others at the paper&rsquo;s values fall, and cross a tenth of it")
def test_each_crosses_a_tenth_of_fme(figure):
    x = np.linspace(400, 4000, 200)
    for name in ("UNI", "LDPE", "SM", "ADPM"):
        y = line(figure, name, x)
        above = y > line(figure, "a tenth", x)
        assert (np.diff(y) < 0).all() and above[0] and not above[-1]
