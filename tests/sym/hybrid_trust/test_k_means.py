"""The statements of hybrid K-means against the NumPy routes."""

import numpy as np
import pytest
import sympy as sp

from hdp.figures.hybrid_trust import k_means_data
from hdp.figures.hybrid_trust import k_means_trials as trials
from hdp.sym.hybrid_trust import k_means as sym
from tests.figures.hybrid_trust.k_means import NAMES, predicted_wcss


@pytest.mark.settles("adk-figure-6")
@pytest.mark.parametrize("name", NAMES)
def test_first_order_wcss(name):
    """Closed form with symbols against matrices, at random centres and settings."""
    rng = np.random.default_rng(NAMES.index(name))
    for clusters, dimension in ((2, 1), (4, 2), (5, 3)):
        centres = [[sp.Rational(int(v), 100) for v in row] for row in rng.integers(-40, 40, (clusters, dimension))]
        statement = sym.wcss(name, centres)
        j, eps, c, size, spread = rng.integers(1, 12), rng.uniform(0.5, 15), rng.uniform(0.001, 0.5), 5000, 0.03
        at = {sym.J: j, sym.epsilon: eps, sym.c: c, sym.N: size, sym.sigma: spread}
        expected = predicted_wcss(name, np.array(centres, dtype=float), size, spread, j, eps, c)
        assert np.isclose(float(statement.subs(at)), expected, rtol=1e-10)


def test_the_printed_weight_is_the_true_one_for_a_single_user():
    """Sum and mean are the same then, and only then."""
    ratio = sp.simplify(sym.printed_weight / sym.pwh_weight)
    assert sp.simplify(ratio.subs(sym.N_T, 1)) == 1
    assert trials.SPREAD == 0.028 and trials.SIZE == 40_000 and trials.EPSILON == 7.0 and trials.TRIALS == 364


def test_the_hybrid_keeps_up_with_the_better_group_only_if_answers_are_undone():
    """After every number of iterations that the experiment has, at both fractions."""
    mean = {name: np.array(values) for name, values in k_means_data.load()["mean"].items()}
    for c in trials.FRACTIONS:
        left_in = mean[f"hybrid {c}"] / np.minimum(mean["lm"], mean[f"tcm {c}"])
        undone = mean[f"hybrid answers undone {c}"] / np.minimum(mean["lm answers undone"], mean[f"tcm {c}"])
        assert left_in.min() > 1.03 and undone.max() < 0.981
