"""What is said of a reader's own users, by the page *Your own users* and by the command line; not a public interface.

Ranking with a sentence for each estimator, plan, groups for a picture, one line for every user, and the call.
"""

from hdp._report.people import from_groups
from hdp._report.report import Report, Row, chosen, rank, report
from hdp._report.table import write_weights

__all__ = ["Report", "Row", "chosen", "from_groups", "rank", "report", "write_weights"]
