"""The synthetic file of users on which the book's example runs."""

import numpy as np

from hdp import _validate
from hdp.users.people import TRUST

# Users of each budget, of whom three in five trust the curator; the published values trust.
_BUDGETS = ((0.1, 500), (0.5, 300), (2.0, 150), (np.inf, 50))
_TRUSTING = 0.6


def synthetic_csv(seed: int = 2026) -> str:
    """Text of the synthetic file on which the book's example runs: 1000 users, reproducible from the seed.

    Half of the users allow 0.1, and fewer and fewer 0.5, 2 and anything; of each private budget three in five trust
    the curator.  Numbers of records are heavy-tailed, user i's own mean is drawn around 0.4 with standard deviation
    0.1, and her value is the share of ones among her records.  Only uniform numbers are drawn, from a stable stream.

    Parameters
    ----------
    seed : int
        Seed of the stream, at least 0.

    Returns
    -------
    str
        Lines of ``user,epsilon,trust,records,value``, headed by these names.

    Examples
    --------
    >>> from hdp.compare import synthetic_csv
    >>> print(synthetic_csv()[:32])
    user,epsilon,trust,records,value
    """
    rng = np.random.Generator(np.random.PCG64(_validate.seed("seed", seed)))
    lines = []
    for epsilon, users in _BUDGETS:
        for i in range(users):
            trust = TRUST[int(np.isfinite(epsilon) and i >= _TRUSTING * users)]
            records = max(1, min(int(1 / (rng.random() ** 1.5 + 0.005)), 200))
            mean = 0.4 + 0.1 * np.sqrt(3) * (2 * rng.random() - 1)
            value = np.count_nonzero(rng.random(records) < mean) / records
            lines.append(f"{epsilon:g},{trust},{records},{value:.6g}")
    order = np.argsort(rng.random(len(lines)))
    body = (f"u{number:04},{lines[i]}" for number, i in enumerate(order, start=1))
    return "\n".join(["user,epsilon,trust,records,value", *body, ""])
