"""The numbers in the errata of Avent, Dubey & Korolova, computed again: for each row, as its text types them."""

from dataclasses import replace

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
    undone = [mean[f"hybrid answers undone {c}"] / mean[f"tcm {c}"] for c in k_means_trials.FRACTIONS]
    assert max(undone) < 1 and mean["tcm 0.01"] < mean["lm answers undone"] < mean["tcm 0.001"]
    ratios = [mean[f"hybrid {c}"] / min(mean["lm"], mean[f"tcm {c}"]) for c in k_means_trials.FRACTIONS]
    shares = [f"{100 * c:g} %" for c in k_means_trials.FRACTIONS]
    return *shares, *(f"{ratio:.1f} times" for ratio in ratios), f"{found['provenance']['trials']} trials"


def adk_section_5_r():
    point = {n: 10, c: sp.Rational(9, 10), s_T: 1, s_L: sp.Rational(1, 10), sigma: 10}
    tcm, full, pwh = (e.subs(point) for e in (known.tcm_mse, known.full_lm_mse, unknown.pwh_mse))
    assert pwh > 88 and unknown.worst_margin.subs(point) < 0
    noise = "s_T^2 = 1", f"s_L^2 = {point[s_L] ** 2}", r"\sigma = 10"
    return "n = 10", "c = 9/10", *noise, f"T = {tcm}", f"F = {full}", f"> {int(pwh)}"


def adk_section_6_pwh():
    s = Setting(1000, 0.05, 1, 1, BETA[0.1], BETA[10])
    ratios = gain(s), improvement(s, hybrid.pwh_weight(s))
    data = "Beta(0.1, 0.1)", "Beta(10, 10)", r"c = 5\,\%", r"\epsilon = 1", "n = 1000"
    return *data, *(f"= {ratio:.3f}" for ratio in ratios)


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


def full_lm_in_any_case(*setting):
    """Whether the cases of Definition 3.7 take Full-LM for the better baseline, by either critical number."""
    printed, correct, tcm, full = (
        at_coins(e, *setting) for e in (trust.printed_n_crit, trust.n_crit, trust.tcm_mse, trust.full_lm_mse)
    )
    return max(printed, correct) < setting[0] and full < tcm


def adk_theorem_4_3():
    setting = 12, QUARTER, 1
    full, error = (at_coins(e, *setting) for e in (known.full_lm_mse, known.printed_gamma))
    assert at_coins(known.mse.subs(w, known.weight), *setting) == error and full_lm_in_any_case(*setting)
    ratio, printed = f"R = {full / error}", f"{full * error}"
    return "12 fair", r"\{0, 1\}", ", 3 of", r"\epsilon = 1", ratio, printed, f"below {setting[0]}"


def adk_lemma_3_6_n():
    printed, correct, tcm, full = four_coins(trust.printed_n_crit, trust.n_crit, trust.tcm_mse, trust.full_lm_mse)
    assert correct < 4 <= printed and tcm > full
    setting = "n = 4", r"\{0, 1\}", r"\epsilon = 4"
    return *setting, f"is {printed}", f"one {correct}", f"T = {tcm}", f"F = {full}"


def adk_theorem_5_5():
    tcm, full, pwh = four_coins(known.tcm_mse, known.full_lm_mse, unknown.pwh_mse)
    return r"\{0, 1\}", r"\epsilon = 4", f"R = {min(tcm, full) / pwh}", f"r = {max(tcm, full) / pwh}"


def adk_definition_5_2():
    return tuple(typed for typed in adk_lemma_3_6_n() if typed != "n = 4")


def adk_definition_3_7():
    setting = 4, 3 * QUARTER, 6
    local, full = (at_coins(e, *setting) for e in (trust.lm_mse, trust.full_lm_mse))
    assert full_lm_in_any_case(*setting) and not full_lm_in_any_case(4, 3 * QUARTER, 4)
    values = f"L = {local}", f"F = {full}", f"as {local / full}", f"of {full / full}", f"below {setting[0]}"
    return r"\{0, 1\}", r"\epsilon = 6", *values


def adk_kmeans_line_7():
    grid, (_, draws, _) = k_means_trials.data(), k_means_trials.inputs(first_seed())
    s = kmeans.Setting(5, k_means_trials.EPSILON)
    own = kmeans.nearest(grid.x, k_means_trials.CLUSTERS)
    agree = np.mean(kmeans.nearest(grid.x + s.lm_scale * draws.report, k_means_trials.CLUSTERS) == own)
    return rf"\epsilon = {s.epsilon:g}", f"{100 * agree:.0f} %", f"{100 / s.clusters:.0f} %"


def first_seed():
    return np.random.SeedSequence(k_means_trials.SEED).spawn(1)[0]


def adk_kmeans_noisy_count():
    x, b, users = sp.symbols("x b N", positive=True)
    density = sp.exp(-x / b) / (2 * b)  # of the noise, beyond 0
    assert density.subs(x, users).is_positive and sp.integrate(1 / x, (x, 0, 1)) == sp.oo
    return f"probability {sp.integrate(density, (x, 0, sp.oo))}", "0", "-1"


def adk_kmeans_lines_10_12():
    centre = 4 * HALF
    return "[0, 1]", "(1/2, 1/2)", f"({centre}, {centre})"


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


def adk_kvh_one_user():
    one = Setting(2, 0.5, 1, 1, 0.5)
    assert hybrid.kvh_weight(one) == one.c and np.isclose(gain(one), 1, rtol=1e-14)
    return "n = 2", r"\{0, 1\}", r"\epsilon = 1", "c = 1/2", "R = 1"


def adk_gaussian_mechanism():
    noise = Gaussian(classic_deviation(7, 0.01))
    assert Gaussian(classic_deviation(1, 1e-7)).delta(1, 1) < 1e-7
    return r"\epsilon = 7", r"\delta = 1/100", f"{noise.delta(7, 1):.4f}"


def classic_deviation(budget, delta):
    return np.sqrt(2 * np.log(1.25 / delta)) / budget


def adk_figure_2_text():
    best = []
    for budget in (1, 2.343, 2.344, 10):
        y = (budget * SALARIES.sigma_t / SALARIES.m) ** 2
        share, most = (float(e.subs({known.y: y, n: SALARIES.n})) for e in (known.best_share, known.best_at_size))
        some = gain(replace(SALARIES, c=np.geomspace(0.001, 0.1, 20_001), epsilon=budget)).max()
        assert 0.001 < share < 0.1 and some <= most * (1 + 1e-12) and np.isclose(some, most, rtol=1e-3)
        best.append(most)
    assert best == sorted(best) and best[0] < 2 and best[1] < 2 < best[2]
    values = f"{best[0]:.4f}", f"{best[3]:.4f}", "2.343", "2.344"
    return *SALARY_SIZES, r"\epsilon = 1", "0.1 %", "10 %", *values


def adk_figure_1_text():
    curves = [(a, share, e) for a in BETA for share in (0.005, 0.05) for e in (0.1, 1)]
    turns = {curve: hybrid.laplace_n_crit(Setting(1e4, curve[1], 1, curve[2], BETA[curve[0]])) for curve in curves}
    finite = {curve: turn for curve, turn in turns.items() if np.isfinite(turn)}
    assert all(turn > 1 / share**2 for (_, share, _), turn in finite.items())
    groups = [sum(low < t < high for t in finite.values()) for low, high in ((400, 452), (1e3, 1e5))]
    assert [*groups, len(turns) - len(finite)] == [4, 4, 4] and len(turns) == 12
    return "Beta(10, 10)", r"c = 5\,\%", r"\epsilon = 0.1", f"= {turns[10, 0.05, 0.1]:.2f}"


def adk_figure_8_text():
    share, budget = np.linspace(0.001, 0.1, 400)[:, None], np.linspace(0.1, 10, 400)
    s = replace(SALARIES, c=share, epsilon=budget)
    best, worst = (f(s, hybrid.mse_pwh(s)) for f in (hybrid.relative_improvement, hybrid.improvement_over_worst))
    (low_c, low_e), (high_c, high_e) = np.nonzero(best < 0.5), np.nonzero(worst > 1500)
    assert budget[low_e].min() > 5 and share[low_c].max() < 0.02
    assert budget[high_e].max() < 0.4 and share[high_c].min() > 0.07
    assert np.mean((worst > 10) & (worst < 100)) < 0.35 and worst.argmax() == 399 * 400
    return r"c = 10\,\%", r"\epsilon = 0.1", f"r = {worst.max():.0f}", r"c < 2\,\%", r"7\,\%", "0.4", r"35 %"
