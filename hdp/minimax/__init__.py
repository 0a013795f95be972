r"""Lower bounds on the minimax error of mean estimation with a budget for each user.

Setting of `hdp.adpm`; the minimax error is the least worst-case squared error that a private estimator can have.
Chaudhuri & Courtade (2023, full version, appendix C) bound it by two coins that no private output tells apart
(`lower_bound`, with their constants); `le_cam` is their argument with every constant at its best, for any budgets.
`van_trees` lets the coin move over an interval and is better wherever the error is small.
Pages :doc:`/book/heterogeneous-budgets/lower-bound`, :doc:`/book/heterogeneous-budgets/two-coins`,
:doc:`/book/heterogeneous-budgets/closing-the-gap`, :doc:`/book/heterogeneous-budgets/smaller-gap` and
:doc:`/book/heterogeneous-budgets/no-gap` derive them.
"""

from hdp.minimax.coins import TwoCoins, coin_distance, le_cam, lower_bound, two_coins
from hdp.minimax.scores import van_trees

__all__ = ["TwoCoins", "coin_distance", "le_cam", "lower_bound", "two_coins", "van_trees"]
