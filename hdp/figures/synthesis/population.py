"""What the figures of the synthesis share: sliders."""

from hdp.explore import Parameter
from hdp.figures.shared import first_budget, users
from hdp.sym.symbols import epsilon_1, epsilon_2, r
from hdp.sym.synthesis import ranking as sym

SIZE = users(100, 20_000, 1000, multiple_of=20)
BUDGET = first_budget(0.01, 2, 0.1, per_decade=10, also=(0.5,))
RATIO = Parameter.logarithmic(r, "ε₂/ε₁, ratio of the budgets", 1, 100, 10, per_decade=10)
DEVIATION = Parameter.logarithmic(sym.sigma_p, "σₚ, deviation of users' means", 0.01, 0.5, 0.1, per_decade=6)
SECOND_BUDGET = (epsilon_2, r * epsilon_1)


def samples(symbol, label, value):
    """A slider for a number of samples."""
    return Parameter.logarithmic(symbol, label, 1, 10_000, value, per_decade=4)
