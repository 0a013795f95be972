"""Section 5 of Cummings et al. (2022): caps on the numbers of samples, and lower bounds against the least variance."""

import sympy as sp

from hdp.explore import Axis, Curve, Parameter, Preset, Readout, Rule
from hdp.figures.shared import own_figure
from hdp.figures.style import DRAWN
from hdp.sym.user_level import lower_bound as sym
from hdp.sym.user_level import model

_PARAMETERS = (
    Parameter.logarithmic(sym.k_1, "k₁, samples of a user in group 1", 1, 10, 1, per_decade=10),
    Parameter.logarithmic(sym.k_2, "k₂, samples of a user in group 2", 12, 10_000, 1000, per_decade=10),
    Parameter.logarithmic(sym.N_1, "N₁, users in group 1", 10, 100_000, 1000, multiple_of=10, per_decade=10),
    Parameter.logarithmic(sym.N_2, "N₂, users in group 2", 1, 1000, 10, multiple_of=1, per_decade=10),
)
_EPSILON = Parameter.logarithmic(sym.epsilon, "ε, budget of every user (nats)", 0.01, 10, 0.5, per_decade=10)
_CAPPED = {"dash": (8, 4), "colour": 3}  # is seen on either of the lines that it follows
_AT_HALF = {model.p: sp.Rational(1, 2)}


def _ratio(statement):
    return (statement / sym.ideal_two_sizes).subs(_AT_HALF)


bounds = own_figure(
    name="cfmt-lower-bounds",
    title="Lower bounds as shares of the least variance",
    x_symbol=sym.sigma_p,
    x=Axis("σₚ, standard deviation between users", (1e-4, 0.5), "log"),
    y=Axis("bound / least variance", (1e-5, 2.0), "log"),
    layers=(
        Curve("Corollary 5.5 as printed: minimum", _ratio(sym.printed_two_sizes), width=3),
        Curve("with the maximum", _ratio(sym.lower_two_sizes)),
        Curve("at most p(1−p)/σₚ² samples a user", _ratio(sym.sample_two_sizes), dash=(8, 4)),
        Rule("one half", y=sp.Rational(1, 2), below=True, left=True),
    ),
    parameters=(_EPSILON, *_PARAMETERS),
    presets=(
        Preset("Strict budget", {"epsilon": 0.1}),
        Preset("Two users with much", {"N_2": 2.0, "k_2": 10_000.0, "epsilon": 5.01}),
    ),
    caption=r"""
        Look to the left, where privacy and the numbers of samples matter: the printed bound falls to 0 with
        \(\sigma_p\) and says nothing; with the maximum it tends to 1. The dashed line counts a user for at most
        \(p(1-p)/\sigma_p^2\) samples, and never leaves the band from \(\frac12\) to 1, wherever the sliders
        stand.
    """,
    alt="""
        Three lines over the logarithmic standard deviation: the printed bound climbs steadily from the lower left, the
        bound with the maximum leaves 1, dips and comes back, the dashed line stays between one half and one.
    """,
)

caps = own_figure(
    name="cfmt-caps",
    title="How many samples a user counts for at most",
    x_symbol=sym.epsilon,
    x=Axis("budget of every user, ε (nats)", (0.01, 10), "log"),
    y=Axis("cap, in samples", (0.003, 30_000.0), "log"),
    layers=(
        Curve("K of the best weights", sym.cap_two_groups),
        Curve("k* of the paper", sym.sample_cap_two_groups, dash=(8, 4), steps=True),
    ),
    parameters=_PARAMETERS,
    readouts=(
        Readout("best cap K at ε = 1", sym.cap_two_groups.subs(sym.epsilon, 1)),
        Readout("paper's cap k* at ε = 1", sym.sample_cap_two_groups.subs(sym.epsilon, 1)),
    ),
    presets=(
        Preset("Many users with much", {"N_2": 1000.0}),
        Preset("Almost equal groups", {"k_1": 10.0, "k_2": 12.0}),
    ),
    caption=r"""
        Raise \(N_2\): the jump of \(k^*\), the paper&rsquo;s cap, moves to the left or vanishes; \(k^*\) is one of
        the two numbers of samples. The best weights count \(k_i\) samples as \(\sqrt{k_iK}\)
        where \(k_i > K\); their cap \(K\) falls continuously when the budget does, and below \(k_1\) in the
        end. All users have \(p_i = p\).
    """,
    alt="""
        Over the logarithmic budget a solid line rises from below one sample to the number of samples of group 2; a
        dashed line jumps from the number of samples of group 1 to that of group 2.
    """,
)

costs = own_figure(
    name="cfmt-cap-costs",
    title="What simpler weights cost",
    x_symbol=sym.epsilon,
    x=Axis("budget of every user, ε (nats)", (0.01, 10), "log"),
    y=Axis("variance / least variance", None, "log"),
    layers=(
        Curve("average of all samples", sym.all_samples_cost, **DRAWN["every sample alike"]),
        Curve("equal weights", sym.equal_weights_cost),
        Curve("average of at most k* samples a user", sym.sample_cap_cost, part=sym.sample_cap_two_groups, **_CAPPED),
    ),
    parameters=_PARAMETERS,
    presets=(
        Preset("Hundred users with much", {"N_2": 100.0}),
        Preset("Two users with very much", {"N_2": 2.0, "k_2": 10_000.0}),
    ),
    caption=r"""
        Raise \(k_2\): no cap on a plain average reaches 1 in between. With a large budget averaging all samples is
        nearly best; with a small one equal weights can be better. The dashed line should follow the better of the
        averages with the caps \(k_1\) and \(k_2\), but where it jumps the budget is too small, by \(\sqrt2\).
    """,
    alt="""
        Over the logarithmic budget the cost of averaging all samples falls to 1 and that of equal weights rises from
        below 2; the dashed line is level on the left and then follows the former.
    """,
)
