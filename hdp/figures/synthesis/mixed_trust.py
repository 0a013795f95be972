"""What trust is worth, as the share of those who do not trust the curator grows; KVH beside ADPM."""

from dataclasses import replace

import sympy as sp

from hdp.explore import Axis, Curve, Parameter, Readout, Rule
from hdp.figures.heterogeneous_budgets.upper_bound import clipped_beyond
from hdp.figures.shared import own_figure, users
from hdp.figures.style import DRAWN
from hdp.figures.synthesis.one_picture import BUDGET, DEVIATION, RATIO, SECOND_BUDGET, SIZE, samples
from hdp.sym.heterogeneous_budgets import upper_bound as upper
from hdp.sym.hybrid_trust import baselines as models
from hdp.sym.hybrid_trust import known_variance as known
from hdp.sym.symbols import epsilon_1, epsilon_2, f, n
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


# Two coins' groups as groups of Chaudhuri & Courtade: the stricter one is local, with epsilon over the root of its size
_FAIR = {models.m: 1, models.sigma: sp.Rational(1, 2)}
_kvh_error = (known.kvh_mse + models.sigma**2 / n).subs(models.laplace).subs(_FAIR)
_as_budgets = {f: 1 - models.c, epsilon_1: models.epsilon / sp.sqrt((1 - models.c) * n), epsilon_2: models.epsilon}
# As averages with one noise: that of everybody's reports is as large as a budget epsilon over the root of n makes it
_nobody, _everybody = (upper.one_group(n, e) for e in (models.epsilon / sp.sqrt(n), models.epsilon))
_adpm_error = clipped_beyond(upper.bound_a_in_budgets, upper.bound_b_in_budgets).subs(_as_budgets)

relations = own_figure(
    name="adk-relations",
    title="KVH between ADPM and twice ADPM",
    x_symbol=models.c,
    x=Axis("fraction of users who trust the curator, c", (0.005, 0.98), "log"),
    y=Axis("error in multiples of ADPM's", (0.0, 4.0)),
    layers=(
        Curve("nobody trusts", _nobody / _adpm_error, **DRAWN["nobody trusts"]),
        Curve("KVH", _kvh_error / _adpm_error, **DRAWN["KVH"]),
        Curve("everybody trusts", _everybody / _adpm_error, **DRAWN["UNI"]),
        Rule("ADPM", y=sp.Integer(1), below=True, left=True),
        Rule("2 × ADPM", y=sp.Integer(2)),
    ),
    parameters=(
        users(200, 20_000, 1000, multiple_of=10),
        Parameter.logarithmic(models.epsilon, "ε, everybody's budget (nats)", 0.05, 4.0, 0.1, per_decade=12),
    ),
    caption=r"""
        Raise \(\epsilon\): KVH, which stays between the two dashed lines, comes down to ADPM, for the
        curator's noise no longer counts. ADPM has a budget of \(\epsilon\) for those who trust and
        \(\epsilon/\sqrt\ell\) for the \(\ell\) local users; it adds one noise of the larger scale where KVH adds two.
    """,
    alt="""
        Three ratios against the fraction of trusting users. KVH lies between 1 and 2, with a hump; trust of nobody
        rises out of the picture, trust of everybody rises towards 1.
    """,
)
