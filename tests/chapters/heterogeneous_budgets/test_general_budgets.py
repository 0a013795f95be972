"""What no figure shows of groups and of log-uniform budgets: sampling against brute force, and a branch of FME."""

import itertools
from functools import cache, partial
from itertools import pairwise

import numpy as np
import pytest
import sympy as sp
from hypothesis import example, given
from scipy.integrate import quad
from scipy.optimize import brentq

from hdp import ADPM, baselines, threshold
from hdp.baselines.mechanisms import fme_level
from hdp.sym.heterogeneous_budgets import general_budgets as lu
from hdp.sym.heterogeneous_budgets import general_budgets as sym
from hdp.sym.symbols import n
from tests.figures.captions import line, positions, says
from tests.figures.lemma import average, of_groups
from tests.oracles import budgets, thorough


@pytest.mark.settles("hdp-sampling-bracket")
def test_the_bracket_holds_the_exact_error_of_sampling():
    """The lower end is met where nothing is random."""
    rng = np.random.default_rng(5)
    for _ in range(60):
        epsilon = np.exp(rng.uniform(-2, 1, 7))
        epsilon[: rng.integers(1, 5)] = epsilon.max()
        t = epsilon.max()
        p = np.expm1(epsilon) / np.expm1(t)
        exact = baselines.expected_mse("sm", epsilon)
        values = {sym.mu: p.sum(), sym.t: t}
        assert sym.sampling_lower.subs(values) < exact
        assert p.sum() <= 1 or exact < sym.sampling_upper.subs(values)
    many = np.append(np.full(500, 0.05 * 20 / 500), 0.05)  # where the cubic term is needed: 20 of 500 are kept
    sample = 1 + 500 * np.expm1(many[0]) / np.expm1(0.05)
    assert baselines.expected_mse("sm", many) < sym.sampling_upper.subs({sym.mu: sample, sym.t: 0.05})
    loose = np.append(np.full(1000, 30 - np.log(200)), 30)  # where there is next to no noise: 1 and 5 of 1000 are kept
    assert baselines.expected_mse("sm", loose) < sym.sampling_upper.subs({sym.mu: 6, sym.t: 30})
    lower = float(sym.sampling_lower.subs({sym.mu: 9.0, sym.t: 0.5}))
    assert lower == pytest.approx(baselines.expected_mse("sm", np.full(9, 0.5)), rel=1e-13)


@pytest.mark.settles("hdp-fme-groups")
@pytest.mark.parametrize(("first", "second", "clip"), [(4, 8, np.inf), (2, 8, 1 / 4), (1, 2, 1 / 8)])
def test_fme_does_not_clip_at_what_is_just_allowed(first, second, clip):
    """16, 48 and 192 users: one over the root of each sum is the budget of somebody, which is not more."""
    users, each = (16, 48, 192), [sp.Rational(1, e) for e in (first, second, 16)]
    values = dict(zip((*sym.sizes, *sym.budgets, n), (*users, *each, 256), strict=True))
    assert float(sym.fme_level.subs(values)) == clip == fme_level(np.repeat(np.array(each, dtype=float), users))


@pytest.mark.settles("hdp-log-uniform-errors")
@pytest.mark.parametrize("a, b, users", [(0.09, 0.1, 100), (0.08, 0.1, 130), (0.0635, 0.1, 247), (0.001, 0.01, 1000)])
def test_nobody_is_clipped_by_fme_where_budgets_hardly_differ_or_are_tiny(a, b, users):
    """Branches that no slider reaches: the rule's left side falls from the least budget on, or nowhere passes L/n."""
    values = {lu.low: a, lu.high: b, n: float(users)}
    spread = a * (b / a) ** ((np.arange(users) + 0.5) / users)
    assert fme_level(spread) == np.inf and float(lu.spread_fme_level.subs(values)) == b
    assert float(lu.spread_fme_mse.subs(values)) == pytest.approx(baselines.expected_mse("fme", spread), rel=1e-3)
    weights = (lu.spread_fme_weight, lu.spread_proportional_weight)
    clipped, proportional = (float(weight.subs(values | {sym.budget: a})) for weight in weights)
    assert clipped == proportional < 1


def test_twice_the_largest_budget_adds_a_third_to_the_factor_of_proportional_weights():
    """0.34 for the range of Table II."""
    a, b = np.exp(-4), np.exp(2)
    factor = [4e9 * float(lu.spread_proportional_mse.subs({lu.low: a, lu.high: top, n: 10**9})) for top in (b, 2 * b)]
    assert round(factor[0], 2) == 3.01 and round(factor[1] - factor[0], 2) == 0.34


@pytest.mark.settles("hdp-no-rival")
@thorough
@given(budgets())
@example([1.0, 1.0078125])  # where SM errs hardly more than the best weights
@example([1.0, 7.0])  # where nobody is clipped, so that PropDPM is best
@example([0.5] * 3)  # where FME clips nobody
def test_no_rival_errs_less_on_a_fair_coin(epsilon):
    """Than the best weights before the cap, and than ADPM, which errs nothing there where it answers 0."""
    for name in (*baselines.NAMES[1:], "ldpe-users"):
        found = baselines.expected_mse(name, epsilon)
        assert found >= threshold.affine_mse(epsilon) * (1 - 1e-9), name
        assert found >= baselines.expected_mse("adpm", epsilon) * (1 - 1e-9), name


@pytest.mark.settles("hdp-no-rival")
def test_local_means_of_any_groups_err_no_less_either():
    """Groups drawn at random, each as protected as its strictest user, with the best weights for these means."""
    rng = np.random.default_rng(11)
    for _ in range(100):
        epsilon = np.exp(rng.uniform(-3, 3, rng.integers(2, 20)))
        groups = np.array_split(rng.permutation(epsilon), rng.integers(1, epsilon.size + 1))
        precision = sum(1 / (1 / (4 * g.size) + 2 / (g.size * g.min()) ** 2) for g in groups)
        assert 1 / precision >= threshold.affine_mse(epsilon) * (1 - 1e-12)


# -- What the figures draw, by the library.


def population(e_1, e_2, e_3, g_1, g_2, g_3, n):
    """Budgets and numbers of users of the groups."""
    sizes = np.array([g_1, g_2, g_3])
    return np.array([e_1, e_2, e_3]), n * sizes / sizes.sum()


def scaled_users(e_1, e_2, e_3, g_1, g_2, g_3, n):
    """As many users as the sizes say, with budgets so scaled that affine mechanisms err as if they were n users."""
    users = np.repeat([e_1, e_2, e_3], [round(g_1), round(g_2), round(g_3)])
    return users * np.sqrt(n / users.size)


def level(rule, **shape):
    """Level at which a rule of the library clips the budgets."""
    scaled = scaled_users(**shape)
    return rule(scaled) * np.sqrt(scaled.size / shape["n"])


def clipped(rule, epsilon, **shape):
    """What is left of a budget."""
    return min(epsilon, level(rule, **shape))


def weight(rule, epsilon, **shape):
    """n times the weight of a user with this budget."""
    (budgets, users), tau = population(**shape), level(rule, **shape)
    return shape["n"] * min(epsilon, tau) / np.sum(users * np.minimum(budgets, tau))


def circles(function):
    """A point for each group on the line of a function of the budget."""
    return [lambda e=e, **shape: (shape[e], function(shape[e], **shape)) for e in ("e_1", "e_2", "e_3")]


def names(function, bottom):
    """The name of each group above its point, that of the first below; the last gives way to the second."""

    def last(e_2, e_3, height):
        alike = max(e_2, e_3) < 3.5 * min(e_2, e_3)
        return height * (1.5 if not alike else 2.25 if height <= 3 else 1 / 2.25)

    places = {
        "group 1": lambda e, height, shape: (min(1.25 * e, 3), max(height / 1.5, 1.25 * bottom), 0),
        "group 2": lambda e, height, shape: (max(e, 0.05), 1.5 * height, 0),
        "group 3": lambda e, height, shape: (np.clip(e, 0.03, 5), last(shape["e_2"], shape["e_3"], height), 0),
    }
    points = circles(function)
    return {
        name: lambda place=place, point=point, **shape: place(*point(**shape), shape)
        for (name, place), point in zip(places.items(), points, strict=True)
    }


def adpm_error(**shape):
    """Worst-case error of Algorithm 1, which answers 0 where that is better."""
    epsilon, users = population(**shape)
    return min(of_groups(users, epsilon)[1], 0.25)


def local_error(**shape):
    """Inverse-variance combination of three separately private means."""
    epsilon, users = population(**shape)
    return 1 / sum(1 / average(m, e) for m, e in zip(users, epsilon, strict=True))


def sampling_lower(**shape):
    """Jensen's lower bound: the mean of as many users as are kept on average, with the largest budget."""
    epsilon, users = population(**shape)
    return average(np.sum(users * np.expm1(epsilon)) / np.expm1(epsilon.max()), epsilon.max())


def affine_error(name, **shape):
    scaled = scaled_users(**shape)
    return baselines.expected_mse(name, scaled) * scaled.size / shape["n"]


def relative(error):
    return lambda **shape: 4 * shape["n"] * error(**shape)


def adpm_level(epsilon):
    """That of Algorithm 1."""
    return ADPM(epsilon).level


ADPM_WEIGHT = partial(weight, adpm_level)
PROPORTIONAL_WEIGHT = partial(weight, lambda _: np.inf)
TAU = partial(level, adpm_level)
REFERENCES = {
    "cc-general-groups": {
        "PropDPM": lambda epsilon: epsilon,
        "UNI": lambda e_1, e_2, e_3: min(e_1, e_2, e_3),
        "FME": partial(clipped, fme_level),
        "ADPM": partial(clipped, adpm_level),
        "a group": circles(partial(clipped, adpm_level)),
        **names(partial(clipped, adpm_level), 0.01),
        "level τ": TAU,
        "error of ADPM": lambda **shape: 1e4 * adpm_error(**shape),
    },
    "cc-general-weights": {
        "UNI": 1.0,
        "FME": partial(weight, fme_level),
        "ADPM": ADPM_WEIGHT,
        "PropDPM": PROPORTIONAL_WEIGHT,
        "a group": circles(ADPM_WEIGHT),
        **names(ADPM_WEIGHT, 0.005),
        "level τ": TAU,
        **{
            f"n × weight in group {i + 1}, {name}": lambda point=point, **shape: point(**shape)[1]
            for name, function in (("ADPM", ADPM_WEIGHT), ("PropDPM", PROPORTIONAL_WEIGHT))
            for i, point in enumerate(circles(function))
        },
    },
    "cc-general-error": {
        "UNI": relative(partial(affine_error, "uni")),
        "SM": relative(sampling_lower),
        "LDPE": relative(local_error),
        "FME": relative(partial(affine_error, "fme")),
        "ADPM": relative(adpm_error),
        "PropDPM": relative(partial(affine_error, "propdpm")),
    },
}


# -- Budgets that are log-uniform on [a, b], sums read as integrals: levels, weights and errors, by quadrature.


def total(function, a, b, n, *kinks):
    """Sum of a function of the budget over all users, read as an integral, piece by piece between its kinks."""
    ends = [a, *(k for k in sorted(kinks) if a < k < b), b]
    pieces = [quad(lambda e: function(e) / e, *piece, epsabs=0, epsrel=1e-13)[0] for piece in pairwise(ends)]
    return n / np.log(b / a) * sum(pieces)


@cache
def spread_level(a, b, n):
    """Level of ADPM, by root finding."""

    def excess(tau):
        return total(lambda e: e * max(tau - e, 0), a, b, n, tau) - 8

    return brentq(excess, a * (1 + 1e-12), 1e5, xtol=1e-15, rtol=1e-14)


@cache
def spread_fme_level(a, b, n):
    """Where eps > 1/sqrt(users with eps or more) first holds; on the left is what rises to b/sqrt(e) and then falls."""

    def excess(e):
        return e**2 * n * np.log(b / e) / np.log(b / a) - 1

    if excess(a) > 0:
        return n**-0.5
    peak = max(a, b / np.exp(0.5))
    return brentq(excess, a, peak, xtol=1e-16, rtol=1e-14) if excess(peak) > 0 else b


def precision(e, _=None):
    """One over the variance of a report."""
    return 1 / (1 / 4 + 2 / e**2)


# What weights are proportional to, for each estimator: a function of the budget and a level, and where the level is
RULES = {
    "UNI": (lambda e, low: low, lambda a, b, n: a),
    "LDPE": (precision, lambda a, b, n: b),
    "FME": (min, spread_fme_level),
    "ADPM": (min, spread_level),
    "PropDPM": (lambda e, _: e, lambda a, b, n: b),
}


@cache
def sums(name, a, b, n):
    """Level, and the sums of what the weights are proportional to and of its square."""
    proportion, rule = RULES[name]
    at = rule(a, b, n)
    first = total(lambda e: proportion(e, at), a, b, n, at)
    return at, first, total(lambda e: proportion(e, at) ** 2, a, b, n, at)


def present(function):
    """Nothing is drawn where there are no users."""
    return lambda epsilon, a, b, n: function(epsilon, a, b, n) if a <= epsilon <= b else np.nan


def spread_weight(name):
    def weighed(epsilon, a, b, n):
        at, first, _ = sums(name, a, b, n)
        return n * RULES[name][0](epsilon, at) / first

    return present(weighed)


def error(name, a, b, n):
    """Error of weights proportional to clipped budgets and noise 1 over their sum; ADPM may answer 0."""
    _, first, second = sums(name, a, b, n)
    return min((second / 4 + 2) / first**2, 0.25 if name == "ADPM" else np.inf)


def spread_sampling_lower(a, b, n):
    """Of SM, at the mean size of its sample."""
    size = total(np.expm1, a, b, n) / np.expm1(b)
    return 1 / (4 * size) + 2 / (size * b) ** 2


def spread_relative(function):
    return lambda a, b, n: 4 * n * function(a, b, n)


REFERENCES |= {
    "cc-general-log-uniform": {
        "PropDPM": lambda epsilon: epsilon,
        "UNI": lambda a: a,
        "FME": present(lambda epsilon, *shape: min(epsilon, spread_fme_level(*shape))),
        "ADPM": present(lambda epsilon, *shape: min(epsilon, spread_level(*shape))),
        "level τ": spread_level,
        "share": lambda a, b, n: np.log(b / min(spread_level(a, b, n), b)) / np.log(b / a),
        "error of ADPM": lambda a, b, n: 1e4 * error("ADPM", a, b, n),
    },
    "cc-log-uniform-weights": {"UNI": 1.0, "level τ": spread_level}
    | {name: spread_weight(name) for name in ("LDPE", "FME", "ADPM", "PropDPM")},
    "cc-log-uniform-error": {name: spread_relative(partial(error, name)) for name in ("UNI", "FME", "ADPM", "PropDPM")}
    | {
        "SM": spread_relative(spread_sampling_lower),
        "LDPE": spread_relative(lambda a, b, n: 1 / sums("LDPE", a, b, n)[1]),
    },
}


# -- What the captions say.


@says("cc-general-groups", "FME, where it clips a group, clips lower")
def test_fme_clips_lower(figure):
    kinds = [(e, g) for e in positions(figure, "e_1", 4) for g in positions(figure, "g_1", 3)]
    clipped = 0
    for (e_1, g_1), (e_2, g_2), (e_3, g_3), n in itertools.product(kinds[::2], kinds[::3], kinds[1::3], (100, 10_000)):
        values = {"e_1": e_1, "e_2": e_2, "e_3": e_3, "g_1": g_1, "g_2": g_2, "g_3": g_3, "n": n}
        fme, adpm = (line(figure, name, [e_1, e_2, e_3], **values) for name in ("FME", "ADPM"))
        clips = fme < [e_1, e_2, e_3]
        clipped += clips.sum()
        assert (fme[clips] <= adpm[clips] * (1 + 1e-12)).all()
    assert clipped > 100


@says("cc-log-uniform-error", r"second only to ADPM, and for few the worst if \(a\) is small enough")
def test_uni_is_worst_for_small_budgets_only(figure):
    """With a = 0.122 it is not, whatever b."""
    names = [layer.label for layer in figure.curves]
    for b in positions(figure, "b"):
        few = {a: {name: float(line(figure, name, 100, a=a, b=b)) for name in names} for a in (0.01, 0.122)}
        many = {name: float(line(figure, name, 1e5, b=b)) for name in names}
        assert max(few[0.01], key=few[0.01].get).startswith("UNI")
        assert not max(few[0.122], key=few[0.122].get).startswith("UNI")
        assert [name.split()[0] for name in sorted(many, key=many.get)[:2]] == ["ADPM", "UNI"]
