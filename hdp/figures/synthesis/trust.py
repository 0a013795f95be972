"""What trust is worth, as the share of those who do not trust the curator grows."""

from dataclasses import replace

import numpy as np
import sympy as sp

from hdp import hybrid, user_level
from hdp.explore import Axis, Curve, FigureSpec, Readout
from hdp.figures.lemma import of_groups
from hdp.figures.style import DRAWN
from hdp.figures.synthesis.population import BUDGET, DEVIATION, RATIO, SECOND_BUDGET, SIZE, samples
from hdp.sym.symbols import f, n
from hdp.sym.synthesis import ranking as sym

__all__ = ["trust"]


def _population(x, n, epsilon_1, r, k, sigma_p):
    """Sizes of the groups (two columns, one row for each share x), their budgets, the variance of a value."""
    share = np.atleast_1d(np.asarray(x, dtype=float))
    return n * np.stack([share, 1 - share], -1), epsilon_1 * np.array([1, r]), _variance(k, sigma_p)


def _variance(k, sigma_p):
    return user_level.sample_mean_variance(0.5, sigma_p, k)


def _released(x, **values):
    """Both groups as items of the solver."""
    sizes, budgets, variance = _population(x, **values)
    return np.sqrt([of_groups(users, budgets, variance)[1] for users in sizes])


def _setting(x, **values):
    sizes, budgets, variance = _population(x, **values)
    noise = 2 / (sizes[:, 1] * budgets[1]) ** 2, 2 / budgets[0] ** 2
    return hybrid.Setting(values["n"], 1 - np.asarray(x), 1, budgets[1], variance**0.5, s_t2=noise[0], s_l2=noise[1])


def _mixed(x, **values):
    s = _setting(x, **values)
    return np.sqrt(hybrid.true_mean_mse(s, hybrid.kvh_weight(s)))


def _trusting_alone(x, **values):
    return np.sqrt(hybrid.true_mean_mse(_setting(x, **values), 1.0))


def _reports(x, **values):
    sizes, budgets, variance = _population(x, **values)
    return np.sum(sizes / (variance + 2 / budgets**2), axis=-1) ** -0.5


def _sampling(n, k, sigma_p, **_):
    """Without any noise, all users alike."""
    return np.sqrt(_variance(k, sigma_p) / n)


_K = samples(sym.k, "k, samples of every user", 10.0)

trust = FigureSpec(
    name="synthesis-trust",
    title="What trust is worth",
    x_symbol=f,
    x=Axis("fraction of users in group 1, f", (0.02, 0.98)),
    y=Axis("least root mean squared error", None, "log"),
    layers=(
        Curve("nobody trusts", sp.sqrt(sym.least_reports), _reports, width=3, colour=2),
        Curve("only group 2 trusts (KVH)", sp.sqrt(sym.kvh), _mixed, **DRAWN["KVH"]),
        Curve("group 2 without group 1 (TCM-Only)", sp.sqrt(sym.trusted), _trusting_alone, **DRAWN["TCM-Only"]),
        Curve("all trust the curator", sp.sqrt(sym.least), _released, width=3, colour=0),
        Curve(
            "sampling error alone",
            sp.sqrt(sym.v_1 / n),
            lambda x, **values: np.full(np.shape(x), _sampling(**values)),
            dash=(8, 4),
            width=1.6,
            colour=5,
        ),
    ),
    parameters=(SIZE, replace(BUDGET, value=0.5), replace(RATIO, value=1.0), _K, DEVIATION),
    derived=(SECOND_BUDGET, *((v, sym.value_variance) for v in sym.VARIANCES)),
    readouts=(Readout("root of the sampling error v/n alone", sp.sqrt(sym.v_1 / n), _sampling),),
    reset_label="Initial values",
    caption=r"""
        The best weights for a known variance and Laplace noise under three kinds of trust, in the same population as
        above; in the middle case group 1 sends reports. Where few trust, reports begin to count: KVH leaves the
        dotted line and bends to the line on which nobody trusts. Raise \(n\): full trust comes down to the sampling
        error, and without it a factor remains. Raise the ratio of the budgets: the reports of group 1 count for
        little, except where almost nobody trusts.
    """,
    alt="""
        Five lines against the share of group 1 on a logarithmic axis. Reports alone are worst and full trust is best,
        both level; the mixed model rises from one to the other, and at the right end stays below the
        dotted line of the trusting group alone.
    """,
)
