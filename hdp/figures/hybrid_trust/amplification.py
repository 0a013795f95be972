"""Section 8 with Gaussian noise: Figure 7 as printed and corrected, and the two groups for every weight."""

import sympy as sp

from hdp import salaries
from hdp.explore import Axis, Curve, FigureSpec, Parameter, Readout, Rule
from hdp.figures.shared import own_figure
from hdp.figures.style import DRAWN
from hdp.sym.hybrid_trust import amplification as sym
from hdp.sym.hybrid_trust import baselines as models
from hdp.sym.hybrid_trust import known_variance as known

_SALARIES = {sym.n: salaries.USERS, sym.m: salaries.MAXIMUM, sym.sigma: salaries.DEVIATION}
_EPSILON = Parameter.linear(sym.epsilon, "ε, everybody's budget (nats)", 0.05, 1.0, 0.05, 1.0)
_DELTA = Parameter(
    models.delta, "δ, probability of failure", tuple(float(f"{d}e-{k}") for k in range(10, 2, -1) for d in (1, 3)), 1e-7
)
_ALPHA = Parameter.linear(sym.adversarial, "α, adversarial fraction of the local users", 0.0, 1.0, 0.05, 0.0)
_C = Parameter.logarithmic(sym.c, "c, fraction of users who trust the curator", 0.001, 0.1, 0.001)
_LOSS = Axis("privacy loss ε′ at the same δ (nats)", (1e-6, 3.0), "log")

_LOSSES = (
    Curve("corrected: holds for everybody", sym.figure_7_correct.subs(_SALARIES), **DRAWN["KVH"]),
    Curve("printed: true of local users only", sym.figure_7_printed.subs(_SALARIES), dash=(8, 4), colour=3),
    Curve("weight c: holds for everybody", sym.figure_7_naive.subs(_SALARIES), **DRAWN["naive"]),
    Rule("ε: no amplification", y=sym.epsilon),
)

figure_7 = FigureSpec(
    name="adk-figure-7",
    title="Amplified privacy loss of the KVH estimator (Figure 7)",
    x_symbol=sym.c,
    x=Axis("fraction of users who trust the curator, c", (0.001, 0.1), "log"),
    y=_LOSS,
    layers=_LOSSES,
    parameters=(_ALPHA, _EPSILON, _DELTA),
    caption=r"""
        Move \(\alpha\) to 1, where no local noise is unknown to the adversary: the thick line lies on \(\epsilon\),
        because a plain curator is left; the dashed line, Theorem 8.1 as printed, stays far below, though it rises at
        its left end. At \(\epsilon = 1\) and \(\delta = 10^{-7}\) they differ by factors of 250 at the left and 18,000
        at the right.
    """,
    alt="""
        On logarithmic axes the corrected loss rises from 0.45 at c of 0.1 percent to almost 1 at 10 percent; the
        printed one falls from 0.002 to 0.00006 far below it; the loss for weight c is flat at 0.002.
    """,
)

figure_7_adversaries = FigureSpec(
    name="adk-figure-7-adversaries",
    title="The same across the adversarial fraction",
    x_symbol=sym.adversarial,
    x=Axis("adversarial fraction of the local users, α", (0.0, 1.0)),
    y=_LOSS,
    layers=_LOSSES,
    parameters=(_C, _EPSILON, _DELTA),
    caption=r"""
        Raise \(c\): the thick line is flat at \(\epsilon\), for the noise of all local users together is nothing
        beside the curator&rsquo;s. At \(c = 0.1\,\%\) it still protects those who trust the curator: the line rises
        from \(0.45\,\epsilon\) to \(\epsilon\) as the coalition grows. With \(w = c\) the loss reaches \(\epsilon\)
        only at the right end.
    """,
    alt="""
        The corrected loss rises from 0.45 to 1 with the adversarial fraction; the printed one from 0.0018 to 0.004;
        the loss for weight c stays near 0.002 and jumps to 1 at the end.
    """,
)

# A coalition that leaves somebody honest: the theorem is about them
_MOST = Parameter.linear(sym.adversarial, _ALPHA.label, 0.0, 0.99, 0.01, 0.0)
_SMALL = {sym.n: 10_000, sym.m: 1, sym.sigma: sp.Rational(1, 10), models.delta: sp.Rational(1, 10**7)}
_OWN = {sym.rho: sym.ratio, sym.honest: sym.honest_users}

weight = own_figure(
    name="adk-amplification-weight",
    title="Which group loses more, for every weight",
    x_symbol=sym.w,
    x=Axis("weight w of the trusting users' mean", (0.0005, 0.999), "log"),
    y=Axis("privacy loss ε′ at the same δ (nats)", (1e-4, 10.0), "log"),
    layers=(
        Curve("corrected: the group that loses more", sp.Max(sym.loss_T, sym.loss_L).subs(_OWN).subs(_SMALL), width=3),
        Curve(
            "printed: the group that loses less", sp.Min(sym.loss_T, sym.loss_L).subs(_OWN).subs(_SMALL), dash=(8, 4)
        ),
        Rule("all users alike, w = c", x=sym.c),
        Rule("KVH", x=known.weight.subs(models.gaussian).subs(_SMALL)),
        Rule("no amplification, ε", y=sym.epsilon, left=True),
    ),
    parameters=(
        Parameter.logarithmic(sym.c, "c, fraction of users who trust the curator", 0.002, 0.5, 0.01),
        _MOST,
        _EPSILON,
    ),
    caption=r"""
        Raise \(\alpha\): at the weight of least error the upper line comes near \(\epsilon\), because little but the
        curator&rsquo;s noise is left. The guarantee of a mechanism is the upper line; Theorem 8.1 prints the
        lower one. They meet at \(w = c\) only, where the worse loss is least: left of it local users lose more,
        right of it the others.
    """,
    alt="""
        Two lines over the weight on logarithmic axes. The upper one is flat, has its lowest value up to the vertical
        line w = c and rises to 1; the lower one rises to that point, is flat, and then falls steeply.
    """,
)


# -- Appendix D: the privacy loss under sums of Laplace variables, of equal and of different weight.

_EPS = Parameter.linear(sym.epsilon, "ε = m/b, width of the data in scales", 0.25, 4.0, 0.25, 1.0)
_SHARE = Axis("privacy loss as a fraction of ε", (0.0, 1.1))
_DASHES = {2: (), 3: (8, 4), 4: (2, 3), 5: (10, 3, 2, 3), 6: ()}  # by the number of users


def _curve(label, loss, **style):
    return Curve(label, loss / sym.epsilon, **style)


laplace_loss = own_figure(
    name="adk-laplace-loss",
    title="Privacy loss under the sum of n Laplace variables",
    x_symbol=sym.z,
    x=Axis("noise in multiples of b", (0.1, 1000.0), "log"),
    y=_SHARE,
    layers=(
        _curve("1 user: all of ε", sym.sum_loss(1), width=3),
        *(_curve(f"{k} users", sym.sum_loss(k), dash=dash) for k, dash in _DASHES.items()),
    ),
    parameters=(_EPS,),
    caption=r"""
        Follow the lines to the right: every one climbs to \(\epsilon = m/b\), the thick line, so pure privacy
        is not amplified, however many users add noise. But for \(n \ge 2\) no line reaches it, and the noise
        that comes close is several times \(n\) scales out, where it hardly ever is: with a \(\delta\) there is
        amplification.
    """,
    alt="""
        Six lines against the noise on a logarithmic axis; the first is constant at 1, the others rise from below one
        half towards 1, the later the more summands there are.
    """,
)

weighted_laplace = own_figure(
    name="adk-laplace-weighted",
    title="Privacy loss under two Laplace variables of different weight",
    x_symbol=sym.z,
    x=Axis("noise in multiples of b", (0.01, 100.0), "log"),
    y=_SHARE,
    layers=(
        _curve("user of the larger weight (the curator's)", sym.weighted_loss(sym.epsilon * sym.rho), width=3),
        _curve("user of the smaller weight (local)", sym.weighted_loss(sym.epsilon), dash=(8, 4)),
        Rule("limit 1", y=sp.Integer(1)),
        Rule("limit 1/ρ", y=1 / sym.rho),
    ),
    parameters=(
        _EPS,
        Parameter.linear(sym.rho, "ρ, ratio of the weights", 1.2, 10.0, 0.2, 3.0),
    ),
    readouts=(Readout("limit for the local user ε/ρ", sym.epsilon / sym.rho),),
    caption=r"""
        Raise \(\rho\): a user whose value counts \(\rho\) times as much loses \(\epsilon\) in the limit, as
        without weights; the local user tends to \(\epsilon/\rho\), hidden by the other&rsquo;s noise. So the
        worst loss is \(\epsilon\), as the paper says, and yet the local user gains a factor.
    """,
    alt="""
        Two rising lines against the noise on a logarithmic axis: one tends to 1, the other to one third.
    """,
)
