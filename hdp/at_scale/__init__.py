"""Weights for more users than one array should hold: budgets in parts, counted and summed exactly, on any machines.

The optimal weights depend on the budgets through one number, the level, and the level through two sums.  Here these are
sums of whole numbers, so no bit of the result depends on how the users are cut into parts, or who adds first.
Page :doc:`/book/use/at-scale` proves it.  Files of Arrow and Parquet need an extra, and so do many machines:
``pip install 'unequal-privacy[arrow,cluster]'``.
"""

from hdp.at_scale.files import ColumnPart, column_parts
from hdp.at_scale.grids import round_down
from hdp.at_scale.groups import Groups, count
from hdp.at_scale.levels import weigh
from hdp.at_scale.weighting import Weights

__all__ = ["ColumnPart", "Groups", "Weights", "column_parts", "count", "round_down", "weigh"]
