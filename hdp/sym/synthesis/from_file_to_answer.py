"""Several answers from the values of the book's synthetic file: each has its share of every budget."""

import sympy as sp

from hdp.sym.symbols import put
from hdp.sym.synthesis import which_estimator as choice
from hdp.sym.use.intervals import own_deviation

answers = sp.Symbol("t_answers", positive=True)
most = answers**2  # times the error of one answer, at most


def slope(y):
    """Derivative of t tanh(epsilon/(2 t)) in t at y = epsilon/(2 t); sinh(2 y) is at least 2 y."""
    return (sp.sinh(2 * y) - 2 * y) / (2 * sp.cosh(y) ** 2)


def standard_error(precision):
    """Of each answer, for one over an error as a function of the factor on every budget."""
    return 1 / sp.sqrt(put({choice.factor: 1 / answers}, precision))


mixed = standard_error(choice.mixed_precision)
reported = standard_error(1 / choice.one_bit_mse)
first = choice.file_standard_error
bound = first * sp.sqrt(most)
sampling = own_deviation
