"""Release a mean of real people's values: a plan in integers, OpenDP's noise, a receipt for every user.

`plan`, `receipts`, `charge`, `spend` and the ledgers need NumPy and SciPy only; `measurement`, `release`, `report` and
the bounds, which tell of an interval, draw their noise with OpenDP (``pip install 'unequal-privacy[opendp]'``).
"""

from hdp.release.answers import Bounds, Release
from hdp.release.bounds import bounds_measurement, release_bounds
from hdp.release.buckets import BoundsPlan, plan_bounds
from hdp.release.charging import charge, left, new_ledger, published
from hdp.release.data import read_data
from hdp.release.kinds import Kinds
from hdp.release.measuring import measurement, release, release_together
from hdp.release.planning import plan
from hdp.release.plans import Errors, Plan
from hdp.release.radii import Radii, radii
from hdp.release.receipts import Receipts, receipts
from hdp.release.spending import new_own_ledger, report, report_value, reported, spend
from hdp.release.statements import statement
from hdp.release.tables import write_receipts, write_weights
from hdp.release.tails import clipping_cost

__all__ = [
    "Bounds", "BoundsPlan", "Errors", "Kinds", "Plan", "Radii", "Receipts", "Release", "bounds_measurement", "charge",
    "clipping_cost", "left", "measurement", "new_ledger", "new_own_ledger", "plan", "plan_bounds", "published", "radii",
    "read_data", "receipts", "release", "release_bounds", "release_together", "report", "report_value", "reported",
    "spend", "statement", "write_receipts", "write_weights",
]  # fmt: skip
