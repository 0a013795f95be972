"""Cummings, Feldman, McMillan & Talwar (2022), sections 1 to 3: the model, and weights without privacy."""

import sympy as sp

p = sp.Symbol("p", positive=True)  # mean of D; 0 < p < 1
sigma_p = sp.Symbol("sigma_p", positive=True)  # standard deviation of D, at most sqrt(p (1 - p))
k = sp.Symbol("k", positive=True)  # a user's number of samples, at least 1
bernoulli = p * (1 - p)

# Lemma 2.1 and eq. (2)
mean_variance = bernoulli / k + (1 - 1 / k) * sigma_p**2
information = 1 / mean_variance  # what the weight of eq. (1) is proportional to

# Samples of mean P in [0, 1] that are not bits: E[X^2] is not P, and the variance of a user's mean is less by this
second_moment = sp.Symbol("m_2", positive=True)  # mean of the squared sample, over users and samples
missing_variance = (p - second_moment) / k

# Half of the users hold K samples with means p + Delta, the others one with p - Delta: bias of the mean of all samples
K = sp.Symbol("K", positive=True)
shift = sp.Symbol("Delta", positive=True)
dependence_bias = shift * (K - 1) / (K + 1)

# What a user loses under Laplace noise of scale eta, by the weight of her mean: with all her samples, and with one
weight, eta = sp.symbols("w_user eta_user", positive=True)
user_loss, event_loss = weight / eta, weight / (k * eta)

# Section 1: the approximation of 1/information, and the one that holds for every p up to a factor 2
printed_cap = sp.Min(k, sigma_p**-2)
cap = sp.Min(k / bernoulli, sigma_p**-2)

# Two groups: a fraction f of the users has K samples, the others one; errors are times the number of users
f = sp.Symbol("f_K", positive=True)
heavy = mean_variance.subs(k, K)
ideal = 1 / (f / heavy + (1 - f) / bernoulli)
uniform = f * heavy + (1 - f) * bernoulli
proportional = (f * K**2 * heavy + (1 - f) * bernoulli) / (f * K + 1 - f) ** 2
median = sp.Piecewise((heavy / f, f >= sp.Rational(1, 2)), (bernoulli, True))


def largest_price(low, high):
    """Kantorovich's constant: what weights cost at most whose variances are wrong by factors between these."""
    return (low + high) ** 2 / (4 * low * high)


# Algorithm 1, line 3: the weights with a variance of D that is `factor` times too large, and how much that costs
factor = sp.Symbol("factor", positive=True)
assumed = heavy.subs(sigma_p, sp.sqrt(factor) * sigma_p)
misjudged = (f * heavy / assumed**2 + (1 - f) / bernoulli) / (f / assumed + (1 - f) / bernoulli) ** 2
kantorovich = largest_price(1, factor)

# The error of Algorithm 1 over the ideal one: t users with most data, b with least and c between, of n; the largest
# number of samples over the median, or p(1-p)/sigma_p^2 if that is less; estimated variances over the true ones from
# `lowest` to `highest`
n_users, n_top, n_bottom, n_middle = sp.symbols("n_users n_top n_bottom n_middle", positive=True)
spread = sp.Symbol("spread", positive=True)
lowest, highest = sp.symbols("r_min r_max", positive=True)
wrong_weights = largest_price(lowest, highest)
splitting = 1 + n_bottom / n_middle + n_top / (n_users / 2 - n_top) * spread
