"""What an answer s with Laplace noise tells an attacker about one person."""

import sympy as sp

from hdp.sym.foundations.one_lemma import s  # the published answer
from hdp.sym.symbols import epsilon

p = sp.Symbol("p_prior", positive=True)  # what the attacker believed before: probability that she said yes
q = sp.Symbol("q_prior", positive=True)  # the same, of one attacker in particular
ratio = sp.Symbol("ell_ratio", positive=True)  # probability of the answer if she said yes, over that if she said no
u = sp.Symbol("u_quantile", positive=True)  # in (0, 1)

WITHOUT_HER = 2  # the others who said yes, in the figure's example


# A count plus Laplace noise of scale 1/epsilon: density around a true count, and the value that a share u lies below
def density(count):
    """Density of the published answer."""
    return epsilon * sp.exp(-epsilon * sp.Abs(s - count)) / 2


def quantile(count, share=u):
    """The answer that the share `share` of all answers lies below."""
    lower, upper = sp.log(2 * share) / epsilon, -sp.log(2 * (1 - share)) / epsilon
    return count + sp.Piecewise((lower, share < sp.Rational(1, 2)), (upper, True))


def posterior(likelihood_ratio):
    """Bayes: the belief after an answer."""
    return p * likelihood_ratio / (p * likelihood_ratio + 1 - p)


exp_epsilon = sp.exp(epsilon)
most, least = posterior(exp_epsilon), posterior(sp.exp(-epsilon))
noise_deviation = sp.sqrt(2) / epsilon  # of a count
