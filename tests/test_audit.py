"""The audit of the claims: what it does to a small project, and a sample of the book's own edits, another every day.

The sample is that of today (UTC), of the edits that the record has; HDP_AUDIT_DAY=2026-01-31 draws another day's again.
"""

import json
import os
import random
from datetime import UTC, date, datetime
from functools import cache

import pytest

from tests import audit
from tests.files import write_claims

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
    return {"id": name, "paper": "cc", "breaks": edits, "test": [f"tests/test_one.py::test_{test}" for test in tests]}


@pytest.fixture
def small(tmp_path, monkeypatch):
    """Return a function that makes a small project with these rows, audits it, and returns the exit code."""
    for folder in ("hdp", "tests", "book"):
        (tmp_path / folder).mkdir()
    for name, text in {"hdp/__init__.py": "", "hdp/one.py": "VALUE = 1\n", "tests/test_one.py": TESTS}.items():
        (tmp_path / name).write_text(text)
    for name in ("pyproject.toml", "requirements.txt", "tests/requirements.txt"):
        (tmp_path / name).write_text("")
    monkeypatch.setattr(audit, "ROOT", tmp_path)
    monkeypatch.setattr(audit, "commit", lambda: "abcdef")

    def run(*rows):
        edits = {row["id"]: row.pop("breaks") for row in rows}
        write_claims(tmp_path, {"cc": "somebody2020"}, rows, edits)
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
    ((name, (why, when, commit)),) = recorded().items()
    assert (name.split()[0], why, commit) == ("good", "assert 2 == 1", "abcdef") and date.fromisoformat(when)
    # A second run tries what is new only; beside a test that notices, the hollow one does no harm.
    assert small(row("good", "exact"), row("hollow", "hollow", "exact")) == 0
    assert "1 of them seen before" in capsys.readouterr().out
    assert {key.split()[0] for key in recorded()} == {"good", "hollow"}


def test_a_text_that_does_not_stand_there_once_is_refused(small):
    with pytest.raises(ValueError, match="exactly once"):
        small(row("wrong", "exact", old="VALUE = 9"))


def test_nothing_is_edited_while_a_test_fails_anyway(small):
    """A test that fails without the edit shows nothing."""
    (audit.ROOT / "hdp/one.py").write_text("VALUE = 1 + 1\n")
    with pytest.raises(SystemExit, match="must pass before anything is edited"):
        small(row("wrong", "exact"))


def test_a_tree_with_changes_is_not_recorded(small, capsys, monkeypatch):
    """Once it is a commit, what was seen of the same code is."""
    monkeypatch.setattr(audit, "commit", lambda: "")
    assert small(row("good", "exact")) == 0
    assert "not recorded" in capsys.readouterr().out and not (audit.ROOT / audit.RECORD).exists()
    monkeypatch.setattr(audit, "commit", lambda: "abcdef")
    assert small(row("good", "exact")) == 0
    assert "1 of them seen before" in capsys.readouterr().out and len(recorded()) == 1


def test_the_record_itself_is_no_change(tmp_path, monkeypatch):
    """Anything else is."""
    monkeypatch.setattr(audit, "ROOT", tmp_path)
    assert audit.commit() == ""
    audit.git("init")
    (tmp_path / "book").mkdir()
    for name in ("one.py", audit.RECORD):
        (tmp_path / name).write_text("1\n")
    audit.git("add", ".")
    audit.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-m", "one")
    (tmp_path / audit.RECORD).write_text("2\n")
    assert len(audit.commit()) == 10
    (tmp_path / "one.py").write_text("2\n")
    assert audit.commit() == ""


def test_every_commit_of_the_record_is_in_the_history():
    """The record says where one can see the same again."""
    if audit.git("rev-parse", "--is-shallow-repository")[0] != "false":
        pytest.skip("this is no clone with the whole history")
    commits = {commit for _, _, commit in audit.recorded().values()}
    assert commits and not {name for name in commits if not audit.git("merge-base", "--is-ancestor", name, "HEAD")[1]}


def test_the_edit_of_the_template_is_noticed(copy):
    """A chapter that is copied from it begins with a claim that can fail."""
    (edit,) = audit.template()
    outcome = audit.attempt(edit, copy)
    assert outcome["fails"], outcome["why"]
