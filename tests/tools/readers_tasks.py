"""Do in a browser what readers come for, and print what each task costs them: clicks, screens of scrolling, seconds.

    python -m tests.tools.readers_tasks _build/html            # of another build, too: the tasks name no element

A screen is a window of 1280 x 900; what stands on the first screen costs none.  Typing a word counts as a click.
"""

import argparse
import time
from pathlib import Path

from playwright.sync_api import TimeoutError, sync_playwright

from tests.conftest import FLAGS, find_chromium

SIZE = {"width": 1280, "height": 900}
FREE_PRIVACY = "book/heterogeneous-budgets/upper-bound.html"
YOURS = "book/use/your-users.html"


class Reader:
    """Somebody at a window, who counts what she does."""

    def __init__(self, page, site):
        self.page, self.site, self.clicks, self.screens, self.started = page, site, 0, 0.0, time.perf_counter()

    def start(self, path="index.html"):
        """Come to the site."""
        self.page.goto(f"{self.site.as_uri()}/{path}")
        self.page.wait_for_load_state()

    def scroll_to(self, element):
        """Scroll until an element stands in the window."""
        element.wait_for(state="attached", timeout=20_000)
        below = element.evaluate("e => e.getBoundingClientRect().bottom - innerHeight")
        self.screens += max(0.0, below / SIZE["height"])
        element.scroll_into_view_if_needed()

    def click(self, element):
        """Find an element and click it."""
        self.scroll_to(element)
        self.clicks += 1
        element.click()

    def told(self):
        """What it has cost so far."""
        seconds = time.perf_counter() - self.started
        return f"{self.clicks} clicks, {self.screens:.1f} screens, {seconds:.1f} s of the machine"


def link(reader, end):
    """Return what one clicks to follow the first link to an address that ends so: a door, or the link itself."""
    page, address = reader.page, f"a[href$='{end}']"
    page.locator(address).first.wait_for(state="attached", timeout=5_000)
    for found in (page.locator("article .hdp-door", has=page.locator(address)), page.locator(f"{address}:visible")):
        if found.count():
            return found.first
    raise LookupError(f"no link to {end} on {page.url}")


def to_free_privacy(reader):
    """From the home page to a picture that shows free privacy, until it can be moved."""
    reader.start("book/index.html")
    if not reader.page.locator("article figure").count():  # the book's first picture is another page's
        reader.click(link(reader, FREE_PRIVACY.removeprefix("book/")))
        reader.page.wait_for_load_state()
    picture = reader.page.locator("article figure").first
    reader.scroll_to(picture.locator("svg:visible, canvas:visible, img:visible").first)
    picture.locator("svg:visible, canvas:visible").first.wait_for(timeout=20_000)
    picture.locator("input[type=range], .hdp-grip").first.wait_for(state="attached", timeout=20_000)


def to_bibtex(reader):
    """From a search for "Theorem 1" to the BibTeX of a theorem of that number."""
    reader.start("search.html?q=Theorem+1")
    reader.clicks += 1
    hits = reader.page.locator("#hdp-results li, #search-results li")
    hits.first.wait_for(timeout=20_000)
    reader.page.wait_for_timeout(1500)
    said, box = hits.first.inner_text().partition("\n")[0], hits.first.locator("details")
    if not box.count():
        reader.click(hits.first.locator("a").first)
        reader.page.wait_for_load_state()
        box = reader.page.locator("*:has(> details) details", has=reader.page.locator("text=/cite/i")).first
    try:
        reader.click(box.locator("summary").first)
        reader.page.locator("text=/@\\w+\\{/").first.wait_for(timeout=5_000)
    except TimeoutError:
        return f"first hit: {said}; no BibTeX found from there"
    return f"first hit: {said}"


def to_own_numbers(reader):
    """From the home page to numbers for somebody's own budgets."""
    reader.start("book/index.html")
    typed = reader.page.locator("article figure input[type=number], article figure input[inputmode]")
    if typed.count():
        reader.click(typed.first)
        typed.first.fill("0.3")
        typed.first.press("Enter")
        return reader.page.locator("article figure .hdp-sentence").first.inner_text()
    reader.click(link(reader, YOURS.removeprefix("book/")))
    reader.click(reader.page.get_by_text("Describe groups"))
    budget = reader.page.get_by_label("budget").first
    reader.click(budget)
    budget.fill("0.3")
    reader.click(reader.page.get_by_role("button", name="Rank these groups"))
    reader.page.locator(".hdp-answer").wait_for(timeout=60_000)
    return reader.page.locator(".hdp-answer strong").first.inner_text()


TASKS = (to_free_privacy, to_bibtex, to_own_numbers)


def main():
    """Do every task on the built site that the command line names."""
    parser = argparse.ArgumentParser(description="What readers' tasks cost on a built site.")
    parser.add_argument("site", type=Path, nargs="?", default=Path("_build/html"))
    site = parser.parse_args().site.resolve()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        for task in TASKS:
            page = browser.new_page(viewport=SIZE)
            reader = Reader(page, site)
            said = task(reader)
            print(f"{task.__doc__} {reader.told()}{f' ({said})' if said else ''}", flush=True)
            page.close()


if __name__ == "__main__":
    main()
