"""Section 6 of Avent, Dubey & Korolova: groups of different variances and means, against the library."""

from dataclasses import replace

import numpy as np
import pytest

from hdp import hybrid
from hdp.sym.hybrid_trust import diverging_groups as diverging
from tests.hybrid.common import BELIEVED, DIVERGING, ENOUGH, EQUAL, TIED, alike, assert_defined, curvature, value


def believer(s):
    """The setting as it is believed to be: equal groups, and a variance of so much."""
    return replace(alike(s, BELIEVED**0.5 * s.m), s_t2=s.noise_t, s_l2=s.noise_l)


def tolerated(s):
    """The curvature at which the believer's weight is as good as Full-LM's c."""
    away = hybrid.kvh_weight(believer(s)) - s.c
    advantage = (s.noise_l - s.tcm_users * s.noise_t) / s.n
    return advantage * (2 * away + s.c) / away**2


DEFINITIONS = {
    "weight": hybrid.kvh_weight,
    "variance_skew_weight": lambda s: hybrid.kvh_weight(replace(s, mu_l=s.mu_t)),
    "mean_skew_weight": lambda s: hybrid.kvh_weight(replace(s, sigma_l=None)),
    "effective_variance": lambda s: s.effective_variance,
    "curvature": curvature,
    "believed_curvature": lambda s: curvature(believer(s)),
    "believed_weight": lambda s: hybrid.homogeneous_weight(s, BELIEVED * s.m**2),
    "tolerated_curvature": tolerated,
}


@pytest.mark.settles(
    "adk-definition-6-1", "adk-variance-skew", "adk-mean-skew", "adk-section-6-means", "hdp-effective-variance",
    "hdp-pwh-diverging", "hdp-believed-variance", "hdp-tolerated-gap", "hdp-unbounded-improvement", "hdp-kvh-above-c",
)  # fmt: skip
def test_statements_agree_with_the_library():
    """Any groups and any noise; and the gap of the means at which the homogeneous weight is as good as Full-LM."""
    assert_defined(diverging, DEFINITIONS, DIVERGING)
    assert any(s.effective_variance > s.m**2 / 4 for s in DIVERGING)
    for s in EQUAL:
        squared = value(diverging.tolerated_gap_squared, s)
        weight = hybrid.homogeneous_weight(s)
        assert hybrid.mse_hybrid(s, weight) + (weight - s.c) ** 2 * squared == pytest.approx(hybrid.mse_full_lm(s))


@pytest.mark.settles("hdp-tcm-interval")
def test_tcm_only_is_the_better_baseline_on_an_interval():
    """Lemma 3.8 for diverging means: equal errors at both ends; none above the largest gap, or if that is below 0."""
    (never,) = (s for s, users in ENOUGH if np.isinf(users))
    assert value(diverging.largest_gap_for_tcm, never) < 0
    never = replace(never, n=np.geomspace(2 / never.c, 1e6, 1000), mu_l=never.mu_t + 1e-3 * never.m)
    assert np.all(hybrid.mse_tcm(never) > hybrid.mse_full_lm(never))
    for s in (replace(s, sigma_l=s.sigma_t / 2) for s in TIED):
        largest = value(diverging.largest_gap_for_tcm, s)
        for part in (0.1, 0.9):
            s = replace(s, mu_l=s.mu_t + part * min(largest, 0.5 * s.m))
            ends = [replace(s, n=value(end, s)) for end in diverging.tcm_interval]
            assert ends[0].n < ends[1].n
            for end in ends:
                assert hybrid.mse_tcm(end) == pytest.approx(hybrid.mse_full_lm(end), rel=1e-9)
        for part, exists in ((0.999, True), (1.001, False)):
            wide = replace(s, m=10 * s.m, epsilon=10 * s.epsilon, mu_l=s.mu_t + part * largest)
            users = replace(wide, n=np.geomspace(2 / s.c, 1e6, 100_000))
            assert np.any(hybrid.mse_tcm(users) < hybrid.mse_full_lm(users)) == exists
