"""The synthetic users of `which-estimator`, through the estimators between which their curator chooses."""

import sympy as sp

from hdp.explore import Axis, Curve, FigureSpec, Parameter, Readout, Rule
from hdp.figures.shared import users
from hdp.figures.style import DRAWN
from hdp.sym.synthesis import which_estimator as sym


def _curve(label, expression, **style):
    return Curve(label, expression * sym.mixed_precision, **style)


which_estimator = FigureSpec(
    name="hdp-which-estimator",
    title="What another choice costs when every budget is multiplied",
    x_symbol=sym.factor,
    x=Axis("factor on every budget of the file", (0.1, 10.0), "log"),
    y=Axis("error / error of the mixed release", None, "log"),
    layers=(
        _curve("LDPE (all local)", sym.all_local_mse, **DRAWN["LDPE"]),
        _curve("one bit (all local)", sym.one_bit_mse, **DRAWN["one bit"]),
        _curve("KVH (all, strictest)", sym.kvh_mse, **DRAWN["KVH"]),
        _curve("TCM-only, UNI (trusting, strictest)", sym.uniform_mse, **DRAWN["UNI"]),
        _curve("best threshold (trusting)", sym.threshold_mse, **DRAWN["best threshold"]),
        _curve("ADPM (trusting)", sym.adpm_mse, **DRAWN["ADPM"]),
        Curve("mixed release", sp.Integer(1), **DRAWN["mixed release"]),
        Rule("the file", x=sp.Integer(1)),
    ),
    parameters=(
        Parameter.linear(sym.share, "θ, share of private users who trust the curator", 0.05, 0.95, 0.05, 0.6),
        Parameter.linear(sym.public, "q, share of public users", 0.01, 0.3, 0.01, 0.05),
        users(100, 100_000, 1000),
    ),
    readouts=(
        Readout("standard error of the mixed release, factor 1", sym.file_standard_error),
        Readout("error of ADPM over that of the mixed release, factor 1", sym.file_gain),
    ),
    reset_label="As in the file",
    samples=160,
    caption=r"""
        Move \(\theta\) to the left: ADPM, which asks those who trust the curator only, becomes expensive unless budgets
        are small, and local reports cheaper, those of one bit first. KVH and TCM-only promise the strictest budget to
        everybody: look how many users, or how large a factor, they need to come near 1 while \(\theta\) is large.
    """,
    alt="""
        Six lines against the factor, all above 1, the line of the mixed release. ADPM starts near it and
        rises slowly; one threshold and averages at the strictest budget start high, fall, and rise a little at the
        end; local reports cost most at the right, and those of one bit less than those with Laplace noise.
    """,
)
