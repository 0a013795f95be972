"""Every page of the built book: whole, silent and without a word to another host."""

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml

from tests.browser.figure_page import SETTLED

ROOT = Path(__file__).resolve().parents[2]
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text())
CHAPTERS = [chapter["file"] for part in TOC["parts"] for chapter in part["chapters"]]
MARK = 'class="hdp-figure"'
PAGES = [TOC["root"], *CHAPTERS, "search", "genindex"]


def test_index_leads_to_the_first_page(open_page, site):
    page = open_page("index.html")
    page.wait_for_url(f"**/{TOC['root']}.html")
    assert (site / f"{TOC['root']}.html").as_uri() == page.url


def test_search_works_from_disk(open_page):
    page = open_page("search.html?q=privacy")
    page.locator("#search-results li").first.wait_for()


class QuietHandler(SimpleHTTPRequestHandler):
    """Serve files without a line in the log for each."""

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def address(site):
    """Yield the address of the built book on a server of our own."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=site)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_the_book_can_be_served(open_page, address, site):
    """Every kind of page: with a figure, with formulas alone, with the table of claims."""
    figures = next(name for name in CHAPTERS if MARK in (site / f"{name}.html").read_text(encoding="utf-8"))
    page = open_page(f"{address}/index.html")
    page.wait_for_url(f"{address}/{TOC['root']}.html")
    for name in (figures, *CHAPTERS[-1:], "book/synthesis/claims", "search"):
        page.goto(f"{address}/{name}.html")
        page.evaluate(SETTLED)
