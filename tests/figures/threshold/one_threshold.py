"""N R for two groups, as if n = 1 and epsilon_1 = s: the best of two averages, and the solver for two groups."""

import numpy as np
import pytest
from scipy.optimize import brentq

from hdp import adpm, clipping, threshold
from tests.figures.captions import line, says
from tests.figures.lemma import average, of_groups


def risks(nu, rho, s, kappa=2.0):
    """Of one threshold and of the affine estimator."""
    n, epsilon = np.array([1.0, nu]) / (1 + nu), s * np.array([1.0, rho])
    kept = average(np.array([1.0, n[1]]), epsilon, kappa=kappa)
    return kept.min(), of_groups(n, epsilon, kappa=kappa)[1]


def ratio(nu, rho, s, kappa=2.0):
    threshold, affine = risks(nu, rho, s, kappa)
    return threshold / affine


def switch(nu, s):
    """Where the noise of group 2 makes up for the sampling error that it adds."""
    noise = 2 / s**2 - 0.25 / nu
    return (1 + nu) / nu * np.sqrt(2 / noise) / s if noise > 0 else np.nan


def beside_public(nu, s, kappa):
    """N R of the private group alone and of the public group alone."""
    n = np.array([1.0, nu]) / (1 + nu)
    return average(n[0], s, kappa=kappa), 0.25 / n[1]


def public_ratio(nu, s, kappa):
    """Beside a public group, from the inverse-variance combination of the two."""
    private, public = beside_public(nu, s, kappa)
    return min(average(1.0, s, kappa=kappa), public) * (1 / private + 1 / public)


def balance(s, kappa):
    """Where the two groups alone are equally good."""
    return brentq(lambda nu: np.subtract(*beside_public(nu, s, kappa)), 1e-9, 1, xtol=1e-300, rtol=1e-15)


def top(s, kappa):
    """Where the public group alone errs as much as everybody with the strict budget, and the ratio there."""
    place = brentq(lambda nu: average(1.0, s, kappa=kappa) - 0.25 * (1 + nu) / nu, 1e-9, 1e4, xtol=1e-300, rtol=1e-15)
    return place, public_ratio(place, s, kappa)


REFERENCES = {
    "cz-ratio": {
        "ratio of errors": lambda nu, rho, s: ratio(nu, rho, s),
        "group 2 is clipped": lambda nu, s: (
            clipping.water_level(np.array([s]), np.array([s / (1 + nu)]), 8.0) / s  # the level of group 1 alone
        ),
        "the threshold drops": switch,
        "your point": lambda nu_0, rho_0: (nu_0, rho_0),
        "ratio at your point": lambda nu_0, rho_0, s: ratio(nu_0, rho_0, s),
        "share of users": lambda nu_0, rho_0, s: (
            1.0 if risks(nu_0, rho_0, s)[0] == average(1.0, s) else nu_0 / (1 + nu_0)
        ),
    },
    "cz-public-ratio": {
        "group 2 has the budget": ratio,
        "group 2 is public": public_ratio,
        "Theorem 1": 2.0,
        "Theorem 2": 4.0,
        "both groups": balance,
        "largest ratio": [top, lambda s, kappa: top(s, kappa)[1]],
    },
}


# -- Both risks user by user, by `hdp.threshold`.


def budgets(e_1, e_2, e_3, N_1, N_2, N_3):
    return np.repeat([e_1, e_2, e_3], [int(N_1), int(N_2), int(N_3)])


def dropped(tau, **groups):
    """Eq. (3); nobody is left beyond the largest budget."""
    epsilon = budgets(**groups)
    return threshold.threshold_mse(epsilon, tau) if tau <= epsilon.max() else np.nan


def clipped(tau, **groups):
    return threshold.affine_mse(budgets(**groups), tau)


def best_threshold(**groups):
    epsilon = budgets(**groups)
    return threshold.best_threshold(epsilon), threshold.threshold_mse(epsilon)


def best_level(**groups):
    """Where eq. (2) is least: at the clipping level, or from the largest budget on if nobody is clipped."""
    epsilon = budgets(**groups)
    return min(adpm.clipping_level(epsilon), epsilon.max()), threshold.affine_mse(epsilon)


REFERENCES |= {
    "cz-risk-against-threshold": {
        "drop whoever": dropped,
        "clip whoever": clipped,
        "least error by dropping": best_threshold,
        "least error by clipping": best_level,
        "best threshold": lambda **groups: best_threshold(**groups)[1],
        "best clipping": lambda **groups: best_level(**groups)[1],
        "ratio": lambda **groups: best_threshold(**groups)[1] / best_level(**groups)[1],
        "bound of Theorem 4": lambda **groups: np.unique(budgets(**groups)).size ** 2,
    }
}


# -- What the captions say.


@says(
    "cz-public-ratio",
    "At first the dashed line passes 2; with the largest budget the lines nearly agree",
)
def the_dashed_line_passes_two_at_first(figure):
    """For weaker privacy of group 1 it does not, and for stricter privacy the lines stay apart."""
    x = np.geomspace(1e-5, 100, 1000)
    assert line(figure, "group 2 has", x).max() > 2 > line(figure, "group 2 has", x, s=1).max()
    assert line(figure, "group 2 has", x, rho=1e5) == pytest.approx(line(figure, "group 2 is", x), abs=0.05)
    apart = line(figure, "group 2 has", x, rho=1e5, s=0.01) - line(figure, "group 2 is", x, s=0.01)
    assert np.abs(apart).max() > 0.5
