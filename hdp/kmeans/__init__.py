r"""Hybrid K-means (Avent, Dubey & Korolova, PoPETs 2020, section 7 and appendix E, Algorithm 1), user by user.

Neighbours differ in the data of one user, in a public box :math:`[l, l+m]^d`; who is in which group, the numbers of
users, the settings and the initial centres are public.  Each TCM user trusts the curator, who publishes counts and sums
with Laplace noise, :math:`\epsilon/\tau` an iteration.  Each LM user publishes one noisy copy of her data and
:math:`\tau` answers "which centre is nearest to me" by randomised response, each for :math:`\epsilon/(\tau+1)`.
Everything else is computed from what was published.  Each user's guarantee is :math:`\epsilon`-differential privacy.

`Reading` says, line by line, whether the algorithm is taken as printed or as it must be; the errata give the reasons.
The samples are floating-point numbers: good for research, not safe for a real release.
"""

from hdp.kmeans.algorithm import VARIANTS, combine, follow, lm_means, nearest, run, tcm_means, tcm_release, wcss  # noqa: F401  its steps, for the page
from hdp.kmeans.setting import AS_PRINTED, CORRECTED, Draws, Reading, Setting

__all__ = ["AS_PRINTED", "CORRECTED", "VARIANTS", "Draws", "Reading", "Setting", "nearest", "run", "wcss"]
