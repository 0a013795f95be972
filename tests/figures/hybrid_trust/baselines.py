"""Errors by `hdp.hybrid`, where one crosses another by root finding, and ADPM by the solver."""

import numpy as np
from scipy.optimize import brentq

from hdp import hybrid
from tests.figures.captions import line, number, says

FARTHEST = 1e30  # users: stands for "for every larger number"


def setting(n, c, epsilon, sigma_T, sigma_L, d):
    """Data in [0, 1] with means at a distance d."""
    return hybrid.Setting(n, c, 1, epsilon, sigma_T, sigma_L, 0.5 - d / 2, 0.5 + d / 2)


def over_full_lm(mse):
    def ratio(**at):
        s = setting(**at)
        return mse(s) / hybrid.mse_full_lm(s)

    return ratio


def as_printed(n, **groups):
    """Negative where Lemma 3.6 as printed has TCM-Only better; the curator's noise is that for n users."""
    s = setting(n, **groups)
    surplus = s.c * s.noise_l + (1 - s.c) * ((1 - s.c) * s.variance_t - s.c * s.variance_l)
    return np.log(n * s.c * (((1 - s.c) * s.gap) ** 2 + s.noise_l / (s.c * n) ** 2) / surplus) if surplus > 0 else 1.0


def as_it_is(**at):
    """Negative where TCM-Only is better."""
    return np.log(over_full_lm(hybrid.mse_tcm)(**at))


def window(which, surplus):
    """First or last n for which TCM-Only is better: nan if there is none, inf if there is no last one."""

    def end(c, **groups):
        def at(log_n):
            return surplus(n=np.exp(log_n), c=c, **groups)

        s, steep = setting(1e6, c, **groups), (1 - c) * groups["d"]
        best = np.sqrt(s.noise_l) / (c * steep) if steep else FARTHEST  # E_T/E_F falls before it and rises after it
        low, middle = np.log(2 / c), np.log(max(best, 2 / c))  # at least two users trust
        if c <= hybrid.c_crit(s) or at(middle) >= 0:
            return np.nan
        if which == 1:
            return np.exp(brentq(at, middle, 2 * middle, xtol=1e-14)) if steep else np.inf
        return np.exp(brentq(at, low, middle, xtol=1e-14)) if at(low) > 0 else np.nan

    return end


def c_crit(**groups):
    return float(hybrid.c_crit(setting(1e6, 0.5, **groups)))


def nobody_left(**groups):
    """Whether c_crit lies beyond one half."""
    return c_crit(**groups) >= 0.5


def too_far_apart(d, **groups):
    """Whether at c = 1/2 TCM-Only errs more than Full-LM even for the best number of users, and only for the gap."""
    s = setting(1e6, 0.5, d=d, **groups)
    best = max(np.sqrt(s.noise_l) / (0.25 * d), 2.0) if d else np.inf
    return not nobody_left(d=d, **groups) and np.isfinite(best) and as_it_is(n=best, c=0.5, d=d, **groups) >= 0


REFERENCES = {
    "adk-baselines": {
        "TCM-Only": over_full_lm(hybrid.mse_tcm),
        "Full-LM": 1.0,
        "LM-Only": over_full_lm(hybrid.mse_lm),
        "TCM-Only wins": window(0, as_it_is),
        "Full-LM wins": window(1, as_it_is),
    },
    "adk-regions": {
        "better from here": window(0, as_it_is),
        "better up to here": window(1, as_it_is),
        "from here, as": window(0, as_printed),
        "up to here, as printed": window(1, as_printed),
        "Nowhere here is TCM-Only better: more": nobody_left,
        "Nowhere here is TCM-Only better: the means": too_far_apart,
        "critical fraction": c_crit,
    },
}


# -- What the captions say.


@says("adk-regions", r"closes from above (dashed), and no longer reaches \(c_{crit}\)")
def the_region_closes_from_above(figure):
    """For a small budget a distance of 0.1 leaves much of it: at c = 1/2 from 4 users to 80,000."""
    shares = np.geomspace(0.005, 0.5, 400)
    for e, gaps in ((1, (0.01, 0.02, 0.05)), (0.1, (0.05, 0.1))):
        for d in gaps:
            first, last = (line(figure, name, shares, epsilon=e, d=d) for name in ("better from", "better up"))
            there = shares[np.isfinite(first)]
            assert (last[np.isfinite(first)] >= first[np.isfinite(first)]).all()
            assert there[0] > 1.3 * number(figure, "critical fraction", epsilon=e, d=d)
    assert first[-1] < 5 and last[-1] > 7e4
