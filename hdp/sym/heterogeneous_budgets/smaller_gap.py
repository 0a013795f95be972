"""The lower bound from scores, its factor for any budgets, and its closed form for one budget beside public users."""

import sympy as sp

from hdp.sym.heterogeneous_budgets.lower_bound import alike_upper, beside_upper, delta, public_users, sharp_16
from hdp.sym.symbols import epsilon, n

influence = sp.Symbol("t_influence", positive=True)  # tanh(epsilon/2) of one user, at most 1
place = sp.Symbol("y_place", nonnegative=True)  # 2 |mu|, in [0, delta]
error = sp.Symbol("U", positive=True)  # of Algorithm 1
strength = sp.Symbol("S_scores", positive=True)  # sum of the largest scores that privacy lets through

# A user's score given the output is at most this at the mean +-place/2; then its mean square over the means
posterior_score = 2 * influence / (1 - influence * place)
score_norm = 2 * influence / sp.sqrt(1 - influence * delta)
average_information = 2 * sp.log((1 + delta) / (1 - delta)) / delta  # mean of 4/(1 - place^2) over the means

# For the shares min(e/T, 1), where squares of min(e, T) sum to 4: U is at most this over the square of sum min(e, T)
upper_constant = sp.Integer(3)

# U/L at most, for any budgets: at the best delta for an error U, for every error, and as the errors tend to 0
factor = (upper_constant ** sp.Rational(1, 3) + (4 * error) ** sp.Rational(1, 3)) ** 3
any_budgets_factor = (1 + sp.cbrt(3)) ** 3
normal = sp.sqrt(2 / sp.pi)  # mean absolute value of a standard normal variable
limit_factor = (3 + sp.sqrt(1 + 16 / sp.pi)) / 2

# The bound that weighs errors by sign and size: L is at least the square of the positive root of a quadratic equation
sign_root = 2 / (2 / delta + sp.sqrt(4 / delta**2 + 2 * strength * (strength + 2 / delta)))
data_strength = sp.Symbol("y_scores", nonnegative=True)  # root mean square of the scores that count for the data
_linear = 2 / delta + data_strength + delta * strength * data_strength / 2
shared_sign_root = 2 / (_linear + sp.sqrt(_linear**2 + 2 * strength * (strength + 2 / delta)))  # the others have S
strict_gap = sp.Min(2 / strength**2, sp.Rational(1, 4)) / sign_root.subs(delta, 1) ** 2  # n epsilon = strength
strict_worst = (1 + sp.sqrt(5 + 2 * sp.sqrt(2))) ** 2 / 4  # its largest value, at the cap

# n users, some of them public, the others of one budget: a delta that is best for the error U, then both bounds
_ratio = (4 * beside_upper / 3) ** sp.Rational(1, 6)  # the tangent of an angle whose sine is delta
beside_bias = _ratio / sp.sqrt(1 + _ratio**2)
_strict = n - public_users
_bias = sp.Symbol("delta_beside", positive=True)
_cost = score_norm.subs({influence: sharp_16, delta: _bias})
_square = average_information.subs(delta, _bias)  # sum of min(c, T)^2
_norm = sp.Piecewise(
    (sp.sqrt(n * _square), n * _cost**2 >= _square),  # all count for their data
    (_strict * _cost + sp.sqrt(public_users * sp.Max(_square - _strict * _cost**2, 0)), True),
)
beside_split = (1 / (_norm + 2 / _bias) ** 2).subs(_bias, beside_bias)
beside_gap = beside_upper / beside_split

# n users of one budget: both bounds from scores, the second at delta = 1
alike_gap = beside_gap.subs(public_users, 0)
alike_signs_gap = alike_upper / sign_root.subs({delta: 1, strength: n * (sp.exp(epsilon) - 1)}) ** 2
