"""What references share: errors of groups of users who are alike, in any number, by the library's solver."""

import numpy as np

from hdp import clipping


def optimum(variance, noise_cost, kappa=2.0):
    """Weights and least error of the one lemma for these items, with Laplace noise unless it is told another."""
    w = clipping.optimal_weights(variance, noise_cost, kappa)
    return w, np.sum(variance * w**2) + kappa * np.max(noise_cost * w) ** 2


def of_groups(users, budgets, variance=0.25, kappa=2.0):
    """Weights of the groups and least error, for values in an interval of width 1."""
    return optimum(variance / users, 1 / (users * budgets), kappa)


def average(users, budget, variance=0.25, kappa=2.0):
    """Error of the average of one group with noise for one budget."""
    return variance / users + kappa / (users * budget) ** 2
