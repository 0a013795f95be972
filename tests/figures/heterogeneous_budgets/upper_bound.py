"""Figure 1(B) user by user, and privacy losses from the weights of the solver."""

import numpy as np

from hdp import adpm, baselines, notions
from tests.figures.heterogeneous_budgets.groups import budgets, in_order, saturation
from tests.figures.lemma import average, of_groups


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


def released(epsilon_1, epsilon_2, n, f, kind):
    """What a user of each group loses, in the notion's unit: weight over noise; nothing where 0 is answered."""
    notion, sizes = notions.Notion(("pure", "gdp", "zcdp")[int(kind)]), np.array([n * f, n * (1 - f)])
    reach = notion.reach([epsilon_1, epsilon_2])
    w, error = of_groups(sizes, reach, kappa=2.0 if int(kind) == 0 else 1.0)
    counts = w / sizes  # of each member
    return notion.loss(counts / np.max(counts / reach)) if error <= 0.25 else np.full(2, np.nan)


def loss_of(group):
    """Drawn where group 2 is the less strict one."""
    return lambda epsilon_1, epsilon_2, n, f, kind: (
        released(epsilon_1, epsilon_2, n, f, kind)[group] if epsilon_2 >= epsilon_1 else np.nan
    )


def cut(epsilon_1, n, f, kind):
    """By the ratio that the library gives in the notion's unit."""
    return epsilon_1 * adpm.saturation_ratio(epsilon_1, n, f, notion=("pure", "gdp", "zcdp")[int(kind)])


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
        "group 2 gives up": loss_of(1),
        "group 1": loss_of(0),
        "saturation": [cut, cut],
    },
}
