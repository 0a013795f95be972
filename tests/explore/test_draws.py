"""Samples that are drawn in a page: the same ones in Python, and of the distribution that they claim."""

import numpy as np
import pytest
from scipy import stats

from hdp.explore import Curve, vega
from hdp.explore.evaluate import draw_values
from hdp.explore.layers import SHOWN, Draws, U, V, uniforms
from hdp.figures import ALL
from tests.explore.test_spec import figure, x

FIGURES = {name: figure for name, figure in ALL.items() if any(isinstance(layer, Draws) for layer in figure.layers)}


def test_two_uniform_numbers_a_draw():
    """Spread as chance would spread them, and unrelated: to each other and to the draw before."""
    u, v = uniforms(np.arange(1, 1001))
    for numbers in (u, v):
        assert stats.kstest(numbers, "uniform").pvalue > 0.01 and (0 <= numbers).all() and (numbers < 1).all()
    for a, b in ((u, v), (u[1:], u[:-1]), (v[1:], v[:-1])):
        assert abs(np.corrcoef(a, b)[0, 1]) < 4 / np.sqrt(a.size)


def test_draws_are_whole_number_arithmetic():
    """So that a browser finds the same ones: the numerators are exact in doubles."""
    index = np.arange(1, 1001)
    exact = [[((i + 100) ** 3 * cube + (i + 100) * 1_299_709) % 2_147_483_647 for i in index.tolist()]
             for cube in (3_140_671, 3_140_671 + 1_299_709)]  # fmt: skip
    np.testing.assert_array_equal(uniforms(index), np.array(exact) / 2_147_483_647)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
def test_noisy_counts_are_of_the_stated_distribution(epsilon):
    """Under the density, evenly: a Laplace sample, and a height that is uniform below its curve."""
    layer = next(layer for layer in FIGURES["two-answers"].layers if isinstance(layer, Draws))
    x, y = draw_values(FIGURES["two-answers"], layer, {"epsilon": epsilon}, layer.count)
    noise = stats.laplace(3, 1 / epsilon)
    assert stats.kstest(x, noise.cdf).pvalue > 0.01
    assert stats.kstest(y / noise.pdf(x), "uniform").pvalue > 0.01


def test_the_page_begins_with_the_draws_of_the_picture():
    """The signal says how many there are."""
    spec = vega.specification(FIGURES["two-answers"])
    assert {p["name"]: p.get("value") for p in spec["params"]}["drawn"] == SHOWN
    layer = next(layer for layer in spec["layer"] if layer.get("data", {}).get("sequence", {}).get("as") == "i")
    assert layer["data"]["sequence"] == {"start": 1, "stop": 301, "as": "i"}


def test_a_draw_may_use_its_own_symbols_only():
    """A curve has none."""
    figure(layers=(Curve("c", x), Draws("d", U, V)))
    with pytest.raises(ValueError, match="u_draw"):
        figure(layers=(Curve("c", x * U),))
