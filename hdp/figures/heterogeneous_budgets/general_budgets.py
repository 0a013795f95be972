"""General budgets: the reader shapes three groups, and sees levels, weights, effective budgets and errors."""

from functools import partial

import numpy as np

from hdp import adpm, baselines
from hdp.baselines.mechanisms import fme_level
from hdp.explore import Axis, Curve, FigureSpec, Marker, Parameter, Readout, Rule
from hdp.figures.lemma import average, of_groups
from hdp.figures.style import DRAWN
from hdp.sym.heterogeneous_budgets import general_budgets as sym
from hdp.sym.symbols import n

_BUDGET = sym.budget
_MARKS = "₁₂₃"
# The ends are no powers of ten: FME jumps where a budget is exactly 1/sqrt(N), and rounding would decide on which side.
_SHAPE = (
    *(
        Parameter.logarithmic(e, f"ε{mark}, budget of group {i + 1}", 0.012, 9, value, per_decade=15)
        for i, (mark, e, value) in enumerate(zip(_MARKS, sym.budgets, (0.02, 0.3, 3.0), strict=True))
    ),
    *(
        Parameter.linear(g, f"g{mark}, relative size of group {i + 1}", 1, 10, 1, value)
        for i, (mark, g, value) in enumerate(zip(_MARKS, sym.sizes, (5, 3, 2), strict=True))
    ),
)
_N = Parameter.logarithmic(n, "n, number of users", 100, 100_000, 1000, per_decade=10)


def _population(e_1, e_2, e_3, g_1, g_2, g_3, n):
    """Budgets and numbers of users of the three groups."""
    sizes = np.array([g_1, g_2, g_3])
    return np.array([e_1, e_2, e_3]), n * sizes / sizes.sum()


def _scaled_users(e_1, e_2, e_3, g_1, g_2, g_3, n):
    """As many users as the sizes say, with budgets so scaled that affine mechanisms err as if they were n users."""
    users = np.repeat([e_1, e_2, e_3], [round(g_1), round(g_2), round(g_3)])
    return users * np.sqrt(n / users.size)


def _baseline(name):
    """Error of a baseline that is an affine estimator."""

    def error(**values):
        scaled = _scaled_users(**values)
        return baselines.expected_mse(name, scaled) * scaled.size / values["n"]

    return error


def _adpm(**values):
    """Worst-case error of Algorithm 1, which answers 0 where that is better."""
    epsilon, users = _population(**values)
    return min(of_groups(users, epsilon)[1], 0.25)


def _strictest(**values):
    return min(_population(**values)[0])


def _local(**values):
    """Inverse-variance combination of three separately private means."""
    epsilon, users = _population(**values)
    return 1 / sum(1 / average(m, e) for m, e in zip(users, epsilon, strict=True))


def _level(rule, **values):
    """Level at which a rule of the library clips the budgets."""
    scaled = _scaled_users(**values)
    return rule(scaled) * np.sqrt(scaled.size / values["n"])


def _clip(rule):
    """What is left of a budget."""
    return lambda epsilon, **values: np.minimum(epsilon, _level(rule, **values))


def _weight(rule):
    """n times the weight of a user with this budget."""

    def weight(epsilon, **values):
        budgets, users = _population(**values)
        level = _level(rule, **values)
        return values["n"] * np.minimum(epsilon, level) / np.sum(users * np.minimum(budgets, level))

    return weight


_TAU = partial(_level, adpm.clipping_level)


def _sampling_lower(**values):
    """Jensen's lower bound: the mean of as many users as are kept on average, with the largest budget."""
    epsilon, users = _population(**values)
    size = np.sum(users * np.expm1(epsilon)) / np.expm1(epsilon.max())
    return average(size, epsilon.max())


def _over_n(function):
    return lambda x, **values: np.array([4 * v * function(n=v, **values) for v in x])


def _group_point(of, i, values):
    epsilon = _population(**values)[0][i]
    return epsilon, of(epsilon, **values)


def _circles(expression, of):
    """A circle for each group on the curve of this expression of the budget."""
    return tuple(
        Marker(f"group {i + 1}", e, expression.subs(_BUDGET, e), lambda i=i, **v: _group_point(of, i, v))
        for i, e in enumerate(sym.budgets)
    )


_GIVES_UP = sym.least(_BUDGET, sym.level)
_RULE = Rule("τ", x=sym.level, reference=_TAU)

groups_privacy = FigureSpec(
    name="cc-general-groups",
    title="What a user gives up among three groups",
    x_symbol=_BUDGET,
    x=Axis("budget that a user allows, ε (nats)", (0.01, 10.0), "log"),
    y=Axis("privacy loss (nats)", (0.01, 10.0), "log"),
    layers=(
        Curve("PropDPM, LDPE (all that is allowed)", _BUDGET, lambda x, **v: x, **DRAWN["PropDPM"]),
        Curve(
            "UNI (strictest budget for all)",
            sym.strictest,
            lambda x, **v: np.full(len(x), _strictest(**v)),
            **DRAWN["UNI"],
        ),
        Curve(
            "FME (our reconstruction)",
            sym.least(_BUDGET, sym.fme_level),
            _clip(fme_level),
            **DRAWN["FME"],
        ),
        Curve("ADPM (optimal weights)", _GIVES_UP, _clip(adpm.clipping_level), **DRAWN["ADPM"]),
        *_circles(_GIVES_UP, _clip(adpm.clipping_level)),
        _RULE,
    ),
    parameters=(*_SHAPE, _N),
    readouts=(
        Readout("level τ", sym.level, _TAU),
        Readout("error of ADPM × 10⁴", 10**4 * sym.adpm_mse, lambda **v: 1e4 * _adpm(**v)),
    ),
    reset_label="Initial values",
    caption=r"""
        The circles are the three groups. With ADPM everybody whose budget lies beyond the vertical line gives up
        \(\tau\) only, whatever she allows. Make the strict group larger: the line moves
        left, and more privacy is free. Raise the strict budget slowly: the line first moves left, then follows it.
        FME clips lower, but without regard to the error.
    """,
    alt="""
        Privacy loss against budget on logarithmic axes: a diagonal that becomes horizontal at the level, with three
        circles on it, one for each group; FME becomes horizontal earlier, UNI is horizontal throughout.
    """,
)

groups_weights = FigureSpec(
    name="cc-general-weights",
    title="How much a user counts among three groups",
    x_symbol=_BUDGET,
    x=Axis("budget that a user allows, ε (nats)", (0.01, 10.0), "log"),
    y=Axis("n × weight (1 = an equal share)", (0.005, 20.0), "log"),
    layers=(
        Curve("UNI (equal weights)", sym.equal_weight, lambda x, **v: np.ones(len(x)), **DRAWN["UNI"]),
        Curve("FME (our reconstruction)", sym.fme_weight, _weight(fme_level), **DRAWN["FME"]),
        Curve("ADPM (optimal weights)", sym.adpm_weight, _weight(adpm.clipping_level), **DRAWN["ADPM"]),
        Curve("PropDPM (weights ∝ ε)", sym.proportional_weight, _weight(lambda _: np.inf), **DRAWN["PropDPM"]),
        *_circles(sym.adpm_weight, _weight(adpm.clipping_level)),
        _RULE,
    ),
    parameters=(*_SHAPE, _N),
    readouts=tuple(
        Readout(
            f"n w{mark} {name}",
            expression.subs(_BUDGET, e),
            lambda i=i, of=of, **v: _group_point(of, i, v)[1],
        )
        for name, expression, of in (
            ("ADPM", sym.adpm_weight, _weight(adpm.clipping_level)),
            ("PropDPM", sym.proportional_weight, _weight(lambda _: np.inf)),
        )
        for i, (mark, e) in enumerate(zip(_MARKS, sym.budgets, strict=True))
    ),
    reset_label="Initial values",
    caption=r"""
        The weight of one user against her budget; circles mark the groups on the line of ADPM. PropDPM gives the most
        generous users a weight without bound, and so everybody else less; ADPM stops at the line \(\tau\). Raise
        \(\epsilon_3\): the line of ADPM stays, that of PropDPM sinks. FME stops earlier, nearer to equal weights.
    """,
    alt="""
        Weight against budget on logarithmic axes: PropDPM is a diagonal, ADPM a higher diagonal that becomes horizontal
        at the level, FME becomes horizontal earlier, UNI is horizontal at one.
    """,
)

groups_error = FigureSpec(
    name="cc-general-error",
    title="Error of the baselines for three groups",
    x_symbol=n,
    x=Axis("number of users, n", (100.0, 100_000.0), "log"),
    y=Axis("error relative to no privacy, 4n × error", None, "log"),
    layers=(
        Curve("UNI (strictest budget for all)", 4 * n * sym.uniform_mse, _over_n(_baseline("uni")), **DRAWN["UNI"]),
        Curve(
            "SM (sampling; lower bound)",
            4 * n * sym.sampling_mse_lower,
            _over_n(_sampling_lower),
            **DRAWN["SM"],
        ),
        Curve("LDPE (noise for each group)", 4 * n * sym.local_mse, _over_n(_local), **DRAWN["LDPE"]),
        Curve("FME (our reconstruction)", 4 * n * sym.fme_mse, _over_n(_baseline("fme")), **DRAWN["FME"]),
        Curve("ADPM (optimal weights)", 4 * n * sym.adpm_mse, _over_n(_adpm), **DRAWN["ADPM"]),
        Curve("PropDPM (weights ∝ ε)", 4 * n * sym.proportional_mse, _over_n(_baseline("propdpm")), **DRAWN["PropDPM"]),
    ),
    parameters=_SHAPE,
    reset_label="Initial values",
    caption=r"""
        Errors on a fair coin, in units of the error that a plain average has without privacy. ADPM is the lowest line
        of a private mechanism for every shape, because it is the best affine estimator. PropDPM touches it while all
        budgets lie below the level (few users, or a small \(\epsilon_3\)) and then stays behind by a factor; UNI
        starts far above and comes down to ADPM when the users are so many that the strictest budget is enough. FME
        jumps where its rule takes in another group. The line of SM is a lower bound of its error, from which the error
        differs by a few users&rsquo; worth (see the bracket above); SM is not private in general.
    """,
    alt="Six lines against the number of users; the line of ADPM is the lowest everywhere.",
)

FIGURES = (groups_privacy, groups_weights, groups_error)
