"""Section 4: Example 1, errors in closed form."""

from dataclasses import replace

import numpy as np
import sympy as sp
from scipy import special

from hdp import user_level
from hdp.explore import Axis, Curve, FigureSpec, Parameter, Points
from hdp.figures.user_level.private import BARS, BETA, EPSILON
from hdp.sym.user_level import private as sym

__all__ = ["FIGURES", "example_1", "example_1_simulated"]


def _example(n, m):
    """Weight in total, slope of the variances times n, and error without noise for the weights 1 / max(i, m)."""
    slope = 0.25 - 1 / n
    total = 1 + special.digamma(n + 1) - special.digamma(m + 1)
    squares = special.zeta(2.0, m + 1) - special.zeta(2.0, n + 1)
    summed = (slope * (m + 1) / 2 + 1) / m + slope * (total - 1) + squares
    return total, slope, summed / (n * total**2)


def _example_private(n, m_cut, epsilon):
    total, _, sampling = _example(n, m_cut)
    width = 2 * user_level.half_width(n / m_cut, 1, 0, BETA)  # only the shape: the two logarithms are put in below
    log = np.log(4 * n / BETA)
    width = 2 * np.sqrt(2 * log / n) + width * np.sqrt(log / np.log(2 / BETA))
    return sampling + 2 * (width / (m_cut * total * epsilon)) ** 2


def _example_ideal(n, epsilon, m_cut):
    slope = 0.25 - 1 / n
    return slope / (n * (special.digamma(n + 1 + 1 / slope) - special.digamma(1 + 1 / slope)))


_AT = {sym.P: sp.Rational(1, 4), sym.beta: sp.Rational(1, 20)}
_private = (sym.example_sampling + sym.example_noise).subs(_AT)

example_1 = FigureSpec(
    name="cfmt-example-1-error",
    title="Example 1: error against the number of users",
    x_symbol=sym.n,
    x=Axis("n, number of users", (1e3, 1e7), "log"),
    y=Axis("mean squared error", (1e-9, 1.0), "log"),
    layers=(
        Curve(
            "naive sensitivity",
            sym.example_naive.subs(_AT),
            lambda n, epsilon, m_cut: _example(n, 1)[2] + 2 / (epsilon * _example(n, 1)[0]) ** 2,
            dash=(8, 4),
        ),
        Curve(
            "data truncated only (m = 1)",
            _private.subs(sym.m, 1),
            lambda n, epsilon, m_cut: _example_private(n, 1, epsilon),
            dash=(10, 3, 2, 3),
        ),
        Curve(
            "data truncated, m weights cut",
            _private,
            lambda n, epsilon, m_cut: _example_private(n, m_cut, epsilon),
            width=3,
        ),
        Curve(
            "equal weights, no privacy",
            sym.example_uniform.subs(_AT),
            lambda n, epsilon, m_cut: ((0.25 - 1 / n) * (n + 1) / 2 + 1) / n**2,
            dash=(2, 3),
        ),
        Curve("best without privacy", sym.example_ideal.subs(_AT), _example_ideal, width=1.6),
    ),
    parameters=(EPSILON, Parameter.logarithmic(sym.m, "m, users whose weight is cut", 1, 300, 30, multiple_of=1)),
    reset_label="Initial values",
    caption=r"""
        \(k_i = n/i\), \(p = 1/2\), \(\sigma_p = 1/\sqrt n\), \(\beta = 0.05\), in closed form; weights proportional to
        \(1/\max(i, m)\). The naive line hardly falls. Truncating the data brings the right slope, parallel to the
        lowest line, at a hundred times its height; only cutting the weights of the richest users as well brings the
        private line down to it. The paper states the rates in words and has no figure.
    """,
    alt="""
        Five lines on logarithmic axes: the naive error falls very slowly, the others with slope about minus one;
        the private one with cut weights lies near the best without privacy and, for large n, below equal weights.
    """,
)


def example_1_simulated(found):
    """Example 1 with simulated errors: a dict from n to (error, standard error)."""
    bars = tuple(2 * bar for _, bar in found.values())
    y = tuple(error for error, _ in found.values())
    points = Points("data truncated, m weights cut", tuple(map(float, found)), y, bars, at=example_1.paper_values)
    return replace(example_1.with_points(points, caption=BARS), name=f"{example_1.name}-simulated")


FIGURES = (example_1,)
