"""Six arrows of the map, taken step by step."""

from hdp.explore import Axis, Curve, Parameter, Readout, Rule
from hdp.figures.shared import own_figure, users
from hdp.figures.style import DRAWN
from hdp.sym.symbols import epsilon_1
from hdp.sym.synthesis import fifteen_limits as sym
from hdp.sym.user_level import model

steps = own_figure(
    name="synthesis-steps",
    title="Six models on their way to others",
    x_symbol=sym.step,
    x=Axis("step t along an arrow", (1.0, 100.0), "log"),
    y=Axis("error / error at the end of the arrow", None, "log"),
    layers=(
        Curve("3: two groups to a public group", sym.STEPS[3], **DRAWN["ADPM"]),
        Curve("4: two groups to equal budgets", sym.STEPS[4], **DRAWN["UNI"]),
        Curve("8: hybrid to a public group", sym.STEPS[8], **DRAWN["KVH"]),
        Curve("9: hybrid to all trust", sym.STEPS[9], colour=1, dash=(8, 4)),
        Curve("13: k samples to every sample alike", sym.STEPS[13], colour=2, dash=(8, 4)),
        Curve("15: equal budgets to no privacy", sym.STEPS[15], colour=3, dash=(3, 3)),
        Rule("3 arrives", x=sym.arrival),
    ),
    parameters=(
        users(100, 100_000, 1000),
        Parameter.logarithmic(epsilon_1, "ε, budget, of two the smaller", 0.01, 1, 0.05, per_decade=10),
        Parameter.logarithmic(model.K, "K, samples of half of the users", 2, 1000, 10, per_decade=6),
    ),
    readouts=(
        Readout("R, the step at which arrow 3 has arrived", sym.arrival),
        Readout("error with equal budgets over that with a public group", sym.STEPS[3].subs(sym.step, 1)),
    ),
    caption=r"""
        Follow a line to the right: where it is 1, the model at the start of an arrow has become that at its end.
        Raise \(n\): arrow 3 arrives earlier, at \(R\). Lower \(\epsilon\): noise keeps all lines but that of arrow 13
        away from 1 for longer. Raise \(K\): only arrow 13 moves.
    """,
    alt="""
        Six lines against the step on logarithmic axes. Five fall towards 1 from above, one rises towards it from below;
        the thick line of arrow 3 reaches 1 at a vertical line, and the line of arrow 8 comes down last.
    """,
)
