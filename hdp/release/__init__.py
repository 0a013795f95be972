"""Release a mean of real people's values: a plan in integers, OpenDP's noise, a receipt for every user.

`plan` and `receipts` need NumPy and SciPy only.
"""

from hdp.release.kinds import Kinds
from hdp.release.planning import plan
from hdp.release.plans import Errors, Plan
from hdp.release.receipts import Receipts, receipts

__all__ = ["Errors", "Kinds", "Plan", "Receipts", "plan", "receipts"]
