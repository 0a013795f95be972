"""Arguments that public functions refuse, and what the refusal shows; the rest of a call stands in `tests/calls.py`.

Numbers outside of a range, other shapes and unknown names are not here: `tests/ranges.py` reads them in the docstrings.
"""

from dataclasses import replace

import numpy as np

from hdp.baselines import BASELINES
from hdp.hybrid import NAMES, Setting
from tests.calls import DRAWS, S

inf, nan = float("inf"), float("nan")
HALF_A_USER = Setting(n=5, c=0.5, m=1, epsilon=1, sigma_t=0.5)

# {argument: [(bad value, what the message must show)]}
NEGATIVE = [(-1.0, "-1"), (nan, "nan"), ("many", "many"), ([1.0, 2.0], "(2,)")]
THREE = [([1.0] * 3, "(3,)")]
MISMATCH = {"epsilon_1": [([0.1, 0.2], "(2,)")]}  # with three sizes
SHARE = "must lie in [0, 1]"


def says(message, *values):
    """Bad values that are all refused in the same words."""
    return [(value, message) for value in values]


def outside(*values):
    """Bad values of which the message shows the range."""
    return says("must lie in", *values)


def bad(call, changes=None, **arguments):
    """A call of `tests/calls.py`, with other arguments if named, and bad values of each argument with what is said."""
    return call, arguments, changes or {}


# What calls below have in place of the arguments in `tests/calls.py`
OWN_NOISE = {"c": 0.1, "sigma_t": 0.25, "sigma_l": None, "mu_t": 0.0, "mu_l": None, "s_t2": None, "s_l2": None}
FOR_ALL = {"users": [1.0, 2.0], "method": "adpm", "variance": None, "bits": None}
FEW = "at least twice as many users"

# Other calls, in which a function goes another way; what their docstrings say is asked of them, too
ALSO = [("hybrid.Setting", OWN_NOISE)]
ALSO += [("hybrid.deviation", {"name": name}) for name in NAMES]
ALSO += [("baselines.expected_mse", {"name": name, "mean": 0.1, "variance": 0.2}) for name in BASELINES]

BAD = [  # of a call in `tests/calls.py`, perhaps changed
    bad("adpm.ADPM", {"measure": "zcdp"}, epsilon=says("epsilon must have", [0.0, 0.0])),
    bad("adpm.ADPM", {"dimension": 2}, lower=says("must be -1/2 and 1/2 for vectors", -1.0)),
    bad("adpm.ADPM", upper=says("must exceed lower", -0.5)),
    bad("adpm.saturation_ratio", {"n": [1, 2, 3]}, **MISMATCH),
    bad("adpm.two_group_bound", epsilon_2=[([1.0, 0.05], "0.05")]),
    bad("adpm.two_group_bound", {"n": [1, 2, 3]}, **MISMATCH),
    bad("affine.noise_scale", weights=THREE, epsilon=THREE),
    bad(
        "affine.mean_squared_error",
        weights=[("half", "half"), ([-1e51, 0.5], "[-1e+50, 1e+50]"), ([0.5, 0.6], "1.1")],
        variance=THREE,
    ),
    *[bad(f"amplification.{name}", w=outside(1.2)) for name in ("amplified_epsilon", "printed_epsilon")],
    bad("at_scale.Groups", epsilon=says("must ascend", [1.0, 1.0])),
    bad("at_scale.Groups", users=says("must be whole numbers of less than 2^53", [1.5, 1], [2.0**52, 2.0**52])),
    bad("at_scale.weigh", parts=[([[], [0.0]], "must hold at least one budget"), (1.0, "must be a vector")]),
    bad("at_scale.weigh", parts=says("must hold budgets that sum to at most 1.8e308", [1e308, 1e308])),
    bad("baselines.panel", names=[(n, "distinct, not empty and of adpm") for n in (("uni", "mode"), ("uni", "uni"))]),
    bad("baselines.expected_mse", {"mean": 0.1, "variance": 0.2}, variance=says("variance + ", 0.25)),
    bad("baselines.expected_mse", {"mean": 0.1, "variance": 0.2}, mean=says("variance +", 0.4)),
    bad("buying.buy", price=says("price", [inf, inf]), epsilon=says("epsilon", [0.0, 0.0])),
    bad("clipping.optimal_weights", variance=[*THREE, ([[1.0, 1.0]], "(1, 2)")]),
    bad("clipping.optimal_weights", noise_cost=[([inf, inf], "inf"), *THREE, ([[1.0, 1.0]], "(1, 2)")]),
    bad("compare.MixedRelease.mse", mean=[(1.5, f"{SHARE}, got 1.5")]),
    bad("compare.MixedRelease.estimate", x=[([0.5, 1.5, 0.5], SHARE), ([0.5], "one column for each user")]),
    bad(
        "users.Users",
        epsilon=[([1e-160, 1.0], "must be 0 or lie in [1e-100, inf], got 1e-160")],
        trust=[("nobody", "must be one of curator, local, got 'nobody'"), (["local"], "must have shape (2,)")],
        records=[([1.5, 1], "must be whole numbers"), ([1, 2, 3], "must have shape (2,)")],
    ),
    bad(
        "compare.ranking",
        prior=[
            ((0.4, 0.1, 0.2), "prior must be a pair"),
            ((7, 0.1), "the mean of prior must lie in (0, 1)"),
            ((0.5, 0.6), "the standard deviation of prior must lie in [0, sqrt(p (1 - p))] = [0, 0.5]"),
        ],
    ),
    bad("compare.SecretRelease.estimate", x=says("x must", [0.1, 1.2, 0.1])),
    bad("compare.SecretRelease.loss_to", coalition=says("coalition", 0.5)),
    bad("compare.secret_release", measure=says("must be one that Gaussian noise satisfies", "pure")),
    bad(
        "hybrid.Setting",
        OWN_NOISE,
        c=says("c n must be at least 1", 0.009),
        sigma_t=says("must be at most m/2, got 0.51", 0.51),
        sigma_l=says("must be at most m/2, got 0.51", 0.51),
        mu_t=says("must be in [0, m], got 1.5", 1.5),
        mu_l=says("must lie in [0, 1e+30], got -0.5", -0.5),
        s_t2=says("s_t2 and s_l2 must be given together", 1),
        delta=says("must lie in [0, 1), got 1.0", 1),
    ),
    bad("hybrid.Setting", OWN_NOISE | {"n": [100, 200]}, c=says("must broadcast", [0.1, 0.2, 0.3])),
    bad("hybrid.Setting", OWN_NOISE | {"sigma_t": 0.5}, mu_l=says("mu_l - mu_t must be at most sqrt", 1)),
    bad("hybrid.Setting", OWN_NOISE | {"sigma_t": 0.5, "mu_l": 0.0}, mu_t=says("mu_l - mu_t must be at most", 1)),
    bad(
        "hybrid.Setting",
        s_t2=says("must lie in [0, 1e+60], got -1.0", -1),
        s_l2=says("must lie in [1e-60, 1e+60], got 0.0", 0),
    ),
    bad("hybrid.deviation", s=[(HALF_A_USER, "c n must be a whole number of users, at least 1, got 2.5")]),
    bad("hybrid.estimate", s=[(HALF_A_USER, "c n must be a whole number of users, at least 1, got 2.5")]),
    bad("hybrid.estimate", x_t=[([0.1], "must have shape (..., 2)")]),
    bad(
        "hybrid.estimate",
        x_l=[([0.1] * 3, "must have shape (..., 2)"), ([1.5, 1.5], "must lie in [0, 1], which the one at index 0")],
    ),
    bad("hybrid.estimate", x_l=says("as many data sets", [[0.3, 0.4]] * 3)),
    bad("hybrid.laplace_n_crit", s=says("own noise", replace(S, mu_l=0.5), replace(S, s_t2=1.0, s_l2=2.0))),
    bad("kmeans.Draws.sample", n=[(10**12, "n users of this setting must")]),
    bad(
        "kmeans.run",
        x=says("must lie in [-0.5, 0.5]", [[1.1], [1.2]]),
        tcm=says("tcm", [True]),
        initial=says("must have shape", [[0.0], [0.1], [0.1]]),
        draws=says(
            "must be for",
            replace(DRAWS, report=DRAWS.report[1:]),
            replace(DRAWS, uniform=DRAWS.uniform[:-1]),
            replace(DRAWS, central=DRAWS.central[:, :-1]),
        )
        + says("must hold answers of 2 clusters, got 2", replace(DRAWS, other=DRAWS.other * 0 + 2)),
    ),
    bad("kmeans.Draws", uniform=says("must lie in [0, 1), got 1.0", np.ones_like(DRAWS.uniform))),
    bad("minimax.coin_distance", m=[([1, 1.5], "must be whole, got 1.5")]),
    bad("minimax.coin_distance", {"m": [1, 2]}, delta=says("must broadcast", [0.1, 0.2, 0.3])),
    bad("minimax.lower_bound", epsilon_2=outside(0.05)),
    bad("minimax.lower_bound", {"epsilon_1": [0.1, 0.2]}, epsilon_2=says("must broadcast", [1, 2, 3])),
    bad("noise.Gaussian.delta", epsilon=NEGATIVE, sensitivity=[(0.0, "0"), *NEGATIVE[1:], (inf, "inf")]),
    bad("noise.Laplace.calibrated", sensitivity=[*NEGATIVE, (inf, "inf")], epsilon=[(0.0, "0"), *NEGATIVE[1:]]),
    bad("noise.Laplace.sample", size=[(10**12, "size must")]),
    bad("noise.RandomizedResponse.sample", truth=[([0, 2], "truth"), ([0.5, 0.5], "truth")]),
    bad("notions.Notion", {"name": "zcdp", "parameter": None}, parameter=says("must be None", 2.0)),
    bad("notions.Notion.noise", shape=says("must be one of ball, cube", "sphere")),
    bad("notions.Notion.noise_penalty", shape=says("must be one of ball, cube", "box")),
    bad(
        "release.plan",
        FOR_ALL,
        users=[([1e18] * 10, "epsilon must"), ([-1.0], "must lie in [0, inf]")],
        prior=says("prior must", (0.4, 0.1)),
        variance=says("variance must", 0.1),
        upper=says("upper must", 0.0),
    ),
    bad("release.plan", variance=says("variance must", 0.3)),
    bad("release.plan", FOR_ALL | {"method": "user-level", "prior": (0.4, 0.1)}, prior=says("prior must", None)),
    bad(
        "release.plan",
        FOR_ALL | {"method": "user-level", "prior": (0.4, 0.1), "upper": 1.0},
        lower=says("prior must come with the interval [0, 1]", 0.5),
    ),
    bad("robust.loss_of_wrong_variances", believed=says("believed", [1.0, 2.0, 3.0])),
    bad("robust.price_of_wrong_variances", low=says("low", 3.0)),
    bad("robust.variance_guess", upper=says("upper", [0.5, 3.0])),
    bad(
        "simulate.mean_squared_error",
        seed=[(-1, "must be an integer in [0, inf), got -1"), (None, "seed must be an integer")],
        n_jobs=[(0, "n_jobs must be an integer"), (1.5, "n_jobs must be an integer")],
        sampler=[
            (lambda rng, runs: rng.random((3, 2)), "must return shape (1, n)"),
            (lambda rng, runs: np.ma.zeros((runs, 2)), "what sampler returns must not be masked"),
        ],
        estimator=[
            (lambda x, rng: x, "must return shape (5,), got (5, 2)"),
            (lambda x, rng: np.ma.array(x[:, 0]), "what estimator 'estimator' returns must not be masked"),
        ],
    ),
    bad("threshold.Threshold", tau=says("tau must", 0, 2.1, "a")),
    bad("threshold.saturating_budgets", sizes=says("sizes must", [], [0, 2], [2, 2], [1, 2.5], [3, 1])),
    bad("threshold.saturating_budgets", {"sizes": [1, 4]}, risk=says("risk must", 1 / 16)),
    bad(
        "user_level.best_unbiased_variance",
        k=[([50] * 3, "k and outputs must make at most 20000"), ([1.5], "k")],
        means=says("means", [1.0]),
    ),
    bad("user_level.groups", k=says("3", [1.0] * 3)),
    bad("user_level.initial_estimates", p_hat=outside([0, 0, 2.0, 0, 0])),
    bad("user_level.least_share", middle=says("must hold positions", [1, 1])),
    bad("user_level.lower_bound", sigma_p=says("sigma_p", 0.6)),
    bad("user_level.noisy_linear_variance", weights=says("weights", [0.5])),
    bad("user_level.private_estimate", head=[(3, "must be even"), (12, FEW)]),
    bad("user_level.private_estimate", epsilon=says("must be a number or have shape", [1.0] * 11)),
    bad("user_level.plug_in_weights", mean=says(SHARE, 2), variance=outside(-0.1)),
    bad("user_level.private_estimate", first=[([1.5] * 12, "first must lie in [0, 1], which the one at index 0")]),
    bad("user_level.private_ideal", epsilon=says("must be a number or have shape", [1.0, 2.0, 3.0])),
    bad("user_level.sample_cap", k=says("k", [0.0, 1.0])),
    bad("user_level.sample_mean_variance", sigma_p=says("0.51", 0.51)),
    bad("user_level.sample_variance", k=says("k", [0.5])),
    bad("user_level.user_groups", k=says(FEW, [5.0])),
    bad("user_level.variance_of", weights=[([0.5, 0.6], "1.1"), ([1.0], "(1,)")]),
]


CASES = [
    (call, changes, name, value, shown)
    for call, arguments, changes in BAD
    for name, values in arguments.items()
    for value, shown in values
]
