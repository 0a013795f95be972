"""Sections 1 to 3 of Cummings, Feldman, McMillan & Talwar: Lemma 2.1, ideal weights, and what they are worth."""

from itertools import product

import pytest
import sympy as sp

from hdp.proof import assert_identity, assert_nonnegative
from hdp.sym.user_level.model import (
    K,
    assumed,
    bernoulli,
    cap,
    dependence_bias,
    f,
    factor,
    heavy,
    highest,
    ideal,
    information,
    k,
    kantorovich,
    lowest,
    mean_variance,
    median,
    misjudged,
    missing_variance,
    p,
    printed_cap,
    proportional,
    second_moment,
    shift,
    sigma_p,
    uniform,
    wrong_weights,
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
    places, share = sp.symbols("x_:3"), sp.symbols("q_:3")  # D on three points, any number is alike
    moments = [sum(q * x**j for x, q in zip(places, share, strict=True)) for j in (1, 2)]
    spread = moments[1] - moments[0] ** 2
    inside = sum(q * x * (1 - x) for x, q in zip(places, share, strict=True))
    assert_identity(bernoulli.subs(p, moments[0]) - spread, inside)
    assert_nonnegative((P * (1 - P)).subs(P, t / (1 + t)))
    assert_identity(mean_variance.subs(sigma_p, sp.sqrt(bernoulli)), bernoulli)


def test_samples_that_are_not_bits_lack_variance():
    """For any law of the samples on [0, 1]: E[X (1 - X)] / k less than the formula for bits, exactly."""
    values, own = sp.symbols("x_:2"), [sp.symbols("q_:2"), sp.symbols("r_:2")]
    share = sp.Symbol("share")
    laws = [dict(zip(values, (chance[0], 1 - chance[0]), strict=True)) for chance in own]
    moment = [[sum(q * x**j for x, q in law.items()) for j in (1, 2)] for law in laws]
    mean, square, between = (
        share * a + (1 - share) * b
        for a, b in zip(
            (moment[0][0], moment[0][1], moment[0][0] ** 2),
            (moment[1][0], moment[1][1], moment[1][0] ** 2),
            strict=True,
        )
    )
    true = (square - between) / k + between - mean**2  # within users, and between them
    for_bits = mean_variance.subs(sigma_p, sp.sqrt(between - mean**2)).subs(p, mean)
    assert_identity(for_bits - true, missing_variance.subs({p: mean, second_moment: square}))


def test_dependence_on_the_means_is_a_bias_that_more_data_do_not_heal():
    """Half of the users have K samples of mean p + Delta: exactly, and Delta in the limit."""
    samples = {p + shift: K, p - shift: 1}
    mean_of_all = sum(x * count for x, count in samples.items()) / sum(samples.values())
    assert_identity(mean_of_all - p, dependence_bias)
    assert sp.limit(dependence_bias, K, sp.oo) == shift
    more = sp.diff(dependence_bias.subs(K, 1 + t), t)
    assert_nonnegative(sp.cancel(more / shift))


def test_variance_falls_from_bernoulli_to_the_variance_of_d():
    """One more sample never hurts, and helps unless D is on {0, 1}."""
    step = mean_variance - mean_variance.subs(k, k + 1)
    assert_identity(step, (bernoulli - sigma_p**2) / (k * (k + 1)))
    assert_identity(mean_variance.subs(k, 1), bernoulli)
    assert sp.limit(mean_variance, k, sp.oo) == sigma_p**2


def test_information_lies_within_a_factor_two_of_its_cap():
    """1 <= Var * min(k/(p(1-p)), sigma_p^-2) <= 2 for every p; the upper factor is 2 - 1/k and is attained."""
    assert cap.func is sp.Min
    possible = {p: v / (1 + v), k: 1 + t} | {sigma_p: sp.sqrt(u / (1 + u) * v / (1 + v) ** 2)}
    for part in cap.args:  # Var * min is at most Var * part, and at least 1 where each Var >= 1 / part
        assert_nonnegative((mean_variance - 1 / part).subs(possible))
    assert_nonnegative((sum(1 / part for part in cap.args) - mean_variance).subs(possible))  # <= 2 max = 2 / min
    assert_identity((mean_variance * sigma_p**-2).subs(sigma_p, sp.sqrt(bernoulli / k)), 2 - 1 / k)
    both = [part.subs(sigma_p, sp.sqrt(bernoulli / k)) for part in cap.args]
    assert_identity(both[0], both[1])


def test_printed_approximation_has_constants_that_depend_on_p():
    """p(1-p) <= Var * min(k, sigma_p^-2) < 1 + p(1-p), and a is attained: the lower one tends to 0 with p."""
    a, s, more = sp.symbols("a s h", nonnegative=True)
    variance = a / k + (1 - 1 / k) * s
    assert_identity(variance, mean_variance.subs(sigma_p, sp.sqrt(s)) - bernoulli / k + a / k)
    assert printed_cap.func is sp.Min and set(printed_cap.args) == {k, sigma_p**-2}
    by_samples, by_users = k, 1 / s
    many = {k: 1 + t}
    few = {s: u / ((1 + u) * k)}  # k s < 1: the cap is k
    assert_nonnegative(sp.cancel((variance * by_samples - a).subs(few).subs(many)))
    assert_nonnegative(sp.cancel((1 + a - variance * by_samples).subs(few).subs(many)))
    beyond = {s: (1 + more) / k}  # k s >= 1: the cap is 1/s, and s <= a <= 1/4
    assert_nonnegative(sp.cancel((1 + a - variance * by_users).subs(beyond).subs(many)))
    assert_nonnegative((variance - s).subs(a, s + t))  # so the product is at least 1 there
    at_one = (mean_variance * printed_cap).subs(k, 1)  # one sample each, sigma_p < 1
    assert_identity(at_one.subs(sigma_p, sp.Rational(1, 20)), bernoulli)
    assert sp.limit(bernoulli, p, 0) == 0
    true_cap = (mean_variance * cap).subs({k: 1, p: sp.Rational(1, 100), sigma_p: sp.Rational(1, 20)})
    assert true_cap == 1


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
    assert_identity(bound.subs({m: lowest, M: highest}), wrong_weights)
    half = sp.Rational(1, 2)  # two users, estimated m and M times too large: means of r and of 1/r
    attained = (half * M + half * m) * (half / M + half / m)
    assert_identity(attained, bound)


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
