"""What every page of the built book weighs and how long it takes to come; kept in book/weights.json, for *build*."""

import gzip
import json
from statistics import median
from time import perf_counter

import pytest

from hdp import __version__
from tests.browser.conftest import address  # noqa: F401
from tests.browser.figure_page import DESKTOP, SETTLED
from tests.files import PAGES, ROOT

RECORD = ROOT / "book/weights.json"


@pytest.fixture(scope="module")
def record():
    """The numbers of this version by page, written at the end beside those of earlier ones."""
    found = {}
    yield found
    kept = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    found = {name: at for name, at in (kept.get(__version__, {}) | found).items() if name in PAGES}
    pages = (f"{json.dumps(name)}: {json.dumps(found[name])}" for name in sorted(found))
    earlier = (f"{json.dumps(version)}: {json.dumps(kept[version])}" for version in kept if version != __version__)
    text = ",\n".join([*earlier, f"{json.dumps(__version__)}: {{\n" + ",\n".join(pages) + "\n}"])
    RECORD.write_text(f"{{\n{text}\n}}\n", encoding="utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_with_nothing_kept(benchmark, browser, address, name, record):  # noqa: F811
    """Print kilobytes, as they are and deflated, and the median of three times until formulas and fonts are set."""
    bodies, seconds = {}, []

    def visit():
        context = browser.new_context(viewport=DESKTOP)
        page = context.new_page()
        finished = []
        page.on("requestfinished", lambda request: finished.append(request))
        begin = perf_counter()
        page.goto(f"{address}/{name}.html")
        page.evaluate(SETTLED)
        seconds.append(perf_counter() - begin)
        bodies.update({request.url: request.response().body() for request in tuple(finished)})
        context.close()

    benchmark.pedantic(visit, rounds=3)
    plain = sum(map(len, bodies.values()))
    deflated = sum(min(len(body), len(gzip.compress(body, 6))) for body in bodies.values())
    record[name] = [round(plain / 1000), round(deflated / 1000), round(1000 * median(seconds))]
    print(f"\n{name}: {record[name][0]} kB, {record[name][1]} deflated, {record[name][2]} ms")
