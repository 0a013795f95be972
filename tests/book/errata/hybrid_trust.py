"""The numbers in the errata of Avent, Dubey & Korolova, computed again: for each row, as its text types them."""

from dataclasses import replace
from itertools import product

import numpy as np
import sympy as sp
from scipy import stats

from hdp import amplification, hybrid, kmeans, salaries
from hdp.figures.hybrid_trust import k_means_data, k_means_trials
from hdp.hybrid import Setting
from hdp.kmeans import CORRECTED
from hdp.noise import Gaussian
from hdp.sym.hybrid_trust import amplification as stated_amplification
from hdp.sym.hybrid_trust import baselines as trust
from hdp.sym.hybrid_trust import best_report
from hdp.sym.hybrid_trust import known_variance as known
from hdp.sym.hybrid_trust import unknown_variance as unknown
from hdp.sym.hybrid_trust.baselines import c, epsilon, m, s_L, s_T, sigma, w
from hdp.sym.symbols import n

HALF, QUARTER = sp.Rational(1, 2), sp.Rational(1, 4)
SALARIES = Setting(salaries.USERS, 0.01, salaries.MAXIMUM, 1, salaries.DEVIATION)
SALARY_SIZES = f"n = {salaries.USERS}", f"m = {salaries.MAXIMUM}", rf"\sigma = {salaries.DEVIATION}"
GAUSSIAN = replace(SALARIES, delta=1e-7)
TEN_USERS = {n: 10, c: sp.Rational(1, 5), w: HALF, m: 1}
BETA = {a: stats.beta(a, a).std() for a in (10, 1, 0.1)}


def at_coins(expression, users, share, budget):
    """For fair coins on {0, 1} and Laplace noise."""
    equal = {**trust.homogeneous, trust.mu_T: 0}
    return expression.subs(equal).subs(trust.laplace).subs({n: users, c: share, epsilon: budget, m: 1, sigma: HALF})


def four_coins(*expressions):
    """Three of four coins trust the curator, with budget 4."""
    return [at_coins(e, 4, 3 * QUARTER, 4) for e in expressions]


def improvement(s, weight):
    return hybrid.relative_improvement(s, hybrid.mse_hybrid(s, weight))


def gain(s):
    return improvement(s, hybrid.kvh_weight(s))


def adk_theorem_8_1():
    curator_only = {stated_amplification.s_joint: w * trust.gaussian[s_T]}
    printed, correct = (
        sp.simplify(e.subs(curator_only).subs(TEN_USERS) / epsilon)
        for e in (stated_amplification.printed_8_1, stated_amplification.correct_8_1)
    )
    assert (printed, correct) == (QUARTER, 1)
    weight = hybrid.kvh_weight(GAUSSIAN)
    values = [e(GAUSSIAN, weight, 1e-7) for e in (amplification.printed_epsilon, amplification.amplified_epsilon)]
    assert f"{values[1]:.2g}" in in_the_setting_of_figure_7()
    group = "n = 10", "c = 1/5", "w = 1/2", rf"\epsilon/{1 / printed}"
    size = *SALARY_SIZES, r"c = 1\,\%", r"\epsilon = 1", "10^{-7}"
    return *group, *size, f"{values[0]:.1g}", *in_the_setting_of_figure_7()


def in_the_setting_of_figure_7():
    settings = [replace(GAUSSIAN, c=share) for share in (0.001, 0.01, 0.1)]
    printed, correct = (
        [e(s, hybrid.kvh_weight(s), 1e-7) for s in settings]
        for e in (amplification.printed_epsilon, amplification.amplified_epsilon)
    )
    assert printed == sorted(printed, reverse=True) and correct == sorted(correct)
    weight, ten = hybrid.kvh_weight(settings[2]), settings[2]
    spread = amplification.joint_deviation(ten, weight)
    delta = Gaussian(spread).delta(printed[2], weight * ten.m / ten.tcm_users)
    factors = correct[0] / printed[0], correct[2] / printed[2]
    too_small = f"{round(factors[0], -1):.0f}", f"{round(factors[1], -3):,.0f}"
    right = f"{correct[0]:.2g}", f"{correct[1]:.2g}", f"{correct[2]:.4f}"
    return r"10\,\%", r"0.1\,\%", r"1\,\%", *right, f"{printed[2]:.5f}", f"{delta:.2f}", "10^{-7}", *too_small


def adk_sensitivity():
    moves = [(m * e).subs(TEN_USERS) for e in (stated_amplification.user_T, stated_amplification.user_L)]
    return "n = 10", "c = 1/5", "w = 1/2", "m = 1", str(max(moves)), str(min(moves))


def adk_kmeans_line_2():
    s, centres = kmeans.Setting(3, 0.7, clusters=2, dimension=1, low=0.0), np.array([[0.9], [1.0]])

    def totals(x):
        k = kmeans.nearest(np.array([[x]]), centres)[0]
        return np.array([k == 0, k == 1, (k == 0) * x, (k == 1) * x], dtype=float)

    moved, allowed = np.abs(totals(1.0) - totals(0.94)).sum(), s.m * s.dimension + 1
    assert np.isclose(s.iterations * moved / s.printed_tcm_scale, moved / allowed * s.epsilon)
    assert np.isclose(s.tcm_scale, 2 * s.printed_tcm_scale)
    square = kmeans.Setting(3, 0.7)
    repair = sp.nsimplify(square.tcm_scale / square.printed_tcm_scale, rational=True)
    places = "d = m = 1", "0.9 and 1", "from 1 to 0.94"
    moves = f"{moved:.2f}", f"allows for {allowed:.0f}", rf"{moved / allowed:.2f}\,\epsilon"
    return *places, *moves, str(repair)


def adk_section_5_conditions():
    found = []
    for users, budget, holds in ((20, 4, 0), (100, 2, 1), (1000, sp.Rational(1, 10), None)):
        regimes = [bool(at_coins(e, users, QUARTER, budget)) for e in unknown.printed_regimes]
        regimes[2] = regimes[2] and bool(users < at_coins(unknown.printed_n_bound, users, QUARTER, budget))
        assert (regimes[holds] if holds is not None else not any(regimes)) and (holds != 1 or not regimes[0])
        errors = known.tcm_mse, known.full_lm_mse, unknown.pwh_mse
        tcm, full, pwh = (at_coins(e, users, QUARTER, budget) for e in errors)
        found.append(min(tcm, full) / pwh)
    assert found[2] > 1
    runs = "n = 20", r"\epsilon = 4", "n = 100", r"\epsilon = 2", "n = 1000", r"\epsilon = 1/10"
    return *runs, r"\{0, 1\}", "c = 1/4", f"R = {found[0]}", f"R = {found[1]}", "R > 1"


def adk_kmeans_on_par():
    found = k_means_data.load()
    mean = {name: values[k_means_trials.ITERATIONS.index(5)] for name, values in found["mean"].items()}
    parts = [min(mean["lm answers undone"], mean[f"tcm {c}"]) for c in k_means_trials.FRACTIONS]
    undone = [mean[f"hybrid answers undone {c}"] / k for c, k in zip(k_means_trials.FRACTIONS, parts, strict=True)]
    assert max(undone) < 1 and mean["tcm 0.01"] < mean["lm answers undone"] < mean["tcm 0.001"]
    ratios = [mean[f"hybrid {c}"] / min(mean["lm"], mean[f"tcm {c}"]) for c in k_means_trials.FRACTIONS]
    shares = [f"{100 * c:g} %" for c in k_means_trials.FRACTIONS]
    return *shares, *(f"{ratio:.1f} times" for ratio in ratios), f"{found['provenance']['trials']} trials"


def adk_section_5_r():
    staircase = sp.sqrt(best_report.staircase_noise.subs(best_report.in_budget))
    kinds = {s_T: trust.laplace[s_T], s_L: staircase}
    errors = known.tcm_mse, known.full_lm_mse, unknown.pwh_mse
    tcm, full, pwh = (float(at_coins(e.subs(kinds), 4, 3 * QUARTER, 10)) for e in errors)
    assert pwh > tcm > full and at_coins(unknown.worst_margin.subs(kinds), 4, 3 * QUARTER, 10) < 0
    return r"\{0, 1\}", r"\epsilon = 10", f"T = {tcm:.4f}", f"F = {full:.4f}", f"PWH}} = {pwh:.4f}"


def adk_section_6_pwh():
    s = Setting(1000, 0.05, 1, 1, BETA[0.1], BETA[10])
    ratios = gain(s), improvement(s, hybrid.pwh_weight(s))
    users, changes, apart = np.geomspace(1e3, 1e5, 1001), [], []
    lines = [(share, budget) for share in (0.005, 0.05) for budget in (0.1, 1)]
    for weight in (hybrid.kvh_weight, hybrid.pwh_weight):
        groups = [(share, 1, e, BETA[a], BETA[b]) for share, e in lines for a, b in ((0.1, 10), (10, 0.1))]
        settings = [(Setting(users, *group), Setting(users, *group[:-1])) for group in groups]
        pairs = [[improvement(s, weight(s)) for s in two] for two in settings]
        changes.append(max(np.abs(np.subtract(*pair)).max() for pair in pairs))
        apart.append([found[0] for found in pairs])
    gaps = np.abs(np.subtract(*apart)).max(axis=1).reshape(4, 2)
    assert gaps[::2].max() < 0.06 < gaps[1::2].min()  # budgets of 0.1, and of 1
    for (share, budget), t in ((line, t) for line in lines for t in (0.25, 0.5)):
        far = Setting(1e5, share, 2, budget, BETA[1], mu_t=1 - t, mu_l=1 + t)
        assert max(improvement(far, f(far)) for f in (hybrid.homogeneous_weight, hybrid.pwh_weight)) < 0.07
    most = (f"at most {np.ceil(1000 * change) / 1000}" for change in changes)
    data = "Beta(0.1, 0.1)", "Beta(10, 10)", r"c = 5\,\%", r"\epsilon = 1", "n = 1000"
    return *data, *(f"= {ratio:.3f}" for ratio in ratios), *most, "less than 0.06", "below 0.07"


def adk_kmeans_line_13():
    s, sizes = kmeans.Setting(5, 7.0), (np.array([400]), np.array([39600]))
    local = kmeans.lm_means(sizes[1], np.zeros((1, 2)), s)
    sums = np.array([[200.0, 0.0]])  # of the 400: their mean is (1/2, 0), where the local one is 0
    values = []
    for scale in (True, False):  # the noise that keeps the budget, and that of line 2
        for mean_noise in (True, False):
            way = replace(CORRECTED, scale=scale, mean_noise=mean_noise)
            values.append(kmeans.combine(kmeans.tcm_means(sizes[0], sums, s, way), local)[0, 0] / 0.5)
    powers = (f"{value:.0e}".split("e") for value in values[1::2])
    small = (rf"{digit}\cdot10^{{{int(power)}}}" for digit, power in powers)
    return r"\epsilon = 7", "400", "39,600", *(f"{value:.2f}" for value in values[::2]), *small


def adk_lemma_3_6_n():
    printed, correct, tcm, full = four_coins(trust.printed_n_crit, trust.n_crit, trust.tcm_mse, trust.full_lm_mse)
    assert correct < 4 <= printed and tcm > full
    setting = "n = 4", r"\{0, 1\}", r"\epsilon = 4"
    return *setting, f"is {printed}", f"one {correct}", f"T = {tcm}", f"F = {full}"


def adk_theorem_5_5():
    tcm, full, pwh = four_coins(known.tcm_mse, known.full_lm_mse, unknown.pwh_mse)
    return r"\{0, 1\}", r"\epsilon = 4", f"R = {min(tcm, full) / pwh}", f"r = {max(tcm, full) / pwh}"


def adk_definition_5_2():
    printed, correct, tcm, full = four_coins(trust.printed_n_crit, trust.n_crit, trust.tcm_mse, trust.full_lm_mse)
    return r"\{0, 1\}", r"\epsilon = 4", f"is {printed}", f"meant {correct}", f"T = {tcm}", f"F = {full}"


def adk_definition_3_7():
    cases = trust.printed_n_crit, trust.n_crit, trust.tcm_mse, trust.full_lm_mse
    for budget in (6, 4):  # by either critical number, Full-LM is taken for the better baseline only with the first
        printed, correct, tcm, full = (at_coins(e, 4, 3 * QUARTER, budget) for e in cases)
        assert (max(printed, correct) < 4 and full < tcm) == (budget == 6)
    local, full = (at_coins(e, 4, 3 * QUARTER, 6) for e in (trust.lm_mse, trust.full_lm_mse))
    values = f"L = {local}", f"F = {full}", f"as {local / full}", f"of {full / full}", "below 4"
    return r"\{0, 1\}", r"\epsilon = 6", *values


def adk_kmeans_line_7():
    (seed,) = np.random.SeedSequence(k_means_trials.SEED).spawn(1)
    grid, (_, draws, _) = k_means_trials.data(), k_means_trials.inputs(seed)
    s = kmeans.Setting(5, k_means_trials.EPSILON)
    own = kmeans.nearest(grid.x, k_means_trials.CLUSTERS)
    agree = np.mean(kmeans.nearest(grid.x + s.lm_scale * draws.report, k_means_trials.CLUSTERS) == own)
    return rf"\epsilon = {s.epsilon:g}", f"{100 * agree:.0f} %", f"{100 / s.clusters:.0f} %"


def adk_mixture_variance():
    point = {trust.mu_T: 1, trust.mu_L: 1, trust.sigma_T: 0, trust.sigma_L: 0}
    printed, correct = (sp.expand(e.subs(point)) for e in (trust.printed_mixture_variance, trust.mixture_variance))
    return "equal to 1", f"is {printed}", f"is {correct}"


def adk_appendix_b_step():
    budget, share = 1, sp.Rational(9, 10)
    y = sp.Rational(budget**2, 4)
    bound = known.step_bound.subs({known.y: y, c: share})
    exact = gain(Setting(1000, 0.9, 1, budget, 0.5))
    limit = known.over_tcm.subs({known.y: y, known.u: 0, c: share})
    assert limit == 1 + y / (2 * share) > bound and exact > bound
    assert known.supremum.subs(epsilon, 1) == known.printed_lower
    values = f"{exact:.4f}", str(bound), f"{float(bound):.4f}", str(known.printed_lower)
    return "c = 9/10", "n = 1000", r"\epsilon = 1", "m/2", *values


def adk_gaussian_mechanism():
    noise, small = (Gaussian(np.sqrt(2 * np.log(1.25 / delta)) / e) for e, delta in ((7, 0.01), (1, 1e-7)))
    assert small.delta(1, 1) < 1e-7
    return r"\epsilon = 7", r"\delta = 1/100", f"{noise.delta(7, 1):.4f}"


def adk_figure_2_text():
    best = []
    for budget in (0.1, 1, 2.343, 2.344, 10):
        y = (budget * SALARIES.sigma_t / SALARIES.m) ** 2
        share, most = (float(e.subs({known.y: y, n: SALARIES.n})) for e in (known.best_share, known.best_at_size))
        some = gain(replace(SALARIES, c=np.geomspace(0.001, 0.1, 20_001), epsilon=budget)).max()
        assert 0.001 < share < 0.1 and some <= most * (1 + 1e-12) and np.isclose(some, most, rtol=1e-3)
        best.append(most)
    assert best == sorted(best) and best[1] < 2 and best[2] < 2 < best[3]
    lowest, highest = f"{best[0]:.4f} at $\\epsilon = 0.1$", f"{best[1]:.4f} at $\\epsilon = 1$"
    return *SALARY_SIZES, r"\epsilon \le 1", "0.1 %", "10 %", lowest, highest, "2.343", "2.344", f"{best[4]:.4f}"


def adk_figure_1_text():
    curves = [(a, share, e) for a in BETA for share in (0.005, 0.05) for e in (0.1, 1)]
    turns = {curve: hybrid.laplace_n_crit(Setting(1e4, curve[1], 1, curve[2], BETA[curve[0]])) for curve in curves}
    finite = {curve: turn for curve, turn in turns.items() if np.isfinite(turn)}
    assert all(turn > 1 / share**2 for (_, share, _), turn in finite.items())
    groups = [sum(low < t < high for t in finite.values()) for low, high in ((400, 452), (1e3, 1e5))]
    assert [*groups, len(turns) - len(finite)] == [4, 4, 4] and len(turns) == 12
    return "Beta(10, 10)", r"c = 5\,\%", r"\epsilon = 0.1", f"= {turns[10, 0.05, 0.1]:.2f}"


def adk_figure_8_text():
    axes = np.linspace, np.geomspace  # of the shares, of the budgets
    for shares, budgets in product(axes, axes):
        share, budget = shares(0.001, 0.1, 400)[:, None], budgets(0.1, 10, 400)
        s = replace(SALARIES, c=share, epsilon=budget)
        best, worst = (f(s, hybrid.mse_pwh(s)) for f in (hybrid.relative_improvement, hybrid.improvement_over_worst))
        (low_c, low_e), (high_c, high_e) = np.nonzero(best < 0.5), np.nonzero(worst > 1500)
        assert 6.4 < budget[low_e].min() < 6.5 and 0.012 < share[low_c].max() < 0.013
        assert 0.3 < budget[high_e].max() < 0.35 and 0.078 < share[high_c].min() < 0.081
        assert np.mean((worst > 10) & (worst < 100)) < 1 / 3
    return r"\epsilon > 6.4", r"c < 1.3\,\%", r"c > 7.8\,\%", r"\epsilon < 0.35"
