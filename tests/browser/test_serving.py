"""What `make serve` serves: the pages, and after a save the new ones, under the policy that pages have."""

import socket
import subprocess
import sys

import pytest

from tests.files import ROOT

sys.path.append(str(ROOT / "book/_ext"))
from hdpbook.kernel import POLICY

PAGE = f'<head><meta http-equiv="Content-Security-Policy" content="{POLICY}"></head><p>%s</p>'
# A book of one page, and a build that takes a while, and fails where the page is empty.
BUILD = """
import pathlib, sys, time
text = pathlib.Path("book/page.md").read_text()
time.sleep(0.5)
pathlib.Path("_build/html/index.html").write_text({page!r} % text)
sys.exit(not text)
"""
SERVE = """
import sys
sys.path.insert(0, {tools!r})
import serve
serve.main({port}, root=serve.Path(), command=[sys.executable, "-c", {build!r}], pause=0.1)
"""


@pytest.fixture
def served(tmp_path):
    """The address of such a book, and what is saved to change it."""
    source = tmp_path / "book" / "page.md"
    for folder in (source.parent, tmp_path / "_build" / "html"):
        folder.mkdir(parents=True)
    source.write_text("first")
    (tmp_path / "_build" / "html" / "index.html").write_text(PAGE % "first")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    told = SERVE.format(tools=str(ROOT / "book/_tools"), port=port, build=BUILD.format(page=PAGE))
    with subprocess.Popen([sys.executable, "-c", told], cwd=tmp_path, stderr=subprocess.PIPE, text=True) as server:
        while "Start detecting changes" not in (line := server.stderr.readline()):
            assert line, "the server has ended"
        yield f"http://127.0.0.1:{port}/", source
        server.kill()


def test_a_saved_page_is_built_and_shown(served, browser):
    """Without a hand on the browser; after a build that failed the next one is shown."""
    address, source = served
    page = browser.new_page()
    page.goto(address)
    for text in ("second", "third"):
        page.evaluate("window.old = true")
        source.write_text("")
        source.write_text(text)
        page.wait_for_function(f"document.querySelector('p').textContent === {text!r} && !window.old", timeout=20_000)
    page.wait_for_timeout(2500)  # a build may have begun between two saves, and another one after them
    page.evaluate("window.old = true")
    source.write_text("")
    page.wait_for_timeout(2500)
    assert page.evaluate("window.old"), "a book that could not be built is not shown"
    source.write_text("fourth")
    page.wait_for_function("document.querySelector('p').textContent === 'fourth'", timeout=20_000)
    page.close()
