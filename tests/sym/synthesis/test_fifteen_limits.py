"""The map of limits: its drawing, its fifteen identities, and six of its steps on the way."""

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import sympy as sp

from hdp.sym.symbols import epsilon_1, n
from hdp.sym.synthesis import fifteen_limits as sym
from hdp.sym.user_level import model

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "book" / "synthesis" / "fifteen-limits.md").read_text(encoding="utf-8")
DRAWING = ROOT / "book" / "_static" / "limits-map.svg"
SVG = "{http://www.w3.org/2000/svg}"


def test_the_drawing_has_the_arrows_of_the_page():
    """The same numbers, starts and ends; every model that an arrow names is drawn, and nothing else is."""
    stated = re.findall(r'^assert_arrow\("([^"]+)", "([^"]+)"', PAGE, re.M)
    root = ElementTree.parse(DRAWING).getroot()
    arrows = [path.attrib for path in root.iter(f"{SVG}path") if "data-arrow" in path.attrib]
    drawn = sorted((int(a["data-arrow"]), a["data-start"], a["data-end"]) for a in arrows)
    assert drawn == [(i, *pair) for i, pair in enumerate(stated, 1)]
    boxes = [g for g in root.iter(f"{SVG}g") if g.get("stroke-width") == "2.5"]
    assert sum(len(g) for g in boxes) == len({name for pair in stated for name in pair})


def test_the_fifteen_arrows_of_the_map_are_identities():
    """The cells of the page's map, which prove them, run here; then the two errors of each in numbers of their own."""
    namespace, proved = {}, []
    cells = re.findall(r"^```\{code-cell\} ipython3\n(.*?)^```", PAGE[: PAGE.index("(hdp-arrows)=")], re.M | re.S)
    for cell in cells:
        exec(cell, namespace)
        if "def assert_arrow" in cell:
            kept = namespace["assert_arrow"]
            namespace["assert_arrow"] = lambda *arrow, kept=kept: (kept(*arrow), proved.append(arrow))
    assert len(namespace["arrows"]) == len(proved) == 15
    rng = np.random.default_rng(5)
    for start, end, _, before, after, _ in proved:
        symbols = sorted(sp.Tuple(before, after).free_symbols, key=str)
        whole = {s: float(rng.integers(20, 200)) for s in symbols if s.name[0] in "Nnmk"}
        at = {s: whole.get(s, rng.uniform(0.1, 0.9)) for s in symbols}
        assert float(before.subs(at)) == pytest.approx(float(after.subs(at)), rel=1e-9), (start, end)


@pytest.mark.parametrize(("size", "budget"), [(1000, 0.05), (400, 0.2), (100_000, 0.01)])
def test_one_step_arrives_and_the_others_do_not(size, budget):
    """Arrow 3 at R and not before it; the distance of the others falls like 1/t or 1/t^2, as an exercise says."""
    at = {n: sp.Integer(size), epsilon_1: sp.nsimplify(budget), model.K: sp.Integer(10)}
    arrival = sym.arrival.subs(at)
    apart = {i: sp.lambdify(sym.step, error.subs(at) - 1, "mpmath") for i, error in sym.STEPS.items()}
    assert arrival == 1 + 16 / (size * at[epsilon_1] ** 2)
    exact = sym.STEPS[3].subs(at)
    assert exact.subs(sym.step, arrival) == exact.subs(sym.step, 2 * arrival) == 1
    assert exact.subs(sym.step, 1 + (arrival - 1) * sp.Rational(99, 100)) > 1
    for i, order in {4: 1, 8: 2, 9: 1, 13: 2, 15: 2}.items():
        assert apart[i](1e4) != 0 and apart[i](1e4) / apart[i](2e4) == pytest.approx(2**order, rel=0.01), i
