"""How many strict users a generous one may count for, in the settings of later works."""

from hdp.explore import Axis, Curve, Parameter, Readout
from hdp.figures.shared import first_budget, first_share, own_figure
from hdp.figures.style import DRAWN
from hdp.sym.foundations.notions import d, reach_1
from hdp.sym.symbols import epsilon_1, n
from hdp.sym.synthesis import later_weights as sym

_TRAINING = sym.caps["steps"].subs({reach_1: epsilon_1, sym.steps: 1})

caps = own_figure(
    name="later-caps",
    title="Where the weights stop rising",
    x_symbol=n,
    x=Axis("number of users, n", (10.0, 1e6), "log"),
    y=Axis("most that a generous user counts (strict users)", (1.0, 1e6), "log"),
    layers=(
        Curve("no curator", sym.caps["local"], **DRAWN["LDPE"]),
        Curve("training, d numbers in all", _TRAINING, colour=3, width=2.4, dash=(10, 3, 2, 3)),
        Curve("Gaussian data, cut", sym.caps["gaussian"], colour=1, width=2.4, dash=(8, 4)),
        Curve("drawn data: the lemma as it stands", sym.caps["drawn"], **DRAWN["ADPM"]),
        Curve("given data, at their worst", sym.caps["given"], **DRAWN["given data"]),
    ),
    parameters=(
        first_budget(0.01, 1.0, 0.1, per_decade=15),
        first_share(0.05, 0.95, 0.05, 0.5),
        Parameter.logarithmic(d, "d, dimension times steps of training", 10, 1e6, 1e4, per_decade=3),
    ),
    readouts=(
        Readout("cap with a curator, 1,000 users, drawn data", sym.caps["drawn"].subs(n, 1000)),
        Readout("the same, given data", sym.caps["given"].subs(n, 1000)),
        Readout("the same, training", _TRAINING.subs(n, 1000)),
    ),
    caption=r"""
        Raise \(d\): the line of training moves up, so that weights follow the budgets for longer. The stricter group's
        budget is \(\epsilon_1\), for training in the unit of Gaussian privacy. With a curator, where the ratio of
        budgets is below the cap, it is that of the weights; without a curator small budgets count nearly by their
        squares.
    """,
    alt="""
        Five lines on logarithmic axes against the number of users: that without a curator is horizontal, the others
        fall towards 1, that of given data first, that of training last.
    """,
)
