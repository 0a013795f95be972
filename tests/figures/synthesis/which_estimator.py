"""The synthetic users of the page, group by group, through the estimators between which their curator chooses."""

import itertools

import numpy as np

from hdp import clipping, hybrid
from hdp.robust import loss_of_wrong_variances, price_of_wrong_variances
from tests.figures.captions import line, positions, says
from tests.figures.lemma import average, of_groups, optimum

BUDGETS, SHARES = np.array([0.1, 0.5, 2.0]), np.array([10, 6, 3]) / 19  # of the file's private users


def groups(budget_factor, theta_C, q_public, n):
    """Budgets and sizes: of those who trust the curator, the public ones last, and of the others."""
    epsilon, users = budget_factor * BUDGETS, n * (1 - q_public) * SHARES
    return np.append(epsilon, np.inf), np.append(theta_C * users, n * q_public), epsilon, (1 - theta_C) * users


def mixed(**file):
    """The lemma's weights for groups: a group of m equal users is one with variance v/m and noise cost s/m."""
    trusting, curated, local, reported = groups(**file)
    v = np.concatenate([0.25 / curated, 0.25 / np.tanh(local / 2) ** 2 / reported])
    return optimum(v, np.concatenate([1 / (curated * trusting), np.zeros(local.size)]))[1]


def adpm(**file):
    epsilon, users, *_ = groups(**file)
    return min(of_groups(users, epsilon)[1], 0.25)


def threshold(**file):
    epsilon, users, *_ = groups(**file)
    return min(average(users[i:].sum(), budget) for i, budget in enumerate(epsilon))


def uniform(**file):
    epsilon, users, *_ = groups(**file)
    return average(users.sum(), epsilon[0])


def reports(precision):
    def error(**file):
        epsilon, users, *_ = groups(**file | {"theta_C": 1})
        return 1 / np.sum(users * precision(epsilon))

    return error


def kvh(budget_factor, theta_C, q_public, n):
    s = hybrid.Setting(n=n, c=theta_C * (1 - q_public) + q_public, m=1, epsilon=budget_factor * BUDGETS[0], sigma_t=0.5)
    return hybrid.true_mean_mse(s, hybrid.kvh_weight(s))


def over_mixed(error):
    return lambda **file: error(**file) / mixed(**file)


REFERENCES = {
    "hdp-which-estimator": {
        "LDPE": over_mixed(reports(lambda epsilon: 1 / (0.25 + 2 / epsilon**2))),
        "one bit": over_mixed(reports(lambda epsilon: 4 * np.tanh(epsilon / 2) ** 2)),
        "KVH": over_mixed(kvh),
        "TCM-only": over_mixed(uniform),
        "best threshold": over_mixed(threshold),
        "ADPM": over_mixed(adpm),
        "mixed release": 1.0,
        "the file": 1.0,
        "standard error": lambda **file: np.sqrt(mixed(budget_factor=1.0, **file)),
        "error of ADPM": lambda **file: over_mixed(adpm)(budget_factor=1.0, **file),
    }
}


# -- Several answers from the synthetic users of a file: the errors of one answer, with smaller budgets.


def each(error):
    """Standard error of each of t answers: a t-th of every budget."""
    return lambda t_answers, **users: np.sqrt(error(budget_factor=1 / t_answers, **users))


from_file_to_answer_mixed = each(mixed)

REFERENCES |= {
    "synthesis-asking": {
        "t times": lambda t_answers, **users: t_answers * from_file_to_answer_mixed(1.0, **users),
        "one bit": each(reports(lambda epsilon: 4 * np.tanh(epsilon / 2) ** 2)),
        "mixed release": from_file_to_answer_mixed,
        "sampling error": lambda n: 0.5 / np.sqrt(n),
        "standard error of one": lambda **users: from_file_to_answer_mixed(1.0, **users),
        "of each of two": lambda **users: from_file_to_answer_mixed(2.0, **users),
    }
}


# -- Two groups with wrong variances, user by user groups as items through the solver.

VARIANCE = 1 / 64


def items(N_1, N_2, epsilon_1, epsilon_2):
    users = np.array([N_1, N_2])
    return VARIANCE / users, 1 / (users * np.array([epsilon_1, epsilon_2]))


def loss(rho_1, rho_2, **groups):
    v, s = items(**groups)
    return loss_of_wrong_variances(v, v * [rho_1, rho_2], s, 2.0)


def ends(rho_1, rho_2):
    return min(1, rho_1, rho_2), max(1, rho_1, rho_2)


def cut(rho_1, **groups):
    """The level of the believed problem, over the believed variance of one user."""
    v, s = items(**groups)
    return clipping.water_level(rho_1 * v / s, 1 / s, 2.0) / (rho_1 * VARIANCE)


def standard_error(N_1, N_2, epsilon_1, epsilon_2):
    return of_groups(np.array([N_1, N_2]), np.array([epsilon_1, epsilon_2]), VARIANCE)[1] ** 0.5


REFERENCES |= {
    "hdp-wrong-variances": {
        "term by term": lambda rho_1, rho_2: max(1, rho_1, rho_2) / min(1, rho_1, rho_2),
        "the most": lambda rho_1, rho_2: price_of_wrong_variances(*ends(rho_1, rho_2)),
        "what it costs": loss,
        "true": 1.0,
        "standard error": standard_error,
    },
    "hdp-wrong-variances-level": {
        "believed level": cut,
        "level for": lambda **groups: cut(rho_1=1.0, **groups),
        "budget ε₁": lambda epsilon_1: epsilon_1,
        "budget ε₂": lambda epsilon_2: epsilon_2,
        "error / least error where 16": lambda **groups: loss(16.0, 16.0, **groups),
        "error / least error where a": lambda **groups: loss(1 / 16, 1 / 16, **groups),
    },
}


# -- What the captions say.


@says("synthesis-asking", "With many users, most of whom trust the curator, the line of the mixed release")
def a_second_answer_costs_little_where_many_trust(figure):
    """Where few do, it costs 39 % even a hundred thousand, and of a hundred users it costs 26 % where nearly all do."""
    second = lambda **values: float(np.divide(*line(figure, "mixed", [2.0, 1.0], **values)))  # noqa: E731
    assert second(n=100, theta_C=0.95, q_public=0.01) > 1.25
    assert second(n=1e5, theta_C=0.95) < second(n=1e5) < 1.05 < 1.39 < second(n=1e5, theta_C=0.05, q_public=0.01) < 1.4


@says("synthesis-asking", "it is never as steep as the dotted line")
def each_answer_errs_less_than_proportionally(figure):
    """At any position of the sliders."""
    answers = np.geomspace(1, 30, 40)
    for n, share, public in itertools.product(*(positions(figure, name, 4) for name in ("n", "theta_C", "q_public"))):
        of_each = line(figure, "mixed", answers, n=n, theta_C=share, q_public=public)
        assert (np.diff(np.log(of_each)) < np.diff(np.log(answers))).all()


@says("hdp-wrong-variances", r"Drag \(\epsilon_2\), the rest as first drawn: the thick line touches")
def the_thick_line_touches_elsewhere(figure):
    """At the ends of the slider only at 1; with 130 users in each group at a ratio above 2, too."""
    x = np.geomspace(1 / 16, 16, 400)

    def touched(**values):
        gap = line(figure, "the most", x, **values) / line(figure, "what it costs", x, **values)
        assert gap.min() > 1 - 1e-9
        return x[gap < 1.002].max()

    ends = [touched(epsilon_2=e) for e in (0.001, 1)]
    assert max(ends) < 1.1 < 2 < min(touched(epsilon_2=0.02), touched(epsilon_2=1, N_1=130, N_2=130, epsilon_1=100))


@says("hdp-wrong-variances-level", "which can bring the weights nearer to each other")
def a_lower_level_can_bring_weights_nearer(figure):
    """Not where it stays above both budgets; and believing in too little need not reach the budgets' ratio."""

    def ratio(rho, **values):
        cut, first, second = line(figure, "believed", rho, **values), values["epsilon_1"], values["epsilon_2"]
        return float(min(first, cut) / min(second, cut))

    high, low = {"epsilon_1": 0.1, "epsilon_2": 0.001}, {"epsilon_1": 10, "epsilon_2": 1}
    assert ratio(16, N_1=1, N_2=1, **high) == ratio(1, N_1=1, N_2=1, **high)
    assert (
        ratio(16, N_1=1, N_2=2000, **low)
        < ratio(1, N_1=1, N_2=2000, **low)
        < ratio(1 / 16, N_1=1, N_2=2000, **low)
        < 10
    )


@says("hdp-which-estimator", r"they need to come near 1 while \(\theta\) is large")
def the_strictest_budget_comes_near_one_where_many_trust(figure):
    """Where few do, it takes more than twice the error at any number and any factor."""
    x = np.geomspace(0.1, 10, 30)
    near = {
        share: min(line(figure, "KVH", x, theta_C=share, q_public=0.01, n=n).min() for n in positions(figure, "n"))
        for share in (0.05, 0.6)
    }
    assert near[0.6] < 1.05 and near[0.05] > 2


@says("hdp-wrong-variances", r"while \(\epsilon_2\) is small the thick line hardly moves")
def the_thick_line_hardly_moves_for_small_budgets(figure):
    """For a budget of 1 it rises to more than four times its height."""
    x = np.geomspace(1 / 16, 16)
    for e, moves in ((0.001, False), (0.02, False), (1, True)):
        near, far = (line(figure, "what it costs", x, epsilon_2=e, rho_2=r) for r in (1, 4))
        assert (abs(far / near - 1).max() > 0.05) == moves
