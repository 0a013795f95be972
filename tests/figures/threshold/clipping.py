"""Both risks user by user, by `hdp.threshold`."""

import numpy as np

from hdp import adpm, threshold


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


REFERENCES = {
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
