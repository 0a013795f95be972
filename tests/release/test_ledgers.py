"""The files that count: what they refuse, what they keep, and that none comes about by mistake."""

import json
import math
import os
import stat
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from math import inf

import numpy as np
import pytest

from hdp.compare import Population
from hdp.release import (
    Plan,
    charge,
    ledgers,
    left,
    measurement,
    new_ledger,
    new_own_ledger,
    plan,
    plan_bounds,
    published,
    receipts,
    release,
    release_bounds,
    report,
    reported,
    spend,
)

HALF = plan([0.5] * 100, releases=2)
HERS = plan(Population([2.0] * 10, "local"), "mixed", releases=2)
# Whatever enters something, and what makes the file: the curator's, and a local user's own.
BOTH = pytest.mark.parametrize(
    ("enter", "make"),
    [(lambda file: charge(HALF, file), lambda file: new_ledger(HALF, file)),
     (lambda file: spend(HERS, 2.0, file), lambda file: new_own_ledger(file, 2.0))],
    ids=["the curator's", "her own"],
)  # fmt: skip


@pytest.mark.settles("hdp-release-ledger")
def test_a_ledger_counts_and_refuses(tmp_path):
    """Quarters of budgets last for four releases, in exact sums; then nobody's budget is passed by another one."""
    file = tmp_path / "ledger.json"
    epsilon = [0.1, 0.7, 1 / 3, math.inf] * 50
    quarter = plan(epsilon, releases=4)
    new_ledger(quarter, file)
    for count in range(1, 5):
        spent = charge(quarter, file)
        assert spent == pytest.approx(count * receipts(quarter).spent)
    before = file.read_text()
    with pytest.raises(ValueError, match="ledger must leave budgets for release 5"):
        charge(quarter, file)
    assert file.read_text() == before and not list(tmp_path.glob("*.lock"))
    assert json.loads(before)["plans"] == [quarter.digest] * 4


@pytest.mark.settles("hdp-release-ledger")
@pytest.mark.parametrize("bounds", [False, True])
def test_a_ledger_is_for_the_same_persons_with_the_same_budgets(bounds, tmp_path):
    """Of four users with names or without: no exchange, no other name, no other order of rows; case does not count."""
    pytest.importorskip("opendp", reason="needs the extra opendp")
    have, names = ([60.0, 60.0, 90.0, inf], "curator", [1, 2, 1, 1]), ["ann", "bob", "cay", ""]

    def entered(ledger, order, called):
        people = Population(*(np.array(np.broadcast_to(column, 4))[order] for column in have))
        if bounds:
            told = plan_bounds(people, 0.5, outside=0.9, beta=0.9, lowest=0, highest=2)
            return release_bounds(told, people, [1.0] * 4, ledger, names=called)
        return release(plan(people, releases=4), people, [0.5] * 4, ledger, names=called)

    for known in (names, None):
        ledger = tmp_path / f"{known is None}.json"
        new_ledger(plan(Population(*have)), ledger)
        entered(ledger, [0, 1, 2, 3], known)
        before = ledger.read_bytes()
        wrong = [(order, known) for order in permutations(range(4)) if list(order) != [0, 1, 2, 3]]
        wrong += [([0, 1, 2, 3], ["ann", "bob", "dan", ""]), ([0, 1, 2, 3], None if known else names)]
        for order, called in wrong:  # the rows are the same, and the names stay where they were
            with pytest.raises(ValueError, match=r"ledger must be for (the same )?users"):
                entered(ledger, list(order), called)
        assert ledger.read_bytes() == before and b"ann" not in before
        entered(ledger, [2, 3, 0, 1] if known else [0, 1, 2, 3], known and [" CAY", "", "Ann", "b\u200bob"])
        assert len(published(ledger)) == 2


@pytest.mark.settles("hdp-release-ledger")
def test_a_ledger_refuses_by_an_ulp(tmp_path):
    """Where floats cannot tell the sum from the budget, fractions do: here the least share of all is too much."""
    whole = plan([0.5] * 100)
    least = replace(whole, kinds=replace(whole.kinds, share=np.array([1])))
    assert receipts(least).spent[0] == 2.0**-52 and receipts(whole).kept[0] == 0
    for name in ("some left", "none left"):
        new_ledger(least, tmp_path / name)
    charge(least, tmp_path / "some left")
    charge(least, tmp_path / "some left")
    charge(whole, tmp_path / "none left")
    with pytest.raises(ValueError, match="would have spent"):
        charge(least, tmp_path / "none left")


@BOTH
def test_a_ledger_has_one_path_and_links_lead_to_it(enter, make, tmp_path):
    """Else each of its names would have a count of its own, and a lock of its own."""
    (tmp_path / "far").mkdir()
    file, link, nowhere = tmp_path / "far" / "ledger.json", tmp_path / "link.json", tmp_path / "nowhere.json"
    link.symlink_to(file)
    nowhere.symlink_to(tmp_path / "no folder" / "ledger.json")
    with pytest.raises(ValueError, match="ledger must be a file in a folder that exists"):
        make(nowhere)
    make(link)
    enter(link)
    enter(file)
    assert link.is_symlink() and len(json.loads(file.read_text())["plans"]) == 2
    for either in (file, link):
        with pytest.raises(ValueError, match="ledger must leave"):
            enter(either)
    file.with_name("ledger.json.lock").touch()
    with pytest.raises(ValueError, match="ledger must not be in use"):
        enter(link)


@BOTH
def test_a_ledger_with_a_second_name_is_refused(enter, make, tmp_path):
    """A new file takes one of the names; the other would keep the old count, and allow the same budgets again."""
    file, other = tmp_path / "ledger.json", tmp_path / "other.json"
    make(file)
    enter(file)
    before = file.read_text()
    other.hardlink_to(file)
    for either in (file, other):
        with pytest.raises(ValueError, match=r"ledger must have one name, got '.*', which has 2"):
            enter(either)
    assert file.read_text() == before and not list(tmp_path.glob("*.lock"))
    file.unlink()
    enter(other)
    assert len(json.loads(other.read_text())["plans"]) == 2


@pytest.mark.settles("hdp-release-ledger")
@BOTH
def test_a_mistyped_name_is_no_new_count(enter, make, tmp_path):
    """It is refused, and makes no file; nor is a ledger made anew that is there."""
    file = tmp_path / "ledger.json"
    with pytest.raises(
        ValueError, match=r"ledger must exist, got '.*ledgr.json': check the name, or make one with new"
    ):
        enter(tmp_path / "ledgr.json")
    assert not list(tmp_path.iterdir())
    make(file)
    enter(file)
    before = file.read_text()
    with pytest.raises(ValueError, match="ledger must be a new file"):
        make(file)
    assert file.read_text() == before


@BOTH
def test_a_ledger_is_its_owners_alone_and_follows_no_link_that_was_laid(enter, make, tmp_path):
    """What is written first may have no name that somebody could guess and lead elsewhere."""
    file, precious = tmp_path / "ledger.json", tmp_path / "precious.txt"
    precious.write_text("kept")
    for name in ("ledger.json.new", "ledger.json.tmp"):
        (tmp_path / name).symlink_to(precious)
    make(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.chmod(0o644)
    enter(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and precious.read_text() == "kept"
    assert len(list(tmp_path.iterdir())) == 4, "no other file is left"


@BOTH
@pytest.mark.parametrize(
    "edit",
    ["", "[]", "{}", "no", "[" * 100_000, "\ud800", {"plans": ""}, {"plans": []}, {"spent": [10**400]}, {"spent": 7},
     {"spent": [[0.1, 0.2, 0.3]]}, {"spent": [[]]}, {"spent": [-1.0]}, {"spent": ["inf"]}, {"spent": [math.nan]},
     {"spent": [math.inf]}, {"spent": [[[0.1]]]}, {"spent": [True]}, {"spent": ["0"]}, {"schema": "hdp-ledger/1"},
     {"plans": [7]}, {"more": 1}, {"persons": 7}, {"persons": {"by": "rows"}}],
    ids=lambda edit: str(edit)[:25],
)  # fmt: skip
def test_a_file_that_is_no_ledger_or_was_edited_is_refused_and_kept(edit, enter, make, tmp_path):
    file = tmp_path / "ledger.json"
    make(file)
    enter(file)
    good = json.loads(file.read_text())
    text = json.dumps(good | edit) if isinstance(edit, dict) else edit
    file.write_bytes(text.encode(errors="surrogatepass"))
    with pytest.raises(ValueError, match=r"ledger must be a file of the schema hdp-(own-)?ledger/\d .*ledger.json'$"):
        enter(file)
    assert file.read_bytes() == text.encode(errors="surrogatepass") and len(list(tmp_path.iterdir())) == 1


def test_what_was_spent_is_told_of_every_kind(tmp_path):
    """Or in one number for all; a list of another length was edited, and other users may be of more or fewer kinds."""
    made, file = plan([0.5, 1.0, 2.0] * 50, releases=2), tmp_path / "ledger.json"
    new_ledger(made, file)
    entries = json.loads(file.read_text()) | {"plans": [made.digest], "answers": [None]}
    file.write_text(json.dumps(entries | {"spent": [0.125]}))
    assert left(made, file) == pytest.approx([0.375, 0.875, 1.875])
    charge(made, file)
    for other in (HALF, plan([0.5, 1.0] * 75)):
        for reader in (left, charge):
            with pytest.raises(ValueError, match="ledger must be for the users of the plan"):
                reader(other, file)
    for column in ([0.1], [0.1, 0.1], [0.1] * 4, ["inf"] * 3):
        file.write_text(json.dumps(entries | {"spent": [column]}))
        for reader in (left, charge):
            with pytest.raises(ValueError, match="ledger must be a file of the schema"):
                reader(made, file)


@pytest.mark.settles("hdp-release-ledger")
def test_a_release_is_kept_with_its_entry(tmp_path):
    """Whoever loses what was printed has it still, and a release that failed half way is no answer."""
    pytest.importorskip("opendp", reason="needs OpenDP: pip install 'unequal-privacy[opendp]'")
    file, users = tmp_path / "ledger.json", Population([0.5] * 100)
    new_ledger(HALF, file)
    assert published(file) == []
    first = release(HALF, users, [0.3] * 100, file)
    assert published(file) == [first] and left(HALF, file) == pytest.approx(0.25)
    charge(HALF, file)
    assert published(file) == [first, None] and left(HALF, file)[0] < 2.0**-40
    entries = json.loads(file.read_text())
    answer = entries["answers"][0]
    wrong = {"plan": [1, "other"], "answer": ["much", None, True, math.nan], "noisy_sum": [0.5], "sampler": [None]}
    edited = [answer | {name: told} for name, cells in wrong.items() for told in cells]
    for edit in (1, {}, {"answer": 1}, *edited):
        file.write_text(json.dumps(entries | {"answers": [edit, None]}))
        for reader in (published, lambda file: left(HALF, file)):
            with pytest.raises(ValueError, match="ledger must be a file of the schema"):
                reader(file)


@pytest.mark.settles("hdp-release-ledger")
@BOTH
def test_what_the_ledger_cannot_keep_is_not_lost(enter, make, tmp_path, monkeypatch):
    """It is drawn and paid for: the disk that is full by then must not swallow it."""
    pytest.importorskip("opendp", reason="needs OpenDP: pip install 'unequal-privacy[opendp]'")
    file, write, entries = tmp_path / "ledger.json", ledgers.write, []

    def full(path, found):
        entries.append(found)
        if len(entries) > 1:
            raise OSError(28, "No space left on device")
        write(path, found)

    make(file)
    monkeypatch.setattr(ledgers, "write", full)
    if "answers" in json.loads(file.read_text()):
        assert 0 <= release(HALF, Population([0.5] * 100), [0.3] * 100, file).answer <= 1
        assert published(file) == [None] and left(HALF, file) == pytest.approx(0.25)
    else:
        assert report(HERS, 2.0, 0.3, ledger=file).startswith("report:")
        assert reported(file) == [None] and len(json.loads(file.read_text())["spent"]) == 1


def test_a_report_is_kept_with_its_entry(tmp_path):
    """Whoever loses what was printed has it still, and nothing is drawn twice."""
    pytest.importorskip("opendp", reason="needs OpenDP: pip install 'unequal-privacy[opendp]'")
    file = tmp_path / "mine.json"
    new_own_ledger(file, 2.0)
    first = report(HERS, 2.0, 0.3, ledger=file)
    spend(HERS, 2.0, file)
    assert reported(file) == [first, None] and len(json.loads(file.read_text())["spent"]) == 2
    file.write_text(json.dumps(json.loads(file.read_text()) | {"reports": [first, 7]}))
    with pytest.raises(ValueError, match="ledger must be a file of the schema"):
        reported(file)


@BOTH
def test_a_lock_of_somebody_else_stays(enter, make, tmp_path, monkeypatch):
    """If the own one was removed by hand meanwhile; the entry stands."""
    file, write = tmp_path / "ledger.json", ledgers.write
    make(file)
    lock = ledgers.lock_of(file)

    def taken(path, found):
        write(path, found)
        lock.rename(tmp_path / "old.lock")  # so that its number is not given to the new one
        lock.touch()

    monkeypatch.setattr(ledgers, "write", taken)
    enter(file)
    assert lock.exists() and len(json.loads(file.read_text())["plans"]) == 1


def test_what_is_left_is_never_rounded_up(tmp_path):
    budgets = np.random.default_rng(3).uniform(0.1, 9, 40)
    made, file = plan(budgets, releases=3), tmp_path / "ledger.json"
    new_ledger(made, file)
    for count in range(1, 4):
        charge(made, file)
        rest = zip(left(made, file), made.kinds.epsilon, receipts(made).spent, strict=True)
        exact = [(Fraction(rest), Fraction(e) - count * Fraction(s)) for rest, e, s in rest]
        assert all(0 <= found <= wanted for found, wanted in exact)
        assert all(wanted - found <= Fraction(9, 2**48) for found, wanted in exact)


def test_an_entry_is_on_the_disk_before_anything_is_released(tmp_path, monkeypatch):
    """The file before it takes the ledger's name, and then the folder that holds the name."""
    done, sync, replace_file = [], os.fsync, os.replace

    def synced(descriptor):
        sync(descriptor)
        done.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")

    def replaced(*names):
        replace_file(*names)
        done.append("name")

    new_ledger(HALF, tmp_path / "ledger.json")
    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    charge(HALF, tmp_path / "ledger.json")
    assert done == ["file", "name", "folder"]


def test_a_ledger_is_for_its_users_one_noise_and_one_process(tmp_path):
    file = tmp_path / "ledger.json"
    new_ledger(HALF, file)
    charge(HALF, file)
    others, gaussian = plan([0.5] * 101), plan([0.5] * 100, releases=9, noise="gaussian")
    for other, said in ((others, "the users of the plan"), (gaussian, "gaussian noise, as the plan, got .* 'laplace'")):
        with pytest.raises(ValueError, match=f"ledger must be for {said}"):
            charge(other, file)
    lock = file.with_name("ledger.json.lock")
    lock.touch()
    with pytest.raises(ValueError, match="ledger must not be in use"):
        charge(HALF, file)
    assert lock.exists(), "another one's"
    with pytest.raises(ValueError, match="text must be a plan as to_json writes it"):
        Plan.from_json("[" * 100_000)


def test_what_is_no_plan_is_refused_by_name(tmp_path):
    """Before a ledger is made, and without OpenDP."""
    people, ledger = Population([1.0] * 3), tmp_path / "ledger.json"
    for call in (
        lambda none: charge(none, ledger),
        lambda none: measurement(none, people),
        lambda none: release(none, people, [0.5] * 3, ledger),
    ):
        for none in (None, "plan.json", {}, people):
            with pytest.raises(TypeError, match=r"plan must be a Plan(?: or BoundsPlan)?, got"):
                call(none)
    assert not list(tmp_path.iterdir())


@BOTH
def test_what_is_no_place_for_a_ledger_is_refused_by_name(enter, make, tmp_path):
    """Folders, what is no file, loops of links, names that no file can have."""
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    os.mkfifo(tmp_path / "pipe")
    nowhere = "", ".", tmp_path, tmp_path / "no folder" / "ledger.json", tmp_path / "a", tmp_path / "pipe", "x" * 5000
    for call in (enter, make):
        for place in (*nowhere, "zero\0"):
            with pytest.raises(ValueError, match="ledger must be a file in a folder that exists, got '"):
                call(place)
        for ledger in (1, None):
            with pytest.raises(TypeError, match=f"ledger must be a str or a pathlib.Path, got {ledger}"):
                call(ledger)
    assert len(list(tmp_path.iterdir())) == 3
