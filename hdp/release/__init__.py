"""Release a mean of real people's values: a plan in integers, OpenDP's noise, a receipt for every user.

`plan`, `receipts`, `charge` and `spend` need NumPy and SciPy only; `measurement`, `release` and `report` draw their
noise with OpenDP (``pip install 'unequal-privacy[opendp]'``).
"""

from hdp.release.kinds import Kinds
from hdp.release.measuring import Release, measurement, release
from hdp.release.planning import plan
from hdp.release.plans import Errors, Plan
from hdp.release.radii import Radii, radii
from hdp.release.receipts import Receipts, charge, receipts
from hdp.release.spending import report, spend

__all__ = [
    "Errors", "Kinds", "Plan", "Radii", "Receipts", "Release", "charge", "measurement", "plan", "radii", "receipts",
    "release", "report", "spend",
]  # fmt: skip
