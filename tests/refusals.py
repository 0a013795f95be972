"""Arguments that public functions refuse, and what the refusal shows; the rest of a call stands in `tests/calls.py`."""

from decimal import Decimal

import numpy as np

from hdp.baselines import BASELINES
from hdp.hybrid import NAMES, Setting
from tests.calls import GOOD

inf, nan = float("inf"), float("nan")
HALF_A_USER = Setting(n=5, c=0.5, m=1, epsilon=1, sigma_t=0.5)

# {argument: [(bad value, what the message must show)]}
NEGATIVE = [(-1.0, "-1"), (nan, "nan"), (-inf, "-inf"), ("many", "many")]
BUDGETS = [
    ([1.0, nan], "nan"),
    ([1.0, -0.5], "-0.5"),
    ([1.0, -inf], "-inf"),
    ([], "(0,)"),
    (1.0, "()"),
    ([[1.0, 2.0]], "(1, 2)"),
    ([0.0, 0.0], "zero"),
    (["a", "b"], "'a'"),
    ([1.0, None], "nan"),
    ([1.0, 2j], "2j"),
    (np.array([1j, 1.0]), "0.+1.j"),
    (np.array([1.0 + 0j]), "1.+0.j"),  # not silently cut down to its real part
]
NOT_WEIGHTS = [([0.5, nan], "nan"), ([], "(0,)"), (1.0, "()"), ([[0.5, 0.5]], "(1, 2)"), ("half", "half")]
DATA = [([0.1, 0.6], "0.6"), ([0.1, nan], "nan"), ([0.1], "(1,)"), (0.1, "()"), ([[0.1] * 3] * 2, "(2, 3)"), ("x", "x")]
GROUP = [*NEGATIVE, ([0.1, -2.0], "-2")]
PEOPLE = [(0.5, "0.5"), (0, "0"), (-3, "-3"), (inf, "inf"), (nan, "nan"), ("many", "many")]
FRACTION = [(-0.1, "-0.1"), (1.1, "1.1"), (nan, "nan"), (inf, "inf"), ("half", "half")]
POSITIVE = [(0.0, "0"), *NEGATIVE]
SCALAR = [([1.0, 2.0], "(2,)")]
ENDLESS = [(inf, "inf")]
THREE = [([1.0] * 3, "(3,)")]
COLUMN = [([1.0, -1.0], "-1"), ([1.0, nan], "nan"), ("x", "x"), *THREE, ([], "(0,)"), ([[1.0, 1.0]], "(1, 2)")]
CATEGORIES = [(1, "1"), (0, "0"), (-2, "-2"), (2.5, "2.5"), (nan, "nan"), (inf, "inf"), ("a", "a"), (None, "None")]
TWO_GROUPS = {"epsilon_1": GROUP, "n": PEOPLE, "f": FRACTION}
MISMATCH = {"epsilon_1": [([0.1, 0.2], "(2,)")]}  # with three sizes
SHARE = "must lie in [0, 1]"


def hidden(plain):
    """Data whose last value is under a mask, where there may be anything, is not a number, or is a text."""
    masked = np.ma.array(plain)
    masked[-1] = 1e9
    masked[-1] = np.ma.masked
    last = [[np.nan], ["0.2"]] if masked.ndim > 1 else [np.nan, "0.2"]
    texts = ["must lie in", "must be numeric"]
    return [
        *[(data, "must not be masked") for data in (masked, list(masked))],
        *[([*plain[:-1], end], text) for end, text in zip(last, texts, strict=True)],
    ]


BAD = [  # of a call in `tests/calls.py`, perhaps changed
    *[(f"adpm.{name}", {"epsilon": BUDGETS}) for name in ("answers_zero", "clipping_level", "effective_epsilon")],
    *[(f"adpm.{name}", {"epsilon": BUDGETS}) for name in ("weights", "worst_case_mse")],
    *[(f"linear.{name}", {"epsilon": BUDGETS}) for name in ("clipping_level", "effective_epsilon")],
    *[(f"linear.{name}", {"epsilon": BUDGETS}) for name in ("weights", "worst_case_mse")],
    ("linear.estimate", {"epsilon": BUDGETS, "x": DATA}),
    ("adpm.estimate", {"epsilon": BUDGETS, "x": DATA}, {"epsilon": [5.0, 5.0]}),
    ("adpm.estimate", {"x": DATA}, {"epsilon": [0.1, 0.1]}),  # answers 0
    ("adpm.saturation_ratio", TWO_GROUPS),
    ("adpm.saturation_ratio", MISMATCH, {"n": [1, 2, 3]}),
    ("adpm.two_group_bound", TWO_GROUPS | {"epsilon_2": [*GROUP, (0.05, "0.05"), ([1.0, 0.05], "0.05")]}),
    ("adpm.two_group_bound", MISMATCH, {"n": [1, 2, 3]}),
    (
        "affine.noise_scale",
        {"weights": [*NOT_WEIGHTS, *THREE], "epsilon": [*[b for b in BUDGETS if b[1] != "zero"], *THREE]}
        | {"width": [*POSITIVE, *ENDLESS, *SCALAR]},
    ),
    (
        "affine.privacy_loss",
        {"weights": NOT_WEIGHTS, "scale": [*NEGATIVE, *SCALAR], "width": [*POSITIVE, *ENDLESS, *SCALAR]},
    ),
    (
        "affine.mean_squared_error",
        {"weights": [*NOT_WEIGHTS, ([0.5, 0.6], "1.1")], "scale": [*NEGATIVE, *SCALAR]}
        | {"variance": [*NEGATIVE, *ENDLESS, *THREE, ([[1.0], [2.0]], "(2, 1)")]},
    ),
    ("affine.estimate", {"x": DATA, "weights": NOT_WEIGHTS, "scale": [*NEGATIVE, *ENDLESS, *SCALAR]}),
    ("amplification.classic_scale", {"epsilon": [(e, f"must lie in [1e-50, 1e+50], got {e}") for e in (-0.5, 0.0)]}),
    ("baselines.estimate", {"name": [(None, "must be one of adpm"), ("median", "must be one of adpm")]}),
    ("baselines.expected_mse", {"name": [("median", "must be one of adpm")]}),
    ("baselines.panel", {"names": [(n, "distinct, not empty and of adpm") for n in (("uni", "mode"), ("uni", "uni"))]}),
    *[("baselines.estimate", {"x": [*DATA, ([-0.6, 0.0], "-0.6")]}, {"name": name}) for name in BASELINES],
    *[
        (
            "baselines.expected_mse",
            {
                "epsilon": BUDGETS,
                "variance": [(0.25, "variance + ")],
                "mean": [(0.6, "mean must"), (0.4, "variance +")],
            },
            {"name": name, "mean": 0.1, "variance": 0.2},
        )
        for name in BASELINES
    ],
    ("baselines.expected_mse", {"variance": [(0.3, "variance must")]}, {"mean": 0.0}),
    (
        "clipping.optimal_weights",
        {"variance": [([1.0, 0.0], "0.0"), ([1.0, inf], "inf"), *COLUMN], "noise_cost": [([inf, inf], "inf"), *COLUMN]}
        | {"penalty": [*POSITIVE, *ENDLESS, *SCALAR]},
    ),
    ("compare.MixedRelease.error", {"mean": [(1.5, f"{SHARE}, got 1.5")]}),
    ("compare.MixedRelease.estimate", {"x": [([0.5, 1.5, 0.5], SHARE), ([0.5], "one column for each user")]}),
    (
        "compare.Population",
        {
            "epsilon": [([-1.0, 1.0], "in [0, inf]"), ([1e-160, 1.0], "must be 0 or lie in [1e-100, inf], got 1e-160")],
            "trust": [("nobody", "must be one of curator, local, got 'nobody'"), (["local"], "must have shape (2,)")],
            "records": [
                ([0, 1], "must lie in [1, 9.0072e+15]"),
                ([1.5, 1], "must be whole numbers"),
                ([1, 2, 3], "must have shape (2,)"),
            ],
        },
    ),
    ("compare.mixed_release", {"reports": [("bits", "must be one of simple, laplace, best, got 'bits'")]}),
    ("compare.one_bit_report", {"epsilon": [([1.0, 0.0], "must lie in [1e-150, inf], got 0.0")]}),
    (
        "compare.ranking",  # also where the variance is given and the prior decides little
        {
            "variance": [(0.26, "variance must"), (0.0, "variance must"), ([0.1, 0.1], "variance must")],
            "prior": [(prior, "prior must be a pair") for prior in (0.4, (0.4,), (0.4, 0.1, 0.2))]
            + [((7, 0.1), "the mean of prior must lie in (0, 1)")]
            + [((0.5, 0.6), "the standard deviation of prior must lie in [0, sqrt(p (1 - p))] = [0, 0.5]")],
        },
    ),
    ("hybrid.deviation", {"s": [(HALF_A_USER, "c n must be a whole number of users, at least 1, got 2.5")]}),
    ("hybrid.estimate", {"s": [(HALF_A_USER, "c n must be a whole number of users, at least 1, got 2.5")]}),
    ("hybrid.homogeneous_weight", {"variance": [(-1e-9, "must lie in [0, 1e+50], got -1e-09")]}),
    ("kmeans.Draws.sample", {"n": [(10**12, "n users of this setting must")]}),
    ("kmeans.Setting", {"low": [(low, f"must lie in [-1e+50, 1e+50], got {low}") for low in (inf, nan)]}),
    ("laplace_sum.LaplaceSum", {"count": [(10**7, "must be an integer in [1, 100000], got 10000000")]}),
    ("noise.Gaussian", {"scale": [*POSITIVE, *ENDLESS, *SCALAR]}),
    ("noise.Gaussian.delta", {"epsilon": [*NEGATIVE, *SCALAR], "sensitivity": [*POSITIVE, *ENDLESS, *SCALAR]}),
    ("noise.Laplace", {"scale": [*NEGATIVE, *SCALAR]}),
    ("noise.Laplace.calibrated", {"sensitivity": [*NEGATIVE, *ENDLESS, *SCALAR], "epsilon": [*POSITIVE, *SCALAR]}),
    ("noise.Laplace.sample", {"size": [(10**12, "size must")]}),
    (
        "noise.RandomizedResponse",
        {"epsilon": [*NEGATIVE, *ENDLESS, *SCALAR], "categories": [*CATEGORIES, ([2, 3], "2")]},
    ),
    ("noise.RandomizedResponse.sample", {"truth": [([0, 2], "truth"), ([-1, 0], "truth"), ([0.5, 0.5], "truth")]}),
    ("simulate.compare", {"runs": [(Decimal("1E999"), "runs must be an integer in")]}),
    (
        "simulate.mean_squared_error",
        {
            "truth": [(nan, "must lie in"), ([0.0], "must be a scalar")],
            "runs": [(1, "must be an integer in [2, 1000000000], got 1")]
            + [(runs, "runs must be an integer") for runs in (10.5, True)],
            "seed": [(-1, "must be an integer in [0, inf), got -1"), (None, "seed must be an integer")],
            "n_jobs": [(0, "n_jobs must be an integer"), (1.5, "n_jobs must be an integer")],
            "sampler": [
                (lambda rng, runs: rng.random(runs), "must return shape (1, n)"),
                (lambda rng, runs: rng.random((3, 2)), "must return shape (1, n)"),
                (lambda rng, runs: np.ma.zeros((runs, 2)), "what sampler returns must not be masked"),
            ],
            "estimator": [
                (lambda x, rng: 0.0, "must return shape (5,), got ()"),
                (lambda x, rng: x, "must return shape (5,), got (5, 2)"),
                (lambda x, rng: np.ma.array(x[:, 0]), "what estimator 'estimator' returns must not be masked"),
            ],
        },
    ),
    *[
        (call, {name: hidden(GOOD[call][name])})
        for call, name in (
            ("adpm.estimate", "x"),
            ("linear.estimate", "x"),
            ("affine.estimate", "x"),
            ("compare.MixedRelease.estimate", "x"),
            ("kmeans.run", "x"),
            ("kmeans.wcss", "x"),
            ("user_level.IdealRelease.estimate", "means"),
            ("user_level.initial_estimates", "p_hat"),
            ("user_level.private_mean", "values"),
            ("user_level.private_variance", "means"),
            ("user_level.truncated_estimate", "x"),
        )
    ],
    *[("baselines.estimate", {"x": hidden([0.1, 0.2])}, {"name": name}) for name in BASELINES],
    *[("hybrid.deviation", {"x": hidden([0.1, 0.2, 0.3, 0.4])}, {"name": name}) for name in NAMES],
    ("user_level.best_unbiased_variance", {"k": [([50] * 3, "k and outputs must make at most 20000")]}),
    ("user_level.corollary_5_5", {"sigma_p": [(0.51, "must lie in [0, 0.5], got 0.51")]}),
    ("user_level.estimate", {"p_hat": [([0.1, 0.2, 2.0, 0.3, 0.1], f"{SHARE}, got 2")]}),
    ("user_level.half_width", {"beta": [(beta, f"must lie in (0, 1), got {beta}") for beta in (1.0, 0.0, -0.1)]}),
    ("user_level.initial_estimates", {"p_hat": [([0, 0, 2.0, 0, 0], "p_hat must lie")]}),
    ("user_level.private_estimate", {"first": [([1.5] * 12, "first must lie in [0, 1], got 1.5")]}),
]


CASES = [
    (call, dict(*changes), name, value, shown)
    for call, arguments, *changes in BAD
    for name, values in arguments.items()
    for value, shown in values
]
