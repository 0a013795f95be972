"""Ratios of the weights of two users, from the mechanisms."""

import itertools

import numpy as np
import pytest

from hdp import adpm, baselines
from tests.figures.captions import line, positions, says
from tests.figures.heterogeneous_budgets import upper_bound
from tests.figures.heterogeneous_budgets.upper_bound import budgets, in_order, saturation
from tests.figures.lemma import average


@in_order
def fme_ratio(*point):
    w = baselines.BASELINES["fme"].mechanism(budgets(*point)).weights
    return w[-1] / w[0]


REFERENCES = {
    "cc-figure-4": {
        "ADPM": in_order(lambda e_1, e_2, n, f: min(e_2, saturation(e_1, n, f)) / e_1),
        "FME": fme_ratio,
        "saturation, ": saturation,
        "saturation ratio": adpm.saturation_ratio,
    }
}


# -- Errors of two groups of any sizes, from a population of 100 with the same shares.


def error(name, epsilon_1, epsilon_2, n, f):
    """For uniform data; n users with budgets e have 100/n times the error of 100 users with e sqrt(n/100)."""
    if name == "sm":
        return average(n * (1 - f + f * np.expm1(epsilon_1) / np.expm1(epsilon_2)), epsilon_2, 1 / 12)
    budgets = np.repeat([epsilon_1, epsilon_2], [round(100 * f), 100 - round(100 * f)])
    return baselines.expected_mse(name, budgets * np.sqrt(n / 100), 1 / 12) * 100 / n


def excess(name, power):
    """What privacy costs, times a power of n."""
    return lambda epsilon_1, epsilon_2, n, f: (error(name, epsilon_1, epsilon_2, n, f) - 1 / (12 * n)) * n**power


def tenth(function):
    return lambda epsilon_1, epsilon_2, n, f: function(epsilon_1, epsilon_2, n, f) / 10


FME_A, FME_B = excess("fme", 1), upper_bound.baseline("fme")
REFERENCES |= {
    "cc-figure-1a": {name.upper(): excess(name, 2) for name in ("uni", "ldpe", "sm", "adpm")},
    "cc-figure-3a": {name.upper(): excess(name, 1) for name in ("uni", "ldpe", "sm", "adpm")}
    | {"FME": FME_A, "a tenth of FME": tenth(FME_A)},
    "cc-figure-3b": upper_bound.FIGURE_1B | {"FME": FME_B, "a tenth of FME": tenth(FME_B)},
}


# -- What the captions say.


@says("cc-figure-4", r"while \(\epsilon_1 \le 1/\sqrt n\), which is \(\sqrt 2\)")
def fme_stops_at_its_ratio_or_weighs_all_alike(figure):
    """Both happen among the positions of the sliders."""
    alike = []
    for e, n, f in itertools.product(*(positions(figure, name) for name in ("epsilon_1", "n", "f"))):
        alike.append(e > 1 / np.sqrt(n) * (1 + 1e-12))
        stop = 1 if alike[-1] else 1 / (e * np.sqrt(n * (1 - f)))
        assert float(line(figure, "FME", 1e6, epsilon_1=e, n=n, f=f)) == pytest.approx(stop)
    assert 0 < sum(alike) < len(alike)


@says("cc-figure-1a", "SM rising from 138 to just above it")
def sampling_rises_beyond_uniform(figure):
    """From 400 to 4000 users; it is ADPM that begins at 129."""
    sm, adpm = (line(figure, name, [400, 4000]) for name in ("SM", "ADPM"))
    assert sm == pytest.approx([138, 201.4], abs=0.5) and adpm[0] == pytest.approx(129, abs=0.5)


@says("cc-figure-3a", "the others at the paper&rsquo;s values fall, and cross a tenth of it")
def each_crosses_a_tenth_of_fme(figure):
    """Elsewhere some do not: SM stays above for small shares of the generous group, and ADPM can rise a little."""
    x, strict = np.linspace(400, 4000, 200), {"epsilon_1": 0.01, "epsilon_2": 0.27, "f": 0.8}
    assert all((np.diff(line(figure, name, x)) < 0).all() for name in ("UNI", "LDPE", "SM", "ADPM"))
    assert line(figure, "ADPM", x, **strict)[-1] > line(figure, "ADPM", x, **strict).min() * 1.001
    ends, elsewhere = [400, 4000], {"epsilon_1": 0.06, "epsilon_2": 0.145, "f": 0.9}
    for name in ("UNI", "LDPE", "SM", "ADPM"):
        above = line(figure, name, ends) > line(figure, "a tenth", ends)
        assert list(above) == [True, False]
    assert (line(figure, "SM", ends, **elsewhere) > line(figure, "a tenth", ends, **elsewhere)).all()
