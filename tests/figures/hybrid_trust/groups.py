"""What the pages share: equal groups on [0, 1], the ratios of their errors, and the four lines of a figure."""

import numpy as np

from hdp import hybrid


def setting(n, c, epsilon, sigma):
    return hybrid.Setting(n=n, c=c, m=1, epsilon=epsilon, sigma_t=sigma)


def improvement(mse, over=hybrid.relative_improvement):
    """R of an estimator: the better baseline's error over its own."""

    def ratio(n, c, epsilon, sigma):
        s = setting(n, c, epsilon, sigma)
        return over(s, mse(s))

    return ratio


def weighed(s, weight):
    """R of the hybrid estimator with a weight of the library."""
    return hybrid.relative_improvement(s, hybrid.mse_hybrid(s, weight(s)))


def somebody(function):
    """Nothing is drawn where less than one user trusts the curator."""
    return lambda n, c, **rest: function(n, c, **rest) if c * n >= 1 else np.nan


def of_each(function, **fixed):
    """For each fraction and budget of the sliders c_1, c_2, e_1 and e_2, a function of c, epsilon and the others."""

    def line(i, j):
        def at(c_1, c_2, e_1, e_2, **rest):
            return function(c=(c_1, c_2)[i], epsilon=(e_1, e_2)[j], **fixed, **rest)

        return at

    return [line(i, j) for i in (0, 1) for j in (0, 1)]


def labelled(form, functions):
    """Four functions under the labels of the four."""
    few, more, small, large = "few trust (c₁)", "more trust (c₂)", "small budget (ε₁)", "large budget (ε₂)"
    kinds = (f"{few}, {small}", f"{few}, {large}", f"{more}, {small}", f"{more}, {large}")
    return {form.format(kind): function for kind, function in zip(kinds, functions, strict=True)}
