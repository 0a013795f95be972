"""The files that count, the curator's and a user's own: what they refuse and keep, that none comes about by mistake."""

import json
import math
import os
import stat
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import permutations
from math import inf
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("opendp", reason="needs OpenDP: pip install 'unequal-privacy[opendp]'")

from hdp.release import Ledger, plan, plan_bounds, receipts, report, report_value
from hdp.users import Users

HALF, PEOPLE = plan([0.5] * 100, spend=0.5), Users([0.5] * 100, values=[0.3] * 100)
HERS = plan(Users([2.0] * 10, "local"), "mixed", spend=0.5)


@pytest.fixture
def ledger(tmp_path):
    return Ledger.new(tmp_path / "ledger.json", HALF)


def entries(ledger):
    return json.loads(ledger.path.read_text())["entries"]


def reported(ledger, made=HERS, row=0):
    """Enter what a report costs."""
    with ledger.charged([made], hers=row):
        pass


def full_from(monkeypatch, count):
    """A disk that takes so many writings of ledgers."""
    write, left = Ledger._write, [None] * count

    def full(self, found):
        if not left:
            raise OSError(28, "No space left on device")
        left.pop()
        write(self, found)

    monkeypatch.setattr(Ledger, "_write", full)


@pytest.mark.settles("hdp-release-ledger")
def test_a_ledger_counts_and_refuses(tmp_path):
    """Thirds of budgets last for three releases; then nobody's is passed, and what is left is never rounded up."""
    third = plan([*np.random.default_rng(3).uniform(0.1, 9, 40), inf], spend=1 / 3)
    ledger, costs = Ledger.new(tmp_path / "ledger.json", third), receipts(third).spent
    for count in range(1, 4):
        promised = ledger.left(third, after=True)
        ledger.charge(third)
        rest = ledger.left(third)
        assert promised.tolist() == rest.tolist() and rest[-1] == inf
        for found, budget, cost in zip(rest[:-1], third.kinds.epsilon, costs, strict=False):
            exact = Fraction(budget) - count * Fraction(cost)
            assert 0 <= Fraction(found) <= exact <= Fraction(found) + Fraction(9, 2**48)
    before = ledger.path.read_text()
    with pytest.raises(ValueError, match="ledger must leave budgets for release 4"):
        ledger.charge(third)
    assert ledger.path.read_text() == before and not ledger.lock.exists()
    assert [entry["plan"] for entry in entries(ledger)] == [third.digest] * 3


@pytest.mark.settles("hdp-release-ledger", "hdp-release-own-ledger")
@pytest.mark.parametrize("own", [False, True])
def test_the_last_digit_of_a_budget_counts(own, tmp_path):
    """Where floats cannot tell the sum from the budget, fractions do; a budget is spent to its last digit."""
    half = plan(Users([1.0] * 900, "local"), "mixed", spend=0.5) if own else plan([1.0] * 100, spend=0.5)
    ledger = Ledger.own(tmp_path / "l", 1.0) if own else Ledger.new(tmp_path / "l", half)
    enter, cost = partial(reported, ledger, half) if own else partial(ledger.charge, half), float(half.spent[0])
    empty = json.loads(ledger.path.read_text())

    def holding(*spent):
        ledger.path.write_text(json.dumps(empty | {"entries": [
            {"plan": "a", "spent": [x], "answer": None} for x in spent]}))  # fmt: skip

    holding(1 - cost, 2.0**-80)
    assert sum([1 - cost, 2.0**-80, cost]) == 1 < sum(map(Fraction, [1 - cost, 2.0**-80, cost]))
    said = "whose budget is" if own else "users who allow"
    with pytest.raises(ValueError, match=f"ledger must leave budgets for release 3: {said} 1.0 would have spent 1; "):
        enter()
    holding(1 - cost)
    enter()
    assert sum(Fraction(entry["spent"][0]) for entry in entries(ledger)) == 1


@pytest.mark.settles("hdp-release-ledger")
@pytest.mark.parametrize("bounds", [False, True])
def test_a_ledger_is_for_the_same_persons_with_the_same_budgets(bounds, tmp_path):
    """With names or without: no exchange of one thing, no other name or order of rows; case does not count."""
    have, names = ([60.0, 60.0, 60.0, inf], [*"clcc"], [1, 1, 2, 1]), ["ann", "bob", "cay", ""]

    def entered(ledger, order, called):
        epsilon, trust, records = (np.array(column)[list(order)] for column in have)
        people = Users(epsilon, np.where(trust == "l", "local", "curator"), records, names=called)
        least = partial(plan_bounds, people, 0.4, outside=0.9, beta=0.9, lowest=0, highest=2)
        made = least() if bounds else plan(people, "mixed", spend=0.4)
        ledger = ledger if isinstance(ledger, Ledger) else Ledger.new(ledger, made)
        ledger.charge(made, people)
        return ledger

    for known in (names, None):
        ledger = entered(tmp_path / f"{known is None}.json", range(4), known)
        before = ledger.path.read_bytes()
        wrong = [(order, known) for order in permutations(range(4)) if order != (0, 1, 2, 3)]
        wrong += [(range(4), ["ann", "bob", "dan", ""]), (range(4), None if known else names)]
        for order, called in wrong:  # the rows are the same, and the names stay where they were
            with pytest.raises(ValueError, match=r"ledger must be for (the same )?users"):
                entered(ledger, order, called)
        assert ledger.path.read_bytes() == before and b"ann" not in before
        entered(ledger, [2, 3, 0, 1] if known else range(4), known and [" CAY", "", "Ann", "b\u200bob"])
        assert len(ledger.published()) == 2


def test_a_ledger_has_one_path_and_one_writer(ledger, tmp_path, monkeypatch):
    """Else each of its names would have a count of its own: links lead to it, and a second name (hard link) is none."""
    write, link, other = Ledger._write, tmp_path / "link.json", tmp_path / "other.json"
    link.symlink_to(ledger.path)

    def taken(self, found):
        write(self, found)
        self.lock.rename(tmp_path / "old.lock")  # so that its number is not given to the new one
        self.lock.touch()

    monkeypatch.setattr(Ledger, "_write", taken)
    Ledger(link).charge(HALF)
    monkeypatch.undo()
    for enter in (partial(Ledger(link).charge, HALF), partial(Ledger.new, link, HALF)):
        with pytest.raises(ValueError, match="ledger must not be in use"):
            enter()
    assert ledger.lock.exists() and len(entries(ledger)) == 1, "another one's lock, though the own one was removed"
    ledger.lock.unlink()
    (killed := tmp_path / "ledger.jsonabcd_123.new").touch()  # what was left there by one that was killed
    Ledger(link).charge(HALF)
    assert link.is_symlink() and len(entries(ledger)) == 2 and not killed.exists()
    before = ledger.path.read_text()
    other.hardlink_to(ledger.path)
    for enter in (partial(ledger.charge, HALF), partial(Ledger, ledger.path), partial(Ledger, other)):
        with pytest.raises(ValueError, match=r"ledger must have one name, got '.*', which has 2"):
            enter()
    assert ledger.path.read_text() == before and not ledger.lock.exists()


@pytest.mark.settles("hdp-release-ledger", "hdp-release-own-ledger")
def test_a_mistyped_name_is_no_new_count_and_no_odd_place_is_a_ledger(ledger, tmp_path):
    ledger.charge(HALF)
    before, makers = ledger.path.read_text(), (partial(Ledger.new, plan=HALF), partial(Ledger.own, epsilon=2.0))
    for use in (Ledger, partial(plan, [0.5] * 100, ledger=tmp_path / "ledgr.json")):
        with pytest.raises(ValueError, match=r"ledger must exist, got '.*ledgr.json'"):
            use(*[tmp_path / "ledgr.json"] * (use is Ledger))
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    os.mkfifo(tmp_path / "pipe")
    nowhere = "", tmp_path, tmp_path / "no folder" / "ledger.json", tmp_path / "loop", tmp_path / "pipe", "x" * 5000
    for call in (Ledger, *makers):
        for place in (*nowhere, "zero\0"):
            with pytest.raises(ValueError, match="ledger must be a file in a folder that exists, got '"):
                call(place)
        with pytest.raises(TypeError, match=r"ledger must be a str or a pathlib\.Path, got None"):
            call(None)
        if call is not Ledger:
            with pytest.raises(ValueError, match="ledger must be a new file"):
                call(ledger.path)
    assert ledger.path.read_text() == before and len(list(tmp_path.iterdir())) == 3


ANSWER = {"plan": HALF.digest, "answer": 0.5, "unclamped": 0.5, "noisy_sum": 7, "sampler": "OpenDP"}
WRONG = [{"spent": x} for x in ("no", [], [10**400], [[0.1, 0.2]], [-1.0], ["inf"], [math.nan], [True], [0.1] * 2)]
WRONG += [{"answer": ANSWER | {name: told}} for name, told in {
    "plan": "other", "answer": "much", "unclamped": math.nan, "noisy_sum": 0.5, "sampler": 0}.items()]  # fmt: skip
WRONG += [{"plan": 7}, {"answer": 7}, {"answer": {}}]
FILES = ["", "[]", "[" * 100_000, "\ud800", {"entries": 7}, {"entries": {}},
         {"schema": "hdp-ledger/1"}, {"persons": 7}, {"noise": "no"},
         {"persons": {"by": "rows"}}, {"whose": {}}, {"whose": {"epsilon": "x"}}, {"whose": None}]  # fmt: skip


@pytest.mark.parametrize("own", [False, True])
def test_a_file_that_is_no_ledger_or_was_edited_is_refused_and_kept(own, tmp_path, subtests):
    file, many = tmp_path / "ledger.json", plan([0.5, 1.0, 2.0] * 50, spend=0.5)
    ledger = Ledger.own(file, 2.0) if own else Ledger.new(file, many)
    enter, empty = partial(reported, ledger) if own else partial(ledger.charge, many), json.loads(file.read_text())
    entry = {"plan": HALF.digest, "spent": 0.125, "answer": ANSWER}
    good = empty | {"entries": [entry]}
    file.write_text(json.dumps(good))
    assert own or ledger.left(many) == pytest.approx([0.375, 0.875, 1.875]), "what one number says is of every kind"
    enter()
    twice = json.dumps(good).replace('"entries"', '"entries": [], "entries"')
    for edit in [*FILES, twice, *({"entries": [entry | wrong]} for wrong in WRONG)]:
        text = edit if isinstance(edit, str) else json.dumps(good | edit)
        file.write_bytes(text.encode(errors="surrogatepass"))
        with (
            subtests.test(ascii(edit)[:90]),
            pytest.raises(ValueError, match=r"ledger must be a file of .*ledger.json'$"),
        ):
            enter()
        assert file.read_bytes() == text.encode(errors="surrogatepass") and len(list(tmp_path.iterdir())) == 1


@pytest.mark.settles("hdp-release-ledger")
@pytest.mark.parametrize("own", [False, True])
def test_what_was_released_is_kept_with_its_entry_and_is_not_lost_where_it_cannot_be(own, tmp_path, monkeypatch):
    """It is drawn and paid for: a disk that is full by then must not swallow it; one full before charges nobody."""
    ledger = Ledger.own(tmp_path / "l", 4.0) if own else Ledger.new(tmp_path / "l", HALF)
    hers = plan(Users([4.0] * 10, "local"), "mixed", spend=0.5)
    make = partial(ledger.report, hers, 0.3) if own else partial(ledger.release, HALF, PEOPLE)
    first = make()
    assert ledger.published() == [first] and Ledger(ledger.path).published() == [first]
    full_from(monkeypatch, 0)
    before = ledger.path.read_text()
    with pytest.raises(OSError, match="No space left"):
        make()
    assert ledger.path.read_text() == before and not ledger.lock.exists()
    monkeypatch.undo()
    full_from(monkeypatch, 1)
    assert make().startswith("report:") if own else 0 <= make().answer <= 1
    assert ledger.published() == [first, None] and len(entries(ledger)) == 2
    with pytest.raises(ValueError, match="ledger must leave budgets for release 3"):
        make()


@pytest.mark.settles("hdp-release-ledger")
def test_receipts_are_written_under_the_lock_before_the_charge_and_of_all_releases(ledger):
    """What each will have left, after all of them; where they cannot be written, nothing is drawn or charged."""
    quarter, seen = plan([0.5] * 100, spend=0.25), []

    def before(kept):
        seen.append(kept)
        assert ledger.lock.exists() and ledger.path.read_text() == empty
        if len(seen) == 1:
            raise OSError(28, "No space left on device")

    ledger.charge(quarter)
    empty = ledger.path.read_text()
    others = [quarter, replace(quarter, value="other")]
    users = PEOPLE.having({"value": [0.3] * 100, "other": [0.9] * 100})
    with pytest.raises(OSError, match="No space"):
        ledger.release(others, users, before)
    assert ledger.path.read_text() == empty and not ledger.lock.exists()
    ledger.release(others, users, before)
    assert [[one.tolist() for one in kept] for kept in seen] == [[ledger.left(quarter).tolist()] * 2] * 2
    with pytest.raises(ValueError, match="ledger must be for users known by their rows"):
        ledger.release(quarter, users.having(names=[f"u{i}" for i in range(100)]), before)
    assert len(seen) == 2 and len(entries(ledger)) == 3


def test_an_entry_is_its_owners_alone_and_on_the_disk_before_anything_is_released(ledger, tmp_path, monkeypatch):
    """The file before it takes the ledger's name, then the folder; and no name that could be guessed."""
    done, sync, replace_file, precious = [], os.fsync, os.replace, tmp_path / "precious.txt"
    precious.write_text("kept")
    for name in ("ledger.json.new", "ledger.json.tmp"):
        (tmp_path / name).symlink_to(precious)

    def synced(descriptor):
        sync(descriptor)
        done.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")

    def replaced(*names):
        replace_file(*names)
        done.append("name")

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    assert stat.S_IMODE(ledger.path.stat().st_mode) == 0o600
    ledger.path.chmod(0o644)
    with ledger.charged([HALF]):
        assert done == ["file", "name", "folder"] and stat.S_IMODE(ledger.path.stat().st_mode) == 0o600
    assert precious.read_text() == "kept" and len(list(tmp_path.iterdir())) == 4, "no other file is left"


@pytest.mark.settles("hdp-release-own-ledger")
def test_a_ledger_is_for_its_users_and_one_noise(ledger, tmp_path):
    own, before = Ledger.own(tmp_path / "own.json", 2.0), ledger.path.read_text()
    more, gaussian = plan([0.5] * 101), plan([0.5] * 100, noise="gaussian")
    rho, other = (plan(Users([e] * 10, "local"), "mixed", noise=n) for e, n in ((2.0, "gaussian"), (3.0, "laplace")))
    for enter, said in (
        (partial(ledger.charge, more), "the users"), (partial(plan, [0.5] * 101, ledger=ledger), "the users"),
        (partial(ledger.charge, gaussian), "gaussian noise"), (partial(reported, own, rho), "gaussian noise"),
        (partial(plan, [0.5] * 100, noise="gaussian", ledger=ledger), "gaussian noise"),
        (partial(reported, own, other), "her own budget, 3.0"), (partial(own.charge, HERS), "the users of the plan"),
        (partial(reported, ledger), "her own budget, 2.0"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=f"ledger must be for {said}"):
            enter()
    assert not entries(own) and ledger.path.read_text() == before and own.budget == 2
    with pytest.raises(ValueError, match="ledger must be her own"):
        ledger.budget  # noqa: B018


# -- What a report costs, and what it tells.


def test_whoever_does_not_report_and_what_is_no_number_spends_nothing(tmp_path):
    made = plan(Users([1.0, 4.0] * 40, ["curator", "local"] * 40), "mixed")
    own, hers = Ledger.own(tmp_path / "own.json", 4.0), Ledger.own(tmp_path / "hers.json", 1.0)
    for ledger, value, records in ((own, 0.5, 2), (own, inf, 1), (own, "0.737", 1), (own, None, 1), (hers, 0.5, 1)):
        with pytest.raises(ValueError, match=r"^(epsilon|value) must") as refused:
            ledger.report(made, value, records)
        assert not entries(ledger) and "737" not in str(refused.value)


@pytest.fixture
def known(monkeypatch):
    """OpenDP's measurements in the place of themselves: they say what they cost, and draw what is asked for.

    Noise is as many times its scale as `size`; a bit is told as it is, or with `size` 1 as it is not.  Before each draw
    `watch` is called.
    """
    import opendp.measurements as real

    known = SimpleNamespace(size=0, dearer=1.0, watch=lambda: None)

    def made(make, *domains, **options):
        true, known.options = make(*domains, **options), options

        def draw(x):
            known.watch()
            return bool(x) != bool(known.size) if "prob" in options else x + round(known.size * options["scale"])

        draw.map = lambda distance: true.map(distance) * known.dearer
        return draw

    for name in ("make_laplace", "make_gaussian", "make_randomized_response_bool"):
        monkeypatch.setattr(real, name, partial(made, getattr(real, name)))
    return known


@pytest.mark.settles("hdp-release-own-ledger")
@pytest.mark.parametrize("releases", [1, 3])
@pytest.mark.parametrize("reports", ["simple", "noisy"])
@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_a_report_tells_as_much_as_its_ledger_counts(noise, reports, releases, known, tmp_path):
    """How far both ends are apart, over the noise that was really added, or the odds of a lie that was really told."""
    users = Users([3.0] * 900 + [7.0] * 9, "local")
    made = plan(users, "mixed", noise=noise, reports=reports, spend=1 / releases)
    own = Ledger.own(tmp_path / "own.json", 3.0, noise)

    def told_of(x):
        return report_value(made, 3.0, report(made, 3.0, x))

    told = [told_of(x) for x in (-0.5, 0.0, 1.0, 1.5)]
    known.size = 1
    moved = told_of(0.0) - told[0]
    if reports == "noisy":
        assert told == [0, 0, 1, 1]
        ratio = 1 / moved
        loss = ratio if noise == "laplace" else ratio**2 / 2
    else:
        assert told[0] == told[1] == 1 - told[2] == 1 - told[3] == pytest.approx(0.5 - moved / 2)
        odds = math.log(known.options["prob"] / (1 - known.options["prob"]))
        assert moved == pytest.approx(1 / math.tanh(odds / 2), rel=1e-9)  # unbiased for this chance of a lie
        loss = odds if noise == "laplace" else odds * math.tanh(odds / 2)
    assert loss == pytest.approx(3 / releases, rel=1e-6)
    known.dearer = 1.02  # than the plan says
    for make in (partial(report, made, 3.0), partial(own.report, made)):
        with pytest.raises(ValueError, match="cost"):
            make(0.5)
    known.dearer, entered = 1.0, []
    known.watch = lambda: entered.append(len(entries(own)))
    for times in range(1, releases + 1):
        own.report(made, 0.5)
        assert sum(entry["spent"][0] for entry in entries(own)) == pytest.approx(times * loss, rel=1e-6)
    with pytest.raises(ValueError, match="ledger must leave budgets"):
        own.report(made, 0.5)
    assert entered == list(range(1, releases + 1)), "each is entered before it is drawn, and no other is drawn"
