"""Numbers read the same before and after a page's script runs."""

import json
import re
import struct
import subprocess

import numpy as np

from hdp.explore.style import number
from tests.conftest import ROOT, find_node

EDGES = [0.0, -0.0, 0.5, 2.5, 1 / 3, 1000.5, 1001.5, 12345.6, 12350.0, 99_995.0, 999_950.5, 999_999_999.0, 1e9, 1e9 + 1]
EDGES += [999_999_999.5, 9.9995e-5, 9.99951e-5, 1e-4, 0.00012345, 1.5e-7, 1e21, 1.7e308, 5e-324, 0.1 + 0.2]
EDGES += [float(np.finfo(float).max), 0.99995, 0.999999999, 1.00004, 3.99999, 20.004, 99.99996, 100.04, 100.00000004]


def test_numbers_read_alike_in_python_and_javascript():
    """Over edges, ties, both signs, and numbers of every size, by the function of the page's script."""
    rng = np.random.default_rng(1)
    values = [*EDGES, *np.round(10 ** rng.uniform(-12, 14, 2000), 3), *10 ** rng.uniform(-300, 300, 2000)]
    values += [x for x in np.frombuffer(rng.bytes(8 * 2000)) if np.isfinite(x)]
    values = [float(x) for x in (*values, *(-v for v in EDGES))]
    script = (ROOT / "book/_static/hdp-figure.js").read_text(encoding="utf-8")
    found = re.search(r"const format = .*?\n  };\n", script, re.S)[0]
    bits = [struct.pack(">d", x).hex() for x in values]
    read = "new DataView(Uint8Array.from(Buffer.from(b, 'hex')).buffer).getFloat64(0)"
    run = f"{found} console.log(JSON.stringify({json.dumps(bits)}.map((b) => format({read}))));"
    shown = subprocess.run([find_node(), "-"], input=run, capture_output=True, text=True, check=True).stdout
    assert json.loads(shown) == [number(x) for x in values]
    for word, sign in (("Infinity", "∞"), ("-Infinity", "−∞"), ("NaN", "NaN")):
        assert number(float(word)) == sign
        run = f"{found} console.log(format({word}));"
        assert subprocess.run([find_node(), "-e", run], capture_output=True, text=True).stdout == sign + "\n"


def test_a_number_has_four_digits_and_its_thousands_apart():
    shown = {12345.6: "12,350", 12346.0: "12,346", 0.00012346: "0.0001235", 1.5e-5: "1.5·10⁻⁵", 2.5e9: "2.5·10⁹"}
    shown |= {1e-4: "0.0001", 9.999e-5: "9.999·10⁻⁵", 1e9: "10⁹", 1e-16: "10⁻¹⁶", -1e-16: "-10⁻¹⁶", -6e10: "-6·10¹⁰"}
    assert {value: number(value) for value in shown} == shown


def test_what_comes_near_a_bound_is_not_written_as_the_bound():
    """Unless it differs by less than floats do, and whole numbers stay."""
    shown = {0.9999546: "0.99995", 1.00004: "1.00004", 3.999996: "3.999996", 99.99546: "99.995", 100.04: "100.04"}
    shown |= {1 - 1e-12: "1", 1.0: "1", 100.0: "100", 2000.4: "2,000", -0.99996: "-0.99996"}
    assert {value: number(value) for value in shown} == shown
    assert number(20.04, 3) == "20.04"
