"""The audit of the claims: what it does to a small project, and a sample of the book's own edits, another every day.

The sample is that of today (UTC), of the edits that the record has; HDP_AUDIT_DAY=2026-01-31 draws another day's again.
"""

import json
import os
import random
from datetime import UTC, date, datetime
from functools import cache

import pytest
import yaml

from tests import audit

SAMPLE, FEW = 20, 1  # a day, of `make test-all` and of `make test`


@cache
def sample():
    """Return today's edits."""
    said = os.environ.get("HDP_AUDIT_DAY")
    day = date.fromisoformat(said) if said else datetime.now(UTC).date()
    known = audit.recorded()
    edits = [edit for edit in audit.load() if edit.key in known]
    return random.Random(day.toordinal()).sample(edits, min(SAMPLE, len(edits)))


PLACES = [pytest.param(place, marks=[pytest.mark.slow] * (place >= FEW)) for place in range(SAMPLE)]


@pytest.mark.xdist_group("audit")  # in one worker, which loads the libraries that all need once
@pytest.mark.parametrize("place", PLACES)  # workers on both sides of midnight still agree on the names
def test_an_edit_of_today_is_noticed(place, copy):
    """The claim is made false, and the test that it names fails."""
    edit = sample()[place]
    outcome = audit.attempt(edit, copy)
    assert outcome["fails"], (edit, outcome["why"])


@pytest.fixture(scope="module")
def copy():
    """Return a scratch copy of the project."""
    with audit.scratch_copies(1) as copies:
        yield copies.get()


# -- a small project -----------------------------------------------------------------------------------------

TESTS = """\
from hdp import one

def test_exact():
    assert one.VALUE == 1

def test_hollow():
    assert one.VALUE == one.VALUE
"""


def row(name, *tests, old="VALUE = 1", to=("VALUE = 2",)):
    """A row whose edits replace the only line of the code."""
    edits = [{"file": "hdp/one.py", "from": old, "to": new} for new in to]
    return {"id": name, "breaks": edits, "test": [f"tests/test_one.py::test_{test}" for test in tests]}


@pytest.fixture
def small(tmp_path, monkeypatch):
    """Return a function that makes a small project with these rows, audits it, and returns the exit code."""
    for folder in ("hdp", "tests", "book"):
        (tmp_path / folder).mkdir()
    for name, text in {"hdp/__init__.py": "", "hdp/one.py": "VALUE = 1\n", "tests/test_one.py": TESTS}.items():
        (tmp_path / name).write_text(text)
    for name in ("pyproject.toml", "requirements.txt"):
        (tmp_path / name).write_text("")
    monkeypatch.setattr(audit, "ROOT", tmp_path)

    def run(*rows):
        (tmp_path / audit.CLAIMS).write_text(yaml.safe_dump({"claims": list(rows)}))
        monkeypatch.setattr("sys.argv", ["audit.py", "--jobs", "1"])
        return audit.main()

    return run


def recorded():
    """Return what the small project's record says."""
    return json.loads((audit.ROOT / audit.RECORD).read_text())


def test_what_is_noticed_is_recorded(small, capsys):
    """A claim made false is; a hollow test, bad syntax and a missing module are not, and are named."""
    broken = row("broken", "exact", to=("VALUE = (", "import nowhere"))
    assert small(row("good", "exact"), row("hollow", "hollow"), broken) == 1
    said = capsys.readouterr().out.splitlines()
    missed = [line.split(",")[0] for line in said if " DOES NOT FAIL: " in line]
    assert sorted(missed) == ["broken", "broken", "hollow"] and said[-1].startswith("1 of 4 edits are noticed")
    assert any(line.startswith("hollow") and line.endswith("the test passes") for line in said)
    assert (audit.ROOT / "hdp/one.py").read_text() == "VALUE = 1\n"
    ((name, (entry,)),) = recorded().items()
    assert (name, entry["why"], entry["to"]) == ("good", "assert 2 == 1", "VALUE = 2")
    assert entry["tests"] == ["tests/test_one.py::test_exact"] and date.fromisoformat(entry["date"])
    # A second run tries what is new only; beside a test that notices, the hollow one does no harm.
    assert small(row("good", "exact"), row("hollow", "hollow", "exact")) == 0
    assert "1 of them seen before" in capsys.readouterr().out and set(recorded()) == {"good", "hollow"}


def test_a_text_that_does_not_stand_there_once_is_refused(small):
    with pytest.raises(ValueError, match="exactly once"):
        small(row("wrong", "exact", old="VALUE = 9"))


def test_nothing_is_edited_while_a_test_fails_anyway(small):
    """A test that fails without the edit shows nothing."""
    (audit.ROOT / "hdp/one.py").write_text("VALUE = 1 + 1\n")
    with pytest.raises(SystemExit, match="must pass before anything is edited"):
        small(row("wrong", "exact"))
