"""Local reports and what the curator's noise could be: the statements beside routes of their own."""

import numpy as np
import pytest
import sympy as sp

from hdp.proof import assert_identity
from hdp.sym.synthesis import which_estimator as sym
from hdp.sym.synthesis.which_estimator import epsilon, v


def law_of_one_bit(value, budget):
    """Probabilities of the two reports, from the rounding and the lie, in 30 digits."""
    lie = sym.lie.subs(epsilon, budget)
    one = value * (1 - lie) + (1 - value) * lie
    edge = sp.coth(sp.sympify(budget) / 2) / 2
    return {sp.Rational(1, 2) - edge: 1 - one, sp.Rational(1, 2) + edge: one}


@pytest.mark.parametrize("budget", [sp.Rational(1, 100), sp.Rational(1, 2), sp.log(3), sp.Integer(4)])
def test_a_bit_is_unbiased_and_its_loss_is_the_budget(budget):
    """Whatever the value; the loss is the largest log-ratio over all pairs of values, which 0 and 1 have."""
    values = [sp.Rational(i, 8) for i in range(9)]
    laws = [law_of_one_bit(value, budget) for value in values]
    for value, law in zip(values, laws, strict=True):
        assert float(sum(report * p for report, p in law.items())) == pytest.approx(float(value), abs=1e-14)
    ratios = [
        float(sp.log(p / q))
        for one in laws
        for other in laws
        for p, q in zip(one.values(), other.values(), strict=True)
    ]
    assert max(ratios) == pytest.approx(float(budget), rel=1e-12) == pytest.approx(-min(ratios), rel=1e-12)


@pytest.mark.parametrize("weights", [(1, 0, 0), (1, 1, 2), (0, 1, 0), (3, 0, 3)])
def test_the_variance_of_a_bit_depends_on_the_mean_only(weights):
    """For laws on 0, 1/2, 1: the stated variance less the squared distance of the mean from 1/2, exactly."""
    chances = [sp.Rational(x, sum(weights)) for x in weights]
    values = [sp.Rational(i, 2) for i in range(3)]
    mean = sum(x * p for x, p in zip(values, chances, strict=True))
    second = sum(
        p * sum((report - mean) ** 2 * q for report, q in law_of_one_bit(x, sp.log(3)).items())
        for x, p in zip(values, chances, strict=True)
    )
    worst = sym.one_bit_variance.subs(epsilon, sp.log(3))
    assert_identity(
        sp.simplify(second.rewrite(sp.exp)), sp.simplify(worst.rewrite(sp.exp)) - (mean - sp.Rational(1, 2)) ** 2
    )


def test_one_bit_wins_exactly_where_the_page_says():
    """On a grid of budgets and variances, on both sides of where the two reports vary alike."""
    noisy, bit, turn = (sp.lambdify((epsilon, v), e) for e in
                        (sym.noisy_variance, sym.one_bit_variance, sym.turning_variance))  # fmt: skip
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


def test_a_curator_helps_from_so_many_users_on():
    """Alike and of variance 1/4: the average with one noise against their reports of one bit, at the whole numbers."""
    for budget in np.geomspace(0.05, 6, 60):
        limit = float(sym.users_for_trust.subs(epsilon, budget))
        for users in range(1, 60):
            curated = 0.25 / users + 2 / (users * budget) ** 2
            reported = 0.25 / np.tanh(budget / 2) ** 2 / users
            assert (curated < reported) == (users > limit)
