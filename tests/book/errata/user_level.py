"""The numbers in the errata of Cummings et al., computed again: for each row, as its text types them."""

from fractions import Fraction
from itertools import product
from math import ceil, comb, log

import numpy as np
import sympy as sp

from hdp import user_level
from hdp.sym.user_level import private

QUARTER = Fraction(1, 4)


def cfmt_minimax_formula():
    ones = np.ones(100)
    assert user_level.corollary_5_5(ones, 1.0, 0.0) == 0
    least, plain = user_level.lower_bound(ones, 1.0, 0.5, 0.0), user_level.baseline_variance("ideal", ones, 0.5, 0)
    return r"_p = 0", "is 0", "p = 1/2", r"\epsilon = 1", f"{least:.5f}", f"{plain:.4f}"


def cfmt_eq_4():
    sigma, width = np.array([0.5, 0.1]), np.array([1.0, 1.0])

    def variance(weights):
        return np.sum((weights * sigma) ** 2) + 2 * np.max(weights * width) ** 2

    levels = [user_level.best_truncation(sigma, width, 1.0), *np.geomspace(0.1, 100, 4001)]
    family = [variance(user_level.truncated_weights(sigma, level)) for level in levels]
    assert family[0] <= min(family) * (1 + 1e-12)
    best, equal = (Fraction(v).limit_denominator(10_000) for v in (family[0], variance(np.array([0.5, 0.5]))))
    weights = [user_level.truncated_weights(sigma, user_level.best_truncation(sigma, d, 1.0)) for d in (width, sigma)]
    in_class = [user_level.noisy_linear_variance(w, sigma**2, 1.0) for w in weights]
    with_it, at_best = (str(Fraction(v).limit_denominator(10_000)) for v in in_class)
    own = [Fraction(float(user_level.sample_mean_variance(0.5, 0, k)) ** 0.5).limit_denominator(1000) for k in (1, 25)]
    setting = "1 and 25 samples", "p = 1/2", r"\sigma_p = 0", f"({own[0]}, {own[1]})", "(1, 1)", r"\epsilon = 1"
    return *setting, str(best), str(equal), f"{with_it} with", f"{at_best} at best"


def cfmt_lemma_4_2_widths():
    log_term, k = sp.symbols("ell k", positive=True)
    least = sp.Rational(1, 4) / k  # the variance of a user's mean
    half = sp.sqrt(log_term / (2 * k))
    ratio = sp.simplify((sp.sqrt(2 * 8 * least * log_term) + half + half) / half)
    assert sp.simplify(ratio - private.sub_gaussian_width_constant) == 0
    setting = r"_p = 0", "p = 1/2", r"= 8\,", f"= {8 * least * k}/k"
    return *setting, r"2 + 2\sqrt2", f"{float(ratio):.2f}"


def cfmt_line_3():
    x = [Fraction(0), Fraction(1)]
    printed = sum((a - b) ** 2 for a in x for b in x) / Fraction(2 * (2 - 1))
    variance = sum((a - sum(x) / 2) ** 2 for a in x)
    return "= 0", "= 1", f"is {variance}", f"is {printed}"


def cfmt_ideal_variance():
    p = Fraction(1, 100)
    low, high = Fraction(1, 3) * Fraction(2, 3), 1 + QUARTER
    return "k_i = 1", "$1/n", f"p = {p}", str(1 / (p * (1 - p))), str(low), str(high), "-p", "(1-p)"


def cfmt_second_result():
    n, k_of_others, losses = 10**4, 1, []
    head, budgets = ceil(log(n)), (10, 100, 1000)
    for budget in budgets:
        k = np.append(np.full(head, n * budget / log(n) - 1), np.full(n - head, float(k_of_others)))
        assert k[0] / np.median(k) <= n * budget / log(n) - 1
        middle = user_level.user_groups(k, budget, head=head, tail=n // 10)[1]
        noiseless = user_level.baseline_variance("ideal", k[middle], 0.5, 0)
        losses.append(noiseless / user_level.private_ideal(k, 0.5, 0.0, budget).variance)
    found = [f"{loss:,.0f}".replace(",", r"\,") for loss in losses]
    at = [rf"\epsilon = {budgets[0]}", r"\beta = 1/20", *(f"at ${budget}$" for budget in budgets[1:])]
    return f"n = 10^{round(log(n, 10))}", f"{head} users", r"\log n - 1", r"_p = 0", "p = 1/2", *at, *found


def cfmt_constant_factor():
    users, most = 1000, 10**6
    k = np.append(float(most), np.ones(users - 1))
    middle = k[user_level.groups(k).middle]
    ideal, found = (user_level.baseline_variance("ideal", group, 0.5, 0) for group in (k, middle))
    assert found / ideal >= (most + users - 1) / (users - 1) > 1000
    return "n - 1", "K+n-1", "n-1", "n = 1000", "K = 10^6", "more than 1000"


def cfmt_footnote_2():
    half, counts = Fraction(1, 2), (2, 3)
    # A user's own mean is 0 or 1/2 with equal chances, independently of the other user's.
    alone = [{j: ((j == 0) + comb(k, j) * half**k) / 2 for j in range(k + 1)} for k in counts]  # number of ones
    pairs = {(s, r): alone[0][s] * alone[1][r] for s, r in product(*alone)}
    mean, spread = QUARTER, QUARTER**2
    variances = [(mean * (1 - mean) - spread) / k + spread for k in counts]
    first = variances[1] / sum(variances)

    def expect(g):
        return sum(chance * g(Fraction(s), Fraction(r)) for (s, r), chance in pairs.items())

    def linear(s, r):
        return first * s / 2 + (1 - first) * r / 3

    def null(s, r):  # the two unbiased estimates of the second moment, one less the other
        return s * (s - 1) / 2 - r * (r - 1) / 6

    assert expect(linear) == mean and expect(null) == 0
    error = expect(lambda s, r: (linear(s, r) - mean) ** 2)
    saved = expect(lambda s, r: linear(s, r) * null(s, r)) ** 2 / expect(lambda s, r: null(s, r) ** 2) / error
    return "2 and 3", "on 0 and $1/2$", f"{100 * float(saved):.2f} %"
