"""Figure 1(B) user by user, and privacy losses from the weights of the solver."""

import numpy as np

from hdp import adpm, baselines
from tests.figures.heterogeneous_budgets.groups import budgets, in_order, items, optimum, saturation
from tests.figures.lemma import average


def baseline(name):
    """Error of a baseline; LDPE has two groups also where the budgets agree."""

    @in_order
    def error(epsilon_1, epsilon_2, n, f):
        second = np.nextafter(epsilon_2, np.inf) if name == "ldpe" else epsilon_2
        return 1e4 * baselines.expected_mse(name, budgets(epsilon_1, second, n, f))

    return error


@in_order
def sampling_jensen(epsilon_1, epsilon_2, n, f):
    return 1e4 * average(n * (1 - f) + n * f * np.expm1(epsilon_1) / np.expm1(epsilon_2), epsilon_2)


@in_order
def given_up(epsilon_1, epsilon_2, n, f):
    """What a user of group 2 loses: her group's weight over her group's size and the noise."""
    w, error = optimum(epsilon_1, epsilon_2, n, f)
    scale = np.max(items(epsilon_1, epsilon_2, n, f)[1] * w)
    return w[1] / (n * (1 - f)) / scale if error <= 0.25 else np.nan


FIGURE_1B = {
    "UNI": baseline("uni"),
    "SM": sampling_jensen,
    "LDPE": baseline("ldpe"),
    "ADPM": in_order(lambda *point: 1e4 * adpm.worst_case_mse(budgets(*point))),
    "PropDPM": baseline("propdpm"),
    "saturation": saturation,
}
REFERENCES = {
    "cc-figure-1b": FIGURE_1B,
    "cc-effective-budget": {
        "group 2 allows": lambda epsilon_2: epsilon_2,
        "group 2 gives up": given_up,
        "group 1": in_order(lambda *point: point[0] if optimum(*point)[1] <= 0.25 else np.nan),
        "saturation": saturation,
    },
}
