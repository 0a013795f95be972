"""The levels of two groups, by the solvers of the library and by root finding."""

from scipy.optimize import brentq


def drawn(n, epsilon_1, f):
    """Where the sum of epsilon (tau - epsilon)_+ is 8, the other group above."""
    strict = n * f
    return brentq(lambda tau: strict * epsilon_1 * (tau - epsilon_1) - 8, epsilon_1, 1e9, xtol=1e-15, rtol=1e-14)


def given(n, epsilon_1, f):
    """One over n t, at the t where the slope of the error in t changes its sign."""
    strict = n * f

    def slope(t):
        return 4 * t - (strict / n - t * strict * epsilon_1) * strict * epsilon_1 / 2

    return 1 / (n * brentq(slope, 0, 1 / (n * epsilon_1), xtol=1e-18, rtol=1e-14))


REFERENCES = {
    "cc-given-data": {
        "data drawn": drawn,
        "given data": given,
        "what the strict": lambda epsilon_1: epsilon_1,
        "n at which": lambda epsilon_1, f: brentq(
            lambda n: drawn(n, epsilon_1, f) / epsilon_1 - 1.1, 1, 1e9, xtol=1e-9
        ),
        "the same": lambda epsilon_1, f: brentq(lambda n: given(n, epsilon_1, f) / epsilon_1 - 1.1, 1, 1e9, xtol=1e-9),
    }
}
