"""Figures for Cyffers & Ziani: what statements and captions say of the curves, and the variables that they have."""

import numpy as np
import pytest
import sympy as sp

from hdp import threshold
from hdp.explore.evaluate import cell_values, curve_values, expression_values
from hdp.figures import declared
from hdp.sym.symbols import epsilon_1
from hdp.sym.threshold import in_ratios
from hdp.sym.threshold import one_threshold as sym

ALL = {figure.name: figure for figure in declared("threshold")}


def curve(figure, label, **values):
    """Points of the one curve whose label begins so, at the declared values but for these."""
    x, curves = curve_values(figure, figure.values(**values))
    (y,) = (y for index, y in curves.items() if figure.layers[index].label.startswith(label))
    return x, y


@pytest.mark.parametrize("strictness", [0.01, 0.1, 1.0, 10.0])
def test_the_ratio_beside_a_public_group_has_a_kink_at_its_maximum_below_2(strictness):
    """It rises to the circle, falls from there at an angle, and Theorem 1's rule is never reached."""
    figure = ALL["cz-public-ratio"]
    x, y = curve(figure, "group 2 is public", s=strictness)
    assert y.max() < sym.public_factor
    place = float(in_ratios.public_peak.subs(in_ratios.strictness, strictness))
    top = float(in_ratios.public_maximum.subs(in_ratios.strictness, strictness))
    (index,) = (i for i, layer in enumerate(figure.layers) if layer.label.startswith("group 2 is public"))
    value = lambda nu: expression_values(figure, figure.layers[index].y, figure.values(s=strictness), nu)  # noqa: E731
    assert value(place) == pytest.approx(top, rel=1e-12) and y.max() <= top * (1 + 1e-12)
    left, right = np.diff(np.log(value(place * np.exp([-1e-5, 0.0, 1e-5])))) / 1e-5  # slopes on both sides
    assert left > 0 > right and left - right > 0.01
    assert np.all(np.diff(y[x < place]) > 0) and np.all(np.diff(y[x > place]) < 0)


def test_no_cell_of_the_ratio_for_two_levels_reaches_4():
    """Its ridge comes near it, where both thresholds are equally good; the colours end at Theorem 2's factor."""
    figure = ALL["cz-ratio"]
    for strictness in (0.001, 0.01, 0.1, 1.0, 10.0):
        _, _, z = cell_values(figure, figure.values(s=strictness))
        assert z.min() >= 1 - 1e-12 and z.max() < sym.two_level_factor
    _, _, z = cell_values(figure, figure.values(s=0.001))
    assert z.max() > 3.5


def test_both_estimators_are_one_below_the_smallest_budget():
    """Eqs. (2) and (3): the curves meet where nobody is clipped or dropped apart, and a budget is a kink."""
    figure = ALL["cz-risk-against-threshold"]
    budgets = np.repeat([0.01, 0.1, 1.0], [900, 90, 10])
    x, dropped = curve(figure, "drop")
    _, clipped = curve(figure, "clip")
    assert dropped[x < 0.01] == pytest.approx(clipped[x < 0.01], rel=1e-12)
    assert np.nanmin(dropped) >= threshold.threshold_mse(budgets) * (1 - 1e-12)
    assert clipped.min() >= threshold.affine_mse(budgets) * (1 - 1e-12)
    flat = clipped[x >= 1]
    assert flat.size > 1 and np.ptp(flat) < 1e-12 * flat[0]
    for budget in (0.01, 0.1):  # a kink, no jump
        before, at, after = (threshold.affine_mse(budgets, budget * factor) for factor in (1 - 1e-6, 1, 1 + 1e-6))
        assert 1e-9 < 2 * abs(at - after) < abs(before - at) < 1e-4 * at


@pytest.mark.parametrize("risk", [sym.private_risk**2, sym.private_risk + 1, sym.private_risk * epsilon_1])
def test_what_does_not_scale_cannot_be_drawn_in_three_variables(risk):
    """`reduced` refuses it by name instead of leaving n in a formula of the figure."""
    with pytest.raises(ValueError, match="risk must scale like 1/n, got"):
        in_ratios.reduced(risk)


def test_reduced_risks_are_n_times_the_risks():
    """At whole numbers of users, in exact rationals."""
    values = {sym.N_1: 12, sym.N_2: 4, epsilon_1: sp.Rational(3, 4)}
    at = {in_ratios.size_ratio: sp.Rational(1, 3), in_ratios.strictness: 3}
    assert in_ratios.reduced(sym.private_risk).subs(at) == 16 * sym.private_risk.subs(values)
