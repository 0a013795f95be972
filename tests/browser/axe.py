"""Ask axe of a page, or of a part of it."""

from axe_playwright_python.base import AXE_SCRIPT
from axe_playwright_python.sync_playwright import Axe

# Without its preloading of style sheets, which a page from disk may not read.
OPTIONS = {"resultTypes": ["violations"], "preload": False}


def run(page, context=None, **options):
    """Return what axe finds; it must have looked at something."""
    found = Axe("0" if page.evaluate("'axe' in window") else AXE_SCRIPT).run(page, context, OPTIONS | options)
    assert found.response["passes"], "axe has looked at nothing"
    return found


def assert_nothing_found(page, context=None, **options):
    """Fail with axe's report."""
    found = run(page, context, **options)
    assert found.violations_count == 0, found.generate_report()
