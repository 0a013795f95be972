"""Why an estimator of the ranking does not apply to a population: in words of the page, empty where it does."""

import math

import numpy as np

from hdp import _validate
from hdp._number import number
from hdp.baselines.sampling import losses, proved
from hdp.hybrid.setting import MOST
from hdp.user_level.model import BETA
from hdp.user_level.parts import head_size

_LOOKED_AT = 8  # different budgets of which a loss is computed, a second each for a million users


def nothing(asked):
    """It always applies."""
    return ""


def of_sampling(asked):
    """SM is ranked where its privacy is proved."""
    epsilon = asked.epsilon
    if proved(epsilon):
        return ""
    if obstacle := _out_of_range(asked, _validate.LARGE):
        return obstacle
    first = np.unique(epsilon, return_index=True)[1]
    some = first[np.linspace(0, first.size - 1, min(first.size, _LOOKED_AT)).astype(int)]
    loss, epsilon = losses(epsilon, some), epsilon[some]
    if not np.any(loss > epsilon * (1 + 1e-9)):
        return "its privacy is not proved for budgets so small"
    worst = np.argmax(loss / epsilon)
    digits = 3 if f"{epsilon[worst]:.3g}" != f"{loss[worst]:.3g}" else 10
    return f"not private: a user who allows {epsilon[worst]:g} loses {loss[worst]:.{digits}g}"


def of_hybrid(asked):
    """A setting has a smallest and a largest budget."""
    return _out_of_range(asked, MOST)


def of_the_ideal(asked):
    """It must be told where to look."""
    if np.isinf(asked.strictest):
        return _ALL_PUBLIC
    if asked.prior is None:
        return "needs a rough mean and standard deviation of the users' means"
    return _out_of_range(asked, _validate.LARGE)


def of_algorithm_2(asked):
    """It sets users aside for its first estimates, and must be told what they aim at."""
    if np.isinf(asked.strictest):
        return _ALL_PUBLIC
    if obstacle := _out_of_range(asked, _validate.LARGE):
        return obstacle
    first, last = head_size(asked.records, asked.strictest, BETA), asked.epsilon.size // 10
    if not last or 2 * (first + last) > asked.epsilon.size:
        enough = number(math.ceil(2.5 * first))  # with as many users, and a tenth of them, it sets half of them aside
        return f"needs about {enough} users who trust the curator, got {asked.epsilon.size}"
    return "" if asked.prior else "its error depends on the users' means: predicted from a prior only"


_ALL_PUBLIC = "needs a finite budget, and every value is public"


def _out_of_range(asked, most):
    """What an estimator says that takes budgets in [1/most, most]."""
    least = asked.strictest
    return "" if 1 / most <= least <= most else f"needs budgets in [{1 / most:g}, {most:g}], got {least:g}"
