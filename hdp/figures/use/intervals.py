"""How wide an interval must be that holds for every number of users."""

from hdp.explore import Axis, Curve, Parameter, Rule
from hdp.figures.shared import every_budget, own_figure
from hdp.sym.symbols import n
from hdp.sym.use import intervals as sym

_BETA = Parameter.choice(
    sym.beta, "β, chance of missing", {f"1 in {1 / level}": float(level) for level in sym.LEVELS}, 0.05
)

width = own_figure(
    name="hdp-interval-width",
    title="How wide an interval must be",
    x_symbol=n,
    x=Axis("number of users, n", (10.0, 1e6), "log"),
    y=Axis("half-width in standard errors of the answer", (0.0, 7.0)),
    layers=(
        Curve("a share of β for each, best split: holds", sym.best_union),
        Curve("one exponential for both: holds", sym.one_exponential, width=3),
        Curve("noise alone (OpenDP's accuracy)", sym.noise_alone, dash=(8, 4)),
        Rule("normal interval", y=sym.normal, below=True),
    ),
    parameters=(every_budget(0.01, 2, 0.1, per_decade=6), _BETA),
    caption=r"""
        Compare the two upper lines: both intervals hold for every \(n\), and the lower one of them is never the wider.
        Where the noise rules, at few users, it is all but exact, and the normal interval, but for 1 in 10, misses too
        often. Raise \(\epsilon\): the noise's own interval, which says nothing about the population, falls behind
        earlier.
    """,
    alt="""
        Half-widths against the number of users on a logarithmic axis. One line begins a little above two standard
        errors, stays low and ends at 2.7; one has a hump of four above it; one falls from two to zero; a straight
        line stands at 1.96.
    """,
)
