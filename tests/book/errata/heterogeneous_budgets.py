"""The numbers in the errata on heterogeneous budgets, computed again: for each row, as its text types them."""

from fractions import Fraction
from math import log

import numpy as np
import sympy as sp

from hdp import ADPM, baselines, minimax, threshold
from hdp.affine import noise_scale
from hdp.proof import assert_nonnegative
from hdp.sym.heterogeneous_budgets import lower_bound as lower
from hdp.sym.symbols import epsilon_1, f, n
from tests.oracles import exact_level

QUARTER = Fraction(1, 4)


def cc_combination():
    u, v = sp.symbols("u v", nonnegative=True)
    point = {f: 1, n: 100, epsilon_1: sp.Rational(1, 1000)}
    weight, cap = sp.Rational(6, 6 + 256), sp.Rational(1, 4)
    capped = 16 * lower.eq_37.subs(point), sp.Min(lower.inside_42.subs(point), cap)
    combined = weight * capped[0] + (1 - weight) * capped[1]
    assert sp.cancel((1 / n + 256 * f * lower.inside_42) / (6 + 256) - lower.inside_43) == 0  # at f = 1 these weights
    assert sp.Min(lower.inside_43.subs(point), cap) == cap > combined
    with_others = {n: 1 + u + v, f: u / (1 + u + v)}  # at least one user in group 2
    for below in cap - 1 / (6 * n), cap - lower.inside_42:
        assert_nonnegative(below.subs(with_others), strict=True, name=None)
    same = sp.Rational(combined.q, 4)  # 1/4 over the same denominator
    return "user in group 2", "f = 1", "n = 100", "= 1/1000", "1/16", f"{combined}", f"{cap} = {same}/{combined.q}"


def cc_fourth_condition():
    point = {lower.budget: sp.log(2), lower.p: sp.Rational(1, 2), lower.q: 1}
    left, right = lower.eq_14.subs(point), lower.removed_condition.subs(point)
    assert left <= point[lower.p] <= min(part.subs(point) for part in lower.eq_15) and left < right
    assert sp.simplify((lower.eq_14 - lower.removed_condition).subs(lower.budget, 0)) == 0  # there it always holds
    return r"\log 2", r"\lambda = 1", f"is {left}", f"side {right}", "p = 1/2", "q = 1"


def cc_output_range():
    budgets = np.full(100, 0.1)
    scale = noise_scale(ADPM(budgets).weights, budgets)
    exponent = -0.5 / scale  # P(|noise| > 1/2) = exp(-1/2 / scale)
    assert not ADPM(budgets).constant and np.isclose(exponent, round(exponent), rtol=1e-12)
    return "100", "budget 0.1", "data 0", f"scale {scale:.1g}", f"e^{{{exponent:.0f}}}"


def hdp_shrinkage():
    bound = QUARTER + 2  # of one user with budget 1: variance and noise
    c = 1 / (1 + 4 * bound)
    means = [Fraction(k, 100) for k in range(-50, 51)]
    worst = max(c**2 * (bound - mu**2) + (1 - c) ** 2 * mu**2 for mu in means)
    assert ADPM([1.0]).constant and worst <= bound / (1 + 4 * bound)
    public = max(Fraction(1, 4) * (QUARTER - mu**2) + (mu / 2) ** 2 for mu in means)  # half of one public value
    assert ADPM([np.inf]).mse() == QUARTER == 4 * public
    one = "says 1/4", f"the error {public}"
    return "budget 1", f"B = {bound}", "answers 0", "error 1/4", f"M/{1 / c}", f"{bound / (1 + 4 * bound)}", *one


def cc_public_benefit():
    strict, public = np.full(1000, 0.01), np.repeat([0.01, np.inf], [700, 300])
    lower, upper = minimax.le_cam(strict), ADPM(public).mse()
    assert upper < 0.00082 < 0.0014 < lower
    ratio = ADPM(strict).mse() / upper
    return "1000", "700", "allow 0.01.", "allow 0.01 too", "0.0014", f"{upper:.2g}", f"{ratio:.1f}"


def cc_baseline_sm():
    budgets = np.log([5 / 4, 9 / 4])
    loss = Fraction(np.exp(baselines.privacy_loss_witness(budgets)[0])).limit_denominator(1000)
    assert loss == Fraction(21, 16) > Fraction(5, 4)
    numbers = r"\log(5/4)", r"\log(9/4)", "user 2", "-1/2", "user 1", "from $1/2$", rf"\log({loss})"
    few, many, output = 9, 10, 10  # their densities at the output: m/2 exp(-m |output|)
    joining = log(few / many) + (many - few) * output
    assert np.isclose(joining, output - log(many / few), rtol=1e-12) and joining > 9
    witness = {e: baselines.privacy_loss_witness(np.repeat([0.1, e], [700, 300]))[0] for e in (0.12, 0.3, 0.5, 0.9)}
    assert min(witness.values()) > 0.1
    joined = "nine", "budget 1", "tenth", "value 0", f"output {output}", rf"{output} - \log({many}/{few})"
    return *numbers, *joined, "_2 = 0.9", f"{1000 * witness[0.5] - 100:.3f} %"


def cc_fme_order():
    def error(name, second, users=1000, share=0.7, variance=0.25):
        sizes = round(users * share), users - round(users * share)
        return baselines.expected_mse(name, np.repeat([0.1, second], sizes), variance)

    others = [name for name in baselines.NAMES if name != "fme"]
    ratios = [error("fme", e) / error(name, e) for name in others for e in np.linspace(0.1005, 1, 100)]
    fme, uni, adpm_least = (1e4 * error(*run) for run in (("fme", 0.3), ("uni", 0.3), ("adpm", 100.0)))
    assert np.isclose(fme, 1e4 * 2.25 / 1000) and adpm_least > 3.98

    def excess(name, users):
        return error(name, 0.15, users, 0.5, 1 / 12) - 1 / (12 * users)

    def is_largest(name, users):
        return error(name, 0.15, users, 0.5, 1 / 12) == max(error(b, 0.15, users, 0.5, 1 / 12) for b in baselines.NAMES)

    passed = [
        next(u for u in range(400, 2000, 2) if excess("fme", u) > 10 * excess(name, u)) for name in ("adpm", "ldpe")
    ]
    passed.append(next(u for u in range(4000, 100, -2) if not is_largest("fme", u)) + 2)
    setting = "Figure 3(B)", "= 0.1", "f = 0.7", "n = 1000", "v = 1/4", "(v+2)"
    errors = rf"{fme:.1f} \cdot 10^{{-4}}", rf"{uni:.1f} \cdot 10^{{-4}}", r"3.98 \cdot 10^{-4}"
    return *setting, *errors, f"{min(ratios):.1f} to {max(ratios):.1f} times", *(f"n = {u}" for u in passed)


def cz_affine_optimal():
    budgets = [Fraction(1)] * 100 + [Fraction(2)] * 100
    level = exact_level(budgets)
    clipped = [min(e, level) for e in budgets]
    risk = (sum(e * e for e in clipped) / 4 + 2) / sum(clipped) ** 2
    assert np.isclose(threshold.affine_mse(np.array(budgets, dtype=float)), float(risk), rtol=1e-14)
    return "100 users with budget 1", "100 with budget 2", str(risk), str(risk / (1 + 4 * risk))
