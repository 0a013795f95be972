"""Local reports and what the curator's noise could be: the statements beside routes of their own."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from hdp import compare
from hdp._report.reasons import reasons
from hdp.robust import loss_of_wrong_variances, price_of_wrong_variances, variance_guess
from hdp.sym.symbols import N_1, N_2, epsilon_1, epsilon_2, v
from hdp.sym.synthesis import which_estimator as sym
from hdp.sym.synthesis.which_estimator import epsilon
from tests.oracles import exact_objective, exact_weights, search


@pytest.mark.settles("hdp-one-bit")
def test_one_bit_wins_exactly_where_the_page_says():
    """On a grid of budgets and variances, on both sides of where the two reports vary alike."""
    stated = sym.noisy_variance, sym.one_bit_variance, sym.turning_variance
    noisy, bit, turn = (sp.lambdify((epsilon, v), e) for e in stated)
    root = float(sp.nsolve(epsilon * sp.coth(epsilon / 2) - 2 * sp.sqrt(2), 2))
    assert 2.3 < root < 2.35
    for budget in np.geomspace(0.02, 30, 400):
        where = turn(budget, 0.25)
        assert (where <= 0) == (budget <= root) and where < 0.25
        for u in np.concatenate([np.linspace(1e-6, 0.25, 60), [where * (1 - 1e-6), where * (1 + 1e-6)]]):
            if 0 < u <= 0.25:
                assert (bit(budget, u) < noisy(budget, u)) == (u > where)
        # written anew: Bernoulli reports of size coth / 2, against the value and Laplace noise
        assert bit(budget, 0.1) == pytest.approx(((1 + np.exp(-budget)) / (1 - np.exp(-budget)) / 2) ** 2, rel=1e-9)
        assert noisy(budget, 0.1) == pytest.approx(0.1 + 2 * budget**-2, rel=1e-12)


# -- The sentences that tell of a row what it does with these users.


@pytest.mark.parametrize(("more", "local"), [([], [2.0]), ([0.187, 0.191], [0.5, np.inf]), ([0.191, 7], [1, 1, 0])])
def test_the_sentences_count_larger_budgets_and_all_reports(more, local):
    """Beside 900 users who allow 0.1, for whom the level is 17/90; whoever allows anything reports, trust or not."""
    epsilon = np.append([0.0] + [0.1] * 900, more + local)
    users = compare.Population(epsilon, np.repeat(compare.TRUST, [901 + len(more), len(local)]))
    rows, allowed = compare.ranking(users), users.epsilon[users.trusting]
    said = {row.name: why for row, why in zip(rows, reasons(rows, users), strict=True)}
    lost = compare.mixed_release(compare.Population(allowed)).privacy_loss()
    less = np.count_nonzero(lost < allowed * (1 - 1e-9))
    assert less == np.count_nonzero(allowed > 17 / 90)
    spent = f"of the {less} larger budget" if less else "it spends every budget in full;"
    assert spent in said["adpm"] and ("it spends 0.189;" in said["adpm"]) == (less > 0)
    assert f"Averages {np.count_nonzero(epsilon)} reports," in said["full-lm"]


# -- What several answers from the same values cost each of them.


def asked(budgets, trust, times):
    """Each of so many releases, for users of the largest variance."""
    return compare.mixed_release(compare.Population(budgets / times, trust))


@pytest.mark.settles("hdp-asking-again")
def test_asking_again_costs_at_most_the_square():
    """Never less than one answer, never more than the square, which few users with small budgets nearly pay."""
    rng, dearest = np.random.default_rng(9), 0.0
    most = sp.lambdify(sym.answers, sym.most)
    for _ in range(60):
        budgets = 10 ** rng.uniform(-2, 1, rng.integers(1, 40))
        trust = rng.choice(compare.TRUST, budgets.size)
        one, times = asked(budgets, trust, 1), rng.uniform(1, 20)
        each = asked(budgets, trust, times)
        factor = each.error() / one.error()
        assert 1 - 1e-12 <= factor <= most(times) * (1 + 1e-12)
        assert np.all(times * each.privacy_loss() <= budgets * (1 + 1e-12))
        dearest = max(dearest, factor / times**2)
    assert dearest > 0.97
    few, public = np.full(5, 0.01), np.full(5, np.inf)
    assert asked(few, "curator", 10).error() / asked(few, "curator", 1).error() == pytest.approx(100, rel=1e-3)
    assert asked(public, "curator", 10).error() == asked(public, "curator", 1).error()


@pytest.mark.settles("hdp-asking-again")
def test_one_bit_loses_less_than_its_budget():
    """The slope of t tanh(epsilon/2t) by differences, and its sign."""
    for y in np.geomspace(0.01, 20, 30):
        half, step = y, 1e-4  # at t = 1, epsilon / 2 = y
        found = ((1 + step) * np.tanh(half / (1 + step)) - (1 - step) * np.tanh(half / (1 - step))) / (2 * step)
        stated = float(sym.slope(sp.Float(y, 30)))
        assert stated >= 0 and stated == pytest.approx(found, rel=1e-3, abs=1e-7)


# -- The statements on wrong variances, against the lemma in exact fractions and against the library.


def price(low, high):
    """The stated factor for ratios in an interval."""
    return sym.price.subs({sym.a: min(low, 1), sym.b: max(high, 1)})


@pytest.mark.settles("hdp-wrong-variances")
def test_the_factor_holds_in_exact_fractions():
    """For random items, public ones among them: both sets of weights from all sets of limited items."""
    rng, largest = np.random.default_rng(7), 0
    for _ in range(120):
        v, s, ratio = ([Fraction(int(x), 8) for x in rng.integers(1, 60, 4)] for _ in range(3))
        s[0] = Fraction(0)
        kappa = Fraction(int(rng.integers(1, 40)), 8)
        believed = exact_weights([x * r for x, r in zip(v, ratio, strict=True)], s, kappa, every_subset=True)
        best = exact_weights(v, s, kappa, every_subset=True)
        loss = exact_objective(believed, v, s, kappa) / exact_objective(best, v, s, kappa)
        bound = Fraction(str(price(*(sp.Rational(str(f(ratio))) for f in (min, max)))))
        assert 1 <= loss <= bound
        largest = max(largest, (loss - 1) / (bound - 1))
    assert largest > 0.3


@pytest.mark.settles("hdp-wrong-variances-sharp")
@pytest.mark.parametrize("ends", [(1, 4), (2, 7), (3, 3)])
def test_two_public_items_attain_the_factor(ends):
    """Exactly: variances 1/a and 1/b, both believed to be 1, also if a and b lie on both sides of 1."""
    a, b = (Fraction(end, 3) for end in ends)
    v, s = [1 / a, 1 / b], [Fraction(0)] * 2
    loss = exact_objective([Fraction(1, 2)] * 2, v, s, 1) / exact_objective(exact_weights(v, s, 1), v, s, 1)
    assert loss == Fraction(str(sym.price.subs({sym.a: sp.Rational(str(a)), sym.b: sp.Rational(str(b))})))


@pytest.mark.settles("hdp-wrong-variances", "hdp-wrong-variances-sharp")
def test_no_reals_contradict_the_certificate():
    """An independent prover: what remains of an item is never negative, and is 0 only where both squares are.

    If 1 lies on one side of all ratios, those who attain the bound would all weigh less than the best weights, or more.
    """
    import z3  # heavy, and only this test needs it

    a, b, rho, mine, best = z3.Reals("a b rho mine best")
    factor = sp.lambdify((sym.a, sym.b), sym.price * 4 * sym.a * sym.b)(a, b)
    rest = factor * best**2 - 4 * a * b * mine**2 - 4 * (a + b) * rho * mine * (best - mine)
    region = (a > 0, a <= rho, rho <= b, mine > 0, best > 0)
    assert search(*region, rest < 0) == z3.unsat
    assert search(*region, rest == 0, rho > a, rho < b) == z3.unsat
    assert search(*region, rest == 0, rho < 1, b == 1, best >= mine) == z3.unsat
    assert search(*region, rest == 0, rho > 1, a == 1, best <= mine) == z3.unsat


def test_the_price_is_touched_at_some_budgets_only():
    """Of the figure's population: where one part rules the error, a wrong variance costs next to nothing."""
    loss = sp.lambdify(
        (sym.rho_1, epsilon_2), (sym.error((sym.rho_1, 1)) / sym.wrong_least).subs({N_1: 50, N_2: 2000, epsilon_1: 10})
    )
    wrong = np.append(np.geomspace(1 / 16, 2 / 3, 200), np.geomspace(1.5, 16, 200))
    touched = {b: max(loss(x, b) / price_of_wrong_variances(x, x) for x in wrong) for b in (0.001, 0.02, 0.1, 1.0)}
    assert touched[0.02] > 0.9999 < touched[0.1] and touched[0.001] < 0.97 > touched[1.0]


@pytest.mark.settles("hdp-wrong-variances-share")
@pytest.mark.parametrize("ratio", [1 / 9, 0.5, 4.0])
def test_the_share_of_the_noise_decides(ratio):
    """One public item, and one of a variance that hardly counts: the loss by the solver, largest where stated."""
    losses = {}
    for share in (*np.linspace(0.05, 0.95, 19), float(sym.worst_share.subs(sym.rho, ratio))):
        v, cost = np.array([share, 1e-12]), np.sqrt(1 - share)  # V : N as share : 1 - share
        losses[share] = loss_of_wrong_variances(v, ratio * v, [0.0, cost], 1.0)
        stated = float(sym.two_part_loss.subs({sym.wrong_share: share, sym.rho: ratio}))
        assert losses[share] == pytest.approx(stated, rel=1e-9)
    top = float(sym.scale_price.subs(sym.rho, ratio))
    assert max(losses.values()) == losses[share] == pytest.approx(top, rel=1e-9)
    assert top == pytest.approx(price_of_wrong_variances(ratio, ratio), rel=1e-14)


@pytest.mark.settles("hdp-variance-guess")
def test_the_price_of_the_middle_and_of_the_bound():
    """Of an interval, by the library: the worse of both ends."""
    for q in (2.0, 16.0, 100.0):
        for guess, stated in ((variance_guess(1.0, q), sym.middle_price), (q, sym.bound_price)):
            worst = max(price_of_wrong_variances(guess / end, guess / end) for end in (1.0, q))
            assert worst == pytest.approx(float(stated.subs(sym.q, q)), rel=1e-12)


@pytest.mark.settles("hdp-wrong-variances-figure")
def test_groups_of_the_figure_agree_with_all_their_users():
    """Every user an item of her own, in place of two groups."""
    at = {N_1: 20, N_2: 300, epsilon_1: 3, epsilon_2: sp.Rational(1, 20), sym.rho_1: 5, sym.rho_2: sp.Rational(1, 2)}
    v = np.full(320, 1 / 64)
    believed, budgets = (np.repeat(pair, [20, 300]) for pair in ((5 / 64, 1 / 128), (3, 0.05)))
    loss = loss_of_wrong_variances(v, believed, 1 / budgets, 2.0)
    stated = float((sym.error((sym.rho_1, sym.rho_2)) / sym.wrong_least).subs(at))
    assert loss == pytest.approx(stated, rel=1e-12) and loss > 1.05
    assert loss < float(sym.price_of_both.subs(at)) < float(sym.sketched_of_both.subs(at)) == 10
