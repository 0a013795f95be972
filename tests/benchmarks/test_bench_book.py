"""How long a figure takes to follow its slider, what a page weighs and how long it takes to come."""

import gzip
from statistics import median
from time import perf_counter

import pytest

from hdp.figures import ALL
from tests.browser.conftest import address  # noqa: F401
from tests.browser.figure_page import DESKTOP, SETTLED, FigurePage, pages_of_figures
from tests.conftest import SITE
from tests.files import PAGES

BUDGET = 16  # milliseconds: a frame, of which there are sixty a second
FIGURES = pages_of_figures(SITE)

# Milliseconds of each of forty steps of the sliders.
UPDATES = """async f => {
    const sliders = Array.from(f.querySelectorAll("input")), times = [];
    for (let k = 0; k < 40; k++) {
        const slider = sliders[k % sliders.length], last = Number(slider.max);
        const begin = performance.now();
        slider.value = (Number(slider.value) + 1 + k % last) % (last + 1);
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        await f.view.runAsync();
        f.getBoundingClientRect(); // the layout is part of it
        times.push(performance.now() - begin);
    }
    return times.sort((a, b) => a - b);
}"""


@pytest.mark.parametrize("name", ALL)
def test_an_update_beside_a_frame(benchmark, open_page, name):
    """Print the median of forty updates, the best of five such medians, beside the budget."""
    shown = FigurePage(open_page(FIGURES[name][0], viewport=DESKTOP), ALL[name])
    shown.wait()
    medians = []
    benchmark.pedantic(lambda: medians.append(shown.read(UPDATES)[20]), rounds=5)
    benchmark.extra_info["median update, ms"] = min(medians)
    verdict = "within" if min(medians) < BUDGET else "OVER"
    print(f"\n{name}: {min(medians):.1f} ms an update, {verdict} the budget of {BUDGET} ms")


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
