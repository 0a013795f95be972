r"""Which estimator should I use?  Every estimator of the book on one population, ranked by its error.

Values lie in [0, 1] and are independent; errors are against their common mean.  Public are n, the budgets, who trusts
the curator and the numbers of records; neighbours differ in one user's value, so in all her records.  Nothing here
reads a value before `Candidate.estimate` does: to rank costs no privacy.  Answers are clamped to [0, 1], which costs
none either.  Page :doc:`/book/synthesis/which-estimator` explains.
"""

from hdp.compare.candidate import Candidate
from hdp.compare.local_reports import LOCAL_REPORTS, best_report, local_report, one_bit_report, report_variance
from hdp.compare.mixed import REPORTS, MixedRelease, mixed_release
from hdp.compare.rankings import ranking
from hdp.compare.secret import SecretRelease, secret_release
from hdp.compare.synthetic import synthetic_csv

__all__ = [
    "LOCAL_REPORTS", "REPORTS", "Candidate", "MixedRelease", "SecretRelease", "best_report",
    "local_report", "mixed_release", "one_bit_report", "ranking", "report_variance",
    "secret_release", "synthetic_csv",
]  # fmt: skip
