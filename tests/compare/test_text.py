"""Files of text as other programs write them: what is read and said, and what is refused."""

import math
import warnings

import pytest

from hdp import compare
from hdp.compare import text as reading
from hdp.compare.layout import Layout
from hdp.compare.users import Users

HEAD = "user;epsilon;trust;records;value\n"


@pytest.fixture
def read(tmp_path):
    """Return a function that reads a file, and returns budgets, records, values and what was assumed."""

    def read(text, encoding="utf-8", **options):
        path = tmp_path / "users.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            people, values = compare.read_csv(path, **options)
        told = [str(one.message).removeprefix("read as: ") for one in said]
        assert len(told) <= 1, "one line"
        return people.epsilon.tolist(), people.records.tolist(), values.tolist(), "".join(told)

    return read


def test_an_export_with_semicolons_and_decimal_commas(read):
    text = HEAD + "ada;0,5;local;4;0,25\nbo;∞;curator;1;1\ncy;12,25;curator;2;0,5\n"
    said = "separated by semicolons; with decimal commas"
    wanted = [0.5, math.inf, 12.25], [4, 1, 2], [0.25, 1, 0.5]
    assert read(text) == (*wanted, said)
    assert read(text.replace(";", "\t")) == (*wanted, said.replace("semicolons", "tabs"))
    assert read(text.replace(",", ".")) == (*wanted, said.partition(";")[0])
    assert read(text.replace(",", ".").replace(";", ",")) == (*wanted, "")


def test_who_writes_bytes_otherwise(read):
    """A byte order mark of UTF-8 is nothing to tell; a spreadsheet's line about its separator is a line."""
    text = HEAD.replace(";", "\t") + "zoë\t1.25\tlocal\t1\t1\n"
    wanted = [1.25], [1], [1]
    assert read(text, "utf-16") == (*wanted, "in UTF-16; separated by tabs")
    assert read(b"\xfe\xff" + text.encode("utf-16-be")) == (*wanted, "in UTF-16; separated by tabs")
    assert read(text, "utf-8-sig") == (*wanted, "separated by tabs")
    assert read("sep=\t\n" + text.replace("\n", "\r\n")) == (*wanted, "separated by tabs")
    for line in ("sep=\t ", " SEP=\t", "sep= ", "sep="):
        assert read(f"{line}\n{text}") == (*wanted, "separated by tabs")
    for line in (" sep=;", "sep=; ", "sep=;\t"):
        assert read(f"{line}\r\n" + text.replace("\t", ";")) == (*wanted, "separated by semicolons")
    for encoding in ("utf-16-le", "utf-16-be", "utf-32", "utf-32-le"):
        with pytest.raises(ValueError, match=r"^path must be in UTF-8, or in UTF-16 with a byte order mark, got '"):
            read(text, encoding)
    with pytest.raises(ValueError, match=r"^column value, row 1: must lie in \[0, 1\]"):
        read(text.encode("utf-16")[:-2] + b"\x31")


def test_what_is_empty_at_the_end_is_left_out_and_said(read, monkeypatch):
    """Empty columns, cells without a header, and rows; an empty row before others is refused at its place."""
    text = "user,epsilon,trust,records,value,,\n" + "".join(f"u{i},1,local,1,1,,,,\n" for i in range(9))
    assert read(text)[3] == "empty cells beyond the header left out"
    monkeypatch.setattr(reading, "_ROWS", 4)
    for rows in (1, 3, 5, 9):
        found = read(text + " ,,,,,,\n"[1:] * rows)
        assert found[0] == [1] * 9 and f"{rows} row{'s' * (rows > 1)} at the end, empty, left out" in found[3]
        with pytest.raises(ValueError, match="column epsilon, row 10: must be 0 or lie in"):
            read(text + ",,,,,,\n" * rows + "bo,1,local,1,1,,\n")
    with pytest.raises(ValueError, match="row 1: must have no more cells than the header, 7, got 8"):
        read(text.partition("\n")[0] + "\nada,1,local,1,1,,,x\n")


def test_an_index_of_pandas_is_another_column(read):
    assert read(",user,epsilon,trust,records,value\n0,ada,0.5,local,1,1\n1,bo,2.0,curator,2,0.5\n")[0] == [0.5, 2]


def test_a_second_header_is_refused_with_what_leaves_it_out(read):
    head = 'user,epsilon,trust,records,value\n"Who, or\nwhat?",How much?,Whom?,How many?,Which?\n'
    row = "ada,0.5,local,1,1\n"
    with pytest.raises(ValueError) as wrong:
        read(head + row)
    assert str(wrong.value) == (
        "column epsilon, row 1: must be 0 or lie in [1e-100, inf]: budgets says what words mean; "
        "if that row is no user's, skip_rows=1 leaves it out"
    )
    assert read(head + row, skip_rows=1) == ([0.5], [1], [1], "1 row below the header left out")
    with pytest.raises(ValueError, match=r"skip_rows=2 leaves it out"):
        read(head + head.partition("\n")[2] + row, skip_rows=1)
    with pytest.raises(ValueError, match=r"^column epsilon, row 3: "):
        read(head + row + "bo,-1,local,1,1\n", skip_rows=1)
    with pytest.raises(ValueError, match=r"one row below"):
        read(head, skip_rows=1)


def test_thousands_are_read_where_a_call_says_which_sign_is_which(read):
    text = HEAD + "ada;1;curator;1;{}\n"
    salaries = {"interval": (0, 1e6)}
    for cell, decimal, value in (
        ("41.200,50", ",", 41200.5), ("41,200.50", ".", 41200.5), ("1 041 200,5", ",", 1041200.5),
        ("41'200", ".", 41200),
        ("41.200", ",", 41200), ("41.200", ".", 41.2), ("41,200", ",", 41.2), ("41\u202f200", ".", 41200),
    ):  # fmt: skip
        assert read(text.format(cell), decimal=decimal, **salaries)[2] == [value]
        with pytest.raises(ValueError, match=r"column value, row 1: .*decimal='[.,]'"):
            read(text.format(cell), **salaries)
    for cell, decimal in (
        ("1.23,5", ","),
        ("41.20", ","),
        ("4,12", "."),
        ("1.234 567", ","),
        ("41.200.", ","),
        ("0.125", ","),
        ("0,100", "."),
        ("-012.500", ","),
    ):
        with pytest.raises(ValueError, match="column value, row 1: must be a finite number"):
            read(text.format(cell), decimal=decimal, **salaries)


def test_what_leaves_no_doubt_anywhere_settles_what_does(read):
    """One cell with a comma that is none between thousands makes all of them decimal; a point beside it is refused."""
    rows = ["ada;1;curator;1;41,200", "bo;0,5;curator;1;1"]
    salaries = {"interval": (0, 1e6)}
    assert read(HEAD + "\n".join(rows), **salaries)[2] == [41.2, 1]
    with pytest.raises(ValueError, match="column value, row 3: must leave no doubt about decimals and thousands"):
        read(HEAD + "\n".join([*rows, "cy;1;curator;1;7.350"]), **salaries)
    with pytest.raises(ValueError, match="column value, row 3: must leave no doubt"):
        read(HEAD + "\n".join([*rows, "cy;1;curator;1;7.35"]), **salaries)
    with pytest.raises(ValueError, match="column value, row 1: must leave no doubt"):
        read(HEAD + rows[0], **salaries)
    for unread in ("ada;1;local;1;7.35", "ada;0;curator;1;7.35"):
        assert read(HEAD + "\n".join([unread, rows[1]]), **salaries)[0][1] == 0.5, (
            "a value that is not read says nothing"
        )


def test_every_value_that_is_read_is_asked_for_its_decimal_sign(read):
    """Also of local users: a public one, and a share; with words for budgets as with numbers."""
    budgets, salaries = {"open": math.inf, "none": 0, "some": 1}, {"interval": (0, 1e6)}
    for words in (None, budgets):
        public, nothing, some = budgets if words else ("inf", "0,000", "1")
        text, options = f"{HEAD}ada;{public};{{}};1;{{}}\n", {"budgets": words, **salaries}
        for trust in ("local", "curator"):
            assert read(text.format(trust, "1,5"), **options)[2] == [1.5]
            with pytest.raises(ValueError, match="column value, row 1: must leave no doubt"):
                read(text.format(trust, "1.234"), **options)
        text = text.format("local", "1,5") + f"bo;{nothing};curator;1;1.5\ncy;{some};local;1;1.5\n"
        assert read(text, **options)[2][0] == 1.5, "a value that is not read says nothing"
        assert read(f"{HEAD}ada;{some};local;2;0,5\n", budgets=words)[2] == [0.5]


@pytest.mark.parametrize(
    ("cell", "reason"),
    [('"1.234,5"', "decimal=',' reads decimal commas and signs between thousands"),
     ('"1,234.5"', "decimal='.' reads signs between thousands"), ('"0,5"', "decimal=',' reads decimal commas"),
     ("50 %", "without a percent sign, 50 % is 0.5"), ("€5", "without the sign of a currency"),
     ("5 £", "without the sign of a currency"),
     ('"1,234"', "decimal='.' reads signs between thousands, decimal=',' reads decimal commas")],
)  # fmt: skip
def test_between_commas_a_number_has_a_point_or_a_call_says_more(cell, reason, read):
    text = f"user,epsilon,trust,records,value\nada,1,local,1,1\nbo,{cell},local,1,1\n"
    with pytest.raises(ValueError) as wrong:
        read(text)
    assert str(wrong.value) == f"column epsilon, row 2: must be 0 or lie in [1e-100, inf]: {reason}"


def test_more_records_than_a_float_tells_apart_are_refused(read):
    for records in ("9007199254740993", "9.007.199.254.740.993"):
        with pytest.raises(ValueError, match=r"column records, row 1: must lie in \[1, 2\^53\)"):
            read(f"{HEAD}ada;1;local;{records};1\n", decimal=",")


def test_what_is_said_does_not_depend_on_a_value(tmp_path):
    """Half of one written with a comma is read as such, and only a budget or number so written is told of."""
    said, file = [], tmp_path / "users.csv"
    for epsilon, value in (("1", "1"), ("1", "0,5"), ("0,5", "1"), ("0,5", "0,5")):
        file.write_text(HEAD + f"ada;{epsilon};curator;4;{value}\nbo;1;local;1;0,1\n")
        users = Users(file, Layout(interval=(0, 1)))
        assert users.read()[1][0] == float(value.replace(",", "."))
        said.append(users.said)
    assert (
        said[0] == said[1] == "read as: separated by semicolons"
        and said[2] == said[3] == f"{said[0]}; with decimal commas"
    )


def test_what_can_be_read_once_is_read_once(tmp_path):
    """Such as the standard input, also where the whole table says what its decimals are."""
    import os
    import threading

    def piped(text, **options):
        path = tmp_path / f"pipe{len(list(tmp_path.iterdir()))}"
        os.mkfifo(path)
        threading.Thread(target=path.write_text, args=[text], daemon=True).start()
        return Users(path, Layout(value=None, **options)).read()[0].epsilon.tolist()

    text = HEAD + "ada;0,5;local;4;0,25\n"
    assert piped(text.replace(",", ".").replace(";", ",")) == [0.5]
    assert piped(text, decimal=",") == piped(text) == [0.5]
