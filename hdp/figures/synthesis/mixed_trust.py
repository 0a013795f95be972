"""What trust is worth, as the share of those who do not trust the curator grows."""

from dataclasses import replace

import sympy as sp

from hdp.explore import Axis, Curve, Readout
from hdp.figures.shared import own_figure
from hdp.figures.style import DRAWN
from hdp.figures.synthesis.one_picture import BUDGET, DEVIATION, RATIO, SECOND_BUDGET, SIZE, samples
from hdp.sym.symbols import f, n
from hdp.sym.synthesis import mixed_trust as sym

_K = samples(sym.k, "k, samples of every user", 10.0)

trust = own_figure(
    name="synthesis-trust",
    title="What trust is worth",
    x_symbol=f,
    x=Axis("fraction of users in group 1, f", (0.02, 0.98)),
    y=Axis("least root mean squared error", None, "log"),
    layers=(
        Curve("nobody trusts", sp.sqrt(sym.least_reports), **DRAWN["nobody trusts"]),
        Curve("only group 2 trusts (KVH)", sp.sqrt(sym.kvh), **DRAWN["KVH"]),
        Curve("group 2 without group 1 (TCM-Only)", sp.sqrt(sym.trusted), **DRAWN["TCM-Only"]),
        Curve("all trust the curator", sp.sqrt(sym.least), width=3, colour=0),
        Curve("sampling error alone", sp.sqrt(sym.v_1 / n), **DRAWN["sampling error alone"]),
    ),
    parameters=(SIZE, replace(BUDGET, value=0.5), replace(RATIO, value=1.0), _K, DEVIATION),
    derived=(SECOND_BUDGET, *((v, sym.value_variance) for v in sym.VARIANCES)),
    readouts=(Readout("root of the sampling error v/n alone", sp.sqrt(sym.v_1 / n)),),
    caption=r"""
        Raise \(n\): full trust comes down towards the sampling error, and without it a factor remains. Where few
        trust, reports begin to count: KVH leaves the dotted line and bends towards the line on which nobody trusts.
        Raise the ratio of the budgets: the curator has less noise to add, and the reports of group 1 count for less.
    """,
    alt="""
        Five lines against the share of group 1 on a logarithmic axis. Reports alone are worst and full trust is best,
        both level; the mixed model rises from one to the other, and at the right end stays below the
        dotted line of the trusting group alone.
    """,
)
