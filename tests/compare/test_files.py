"""The population and its file: what is read, and what is refused at which place."""

import re

import numpy as np
import pytest

from hdp import compare, user_level
from hdp.compare import files
from tests.compare.common import inf, ranked
from tests.each import each
from tests.files import ROOT

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


EPSILON, RECORDS = (
    "column epsilon, row 2: must lie in [0, inf], got ",
    "column records, row 2: must lie in [1, 2^53), got ",
)
VALUE, SHARE = "column value, row 2: must lie in [0, 1], got ", "column value, row 2: must be a share of ones among "
UNIQUE, EMPTY = "column user, row 2: must be unique, got ", "column user, row 2: must not be empty, got "


@each(
    [
        ("ann,-1,local,1,0.5", EPSILON + "'-1'"),
        ("ann,nan,local,1,0.5", EPSILON + "'nan'"),
        ("ann,much,local,1,0.5", EPSILON + "'much'"),
        ("ann,1e999,local,1,1", EPSILON + "'1e999'"),
        ("ann,1_0,local,1,1", EPSILON + "'1_0'"),
        ("ann,1,nobody,1,0.5", "column trust, row 2: must be one of curator, local, got 'nobody'"),
        ("ann,1,local,0,0.5", RECORDS + "'0'"),
        ("ann,1,local,inf,0.5", RECORDS + "'inf'"),
        ("ann,1,local,1e308,1", RECORDS + "'1e308'"),
        ("ann,1,local,0.5,7\neve,-1,local,1,1", RECORDS),
        ("ann,1,local,2.5,0.5", "column records, row 2: must be a whole number in [1, 2^53), got '2.5'"),
        ("ann,1,local,1,1.01", VALUE + "'1.01'"),
        ("ann,1,local,1,", VALUE + "''"),
        ("ann,1,local,1", VALUE + "None"),
        ("ann,1,local,1,0.5", SHARE + "1 records, got '0.5'"),
        ("ann,1,local,3,0.34", SHARE + "3 records, got '0.34'"),
        ("bob,1,local,1,1", UNIQUE + "'bob' as in row 1"),
        ("Bob,1,local,1,1", UNIQUE + "'Bob' as in row 1, 'bob': case and invisible"),
        ("bo\u200bb,1,local,1,1", UNIQUE + r"'bo\u200bb' as in row 1, 'bob'"),
        ("\uff22ob,1,local,1,1", UNIQUE + "'Ｂob' as in row 1, 'bob'"),
        (",1,local,1,1", EMPTY + "''"),
        ("\u200b,1,local,1,1", EMPTY + r"'\u200b'"),
        ("a\0nn,1,local,1,1", r"column user, row 2: must hold no control characters, got 'a\x00nn'"),
        ("ann,1,local,3,0,25", "row 2: must have no more cells than the header, got ['25'] beyond"),
    ],
    str,
)
def test_a_bad_cell_is_named_with_column_row_value_and_range(case, read):
    """The second row is bad, the first is not."""
    with pytest.raises(ValueError, match=re.escape(case[1])):
        read(f"bob,0.5,curator,4,0.25\n{case[0]}\n")


@each(
    [
        ("", "the header must name the columns user, epsilon"),
        ("user,epsilon,trust,value\n", "got none named records"),
        (HEADER, "at least one row"),
        (HEADER.replace("\n", ",epsilon\n"), "every column once, got epsilon again"),
        (f"{HEADER}ann,0,local,1,1\n", r"epsilon must have at least one entry in \(0, inf\]"),
        (f"{'1' * 131_073}\n", "column 1, row 0: field larger than field limit"),
    ],
    str,
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
        with pytest.raises(ValueError, match=r"column user, row 2: must be UTF-8, got 'Jos\\udce9'"):
            read(text, encoding)
    for encoding in ("utf-16", "utf-16-le", "utf-32"):
        with pytest.raises(ValueError, match=r"row 0, the header must name the columns user, .* in UTF-8"):
            read(text, encoding)


def test_a_cell_that_csv_cannot_hold_is_named(read):
    """Whichever it is."""
    for place, column in enumerate(HEADER.strip().split(",")):
        cells = ["ann", "1", "local", "1", "1"]
        cells[place] = "1" * 131_073
        with pytest.raises(ValueError, match=f"column {column}, row 2: field larger than field limit"):
            read(f"bob,1,local,1,1\n\n{','.join(cells)}\n")


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
    monkeypatch.setattr(files, "_ROWS", 7)
    text = compare.synthetic_csv().removeprefix(HEADER)
    people, values = read(text.replace("\nu0020", "\n\n\nu0020"))
    _, epsilon, trust, records, shares = zip(*(line.split(",") for line in text.splitlines()), strict=True)
    np.testing.assert_array_equal([people.epsilon, people.records, values], np.array([epsilon, records, shares], float))
    assert people.trust.tolist() == list(trust)
    with pytest.raises(ValueError, match="column user, row 1001: must be unique, got 'U0003' as in row 3, 'u0003'"):
        read(text + "U0003,1,local,1,1\n")
    with pytest.raises(ValueError, match="column epsilon, row 500: must lie in"):
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
    wrong = [([bad] * 4000, rf"x must lie in \[0, 1\], got {bad}") for bad in (100.0, np.nan, -3.0)]
    wrong += [(np.ma.masked_greater([0.5] * 3999 + [1e9], 1), "x must not be masked"), (["0.5"] * 4000, "be numeric")]
    for values, message in [*wrong, ([0.5] * 3999, r"x must have shape \(..., 4000\)")]:
        for row in usable:
            with pytest.raises(ValueError, match=message):
                row.estimate(values, 1)
