"""Release a mean of real people's values: a plan in integers, OpenDP's noise, a receipt for every user.

Plans, receipts and ledgers need NumPy and SciPy only; `measurement`, `release`, `report` and what ledgers do of them
draw their noise with OpenDP (``pip install 'unequal-privacy[opendp]'``).
"""

from hdp.release.accuracy import Radii, clipping_cost, radii, tilt
from hdp.release.answers import Bounds, Release
from hdp.release.buckets import BoundsPlan, plan_bounds
from hdp.release.kinds import Kinds
from hdp.release.ledgers import Ledger
from hdp.release.measuring import measurement, release
from hdp.release.planning import plan
from hdp.release.plans import Errors, Plan
from hdp.release.receipts import Receipts, receipts, write_receipts, write_weights
from hdp.release.reports import report, report_value
from hdp.release.statements import statement

__all__ = [
    "Bounds", "BoundsPlan", "Errors", "Kinds", "Ledger", "Plan", "Radii", "Receipts", "Release", "clipping_cost",
    "measurement", "plan", "plan_bounds", "radii", "receipts", "release", "report", "report_value", "statement", "tilt",
    "write_receipts", "write_weights",
]  # fmt: skip
