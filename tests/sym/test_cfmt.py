"""Sections 1 to 3 of Cummings, Feldman, McMillan & Talwar: Lemma 2.1, ideal weights, and what they are worth."""

from itertools import product

import pytest
import sympy as sp

from hdp.proof import assert_identity, assert_nonnegative
from hdp.sym.cfmt import (
    K,
    assumed,
    bernoulli,
    f,
    factor,
    heavy,
    ideal,
    information,
    k,
    kantorovich,
    mean_variance,
    median,
    misjudged,
    p,
    proportional,
    sigma_p,
    uniform,
)

t, u, v = sp.symbols("t u v", nonnegative=True)
POSSIBLE = {sigma_p: sp.sqrt(u / (1 + u) * bernoulli)}  # every variance below p (1 - p)


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_variance_of_a_users_mean_by_enumeration(count):
    """Lemma 2.1 for D on any two points, from the binomial probabilities."""
    low, high, share = sp.symbols("low high share")
    moments = [share * high**j + (1 - share) * low**j for j in (1, 2)]
    binomial = lambda q, j: sp.binomial(count, j) * q**j * (1 - q) ** (count - j)  # noqa: E731
    law = [
        (sp.Rational(j, count), share * binomial(high, j) + (1 - share) * binomial(low, j)) for j in range(count + 1)
    ]
    mean = sum(x * q for x, q in law)
    assert_identity(mean, moments[0])
    variance = sum(x**2 * q for x, q in law) - mean**2
    stated = mean_variance.subs({k: count, sigma_p: sp.sqrt(moments[1] - p**2)}).subs(p, moments[0])
    assert_identity(sp.expand(variance), sp.expand(stated))


def test_variance_of_d_is_largest_on_the_ends():
    """sigma_p^2 <= p (1 - p) is E[P (1 - P)] >= 0, with equality for D on {0, 1}: later samples then say nothing."""
    P = sp.Symbol("P", nonnegative=True)
    assert_nonnegative((P * (1 - P)).subs(P, t / (1 + t)))
    assert_identity(mean_variance.subs(sigma_p, sp.sqrt(bernoulli)), bernoulli)


def test_variance_falls_from_bernoulli_to_the_variance_of_d():
    """One more sample never hurts, and helps unless D is on {0, 1}."""
    step = mean_variance - mean_variance.subs(k, k + 1)
    assert_identity(step, (bernoulli - sigma_p**2) / (k * (k + 1)))
    assert_identity(mean_variance.subs(k, 1), bernoulli)
    assert sp.limit(mean_variance, k, sp.oo) == sigma_p**2


def test_information_lies_within_a_factor_two_of_its_cap():
    """1/2 <= max(p(1-p)/k, sigma_p^2) / Var <= 1 for every p; the upper factor is 2 - 1/k and is attained."""
    floor = {"sampling": bernoulli / k, "users": sigma_p**2}
    possible = {p: v / (1 + v), k: 1 + t} | {sigma_p: sp.sqrt(u / (1 + u) * v / (1 + v) ** 2)}
    for bound in floor.values():
        assert_nonnegative((mean_variance - bound).subs(possible))
    assert_nonnegative((sum(floor.values()) - mean_variance).subs(possible))  # and a sum is at most twice the maximum
    assert_identity((mean_variance / sigma_p**2).subs(sigma_p, sp.sqrt(bernoulli / k)), 2 - 1 / k)


def test_printed_approximation_has_constants_that_depend_on_p():
    """p(1-p) <= Var / max(1/k, sigma_p^2) < 1 + p(1-p): the lower one tends to 0 with p."""
    a, s, more = sp.symbols("a s h", nonnegative=True)
    variance = a / k + (1 - 1 / k) * s
    assert_identity(variance, mean_variance.subs(sigma_p, sp.sqrt(s)) - bernoulli / k + a / k)
    many = {k: 1 + t}
    few = {s: u / ((1 + u) * k)}  # k s < 1: the maximum is 1/k
    assert_nonnegative(sp.cancel((variance - a / k).subs(few).subs(many)))
    assert_nonnegative(sp.cancel(((1 + a) / k - variance).subs(few).subs(many)))
    beyond = {s: (1 + more) / k}  # k s >= 1: the maximum is s, and s <= a <= 1/4
    assert_nonnegative(sp.cancel(((1 + a) * s - variance).subs(beyond).subs(many)))
    assert_nonnegative((variance - s).subs(a, s + t))  # and s >= a s
    assert_nonnegative((s - a * s).subs(a, u / (1 + u)))
    assert_identity((mean_variance * k).subs(sigma_p, 0), bernoulli)


def test_ideal_weights_minimise():
    """The excess over 1/sum of the information is a sum of squares, user by user."""
    w, sigma, total = sp.symbols("w sigma total", positive=True)
    square = sp.expand(sigma**2 * (w - 1 / (sigma**2 * total)) ** 2)
    assert_identity(square, sigma**2 * w**2 - 2 * w / total + 1 / (sigma**2 * total**2))
    for sizes in ((1, 2), (3, 1)):  # two groups of users, against the statements
        share = {f: sp.Rational(sizes[0], sum(sizes))}
        users = [heavy] * sizes[0] + [bernoulli] * sizes[1]
        assert_identity(ideal.subs(share), sum(sizes) / sum(1 / x for x in users))
        assert_identity(uniform.subs(share), sum(users) / sum(sizes))
        counts = [K] * sizes[0] + [1] * sizes[1]
        error = sum(c**2 * x for c, x in zip(counts, users, strict=True)) / sum(counts) ** 2
        assert_identity(proportional.subs(share), sum(sizes) * error)
        kept = users[: sizes[0]] if 2 * sizes[0] >= sum(sizes) else [bernoulli] * sum(sizes)
        assert_identity(median.subs(share), sum(sizes) * kept[0] / len(kept))


def test_limits_of_the_weight():
    """No variance of D: by samples; endless data: a cap; largest variance: everybody alike."""
    weight = bernoulli * information
    assert_identity(weight.subs(sigma_p, 0), k)
    assert sp.limit(weight, k, sp.oo).equals(bernoulli / sigma_p**2)
    assert_identity(weight.subs(sigma_p, sp.sqrt(bernoulli)), 1)


def test_a_wrong_variance_costs_at_most_kantorovich():
    """(r - m)(M - r) >= 0 gives 1/r <= (m + M - r)/(m M); then the product of the means is a quadratic in one mean."""
    r, m, M, x = sp.symbols("r m M x", positive=True)
    assert_identity((m + M - r) / (m * M) - 1 / r, (r - m) * (M - r) / (m * M * r))
    bound = (m + M) ** 2 / (4 * m * M)
    assert_identity(bound - x * (m + M - x) / (m * M), (2 * x - m - M) ** 2 / (4 * m * M))
    assert_identity(bound.subs({m: 1, M: factor}), kantorovich)
    assert kantorovich.subs(factor, 2) == sp.Rational(9, 8)
    inside = {factor: 1 + t, K: 1 + u}
    assert_nonnegative(sp.cancel((assumed - heavy).subs(inside)))
    assert_nonnegative(sp.cancel((factor * heavy - assumed).subs(inside).subs(p, v / (1 + v))))


def test_doubled_variance_attains_nine_eighths():
    """Two groups that the algorithm believes to contribute alike, as K grows."""
    point = {factor: 2, p: sp.Rational(1, 2), sigma_p: sp.Rational(1, 10)}
    believed = sp.limit(assumed.subs(point), K, sp.oo)
    share = believed / (believed + sp.Rational(1, 4))
    ratio = sp.limit((misjudged / ideal).subs(point).subs(f, share), K, sp.oo)
    assert ratio == sp.Rational(9, 8)
    assert_identity((misjudged / ideal).subs(factor, 1), 1)


def law_of_two(D, counts):
    """Probability of every pair of numbers of successes."""

    def one(count, s):
        return sum(q * sp.binomial(count, s) * x**s * (1 - x) ** (count - s) for x, q in D.items())

    pairs = product(*(range(c + 1) for c in counts))
    return {pair: sp.prod([one(c, s) for c, s in zip(counts, pair, strict=True)]) for pair in pairs}


def test_the_best_unbiased_estimate_need_not_be_linear():
    """Footnote 2: 2 and 3 samples, D on {0, 1/2}; the difference of unbiased estimates of E[P^2] helps."""
    half = sp.Rational(1, 2)
    counts, D = (2, 3), {sp.S.Zero: half, half: half}
    law = law_of_two(D, counts)
    expect = lambda g: sum(q * g(*pair) for pair, q in law.items())  # noqa: E731
    mean, between = sp.Rational(1, 4), sp.Rational(1, 16)
    variances = [mean_variance.subs({p: mean, sigma_p: sp.sqrt(between), k: c}) for c in counts]
    first = (1 / variances[0]) / sum(1 / x for x in variances)
    linear = lambda s, r: first * sp.Rational(s, 2) + (1 - first) * sp.Rational(r, 3)  # noqa: E731
    null = lambda s, r: sp.Rational(s * (s - 1), 2) - sp.Rational(r * (r - 1), 6)  # noqa: E731
    assert expect(linear) == mean and expect(null) == 0
    error = expect(lambda *x: (linear(*x) - mean) ** 2)
    assert error == 1 / sum(1 / x for x in variances)
    covariance, power = expect(lambda *x: linear(*x) * null(*x)), expect(lambda *x: null(*x) ** 2)
    better = lambda *x: linear(*x) - covariance / power * null(*x)  # noqa: E731
    assert expect(better) == mean
    assert expect(lambda *x: (better(*x) - mean) ** 2) == error - covariance**2 / power < error
    assert abs(covariance**2 / power / error - sp.Rational(8, 10_000)) < sp.Rational(5, 100_000)
    for other in ({sp.Rational(1, 3): sp.S.One}, {sp.S.Zero: sp.Rational(1, 5), sp.S.One: sp.Rational(4, 5)}):
        truth = sum(x * q for x, q in other.items())  # still unbiased for other D
        assert sum(q * better(*pair) for pair, q in law_of_two(other, counts).items()) == truth
