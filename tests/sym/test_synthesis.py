"""The synthesis: specialisations in exact fractions, the drawing of the map, the order of the estimators."""

import re
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import sympy as sp

from hdp.sym import cc, cc_baselines
from hdp.sym import synthesis as sym
from hdp.sym import synthesis_population as one
from hdp.sym.symbols import epsilon_1, epsilon_2, f, n
from tests.oracles import exact_level

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "book" / "synthesis" / "one-picture.md").read_text(encoding="utf-8")
DRAWING = ROOT / "book" / "_static" / "limits-map.svg"
SVG = "{http://www.w3.org/2000/svg}"
FRACTIONS = {"f", "c", "p"}


def numbers(row, rng):
    """Exact values of every symbol of a row, with squares where the row takes roots."""
    symbols = sp.Tuple(row.error, *(part for kind in row.kinds for part in kind[:3])).free_symbols
    return {
        s: sp.Rational(int(rng.integers(1, 40)), 41 if s.name in FRACTIONS | {"sigma_p"} else 8)
        for s in sorted(symbols, key=str)
    }


def exact_error(kinds):
    """The lemma in fractions: the least level over all sets of kinds with a noise cost, and one over the sum."""
    costly = [(m, v, s) for m, v, s in kinds if 0 < s < float("inf")]
    free = [(m, v) for m, v, s in kinds if s == 0]
    sets = [[k for i, k in enumerate(costly) if mask >> i & 1] for mask in range(1, 2 ** len(costly))]
    level = min(
        ((2 + sum(m * v / s**2 for m, v, s in group)) / sum(m / s for m, _, s in group) for group in sets), default=None
    )
    return 1 / (sum(m / v for m, v in free) + sum(m * min(1 / v, 1 / (level * s)) for m, v, s in costly))


@pytest.mark.parametrize("row", sym.SPECIALISATIONS, ids=lambda row: row.estimator)
def test_every_specialisation_is_the_lemma_in_exact_fractions(row):
    """Where the row's kinds are the limited ones its error is the lemma's, elsewhere it is not."""
    rng, met = np.random.default_rng(7), 0
    for _ in range(300):
        at = numbers(row, rng)
        kinds = [tuple(sp.sympify(part).subs(at) for part in kind[:3]) for kind in row.kinds]
        level = row.level.subs(at)
        limited = [kind.limited for kind in row.kinds]
        here = [s == sp.oo or (s > 0 and level * s > v) for _, v, s in kinds]
        same = sp.simplify(row.error.subs(at) - exact_error(kinds)) == 0
        assert same == (here == limited) or any(level * s == v for _, v, s in kinds)
        met += same
        if met == 3:
            return
    pytest.fail(f"met {met} times")


def test_the_level_of_adpm_is_a_quarter_of_its_clipping_level():
    """Against the oracle of the level in fractions, on both sides of saturation."""
    for second in (2, 40):
        row = sym.SPECIALISATIONS[0 if second == 2 else 1]
        level = row.level.subs({epsilon_1: 1, epsilon_2: second, n: 4, f: sp.Rational(1, 2)})
        expected = exact_level([Fraction(1)] * 2 + [Fraction(second)] * 2)
        assert (level == sp.Rational(expected.numerator, 4 * expected.denominator)) is True


def test_the_drawing_has_the_arrows_of_the_page():
    """The same numbers, starts and ends; every model that an arrow names is drawn, and nothing else is."""
    stated = re.findall(r'^assert_arrow\("([^"]+)", "([^"]+)"', PAGE, re.M)
    root = ElementTree.parse(DRAWING).getroot()
    drawn = sorted(
        (int(p.get("data-arrow")), p.get("data-start"), p.get("data-end"))
        for p in root.iter(f"{SVG}path")
        if p.get("data-arrow")
    )
    assert drawn == [(i, *pair) for i, pair in enumerate(stated, 1)]
    boxes = [g for g in root.iter(f"{SVG}g") if g.get("stroke-width") == "2.5"]
    assert sum(len(g) for g in boxes) == len({name for pair in stated for name in pair})


def test_missing_trust_costs_a_factor_that_stays():
    """At a million million users, beside the limits that the page derives."""
    at = {n: 10**12, f: sp.Rational(3, 10), epsilon_1: sp.Rational(1, 2), epsilon_2: 2, one.v_1: sp.Rational(1, 5)}
    at[one.v_2] = at[one.v_1]
    scaled = [float((n * e).subs(at)) for e in (one.least, one.kvh, one.least_reports)]
    reports = 0.2 + 2 / 0.25, 0.2 + 2 / 4
    assert scaled == pytest.approx(
        [0.2, 1 / (0.7 / 0.2 + 0.3 / reports[0]), 1 / (0.7 / reports[1] + 0.3 / reports[0])], rel=1e-6
    )


def test_the_order_that_the_page_proves_holds_for_every_estimator():
    """The best weights beat every release of a curator whom all trust, KVH every hybrid, both what needs less trust."""
    rng = np.random.default_rng(11)
    known = [(trusted, error) for name, trusted, error in one.ESTIMATORS if not name.startswith("SM")]  # approximate
    symbols = (n, f, epsilon_1, epsilon_2, one.v_1, one.v_2, one.k_1, one.k_2, one.d_1, one.d_2)
    compiled = sp.lambdify(symbols, [error for _, error in known])
    for _ in range(300):
        size, share, budget = float(rng.integers(2, 500) * 20), rng.uniform(0.05, 0.95), 10 ** rng.uniform(-2, 0.3)
        draws = rng.uniform(0.001, 0.25, 2), rng.integers(1, 100, 2), rng.uniform(0.05, 1, 2)
        found = compiled(size, share, budget, budget * 10 ** rng.uniform(0, 2), *np.concatenate(draws))
        by_trust = {trusted: [] for trusted, _ in known}
        for (trusted, _), error in zip(known, found, strict=True):
            by_trust[trusted].append(float(error))
        everybody, mixed, nobody, ideal = (by_trust[t] for t in (one.ALL, one.MIXED, one.NOBODY, one.IDEAL))
        assert min(everybody) >= everybody[0] * (1 - 1e-12) and min(mixed) >= mixed[0] * (1 - 1e-12)
        assert ideal[0] <= everybody[0] * (1 + 1e-12)
        assert everybody[0] <= mixed[0] <= min(nobody)


def test_one_sample_each_is_the_comparison_of_chaudhuri_and_courtade():
    """With the largest variance for all, the statements of the paper's own figures."""
    coins = {one.v_1: sp.Rational(1, 4), one.v_2: sp.Rational(1, 4)}
    at = {n: 1000, f: sp.Rational(7, 10), epsilon_1: sp.Rational(1, 10)}
    for second in (sp.Rational(1, 8), sp.Rational(1, 5), 1, 3):
        here = coins | at | {epsilon_2: second}
        pairs = [(one.adpm, cc.upper_bound), (one.least, cc.upper_bound), (one.local_noise, cc.local_mse)]
        pairs += [(one.proportional, cc.proportional_mse), (one.uniform, cc.uniform_mse)]
        pairs += [(one.sampling, cc.sampling_mse_jensen), (one.fme, cc_baselines.fme_mse.subs(cc_baselines.v, "1/4"))]
        for ours, theirs in pairs:
            assert float(ours.subs(here)) == pytest.approx(float(theirs.subs(here)), rel=1e-12)
