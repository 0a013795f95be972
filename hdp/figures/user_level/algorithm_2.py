"""Section 4.2 of Cummings, Feldman, McMillan & Talwar (2022): Algorithm 2 against the private ideal."""

from functools import partial

import numpy as np
import sympy as sp

from hdp import clipping, user_level
from hdp.explore import Axis, Curve, Parameter, Rule
from hdp.figures.shared import own_figure
from hdp.figures.user_level import private
from hdp.figures.user_level.private import BETA, RARE, USERS, k_1, k_2, share, sigma_p, variance
from hdp.sym.user_level import personal_budgets as personal
from hdp.sym.user_level import private as sym
from hdp.user_level.algorithm_2 import MIDDLE, accuracy
from hdp.user_level.parts import head_size

_HEAD = sym.asked_first(private.SCALES, sym.epsilon, RARE)
_TAIL = USERS // 10
_LOG = sp.log(4 * USERS / RARE)
_first = {personal.eta: 1 / (_TAIL * sym.epsilon), personal.norm: 1 / sp.sqrt(_TAIL), personal.beta: RARE}
_alpha = sum(term.subs(_first) for term in personal.first_terms)
_rough = sym.aim_factor * variance(k_1)  # what the variance estimator aims at
_true_v = [variance(samples) for samples in (k_1, k_2)]
_true_d = [
    sp.Min(1, 2 * sym.half_width.subs({sym.V: sigma_p**2, sym.L: _LOG, sym.k: samples})) for samples in (k_1, k_2)
]
_plug_v = [sym.variance.subs({sym.k: s, sym.P: sp.Rational(1, 4), sym.V: _rough}) for s in (k_1, k_2)]
_plug_d = [sp.Min(1, 2 * (_alpha + sym.half_width.subs({sym.V: _rough, sym.L: _LOG, sym.k: s}))) for s in (k_1, k_2)]
_everybody = [share * USERS, (1 - share) * USERS]
_middle = [share * USERS - _HEAD, (1 - share) * USERS - _TAIL]
_ideal = sym.two_level_optimum(_everybody, _true_v, _true_d)[1]
_w = sym.two_level_optimum(_middle, _plug_v, _plug_d)[0]
_noise = 2 * sp.Max(*(w * d for w, d in zip(_w, _plug_d, strict=True)), evaluate=False) ** 2 / sym.epsilon**2
_realistic = sum(size * w**2 * v for size, w, v in zip(_middle, _w, _true_v, strict=True)) + _noise
_no_privacy = 1 / sum(size / v for size, v in zip(_everybody, _true_v, strict=True))


def _best(size, v, d, epsilon):
    """Weight of one user of each kind, and the error."""
    w = clipping.optimal_weights(v / size, d / (size * epsilon), 2.0) / size
    return w, size @ (w * w * v) + 2 * np.max(w * d / epsilon) ** 2


def predicted(epsilon, k_1, k_2, f, sigma_p):
    """Errors (without privacy, private ideal, Algorithm 2 with first estimates at their aim), with NumPy."""
    k, size = np.array([k_1, k_2]), USERS * np.array([f, 1 - f])
    v = user_level.sample_mean_variance(0.5, sigma_p, k)
    d = np.minimum(1, 2 * user_level.half_width(k, USERS, sigma_p**2, BETA))
    rough = MIDDLE * v[0]
    alpha = accuracy(1 / (_TAIL * epsilon), _TAIL**-0.5, BETA)
    radius = alpha + user_level.half_width(k, USERS, rough, BETA)
    plug = user_level.sample_mean_variance(0.5, np.sqrt(rough), k), np.minimum(1, 2 * radius)
    middle = size - [head_size(k, epsilon, BETA), _TAIL]
    w, _ = _best(middle, *plug, epsilon)
    realistic = middle @ (w * w * v) + 2 * np.max(w * plug[1] / epsilon) ** 2
    return 1 / np.sum(size / v), _best(size, v, d, epsilon)[1], realistic


algorithm_2 = own_figure(
    name="cfmt-algorithm-2-ratio",
    title="Algorithm 2 against the ideal estimators",
    x_symbol=sym.epsilon,
    x=Axis("budget of every user, ε (nats)", (0.2, 10.0), "log"),
    y=Axis("ratio of mean squared errors", (0.8, 10.0), "log"),
    layers=(
        Curve("Algorithm 2 / private ideal", _realistic / _ideal, width=3, colour=0),
        Curve("private ideal / non-private", _ideal / _no_privacy, dash=(8, 4), colour=1),
    ),
    parameters=(private.K_1, private.K_2, private.SHARE, private.SIGMA_P),
    caption=r"""
        Follow the lines to the right: what privacy costs (dashed) and what not knowing \(p\) and \(\sigma_p\) costs
        (thick) tend to constants. Wherever the sliders stand, it is below 14, and where they stand first, below 2.
    """,
    alt="""
        Two lines against the budget: the price of privacy falls to 1, that of not knowing the parameters falls a
        little and stays above.
    """,
)

algorithm_2_simulated = partial(private.simulated, algorithm_2, 0, colour=0)

head = own_figure(
    name="cfmt-head",
    title="How many users must be asked for the variance first",
    x_symbol=sym.epsilon,
    x=Axis("budget of every user, ε (nats)", (0.05, 10.0), "log"),
    y=Axis("users", None, "log"),
    layers=(
        Curve("users asked first on this page", sym.asked_first(sym.G, sym.epsilon, sym.beta), width=3),
        Curve("least that any ε-private mechanism needs", sym.variance_users, dash=(8, 4)),
        Rule("log n users in the paper", y=sp.log(sym.n)),
    ),
    parameters=(
        Parameter.logarithmic(sym.n, "n, number of users", 1000, 1_000_000, 10_000, per_decade=3, multiple_of=100),
        Parameter.linear(sym.G, "G, variances to be told apart", 7, 40, 1, 16),
        Parameter.logarithmic(sym.beta, "β, probability of a wrong one", 0.001, 0.5, 0.05, per_decade=6),
    ),
    caption=r"""
        Look where the dashed line crosses the horizontal one: left of it no \(\epsilon\)-private mechanism on
        \(\log n\) users finds one of \(G\) variances with probability \(1 - \beta\). The thick line is what the
        estimator of this page asks for; where it is flat, the sampling error decides and not privacy. The paper has
        no figure.
    """,
    alt="""
        On logarithmic axes two lines fall as the budget grows, the upper one until it is flat; the lower one crosses a
        horizontal line.
    """,
)
