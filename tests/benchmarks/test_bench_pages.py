"""What every page of the built book weighs and how long it takes to come."""

import gzip
from statistics import median
from time import perf_counter

import pytest

from tests.browser.conftest import address  # noqa: F401
from tests.browser.figure_page import DESKTOP, SETTLED
from tests.files import PAGES


@pytest.mark.parametrize("name", PAGES)
def test_a_page_with_nothing_kept(benchmark, browser, address, name):  # noqa: F811
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
    print(f"\n{name}: {plain / 1000:.0f} kB, {deflated / 1000:.0f} deflated, {1000 * median(seconds):.0f} ms")
