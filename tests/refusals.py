"""Arguments that public functions refuse, and what the refusal shows; the rest of a call stands in `tests/calls.py`."""

from dataclasses import replace
from decimal import Decimal

import numpy as np

from hdp.baselines import BASELINES
from hdp.hybrid import NAMES, Setting
from tests.calls import DRAWS, GOOD, S

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
NOT_WEIGHTS += [([0.5, inf], "inf"), ([-1e51, 0.5], "[-1e+50, 1e+50]")]
DATA = [
    ([0.1, 0.6], "index 1 "),
    ([0.1, nan], "index 1 "),
    ([0.1], "(1,)"),
    (0.1, "()"),
    ([[0.1] * 3] * 2, "(2, 3)"),
    ("x", "type str"),
]
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


def says(message, *values):
    """Bad values that are all refused in the same words."""
    return [(value, message) for value in values]


def outside(*values):
    """Bad values of which the message shows the range."""
    return says("must lie in", *values)


def bad(call, changes=None, **arguments):
    """A call of `tests/calls.py`, with other arguments if named, and bad values of each argument with what is said."""
    return call, arguments, changes or {}


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


# What calls below have in place of the arguments in `tests/calls.py`
ZCDP = {"notion": "zcdp"}
BALL = {"x": [[0.1, 0.1], [0.0, 0.0]], "epsilon": [9.0, 9.0], "dimension": 2}
CUBE = BALL | {"shape": "cube"}
OWN_NOISE = {"c": 0.1, "sigma_t": 0.25, "sigma_l": None, "mu_t": 0.0, "mu_l": None, "s_t2": None, "s_l2": None}
FOR_ALL = {"population": [1.0, 2.0], "method": "adpm", "variance": None, "bits": None}
FEW = "at least twice as many users"
PERSONAL = [*outside([0.0] * 12, [inf] * 12), (1.0, "must be a non-empty vector"), ([1.0] * 11, "must agree in shape")]

BAD = [  # of a call in `tests/calls.py`, perhaps changed
    *[bad(f"adpm.{name}", epsilon=BUDGETS) for name in ("answers_zero", "clipping_level", "effective_epsilon")],
    *[bad(f"adpm.{name}", epsilon=BUDGETS) for name in ("weights", "worst_case_mse")],
    *[bad(f"linear.{name}", epsilon=BUDGETS) for name in ("clipping_level", "effective_epsilon")],
    *[bad(f"linear.{name}", epsilon=BUDGETS) for name in ("weights", "worst_case_mse")],
    *[bad(f"minimax.{name}", epsilon=BUDGETS) for name in ("le_cam", "two_coins", "van_trees")],
    *[bad(f"threshold.{name}", epsilon=BUDGETS) for name in ("threshold_mse", "affine_mse", "best_threshold")],
    bad("linear.estimate", epsilon=BUDGETS, x=DATA),
    bad("adpm.estimate", {"epsilon": [5.0, 5.0]}, epsilon=BUDGETS, x=DATA),
    bad("adpm.estimate", {"epsilon": [0.1, 0.1]}, x=DATA),  # answers 0
    bad("adpm.estimate", BALL, x=[(np.zeros((2, 3)), "must have shape"), ([[0.5, 0.1], [0.0, 0.0]], "ball of radius")]),
    bad("adpm.estimate", CUBE, x=outside([[0.51, 0.51], [0.0, 0.0]])),
    bad(
        "adpm.weights",
        notion=says("must be one of pure, zcdp, gdp", "laplace", None, 3, "approximate", ["zcdp"]),
        dimension=says("dimension", 0),
        shape=says("must be one of ball, cube", "box"),
    ),
    bad("adpm.weights", ZCDP, dimension=says("dimension", 1.5), epsilon=says("epsilon must have", [0.0, 0.0])),
    bad("adpm.worst_case_mse", {"notion": "gdp"}, shape=says("must be one of ball, cube", None)),
    bad("adpm.saturation_ratio", **TWO_GROUPS),
    bad("adpm.saturation_ratio", {"n": [1, 2, 3]}, **MISMATCH),
    bad("adpm.two_group_bound", **TWO_GROUPS, epsilon_2=[*GROUP, (0.05, "0.05"), ([1.0, 0.05], "0.05")]),
    bad("adpm.two_group_bound", {"n": [1, 2, 3]}, **MISMATCH),
    bad(
        "affine.noise_scale",
        weights=[*NOT_WEIGHTS, *THREE],
        epsilon=[*[b for b in BUDGETS if b[1] != "zero"], *THREE],
        width=[*POSITIVE, *ENDLESS, *SCALAR],
    ),
    bad("affine.privacy_loss", weights=NOT_WEIGHTS, scale=[*NEGATIVE, *SCALAR], width=[*POSITIVE, *ENDLESS, *SCALAR]),
    bad(
        "affine.mean_squared_error",
        weights=[*NOT_WEIGHTS, ([0.5, 0.6], "1.1")],
        scale=[*NEGATIVE, *SCALAR],
        variance=[*NEGATIVE, *ENDLESS, *THREE, ([[1.0], [2.0]], "(2, 1)")],
    ),
    bad("affine.estimate", x=DATA, weights=NOT_WEIGHTS, scale=[*NEGATIVE, *ENDLESS, *SCALAR]),
    *[
        bad(f"amplification.{name}", w=outside(1.2, nan), delta=outside(0.0, 1.0), adversarial=outside(-0.1, 1.1))
        for name in ("amplified_epsilon", "printed_epsilon")
    ],
    bad("amplification.classic_epsilon", scale=outside(-1.0), sensitivity=outside(nan)),
    bad("amplification.classic_scale", epsilon=[(e, f"must lie in [1e-50, 1e+50], got {e}") for e in (-0.5, 0.0)]),
    bad(
        "at_scale.Groups",
        epsilon=says("must ascend", [2.0, 1.0], [1.0, 1.0]),
        users=says("must be whole numbers of less than 2^53 together", [1.5, 1], [2.0**52, 2.0**52]),
    ),
    bad("at_scale.Weights", public=says("must be an integer in [0, 3]", 4), lacking=says("must be an integer", 4)),
    bad("at_scale.round_down", epsilon=says("must lie in [0, inf], got nan", [1.0, nan])),
    bad(
        "at_scale.weigh",
        parts=[
            *says("must hold at least one budget", [], [[], [0.0]]),
            (1.0, "must be a vector"),
            ([1e308, 1e308], "must hold budgets that sum to at most 1.8e308"),
        ],
    ),
    bad("baselines.estimate", name=[(None, "must be one of adpm"), ("median", "must be one of adpm")]),
    bad("baselines.expected_mse", name=[("median", "must be one of adpm")]),
    bad("baselines.panel", names=[(n, "distinct, not empty and of adpm") for n in (("uni", "mode"), ("uni", "uni"))]),
    *[bad("baselines.estimate", {"name": name}, x=[*DATA, ([-0.6, 0.0], "index 0 ")]) for name in BASELINES],
    *[
        bad(
            "baselines.expected_mse",
            {"name": name, "mean": 0.1, "variance": 0.2},
            epsilon=BUDGETS,
            variance=[(0.25, "variance + ")],
            mean=[(0.6, "mean must"), (0.4, "variance +")],
        )
        for name in BASELINES
    ],
    bad("baselines.expected_mse", {"mean": 0.0}, variance=[(0.3, "variance must")]),
    bad("buying.buy", price=says("price", [inf, inf], [1e-60] * 2, [-1.0, 1.0]), money=says("money", 0.0)),
    bad("buying.buy", epsilon=says("epsilon", [0.0, 0.0])),
    bad("clipping.water_level", knots=says("knots must lie in [0, inf], got -", [-inf, 4.0], [-1.0, 4.0])),
    bad(
        "clipping.optimal_weights",
        variance=[([1.0, 0.0], "0.0"), ([1.0, inf], "inf"), *COLUMN],
        noise_cost=[([inf, inf], "inf"), *COLUMN],
        penalty=[*POSITIVE, *ENDLESS, *SCALAR],
    ),
    bad("compare.MixedRelease.error", mean=[(1.5, f"{SHARE}, got 1.5")]),
    bad("compare.MixedRelease.estimate", x=[([0.5, 1.5, 0.5], SHARE), ([0.5], "one column for each user")]),
    bad(
        "compare.Population",
        epsilon=[([-1.0, 1.0], "in [0, inf]"), ([1e-160, 1.0], "must be 0 or lie in [1e-100, inf], got 1e-160")],
        trust=[("nobody", "must be one of curator, local, got 'nobody'"), (["local"], "must have shape (2,)")],
        records=[
            ([0, 1], "must lie in [1, 9.0072e+15]"),
            ([1.5, 1], "must be whole numbers"),
            ([1, 2, 3], "must have shape (2,)"),
        ],
    ),
    bad("compare.mixed_release", reports=[("bits", "must be one of simple, laplace, best, got 'bits'")]),
    bad("compare.one_bit_report", epsilon=[([1.0, 0.0], "must lie in [1e-150, inf], got 0.0")]),
    bad(
        "compare.ranking",  # also where the variance is given and the prior decides little
        variance=[(0.26, "variance must"), (0.0, "variance must"), ([0.1, 0.1], "variance must")],
        prior=[(prior, "prior must be a pair") for prior in (0.4, (0.4,), (0.4, 0.1, 0.2))]
        + [((7, 0.1), "the mean of prior must lie in (0, 1)")]
        + [((0.5, 0.6), "the standard deviation of prior must lie in [0, sqrt(p (1 - p))] = [0, 0.5]")],
    ),
    bad("compare.SecretRelease.estimate", x=says("x must", [0.1, 1.2, 0.1])),
    bad("compare.SecretRelease.privacy_loss", coalition=says("coalition", 0.5)),
    bad(
        "compare.secret_release",
        notion=says("must be one that Gaussian noise satisfies", "pure"),
        coalition=says("coalition", -1),
    ),
    bad(
        "hybrid.Setting",
        OWN_NOISE,
        n=says("must lie in [2, 1e+60]", 1, inf),
        c=[*((c, f"must lie in (0, 1), got {c:.1f}") for c in (0, 1, nan)), (0.009, "c n must be at least 1")],
        m=says("must lie in [1e-30, 1e+30]", 0),
        epsilon=says("must lie in [1e-30, 1e+30]", 0),
        sigma_t=[
            (-0.1, "must lie in [0, 1e+30], got -0.1"),
            (0.51, "must be at most m/2, got 0.51"),
            ("wide", "must be numeric, got 'wide'"),
        ],
        sigma_l=says("must be at most m/2, got 0.51", 0.51),
        mu_t=says("must be in [0, m], got 1.5", 1.5),
        mu_l=says("must lie in [0, 1e+30], got -0.5", -0.5),
        s_t2=says("s_t2 and s_l2 must be given together", 1),
        delta=says("must lie in [0, 1), got 1.0", 1),
    ),
    bad("hybrid.Setting", OWN_NOISE, c=says("must lie in (0, 1), got nan", [0.1, nan])),
    bad("hybrid.Setting", OWN_NOISE | {"n": [100, 200]}, c=says("must broadcast", [0.1, 0.2, 0.3])),
    bad("hybrid.Setting", OWN_NOISE | {"sigma_t": 0.5}, mu_l=says("mu_l - mu_t must be at most sqrt", 1)),
    bad("hybrid.Setting", OWN_NOISE | {"sigma_t": 0.5, "mu_l": 0.0}, mu_t=says("mu_l - mu_t must be at most", 1)),
    bad(
        "hybrid.Setting",
        s_t2=says("must lie in [0, 1e+60], got -1.0", -1),
        s_l2=says("must lie in [1e-60, 1e+60], got 0.0", 0),
    ),
    bad("hybrid.best_improvement", tcm_users=says("must lie in [1, inf]", 0.5)),
    bad("hybrid.deviation", s=[(HALF_A_USER, "c n must be a whole number of users, at least 1, got 2.5")]),
    bad("hybrid.estimate", s=[(HALF_A_USER, "c n must be a whole number of users, at least 1, got 2.5")]),
    bad(
        "hybrid.estimate",
        name=says("must be one of full-lm, tcm", "median"),
        x_t=[([0.1], "must have shape (..., 2)"), ([1.5, 1.5], "must lie in [0, 1], which the one at index 0")],
        x_l=[([0.1] * 3, "must have shape (..., 2)"), ([1.5, 1.5], "must lie in [0, 1], which the one at index 0")],
    ),
    bad(
        "hybrid.estimate",
        {key: [[0.3, 0.4]] * 2 for key in ("x_t", "x_l")},
        x_l=says("as many data sets", [[0.3, 0.4]] * 3),
    ),
    bad(
        "hybrid.laplace_n_crit",
        s=says("own noise and equal means", replace(S, mu_l=0.5), replace(S, s_t2=1.0, s_l2=2.0)),
    ),
    bad("hybrid.mse_hybrid", w=says("must lie in [0, 1]", -0.1, 1.1, nan)),
    bad("hybrid.relative_improvement", mse=says("must lie in [1e-150, 1e+150]", 0)),
    bad("hybrid.homogeneous_weight", variance=[(-1e-9, "must lie in [0, 1e+50], got -1e-09")]),
    bad("kmeans.Draws.sample", n=[(10**12, "n users of this setting must")]),
    bad(
        "kmeans.Setting",
        iterations=says("must be an integer in [1, 2^53), got 0", 0),
        clusters=says("must be an integer in [2, 2^53), got 1", 1),
        dimension=says("must be an integer in [1, 2^53), got True", True),
        epsilon=says("must lie in [1e-50, 1e+50]", 0.0),
        m=says("must lie in [1e-50, 1e+50]", -1.0),
        low=[(low, f"must lie in [-1e+50, 1e+50], got {low}") for low in (inf, nan)],
    ),
    bad(
        "kmeans.run",
        x=says("must lie in [-0.5, 0.5]", [[1.1], [1.2]]),
        tcm=says("tcm", [True]),
        variant=says("must be one of", "both"),
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
    bad(
        "laplace_sum.LaplaceSum",
        count=[(10**7, "must be an integer in [1, 100000], got 10000000"), *says("count", 0, 1.5, True)],
        scale=says("scale", 0.0, inf, -1.0),
    ),
    bad("laplace_sum.LaplaceSum.epsilon", delta=says("delta", 1.0), sensitivity=says("sensitivity", 0.0)),
    bad(
        "minimax.coin_distance",
        m=[*outside(-1, inf), (1.5, "must be whole"), ([1, 1.5], "must be whole, got 1.5")],
        delta=outside(1.5, -0.1),
    ),
    bad("minimax.coin_distance", {"m": [1, 2]}, delta=says("must broadcast", [0.1, 0.2, 0.3])),
    bad(
        "minimax.lower_bound",
        epsilon_1=outside(-0.1),
        epsilon_2=[*outside(0.05, nan), ("x", "must be numeric")],
        n=outside(0.5, inf),
        f=outside(1.5),
    ),
    bad("minimax.lower_bound", {"epsilon_1": [0.1, 0.2]}, epsilon_2=says("must broadcast", [1, 2, 3])),
    bad("noise.Gaussian", scale=[*POSITIVE, *ENDLESS, *SCALAR]),
    bad("noise.Gaussian.delta", epsilon=[*NEGATIVE, *SCALAR], sensitivity=[*POSITIVE, *ENDLESS, *SCALAR]),
    bad("noise.Laplace", scale=[*NEGATIVE, *SCALAR]),
    bad("noise.Laplace.calibrated", sensitivity=[*NEGATIVE, *ENDLESS, *SCALAR], epsilon=[*POSITIVE, *SCALAR]),
    bad("noise.Laplace.sample", size=[(10**12, "size must")]),
    bad("noise.RandomizedResponse", epsilon=[*NEGATIVE, *ENDLESS, *SCALAR], categories=[*CATEGORIES, ([2, 3], "2")]),
    bad("noise.RandomizedResponse.sample", truth=[([0, 2], "truth"), ([-1, 0], "truth"), ([0.5, 0.5], "truth")]),
    bad(
        "notions.Notion",
        {"name": "zcdp", "parameter": None},
        name=says("name", "rdp"),
        parameter=says("must be None", 2.0),
    ),
    bad("notions.Notion.noise", shape=says("must be one of ball, cube", "sphere")),
    bad("notions.Notion.noise_penalty", shape=says("must be one of ball, cube", "box")),
    bad("notions.approximate", delta=says("delta", 0.0)),
    bad("notions.equivalent_epsilon", shape=says("must be one of ball, cube", 3)),
    bad("notions.renyi", order=says("order", 1.0)),
    bad(
        "release.plan",
        FOR_ALL,
        population=[([1e18] * 10, "epsilon of population must"), ([-1.0], "population must")],
        method=says("method must", "best"),
        prior=says("prior must", (0.4, 0.1)),
        variance=says("variance must", 0.1),
        bits=says("bits must", 53),
        releases=says("releases must", 0),
        upper=says("upper must", 0.0),
    ),
    bad("release.plan", variance=says("variance must", 0.3)),
    bad("release.plan", FOR_ALL | {"method": "user-level", "prior": (0.4, 0.1)}, prior=says("prior must", None)),
    bad(
        "release.plan",
        FOR_ALL | {"method": "user-level", "prior": (0.4, 0.1), "upper": 1.0},
        lower=says("prior must come with the interval [0, 1]", 0.5),
    ),
    bad("threshold.affine_mse", tau=says("must lie in (0, inf)", inf)),
    bad(
        "robust.loss_of_wrong_variances",
        believed=says("believed", [1.0, 2.0, 3.0]),
        noise_cost=says("noise_cost", [inf, inf]),
    ),
    bad("robust.price_of_wrong_variances", low=says("low", 3.0, 0.0), high=says("high", inf)),
    bad("robust.variance_guess", upper=says("upper", [0.5, 3.0])),
    bad("simulate.compare", runs=[(Decimal("1E999"), "runs must be an integer in")]),
    bad(
        "simulate.mean_squared_error",
        truth=[(nan, "must lie in"), ([0.0], "must be a scalar")],
        runs=[(1, "must be an integer in [2, 1000000000], got 1")]
        + [(runs, "runs must be an integer") for runs in (10.5, True)],
        seed=[(-1, "must be an integer in [0, inf), got -1"), (None, "seed must be an integer")],
        n_jobs=[(0, "n_jobs must be an integer"), (1.5, "n_jobs must be an integer")],
        sampler=[
            (lambda rng, runs: rng.random(runs), "must return shape (1, n)"),
            (lambda rng, runs: rng.random((3, 2)), "must return shape (1, n)"),
            (lambda rng, runs: np.ma.zeros((runs, 2)), "what sampler returns must not be masked"),
        ],
        estimator=[
            (lambda x, rng: 0.0, "must return shape (5,), got ()"),
            (lambda x, rng: x, "must return shape (5,), got (5, 2)"),
            (lambda x, rng: np.ma.array(x[:, 0]), "what estimator 'estimator' returns must not be masked"),
        ],
    ),
    *[
        bad(call, **{name: hidden(GOOD[call][name])})
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
    bad("threshold.threshold_mse", tau=says("tau must", 0, -1, 2.1, nan, "a", [1.0])),
    *[
        bad(f"threshold.{name}", k=says("k must", 0, 1.5, "a"), n=says("n must", 0, 10**10, nan))
        for name in ("worst_case_ratio", "harmonic_bound", "worst_case_sizes")
    ],
    bad("threshold.saturating_budgets", sizes=says("sizes must", [], [0, 2], [2, 2], [1, 2.5], [3, 1])),
    bad("threshold.saturating_budgets", {"sizes": [1, 4]}, risk=says("risk must", 1 / 16)),
    bad("threshold.worst_case_budgets", scale=says("scale must", 0, -1, inf)),
    *[bad("baselines.estimate", {"name": name}, x=hidden([0.1, 0.2])) for name in BASELINES],
    *[bad("hybrid.deviation", {"name": name}, x=hidden([0.1, 0.2, 0.3, 0.4])) for name in NAMES],
    bad("user_level.baseline_variance", name=says("best", "best"), k=says("inf", [3, inf])),
    bad(
        "user_level.best_unbiased_variance",
        k=[([50] * 3, "k and outputs must make at most 20000"), ([1.5], "k")],
        epsilon=says("epsilon must lie in (0, 20]", 0.0, 20.1),
        means=says("means", [1.0]),
    ),
    bad("user_level.corollary_5_5", sigma_p=[(0.51, "must lie in [0, 0.5], got 0.51"), (-0.1, "sigma_p")]),
    bad("user_level.effective_cap", epsilon=says("epsilon", inf)),
    bad(
        "user_level.estimate",
        p_hat=[([0.1, 0.2, 2.0, 0.3, 0.1], f"{SHARE}, which the one at index 2"), ([0.0] * 4, "(4,)")],
    ),
    bad("user_level.groups", top=[(1, "1"), (2.5, "2.5")], bottom=says("0", 0), k=says("3", [1.0] * 3)),
    bad("user_level.half_width", beta=[(beta, f"must lie in (0, 1), got {beta}") for beta in (1.0, 0.0, -0.1)]),
    bad("user_level.ideal_clip", epsilon=says("epsilon", 0.0)),
    bad("user_level.ideal_variance", variance=says("variance", [0.1, 0.0])),
    bad("user_level.ideal_weights", k=[([], "(0,)"), ([0, 1], "0.0")]),
    bad("user_level.initial_estimates", p_hat=[([0, 0, 2.0, 0, 0], "p_hat must lie")]),
    bad("user_level.least_share", middle=says("must hold positions", [1, 1])),
    bad("user_level.lower_bound", sigma_p=says("sigma_p", 0.6)),
    bad("user_level.noisy_linear_variance", weights=says("weights", [0.5])),
    *[
        bad(
            f"user_level.{name}",
            means=[*outside([1.2] * 12, [nan] * 12), ([0.5] * 11, "must have shape")],
            k=outside([0.5] * 12),
            epsilon=bad_budgets,
            head=[*says("must be an integer in", nan, "a"), (3, "must be even"), (None, FEW), (12, FEW)],
            tail=says("must be an integer in", 0),
            beta=outside(0.0),
        )
        for name, bad_budgets in (("private_estimate", outside(0.0, -1.0, inf)), ("personal_estimate", PERSONAL))
    ],
    bad("user_level.plug_in_weights", mean=says(SHARE, 2), variance=outside(-0.1)),
    bad("user_level.private_estimate", first=[([1.5] * 12, "first must lie in [0, 1], which the one at index 0")]),
    bad("user_level.private_ideal", epsilon=says("must be a number or have shape", [1.0, 2.0, 3.0])),
    bad("user_level.sample_cap", k=says("k", [0.0, 1.0])),
    bad(
        "user_level.sample_mean_variance",
        p=says("1.5", 1.5),
        sigma_p=[(-1, "-1.0"), (0.51, "0.51")],
        k=[([3, 0.5], "0.5"), (nan, "nan")],
    ),
    bad("user_level.sample_variance", k=says("k", [0.5])),
    bad("user_level.truncated_estimate", half_width=says("half_width", [0.0, 0.1]), x=says("x", [1.5, 0.1])),
    bad("user_level.user_groups", k=says(FEW, [5.0])),
    bad("user_level.variance_of", weights=[([0.5, 0.6], "1.1"), ([1.0], "(1,)")]),
]


CASES = [
    (call, changes, name, value, shown)
    for call, arguments, changes in BAD
    for name, values in arguments.items()
    for value, shown in values
]
