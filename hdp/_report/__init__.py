"""What is said of a reader's own users, by the page *Your own users* and by the command line; not a public interface.

Ranking with a sentence for each estimator, plan, groups for a picture, and the call.
"""

from hdp._report.people import from_groups, names_in
from hdp._report.report import Report, Row, chosen, rank, report

__all__ = ["Report", "Row", "chosen", "from_groups", "names_in", "rank", "report"]
