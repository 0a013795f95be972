"""Every headline of every page is a property that can be broken, or stands with the reason why none can be asked."""

from importlib import import_module

import pytest

from tests.files import PAGES, ROOT, read
from tests.headlines.common import ASKED, headlines

FOLDER = ROOT / "tests/headlines"
MODULES = [
    import_module(".".join(path.relative_to(ROOT).with_suffix("").parts)) for path in sorted(FOLDER.glob("*/test_*.py"))
]
NOT_ASKED = {}  # for each page words of a headline, and the reason
for module in MODULES:
    for page, rows in module.NOT_ASKED.items():
        NOT_ASKED.setdefault(page, {}).update(rows)
CHAPTERS = [
    page.removeprefix("book/") for page in PAGES if "/reference/" not in page and "```{code-cell}" in read(f"{page}.md")
]


def test_no_page_is_missing():
    """Each has properties or reasons, but for those that wait for theirs."""
    missing = set(CHAPTERS) - {*ASKED, *NOT_ASKED}
    assert not missing, f"no module of tests/headlines is about {sorted(missing)}"


@pytest.mark.parametrize("page", sorted({*ASKED, *NOT_ASKED}))
def test_every_headline_is_asked_or_says_why_not(page):
    words, rows = ASKED.get(page, []), NOT_ASKED.get(page, {})
    missing = [sentence for sentence in headlines(page) if not any(part in sentence for part in [*words, *rows])]
    assert not missing, f"neither a property nor a reason: {missing}"
    gone = [part for part in [*words, *rows] if part not in " ".join(headlines(page))]
    assert not gone, f"no headline says {gone}"
    assert all(len(reason) > 15 for reason in rows.values()), "a reason says why"
