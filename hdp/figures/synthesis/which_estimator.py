"""The synthetic users of `which-estimator`, through the estimators between which their curator chooses."""

import numpy as np
import sympy as sp

from hdp import hybrid
from hdp.explore import Axis, Curve, FigureSpec, Parameter, Readout, Rule
from hdp.figures.lemma import average, of_groups, optimum
from hdp.figures.style import DRAWN
from hdp.sym.symbols import n
from hdp.sym.synthesis import which_estimator as sym

_FILE = np.array([0.1, 0.5, 2.0]), np.array([10, 6, 3]) / 19


def _groups(budget_factor, theta, q_public, n):
    """Budgets and sizes: of those who trust the curator, the public ones last, and of the others."""
    epsilon, users = budget_factor * _FILE[0], n * (1 - q_public) * _FILE[1]
    return np.append(epsilon, np.inf), np.append(theta * users, n * q_public), epsilon, (1 - theta) * users


def _mixed(factor, **values):
    """The lemma's weights for groups: a group of m equal users is one with variance v/m and noise cost s/m."""
    trusting, curated, local, reported = _groups(factor, **values)
    v = np.concatenate([0.25 / curated, 0.25 / np.tanh(local / 2) ** 2 / reported])
    s = np.concatenate([1 / (curated * trusting), np.zeros(local.size)])
    return optimum(v, s)[1]


def _adpm(factor, **values):
    epsilon, users, *_ = _groups(factor, **values)
    return min(of_groups(users, epsilon)[1], 0.25)


def _threshold(factor, **values):
    epsilon, users, *_ = _groups(factor, **values)
    kept = np.cumsum(users[::-1])[::-1]
    return min(average(m, e) for m, e in zip(kept, epsilon, strict=True))


def _uniform(factor, **values):
    epsilon, users, *_ = _groups(factor, **values)
    return average(users.sum(), epsilon[0])


def _all_local(budget_factor, theta, q_public, n):
    epsilon, users, *_ = _groups(budget_factor, 1, q_public, n)
    return 1 / np.sum(users / (0.25 + 2 / epsilon**2))


def _one_bit(budget_factor, theta, q_public, n):
    epsilon, users, *_ = _groups(budget_factor, 1, q_public, n)
    return 0.25 / np.sum(users * np.tanh(epsilon / 2) ** 2)


def _kvh(budget_factor, theta, q_public, n):
    s = hybrid.Setting(n=n, c=theta * (1 - q_public) + q_public, m=1, epsilon=budget_factor * _FILE[0][0], sigma_t=0.5)
    return hybrid.true_mean_mse(s, hybrid.kvh_weight(s))


def _standard_error(factor, **values):
    return np.sqrt(_mixed(factor, **values))


def _gain(factor, **values):
    return _adpm(factor, **values) / _mixed(factor, **values)


def _over_mixed(function):
    return lambda x, **values: np.array([function(f, **values) / _mixed(f, **values) for f in x])


def _in_file(function):
    return lambda **values: function(1.0, **values)


def _curve(label, expression, function, **style):
    return Curve(label, expression * sym.mixed_precision, _over_mixed(function), **style)


which_estimator = FigureSpec(
    name="hdp-which-estimator",
    title="What another choice costs when every budget is multiplied",
    x_symbol=sym.factor,
    x=Axis("factor on every budget of the file", (0.1, 10.0), "log"),
    y=Axis("error / error of the mixed release", None, "log"),
    layers=(
        _curve("LDPE (all local)", sym.all_local_mse, _all_local, **DRAWN["LDPE"]),
        _curve("one bit (all local)", sym.one_bit_mse, _one_bit, **DRAWN["one bit"]),
        _curve("KVH (all, strictest)", sym.kvh_mse, _kvh, **DRAWN["KVH"]),
        _curve("TCM-only, UNI (trusting, strictest)", sym.uniform_mse, _uniform, **DRAWN["UNI"]),
        _curve("best threshold (trusting)", sym.threshold_mse, _threshold, **DRAWN["best threshold"]),
        _curve("ADPM (trusting)", sym.adpm_mse, _adpm, **DRAWN["ADPM"]),
        Curve("mixed release", sp.Integer(1), lambda x, **values: np.ones(len(x)), **DRAWN["mixed release"]),
        Rule("the file", x=sp.Integer(1), reference=lambda **values: 1.0),
    ),
    parameters=(
        Parameter.linear(sym.share, "θ, share of private users who trust the curator", 0.05, 0.95, 0.05, 0.6),
        Parameter.linear(sym.public, "q, share of public users", 0.01, 0.3, 0.01, 0.05),
        Parameter.logarithmic(n, "n, number of users", 100, 100_000, 1000, per_decade=10),
    ),
    readouts=(
        Readout("standard error of the mixed release, factor 1", sym.file_standard_error, _in_file(_standard_error)),
        Readout("error of ADPM over that of the mixed release, factor 1", sym.file_gain, _in_file(_gain)),
    ),
    reset_label="As in the file",
    samples=160,
    caption=r"""
        Worst-case errors as multiples of the mixed release's. Each is a linear release with Laplace noise or one-bit
        reports that the lemma could have chosen, but for one-bit reports by those who trust: only these could sink
        below 1, and with a public value ADPM's cap is idle. Move \(\theta\) to the left: ADPM, which asks those who
        trust the curator only, becomes expensive, and local reports cheap, those of one bit first. KVH and TCM-only
        promise the strictest budget to everybody: look how many users, or how large a factor, they need to come
        near 1.
    """,
    alt="""
        Six lines against the factor, all above 1, the line of the mixed release. ADPM starts near it and
        rises slowly; one threshold and averages at the strictest budget start high and fall; local reports cost most
        at the right, and those of one bit less than those with Laplace noise.
    """,
)

FIGURES = (which_estimator,)
