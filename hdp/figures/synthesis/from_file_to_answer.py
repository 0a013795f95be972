"""The standard error of each of several answers from the synthetic users of a file."""

from hdp.explore import Axis, Curve, Parameter, Readout
from hdp.figures.shared import own_figure, users
from hdp.figures.style import DRAWN
from hdp.sym.symbols import put
from hdp.sym.synthesis import from_file_to_answer as sym
from hdp.sym.synthesis import which_estimator as choice

asking = own_figure(
    name="synthesis-asking",
    title="What is known before a value is read",
    x_symbol=sym.answers,
    x=Axis("number of answers from the same values, t", (1.0, 30.0), "log"),
    y=Axis("standard error of each answer", None, "log"),
    layers=(
        Curve("t times that of one answer", sym.bound, dash=(2, 3), colour=4),
        Curve("one bit (all local)", sym.reported, **DRAWN["one bit"]),
        Curve("mixed release", sym.mixed, **DRAWN["mixed release"]),
        Curve("sampling error alone", sym.sampling, **DRAWN["sampling error alone"]),
    ),
    parameters=(
        users(100, 100_000, 1000),
        Parameter.linear(choice.share, "θ, share of private users who trust the curator", 0.05, 0.95, 0.05, 0.6),
        Parameter.linear(choice.public, "q, share of public users", 0.01, 0.3, 0.01, 0.05),
    ),
    readouts=(
        Readout("standard error of one answer", sym.first),
        Readout("of each of two answers", put({sym.answers: 2}, sym.mixed)),
    ),
    samples=120,
    caption=r"""
        Read off the standard error of one answer at the left edge, and raise \(n\) until it is small enough. With many
        users, most of whom trust the curator, the line of the mixed release is flat at first, and a second answer costs
        little. Move the other sliders: it is never as steep as the dotted line.
    """,
    alt="""
        Four lines against the number of answers on logarithmic axes. All but the flat line of the sampling error rise;
        the mixed release stays below local reports, and below the dotted line that starts with it.
    """,
)
