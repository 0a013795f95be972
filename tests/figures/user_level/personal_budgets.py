"""Errors from the library, for each of the 20,000 users."""

from hdp import user_level
from hdp.figures.user_level.personal_budgets import population, predicted


def ratio(who):
    """Error over that of the estimator that knows p and sigma_p."""

    def at(epsilon_1, k_1, gamma_rich, sigma_p):
        k, epsilon = population(epsilon_1, k_1, gamma_rich)
        ideal = user_level.private_ideal(k, 0.5, sigma_p, epsilon).variance
        if who == "one":
            epsilon = 0 * epsilon + epsilon_1
        some = population(0.5, k_1, gamma_rich)[1] == 1 if who == "generous" else slice(None)
        return predicted(k[some], epsilon[some], sigma_p) / ideal

    return at


REFERENCES = {
    "hdp-personal-budgets": {
        "own budget": ratio("all"),
        "strictest": ratio("one"),
        "strict users": ratio("generous"),
    },
}
