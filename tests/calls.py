"""A plain call of every public function, whose arguments `test_hostile` changes.

A new public function without an entry in `GOOD` fails the first test there.
"""

import importlib
from dataclasses import fields, replace

import numpy as np
import sympy as sp

import hdp
import hdp.given_data
import hdp.linear
from hdp import at_scale, compare, hybrid, kmeans, release, user_level
from hdp.affine import WeightedMean
from hdp.laplace_sum import LaplaceSum
from hdp.noise import Gaussian, Laplace, RandomizedResponse
from hdp.notions import Notion
from hdp.users import Users

RECORDS = {  # what functions return: nobody need make one
    "baselines.Baseline", "compare.Candidate", "compare.Candidate.refused", "compare.MixedRelease",
    "compare.SecretRelease", "minimax.TwoCoins",
    "at_scale.ColumnPart", "buying.Purchase", "proof.Table", "release.Errors", "release.Kinds", "release.Kinds.total",
    "release.Plan", "release.Radii", "release.Receipts", "release.Release", "simulate.Result", "threshold.Levels",
    "user_level.Groups", "user_level.IdealRelease", "user_level.UserGroups", "user_level.UserRelease",
}  # fmt: skip
RECORDS |= {f"estimator.Estimator{name}" for name in ("", ".mse", ".estimate")}
# What writes files, or draws without a seed, or needs pyarrow: tests/release and tests/at_scale ask them.
RECORDS |= {f"release.{name}" for name in ("Bounds", "BoundsPlan", "measurement", "release", "report", "report_value")}
RECORDS |= {"release.write_receipts", "release.write_weights", "release.Ledger", "at_scale.column_parts"}
RECORDS |= {f"release.Ledger.{name}" for name in ("new", "own", "of", "left", "left_of", "published", "charge")}
RECORDS |= {f"release.Ledger.{name}" for name in ("release", "report", "charged", "locked")}

PAIR, WEIGHTS, DATA, K = [1.0, 2.0], [0.5, 0.5], [0.1, 0.2], [3, 5]
PEOPLE = Users([1.0, 1.0, 2.0], ["curator", "local", "curator"])
COLUMNS = {name: name for name in ("user", "epsilon", "trust", "records", "value")}
PLAN = release.plan(PEOPLE, "mixed")
BOUNDS = replace(release.plan_bounds([90.0] * 3, 0.5, outside=0.5, beta=0.5), kinds=PLAN.kinds)
S = hybrid.Setting(n=4, c=0.5, m=1, epsilon=1, sigma_t=0.25)
BOX = kmeans.Setting(iterations=2, epsilon=7.0, clusters=2, dimension=1)
DRAWS = kmeans.Draws.sample(1, 2, BOX)
GROUPS = dict(epsilon_1=0.1, n=10, f=0.5)
MOMENTS = dict(p=0.5, sigma_p=0.1)
EPSILON = dict(epsilon=PAIR)
NOTION = dict(measure="pure", dimension=1, shape="ball")
BUDGET_N_RNG = dict(x=DATA, epsilon=PAIR, rng=1)
CALLBACKS = dict(sampler=lambda rng, runs: rng.random((runs, 2)), truth=0.0, runs=5, seed=1, progress=False)
ERRORS = ["mse_full_lm", "mse_kvh", "mse_lm", "mse_pwh", "mse_tcm", "kvh_weight", "naive_weight", "pwh_weight"]
CRITERIA = ["c_crit", "laplace_n_crit", "n_crit"]


def average(x, rng):
    """An estimator."""
    return x.mean(axis=1)


CLASSES = [hdp.ADPM, *WeightedMean.__subclasses__()]
WEIGHTED = {f"{cls.__module__.removeprefix('hdp.')}.{cls.__name__}": cls for cls in CLASSES}

GOOD = {
    **{name: EPSILON | dict(lower=-0.5, upper=0.5) for name in WEIGHTED},
    "adpm.ADPM": EPSILON | dict(lower=-0.5, upper=0.5) | NOTION,
    "adpm.saturation_ratio": GROUPS | NOTION,
    **{f"{cls}.mse": dict(variance=0.1) for cls in WEIGHTED},
    **{f"{cls}.estimate": dict(x=DATA, rng=1) for cls in WEIGHTED},
    "adpm.two_group_bound": GROUPS | dict(epsilon_2=1.0),
    "at_scale.Groups": dict(epsilon=PAIR, users=[3, 4]),
    "at_scale.Groups.of": EPSILON,
    "at_scale.Groups.rounded": dict(bits=1),
    "at_scale.Weights": dict(level=1.0, total=2.0, users=3, public=1, lacking=1, missing=0.1, bits=2),
    **{f"at_scale.Weights.{name}": EPSILON for name in ("loss", "of")},
    "at_scale.count": dict(parts=[PAIR, PAIR], missing=None, bits=None, cluster=False),
    "at_scale.round_down": dict(epsilon=PAIR, bits=1),
    "at_scale.weigh": dict(parts=[PAIR, PAIR], missing=None, bits=None, cluster=False),
    "affine.estimate": dict(x=DATA, weights=WEIGHTS, scale=1.0, rng=1),
    "affine.mean_squared_error": dict(weights=WEIGHTS, scale=1.0, variance=0.25),
    "affine.noise_scale": dict(weights=WEIGHTS, epsilon=PAIR, width=1.0),
    "affine.privacy_loss": dict(weights=WEIGHTS, scale=1.0, width=1.0),
    **{
        f"amplification.{name}": dict(s=S, w=0.5, delta=1e-6, adversarial=0.1, exact=True)
        for name in ("amplified_epsilon", "group_epsilons")
    },
    "amplification.printed_epsilon": dict(s=S, w=0.5, delta=1e-6, adversarial=0.1),
    "amplification.joint_deviation": dict(s=S, w=0.5, adversarial=0.1),
    "amplification.classic_epsilon": dict(scale=6.0, sensitivity=1.0, delta=1e-6),
    "amplification.exact_epsilon": dict(scale=6.0, sensitivity=1.0, delta=1e-6),
    "amplification.classic_scale": dict(sensitivity=1.0, epsilon=0.5, delta=1e-6),
    "amplification.exact_scale": dict(sensitivity=1.0, epsilon=0.5, delta=1e-6),
    "baselines.Baseline.mechanism": EPSILON,
    "baselines.estimator": dict(name="sm", epsilon=PAIR),
    "baselines.expected_mse": dict(name="sm", epsilon=PAIR, variance=0.1, mean=0.1),
    "baselines.panel": dict(epsilon=PAIR, names=("adpm", "sm")),
    "baselines.privacy_loss_witness": EPSILON,
    "clipping.optimal_weights": dict(variance=PAIR, noise_cost=PAIR, penalty=2.0),
    "clipping.water_level": dict(knots=PAIR, slopes=PAIR, volume=8.0),
    "compare.MixedRelease.mse": dict(variance=0.1, mean=0.5),
    "compare.MixedRelease.estimate": dict(x=[0.1, 0.2, 0.3], rng=1, clamp=True),
    "compare.best_report": dict(epsilon=PAIR, variance=0.1, mean=0.5),
    "compare.local_report": dict(x=[0.1, 0.2], epsilon=[1.0, 2.0], report="staircase", rng=1),
    "compare.report_variance": dict(report="piecewise", epsilon=PAIR, variance=0.1, mean=0.5),
    "compare.mixed_release": dict(population=PEOPLE, variance=0.1, reports="simple"),
    "compare.one_bit_report": dict(x=[0.1, 0.2], epsilon=[1.0, 2.0], rng=1),
    "compare.ranking": dict(population=PEOPLE, variance=0.1, prior=(0.5, 0.1)),
    "compare.SecretRelease.mse": dict(variance=0.1),
    "compare.SecretRelease.loss_to": dict(coalition=1),
    "compare.SecretRelease.estimate": dict(x=[0.1, 0.2, 0.3], rng=1, clamp=True),
    "compare.secret_release": dict(population=PEOPLE, measure="gdp", variance=0.1, coalition=1),
    "compare.synthetic_csv": dict(seed=1),
    "hybrid.Setting": dict(
        n=100, c=0.5, m=1, epsilon=1, sigma_t=0.2, sigma_l=0.2, mu_t=0.1, mu_l=0.1, s_t2=0.1, s_l2=0.1, delta=0
    ),
    "hybrid.Setting.noise": dict(variance=1.0),
    "hybrid.best_improvement": dict(epsilon=1.0, tcm_users=10),
    "hybrid.deviation": dict(name="kvh", x=[0.1, 0.2, 0.3, 0.4], s=S, rng=1),
    "hybrid.estimate": dict(name="kvh", x_t=[0.1, 0.2], x_l=[0.3, 0.4], s=S, rng=1),
    "hybrid.estimator": dict(name="kvh", s=S),
    "hybrid.homogeneous_weight": dict(s=S, variance=0.1),
    **{f"hybrid.{name}": dict(s=S, mse=0.1) for name in ("improvement_over_worst", "relative_improvement")},
    **{f"hybrid.{name}": dict(s=S, w=0.5) for name in ("mse_hybrid", "true_mean_mse")},
    **{f"hybrid.{name}": dict(s=S) for name in ERRORS + CRITERIA},
    "intervals.noise_radius": dict(scale=1.0, beta=0.05, step=0.0, count=2),
    "intervals.population_radius": dict(weights=WEIGHTS, scale=1.0, beta=0.05, variance=0.1, step=0.5),
    "intervals.private_variance": BUDGET_N_RNG,
    "intervals.split_radius": dict(weights=WEIGHTS, scale=1.0, beta=0.05, share=0.5),
    "intervals.variance_bound": dict(noisy=0.1, epsilon=PAIR, beta=0.05),
    "kmeans.Draws": {name: getattr(DRAWS, name) for name in ("report", "uniform", "other", "central")},
    "kmeans.Draws.sample": dict(rng=1, n=3, setting=BOX),
    "kmeans.Reading": {field.name: True for field in fields(kmeans.Reading)},
    "kmeans.Setting": dict(iterations=2, epsilon=1.0, clusters=2, dimension=1, m=1.0, low=0.0),
    "kmeans.nearest": dict(x=[[0.1], [0.2]], centres=[[0.0]]),
    "kmeans.wcss": dict(x=[[0.1], [0.2]], centres=[[0.0]]),
    "kmeans.run": dict(
        x=[[0.1], [0.2]],
        tcm=[True, False],
        initial=[[0.0], [0.1]],
        setting=BOX,
        draws=DRAWS,
        variant="hybrid",
        reading=kmeans.CORRECTED,
    ),
    "laplace_sum.LaplaceSum": dict(count=3, scale=1.0),
    **{f"laplace_sum.LaplaceSum.{name}": dict(x=1.0) for name in ("density", "log_density", "survival")},
    "laplace_sum.LaplaceSum.privacy_loss": dict(noise=1.0, shift=1.0),
    "laplace_sum.LaplaceSum.epsilon": dict(delta=0.1, sensitivity=1.0),
    "buying.buy": dict(price=PAIR, money=3.0, epsilon=[0.5, 2.0]),
    "buying.price_level": dict(price=PAIR, money=3.0),
    "buying.buy_at_rate": dict(price=PAIR, rate=0.01),
    "minimax.coin_distance": dict(m=3, delta=0.1),
    "minimax.le_cam": EPSILON,
    "minimax.two_coins": EPSILON,
    "minimax.van_trees": EPSILON,
    "minimax.lower_bound": GROUPS | dict(epsilon_2=1.0),
    "noise.Gaussian": dict(scale=1.0),
    "noise.Gaussian.privacy_loss": dict(output=1.0, shift=1.0),
    "noise.Gaussian.delta": dict(epsilon=1.0, sensitivity=1.0),
    "noise.Gaussian.sample": dict(rng=1, size=2),
    "noise.Laplace": dict(scale=1.0),
    "noise.Laplace.calibrated": dict(sensitivity=1.0, epsilon=1.0),
    "noise.Laplace.density": dict(y=1.0),
    "noise.Laplace.privacy_loss": dict(output=1.0, shift=1.0),
    "noise.Laplace.sample": dict(rng=1, size=2),
    "noise.RandomizedResponse": dict(epsilon=1.0, categories=2),
    "noise.RandomizedResponse.privacy_loss": dict(output=[0, 1], first=0, second=1),
    "noise.RandomizedResponse.sample": dict(rng=1, truth=[0, 1]),
    "notions.Notion": dict(name="renyi", parameter=2.0),
    "notions.Notion.loss": dict(reach=0.5),
    "notions.Notion.noise": dict(scale=1.0, dimension=2, rng=1, size=(3,), shape="cube"),
    "notions.Notion.noise_penalty": dict(dimension=2, shape="cube"),
    "notions.Notion.reach": EPSILON,
    "notions.approximate": dict(delta=1e-6),
    "notions.renyi": dict(order=2.0),
    "robust.loss_of_wrong_variances": dict(variance=PAIR, believed=PAIR, noise_cost=PAIR, penalty=2.0),
    "robust.price_of_wrong_variances": dict(low=0.5, high=2.0),
    "robust.variance_guess": dict(lower=PAIR, upper=PAIR),
    "proof.assert_agreement": dict(rows=[("x", 1.0, 1.0)], rtol=1e-12, routes=("a", "b"), shown=1),
    "proof.assert_identity": dict(left=1, right=1, name="F"),
    "proof.assert_monte_carlo": dict(samples=np.arange(200.0), expected=99.5, sigmas=4.0),
    "proof.assert_nonnegative": dict(expression=sp.Symbol("x", positive=True), strict=True, name=""),
    "release.Bounds.to_json": {},
    "release.BoundsPlan.kind_of": dict(users=PEOPLE),
    "release.BoundsPlan.radius": dict(buckets=3),
    "release.BoundsPlan.to_json": {},
    "release.Plan.from_json": dict(text=PLAN.to_json()),
    "release.Plan.kind_of": dict(users=PEOPLE),
    "release.Plan.to_json": {},
    "release.Release.to_json": {},
    "release.plan": dict(
        users=PEOPLE,
        method="mixed",
        variance=0.1,
        prior=None,
        beta=None,
        proxy=None,
        reports="simple",
        noise="laplace",
        lower=0.0,
        upper=1.0,
        spend=0.5,
        ledger=None,
        value="value",
        bits=9,
    ),
    "release.clipping_cost": dict(lower=0.0, upper=1.0, moment=(2.0, 0.5), pareto=None),
    "release.plan_bounds": dict(
        users=[90.0] * 3, share=0.5, outside=0.5, beta=0.5, noise="laplace", lowest=0, highest=2, value=None
    ),
    "release.radii": dict(plan=PLAN, beta=0.05),
    "release.receipts": dict(plan=PLAN, users=PEOPLE),
    "release.statement": dict(plan=PLAN),
    "release.tilt": dict(plan=PLAN),
    "salaries.population": dict(rng=1),
    "simulate.compare": CALLBACKS | dict(estimators={"a": average}),
    "simulate.mean_squared_error": CALLBACKS | dict(estimator=average),
    "threshold.affine_mse": dict(epsilon=PAIR, tau=1.0),
    "threshold.best_levels": EPSILON | dict(j=1),
    "threshold.Threshold": EPSILON | dict(lower=-0.5, upper=0.5, tau=0.5),
    **{f"threshold.{name}": dict(k=2, n=10) for name in ("harmonic_bound", "worst_case_ratio", "worst_case_sizes")},
    "threshold.saturating_budgets": dict(sizes=[1, 9], risk=0.25),
    "threshold.worst_case_budgets": dict(k=2, n=10, scale=1.0),
    "user_level.IdealRelease.answer": dict(means=DATA),
    "user_level.IdealRelease.mse": dict(variance=0.1),
    "user_level.IdealRelease.estimate": dict(means=DATA, rng=1),
    "user_level.baseline_variance": MOMENTS | dict(name="median", k=K),
    "user_level.best_truncation": dict(sigma=PAIR, width=PAIR, epsilon=1.0, penalty=2.0),
    "user_level.best_unbiased_variance": dict(k=[1], epsilon=1.0, outputs=[-1.0, 0.0, 1.0, 2.0], means=[0.5]),
    "user_level.beta_proxy": dict(a=1.0, b=1.0),
    "user_level.corollary_5_5": dict(k=K, epsilon=1.0, sigma_p=0.1),
    "user_level.effective_cap": dict(k=K, epsilon=1.0),
    "user_level.estimate": dict(p_hat=[0.1, 0.2, 0.3, 0.4, 0.5], k=[1, 2, 3, 4, 5], top=2, bottom=1),
    "user_level.groups": dict(k=[1, 2, 3, 4, 5], top=2, bottom=1),
    "user_level.half_width": dict(k=3, n=10, proxy=0.1, beta=0.1),
    "user_level.ideal_clip": dict(variance=PAIR, epsilon=1.0),
    "user_level.ideal_variance": dict(variance=PAIR, epsilon=1.0),
    "user_level.ideal_weights": MOMENTS | dict(k=K),
    "user_level.initial_estimates": dict(p_hat=[0.1, 0.2, 0.3, 0.4, 0.5], parts=user_level.groups([1, 2, 3, 4, 5])),
    "user_level.least_share": dict(k=K, epsilon=PAIR, middle=[0]),
    "user_level.lower_bound": MOMENTS | dict(k=K, epsilon=1.0),
    "user_level.median_reduction": dict(k=K),
    "user_level.noisy_linear_variance": dict(weights=WEIGHTS, variance=PAIR, epsilon=1.0),
    "user_level.plug_in_weights": dict(k=K, mean=0.5, variance=0.1),
    "user_level.private_estimate": dict(
        means=[0.3] * 12, k=[5] * 12, epsilon=1.0, rng=1, beta=0.1, first=[0.0] * 12, head=2, tail=2
    ),
    "user_level.private_estimator": dict(k=[5] * 12, epsilon=1.0, prior=(0.5, 0.1), beta=0.1, head=2, tail=2),
    "user_level.private_ideal": MOMENTS | dict(k=K, epsilon=1.0, beta=0.05, proxy=0.01),
    "user_level.private_mean": dict(values=DATA, epsilon=PAIR, beta=0.1, rng=1),
    "user_level.private_variance": dict(means=DATA, scales=[0.1, 0.2], epsilon=1.0, rng=1),
    "user_level.sample_cap": dict(k=K, epsilon=1.0),
    "user_level.sample_mean_variance": MOMENTS | dict(k=K),
    "user_level.sample_variance": MOMENTS | dict(k=K, epsilon=1.0),
    "user_level.truncated_estimate": dict(
        x=DATA, weights=WEIGHTS, centre=0.5, half_width=[0.1, 0.1], epsilon=1.0, rng=1
    ),
    "user_level.truncated_weights": dict(sigma=PAIR, truncation=1.0),
    "user_level.user_groups": dict(k=[5] * 12, epsilon=1.0, beta=0.1, head=2, tail=2),
    "user_level.variance_of": MOMENTS | dict(weights=WEIGHTS, k=K),
    "user_level.variance_scales": dict(k=K),
    "users.Users": dict(
        epsilon=PAIR, trust=["curator", "local"], records=[1, 2], values=DATA, reports=None, names=None, reading=None
    ),
    "users.Users.having": dict(values=[0.1, 0.2, 0.3], reports=None, names=["ann", "bob", "cid"]),
    "users.Users.where": dict(mask=[True, True, False]),
    "users.read_users": dict(source="users.csv", report=False, budgets=None, decimal=".") | COLUMNS,
}
ON = {  # an instance whose methods are called
    **{name: cls(PAIR) for name, cls in WEIGHTED.items()},
    "at_scale.Groups": at_scale.Groups([1.0, 2.0], [3, 4]),
    "at_scale.Weights": at_scale.weigh(PAIR),
    "baselines.Baseline": importlib.import_module("hdp.baselines").BASELINES["sm"],
    "compare.MixedRelease": compare.mixed_release(PEOPLE),
    "compare.SecretRelease": compare.secret_release(PEOPLE),
    "hybrid.Setting": S,
    "laplace_sum.LaplaceSum": LaplaceSum(3, 1.0),
    "noise.Gaussian": Gaussian(1.0),
    "noise.Laplace": Laplace(1.0),
    "noise.RandomizedResponse": RandomizedResponse(1.0),
    "notions.Notion": Notion("pure"),
    "release.Bounds": release.Bounds("00", None, None, 0.05, 0.95, (1, -1), "none"),
    "release.BoundsPlan": BOUNDS,
    "release.Plan": PLAN,
    "release.Release": release.Release(PLAN.digest, 0.5, 0.5, 0, "none"),
    "user_level.IdealRelease": user_level.private_ideal(K, 0.5, 0.1, 1.0),
    "users.Users": PEOPLE,
}
# Persons' values
HOLD = {"x", "x_t", "x_l", "means", "values", "p_hat", "first", "truth", "samples", "centres", "initial"}
PARTS = {"expression", "prior", "epsilon", "symbol", "c n", "mu_l - mu_t"}  # of an argument, or made of several
