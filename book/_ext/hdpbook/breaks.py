"""Show at the place of a claim how its test can fail: the edit that makes the claim false, and what was seen.

The edits are those of `tests/breaks`; `make audit` applies them and writes what it saw to `book/audit.json`.
A printed page has nothing to unfold and shows none.
"""

import json
from html import escape
from pathlib import Path

from hdpbook.rows import edit_key, kept, tests_of
from hdpbook.site import browser_only

RECORD = Path("book") / "audit.json"
TESTS = "<p>{each} makes the claim false, and {tests} fails.</p>"
FOLD = '<details class="breaks"><summary>How its test can fail</summary>{}</details>\n'
# No <pre>: of each of these the theme asks whether it can be scrolled, and a thousand answers cost a second.
EDIT = """\
<p>In <code>{file}</code>:</p>
<div class="edit"><del>{old}</del><ins>{new}</ins></div>
{seen}"""
SEEN = "<p><samp>{why}</samp> (seen on <time>{date}</time>, commit <code>{commit}</code>)</p>"


_record = kept(lambda path: json.loads(path.read_text(encoding="utf-8")))


def load(source):
    """What was seen of every edit: what its test said, when, and at which commit."""
    path = Path(source) / RECORD
    return _record(path) if path.exists() else {}


def shown(edit, seen):
    """One edit and what its test said, as HTML."""
    said = SEEN.format(**dict(zip(("why", "date", "commit"), map(escape, seen), strict=True))) if seen else ""
    file, old, new = (escape(edit[key]) for key in ("file", "from", "to"))
    return EDIT.format(file=file, old=old, new=new, seen=said)


def fold(row, source):
    """The fold of a row, or nothing for a row without edits."""
    if not row.get("breaks"):
        return []
    tests, record = tests_of(row), load(source)
    which = "its test " if len(tests) == 1 else "one of its tests "
    each = "This edit" if len(row["breaks"]) == 1 else "Each of these edits"
    parts = [TESTS.format(each=each, tests=which + ", ".join(f"<code>{escape(test)}</code>" for test in tests))]
    parts += [shown(edit, record.get(edit_key(row["id"], edit, tests))) for edit in row["breaks"]]
    return [browser_only(html=FOLD.format("\n".join(parts)))]
