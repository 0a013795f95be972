"""What references share: errors of groups of users who are alike, in any number, by the library's solver."""

import numpy as np

from hdp import affine, clipping


def optimum(variance, noise_cost):
    """Weights and least error of the one lemma for these items, with Laplace noise."""
    w = clipping.optimal_weights(variance, noise_cost, 2.0)
    return w, affine.mean_squared_error(w, np.max(noise_cost * w), variance)


def of_groups(users, budgets, variance=0.25):
    """Weights of the groups and least error, for values in an interval of width 1."""
    return optimum(variance / users, 1 / (users * budgets))


def average(users, budget, variance=0.25):
    """Error of the average of one group with noise for one budget."""
    return affine.mean_squared_error([1.0], 1 / (users * budget), variance / users)
