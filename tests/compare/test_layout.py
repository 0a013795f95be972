"""What the columns of a table are called, and what is stated for those that it lacks."""

import math

import numpy as np
import pytest

from hdp import compare
from hdp.compare.layout import Layout
from hdp.compare.users import Users
from hdp.release import read_data

STAFF = "Kennung,Stufe ,Gehalt\nada,1.5,41200\nbo,0.25,38750.5\ncy,inf,52000\n"
NAMED = {"user": "kennung", "epsilon": " STUFE", "trust": "curator", "records": 1, "value": "Gehalt"}


@pytest.fixture
def read(tmp_path):
    """Return a function that writes a file and reads it back."""

    def read(text, **options):
        (tmp_path / "staff.csv").write_text(text, encoding="utf-8")
        return compare.read_csv(tmp_path / "staff.csv", **options)

    return read


def test_columns_are_found_by_their_names_without_case_and_outer_spaces(read):
    people, values = read(STAFF, **NAMED, interval=(0, 90_000))
    assert people.epsilon.tolist() == [1.5, 0.25, math.inf] and values.tolist() == [41200, 38750.5, 52000]
    assert people.trust.tolist() == ["curator"] * 3 and people.records.tolist() == [1] * 3
    text = "EPSILON,Epsilon,User,trust,records\n0.5,2,ada,local,7\n"
    people, values = read(text, epsilon="Epsilon", value=None)
    assert people.epsilon.tolist() == [2] and people.local.tolist() == [True] and np.isnan(values).all()
    with pytest.raises(ValueError, match=r"^row 0, the header must name every column once, got epsilon again$"):
        read(text, value=None)


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
        with pytest.raises(ValueError, match=r"^column tier, row 4: must be one of the words A, b, 4 of budgets$"):
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
    for text in ("-inf", "-∞", "1e999", "infinite"):
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
    """Values are not taken for budgets; names that differ in case alone are two columns where the table has both."""
    file = tmp_path / "users.csv"
    file.write_text("user,a,A,trust,records\nann,0.5,41000,curator,1\n")
    _, people, values, _ = read_data(file, epsilon="a", value="A")
    assert (people.epsilon[0], values[0]) == (0.5, 41000)
    with pytest.raises(ValueError, match="value must name another column than epsilon, got 'a'"):
        read_data(file, epsilon="a", value="a")
    file.write_text("user,a,trust,records\nann,0.5,curator,1\n")
    with pytest.raises(ValueError, match="value must name another column than epsilon, got 'A'"):
        read_data(file, epsilon="a", value="A")
