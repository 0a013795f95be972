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

import numpy as np
import pytest

from hdp.compare import Population
from hdp.release import (
    charge,
    ledgers,
    left,
    new_ledger,
    new_own_ledger,
    plan,
    plan_bounds,
    published,
    receipts,
    release,
    release_bounds,
    report,
    report_value,
    reported,
    spend,
)
from tests.release.test_plans import loss

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
    """Thirds of budgets last for three releases; then nobody's is passed, and what is left is never rounded up."""
    third, file = plan([*np.random.default_rng(3).uniform(0.1, 9, 40), inf], releases=3), tmp_path / "ledger.json"
    new_ledger(third, file)
    costs = receipts(third).spent
    for count in range(1, 4):
        assert charge(third, file) == pytest.approx(count * costs)
        rest = left(third, file)
        for found, budget, cost in zip(rest[:-1], third.kinds.epsilon, costs, strict=False):
            exact = Fraction(budget) - count * Fraction(cost)
            assert 0 <= Fraction(found) <= exact <= Fraction(found) + Fraction(9, 2**48) and rest[-1] == inf
    before = file.read_text()
    with pytest.raises(ValueError, match="ledger must leave budgets for release 4"):
        charge(third, file)
    assert file.read_text() == before and not list(tmp_path.glob("*.lock"))
    assert json.loads(before)["plans"] == [third.digest] * 3


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
    file, link = tmp_path / "far" / "ledger.json", tmp_path / "link.json"
    link.symlink_to(file)
    make(link)
    enter(link)
    enter(file)
    assert link.is_symlink() and len(json.loads(file.read_text())["plans"]) == 2
    with pytest.raises(ValueError, match="ledger must leave"):
        enter(link)
    (lock := file.with_name("ledger.json.lock")).touch()
    with pytest.raises(ValueError, match="ledger must not be in use"):
        enter(link)
    assert lock.exists(), "another one's"


@BOTH
def test_a_ledger_with_a_second_name_is_refused(enter, make, tmp_path):
    """A new file takes one of the names; the other would keep the old count, and allow the same budgets again."""
    file, other = tmp_path / "ledger.json", tmp_path / "other.json"
    make(file)
    before = file.read_text()
    other.hardlink_to(file)
    for either in (file, other):
        with pytest.raises(ValueError, match=r"ledger must have one name, got '.*', which has 2"):
            enter(either)
    assert file.read_text() == before and not list(tmp_path.glob("*.lock"))


@pytest.mark.settles("hdp-release-ledger")
@BOTH
def test_a_mistyped_name_is_no_new_count(enter, make, tmp_path):
    file = tmp_path / "ledger.json"
    with pytest.raises(ValueError, match=r"ledger must exist, got '.*ledgr.json'"):
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
    ["", "[]", "[" * 100_000, "\ud800", {"plans": []}, {"spent": [10**400]}, {"spent": 7}, {"spent": [[0.1, 0.2]]},
     {"spent": [[]]}, {"spent": [-1.0]}, {"spent": ["inf"]}, {"spent": [math.nan]}, {"spent": [True]},
     {"schema": "hdp-ledger/1"}, {"plans": [7]}, {"reports": [7]}, {"persons": 7}, {"persons": {"by": "rows"}}],
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
    made, file = plan([0.5, 1.0, 2.0] * 50, releases=2), tmp_path / "ledger.json"
    new_ledger(made, file)
    entries = json.loads(file.read_text()) | {"plans": [made.digest], "answers": [None]}
    file.write_text(json.dumps(entries | {"spent": [0.125]}))
    assert left(made, file) == pytest.approx([0.375, 0.875, 1.875])
    charge(made, file)
    for column in ([0.1], [0.1] * 4, [0.1, 0.1, "inf"]):
        file.write_text(json.dumps(entries | {"spent": [column]}))
        for reader in (left, charge):
            with pytest.raises(ValueError, match="ledger must be a file of the schema"):
                reader(made, file)


@pytest.mark.settles("hdp-release-ledger")
def test_a_release_is_kept_with_its_entry(tmp_path):
    pytest.importorskip("opendp", reason="needs OpenDP: pip install 'unequal-privacy[opendp]'")
    file, users = tmp_path / "ledger.json", Population([0.5] * 100)
    new_ledger(HALF, file)
    assert published(file) == []
    first = release(HALF, users, [0.3] * 100, file)
    assert published(file) == [first] and left(HALF, file) == pytest.approx(0.25)
    charge(HALF, file)
    assert published(file) == [first, None] and left(HALF, file)[0] < 2.0**-40
    entries = json.loads(file.read_text())
    wrong = ("plan", 1), ("plan", "other"), ("answer", "much"), ("answer", math.nan), ("noisy_sum", 0.5), ("sampler", 0)
    for edit in (1, {}, *(entries["answers"][0] | {name: told} for name, told in wrong)):
        file.write_text(json.dumps(entries | {"answers": [edit, None]}))
        with pytest.raises(ValueError, match="ledger must be a file of the schema"):
            published(file)


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


def test_a_ledger_is_for_its_users_and_one_noise(tmp_path):
    file = tmp_path / "ledger.json"
    new_ledger(HALF, file)
    for budgets, noise, said in (([0.5] * 101, "laplace", "the users"), ([0.5] * 100, "gaussian", "gaussian noise")):
        for ask in (lambda b, n: charge(plan(b, noise=n), file), lambda b, n: plan(b, noise=n, ledger=file)):
            with pytest.raises(ValueError, match=f"ledger must be for {said}"):
                ask(budgets, noise)
    with pytest.raises(ValueError, match="ledger must exist"):
        plan([0.5] * 100, ledger=tmp_path / "ledgr.json")
    assert len(list(tmp_path.iterdir())) == 1


@BOTH
def test_what_is_no_place_for_a_ledger_is_refused_by_name(enter, make, tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    os.mkfifo(tmp_path / "pipe")
    nowhere = "", tmp_path, tmp_path / "no folder" / "ledger.json", tmp_path / "loop", tmp_path / "pipe", "x" * 5000
    for call in (enter, make):
        for place in (*nowhere, "zero\0"):
            with pytest.raises(ValueError, match="ledger must be a file in a folder that exists, got '"):
                call(place)
        with pytest.raises(TypeError, match=r"ledger must be a str or a pathlib\.Path, got None"):
            call(None)
    assert len(list(tmp_path.iterdir())) == 2


# -- A local user's own: exact sums, and what a report costs.

KINDS = [(noise, reports) for noise in ("laplace", "gaussian") for reports in ("simple", "noisy")]


def made_for(epsilon, noise="laplace", reports="noisy", releases=1, bits=None):
    """A plan for local users of this budget."""
    users = Population([epsilon] * 900 + [7.0] * 9, "local")
    return plan(users, "mixed", noise=noise, reports=reports, releases=releases, bits=bits)


@pytest.mark.settles("hdp-release-own-ledger")
@pytest.mark.parametrize(("noise", "reports"), KINDS)
def test_what_was_spent_is_never_above_the_budget(noise, reports, tmp_path):
    rng = np.random.default_rng(1)
    for run in range(20):
        epsilon, own, total = float(rng.uniform(2, 5)), tmp_path / f"{run}.json", Fraction(0)
        new_own_ledger(own, epsilon, noise)
        for _ in range(12):
            made = made_for(epsilon, noise, reports, int(rng.integers(2, 9)))
            row = int(np.flatnonzero(made.kinds.epsilon == epsilon)[0])
            cost = Fraction(float(receipts(made).spent[row]))
            assert cost >= (loss(made.kinds.share[row], made) if reports == "noisy" else 0)
            if total + cost > Fraction(epsilon):
                with pytest.raises(ValueError, match="ledger must leave a budget"):
                    spend(made, epsilon, own)
                continue
            total += cost
            assert 0 <= Fraction(spend(made, epsilon, own)) - total <= total / 2**52
        found = json.loads(own.read_text())
        assert sum(map(Fraction, found["spent"])) == total <= Fraction(epsilon) and len(found["plans"]) > 1


@pytest.mark.settles("hdp-release-own-ledger")
def test_the_last_digit_of_a_budget_counts(tmp_path):
    own, half = tmp_path / "own.json", made_for(1.0, releases=2)
    cost = float(receipts(half).spent[0])
    spent = [1 - cost, 2.0**-80]
    new_own_ledger(own, 1.0)
    entries = json.loads(own.read_text()) | {"plans": ["a", "b"], "reports": [None, None]}
    assert sum([*spent, cost]) == 1 < sum(map(Fraction, [*spent, cost]))
    own.write_text(json.dumps(entries | {"spent": spent}))
    with pytest.raises(ValueError, match="ledger must leave a budget for report 3"):
        spend(half, 1.0, own)
    own.write_text(json.dumps(entries | {"spent": [1 - cost, 0.0]}))
    assert spend(half, 1.0, own) == 1


@pytest.mark.settles("hdp-release-own-ledger")
def test_another_budget_or_notion_wants_another_file(tmp_path):
    own = tmp_path / "own.json"
    new_own_ledger(own, 1.0)
    spend(made_for(1.0, releases=4), 1.0, own)
    text = own.read_text()
    for epsilon, noise in ((2.0, "laplace"), (1.0, "gaussian")):
        with pytest.raises(ValueError, match="ledger must be for the budget"):
            spend(made_for(epsilon, noise, releases=4), epsilon, own)
    assert own.read_text() == text


@pytest.mark.parametrize(
    ("epsilon", "records"),
    [*((bad, 1) for bad in (1.0, 3.0, -1.0, math.nan, 10**400, None)), *((4.0, bad) for bad in (2, 0, 1.5, None))],
)
def test_who_does_not_report_spends_nothing(epsilon, records, tmp_path):
    made = plan(Population([1.0, 4.0] * 40, ["curator", "local"] * 40), "mixed")
    with pytest.raises(ValueError, match=r"(epsilon|records) must"):
        spend(made, epsilon, tmp_path / "own.json", records)
    assert not list(tmp_path.iterdir())


def test_a_value_that_is_no_number_is_refused_before_it_is_entered(tmp_path):
    own = tmp_path / "own.json"
    new_own_ledger(own, 2.0)
    empty = own.read_text()
    with pytest.raises(ValueError, match="value must"):
        report(made_for(2.0), 2.0, math.inf, ledger=own)
    assert own.read_text() == empty


class Known:
    """OpenDP's measurements in the place of themselves: they say what they cost, and draw what is asked for.

    Noise is as many times its scale as `size`; a bit is told as it is, or with `size` 1 as it is not.  Before each draw
    `watch` is called.
    """

    def __init__(self, monkeypatch):
        import opendp.measurements as real

        self.size, self.dearer, self.watch = 0, 1.0, lambda: None
        for name in ("make_laplace", "make_gaussian", "make_randomized_response_bool"):
            monkeypatch.setattr(real, name, partial(self._made, getattr(real, name)))

    def _made(self, make, *domains, **options):
        true, known = make(*domains, **options), self

        class Measurement:
            def map(self, distance):
                return true.map(distance) * known.dearer

            def __call__(self, x):
                known.watch()
                return bool(x) != bool(known.size) if "prob" in options else x + round(known.size * options["scale"])

        self.options = options
        return Measurement()


@pytest.fixture
def known(monkeypatch):
    pytest.importorskip("opendp", reason="needs the extra opendp")
    return Known(monkeypatch)


@pytest.mark.settles("hdp-release-own-ledger")
@pytest.mark.parametrize("releases", [1, 3])
@pytest.mark.parametrize(("noise", "reports"), KINDS)
def test_a_report_tells_as_much_as_its_ledger_counts(noise, reports, releases, known, tmp_path):
    """How far both ends are apart, over the noise that was really added, or the odds of a lie that was really told."""
    made, own = made_for(3.0, noise, reports, releases), tmp_path / "own.json"
    new_own_ledger(own, 3.0, noise)

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
    entered = []
    known.watch = lambda: entered.append(len(json.loads(own.read_text())["spent"]))
    for times in range(1, releases + 1):
        report(made, 3.0, 0.5, ledger=own)
        assert sum(json.loads(own.read_text())["spent"]) == pytest.approx(times * loss, rel=1e-6)
    with pytest.raises(ValueError, match="ledger must leave a budget"):
        report(made, 3.0, 0.5, ledger=own)
    assert entered == list(range(1, releases + 1)), "each is entered before it is drawn, and no other is drawn"


@pytest.mark.parametrize(("noise", "reports"), KINDS)
def test_what_opendp_finds_dearer_than_the_plan_is_not_told(noise, reports, known):
    made = made_for(3.0, noise, reports)
    known.dearer = 1.02
    with pytest.raises(ValueError, match="cost"):
        report(made, 3.0, 0.5)
