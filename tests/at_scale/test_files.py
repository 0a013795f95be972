"""Columns of files in the formats of Arrow, and the workers of dask: the same bits as those of the vector."""

import re
import resource
import sys
from functools import partial

import numpy as np
import pytest

from hdp.at_scale import ColumnPart, Groups, column_parts, count, round_down, weigh
from tests.files import ROOT

dask = pytest.importorskip("dask", reason="needs dask: pip install 'unequal-privacy[cluster]'")
pa = pytest.importorskip("pyarrow", reason="needs pyarrow: pip install 'unequal-privacy[arrow]'")


def write(path, table, rows):
    """As the name says, cut into groups of so many rows."""
    import pyarrow.ipc
    import pyarrow.parquet  # noqa: F401

    if path.suffix == ".parquet":
        pa.parquet.write_table(table, path, row_group_size=rows)
    else:
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=rows)
    return path


@pytest.fixture(scope="module")
def budgets():
    """Of 100,000 users, some of them public."""
    rng = np.random.default_rng(1)
    drawn = rng.lognormal(0, 2, 100_000)
    drawn[rng.random(drawn.size) < 0.01] = np.inf
    return drawn


@pytest.mark.settles("hdp-scale-files")
@pytest.mark.parametrize("name", ["users.parquet", "users.arrow"])
@pytest.mark.parametrize("rows", [9_999, 100_000])
def test_a_file_in_groups_gives_the_bits_of_the_vector(tmp_path, monkeypatch, budgets, name, rows):
    """Whatever the groups, and however many rows are read at a time."""
    table = pa.table({"user": np.arange(budgets.size), "budget": budgets})
    parts = column_parts(write(tmp_path / name, table, rows), "budget")
    assert len(parts) == -(-budgets.size // rows)
    whole = weigh(budgets)
    assert weigh(parts) == whole
    monkeypatch.setattr("hdp.at_scale.files._ROWS", 1234)
    assert max(chunk.size for part in parts for chunk in part()) == 1234 and weigh(parts) == whole
    found = np.concatenate([whole.of(chunk) for part in parts for chunk in part()])
    assert np.array_equal(found, whole.of(budgets))


def test_null_and_nan_are_missing(tmp_path):
    """In floats and in integers."""
    floats = write(tmp_path / "floats.parquet", pa.table({"epsilon": [0.1, None, float("nan"), 2.0]}), 4)
    whole = write(tmp_path / "whole.arrow", pa.table({"epsilon": pa.array([1, None, 2], pa.int16())}), 4)
    with pytest.raises(ValueError, match="None for 2 of 4 users"):
        weigh(column_parts(floats))
    for file, lacking in ((floats, 2), (whole, 1)):
        with pytest.warns(UserWarning, match=f"{lacking} of"):
            assert weigh(column_parts(file), missing=0).lacking == lacking


def test_other_columns_and_files_are_refused(tmp_path):
    """What a float would have to round is refused too."""
    cases = {
        "got string": pa.array(["a"]),
        "got decimal128": pa.array([1], pa.decimal128(5)),
        "a float holds exactly": pa.array([2**53 + 1]),
    }
    for message, column in cases.items():
        file = write(tmp_path / "users.parquet", pa.table({"epsilon": column}), 1)
        with pytest.raises(ValueError, match=rf"column must hold .*{message}"):
            weigh(column_parts(file))
    with pytest.raises(ValueError, match=r"column must be one of epsilon in .*users.parquet', got 'budget'"):
        column_parts(file, "budget")
    (tmp_path / "users.csv").write_text("epsilon\n1\n", encoding="utf-8")
    with pytest.raises(ValueError, match="path must be a file of Parquet or Arrow"):
        column_parts(tmp_path / "users.csv")


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_a_file_that_cannot_be_read_is_named_in_one_line(tmp_path, kind):
    """Two columns of one name, a part or column that is not there, a file cut short, or of the other format."""
    twice = pa.table([pa.array([1.0, 2.0]), pa.array([3.0, 4.0])], names=["epsilon", "epsilon"])
    twice = write(tmp_path / f"twice.{kind}", twice, 1)
    good = write(tmp_path / f"good.{kind}", pa.table({"epsilon": [1.0, 2.0]}), 1)
    cut, hole = tmp_path / f"cut.{kind}", tmp_path / f"hole.{kind}"
    cut.write_bytes(good.read_bytes()[:-7])
    hole.write_bytes(good.read_bytes()[:4] + bytes(30) + good.read_bytes()[34:])
    other = {"parquet": "arrow", "arrow": "parquet"}[kind]
    broken = "path must be a file of {} that can be read, got "
    cases = [
        (lambda: weigh(column_parts(cut)), broken.format(kind.title()), cut),
        (lambda: weigh([ColumnPart(str(good), "epsilon", other, 0)]), broken.format(other.title()), good),
        (lambda: weigh([ColumnPart(str(twice), "epsilon", kind, 0)]), "column must be there once", twice),
        (lambda: weigh([ColumnPart(str(good), "budget", kind, 0)]), "column must be one of epsilon", good),
        (lambda: weigh([ColumnPart(str(good), "epsilon", kind, 2)]), "number must be below 2, the parts of ", good),
    ]
    cases += [(lambda: weigh(column_parts(hole)), "path must be a file of", hole)] if kind == "parquet" else []
    for call, message, path in cases:
        with pytest.raises(ValueError, match=f"^{re.escape(message)}.*{re.escape(str(path))}") as refusal:
            call()
        assert type(refusal.value) is ValueError and len(str(refusal.value).splitlines()) == 1
    with pytest.raises(FileNotFoundError, match="none"):
        column_parts(tmp_path / f"none.{kind}")


@pytest.mark.slow
def test_ten_million_users_in_bounded_memory(tmp_path):
    """Of a file of 80 MB, a hundredth part at a time; the peak is that of arrays of one part (printed with -s)."""
    import tracemalloc

    drawn = np.random.default_rng(2).lognormal(size=10**7)
    parts = column_parts(write(tmp_path / "users.parquet", pa.table({"epsilon": drawn}), 10**5))
    whole = weigh(drawn)
    del drawn
    tracemalloc.start()
    found = weigh(parts)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(f"\n10^7 users from a file: at most {peak / 1e6:.0f} MB of NumPy's and Python's")
    assert found == whole and peak < 50e6


def test_the_lines_of_the_page_run(tmp_path, monkeypatch, budgets):
    """Those for a file, and those for a cluster with dask's scheduler for a single thread in its place."""
    text = (ROOT / "book/use/at-scale.md").read_text(encoding="utf-8")
    for_a_file, for_a_cluster = re.findall(r"^```\{code-block\} python\n(.*?)^```", text, re.M | re.S)
    write(tmp_path / "users.parquet", pa.table({"epsilon": [*budgets, None]}), 30_000)
    monkeypatch.chdir(tmp_path)
    bound = {}
    with pytest.warns(UserWarning, match="1 of 100001 budgets are missing"):
        exec(for_a_file, bound)
    alone = bound["found"]
    assert alone.bits and alone.users == 100_001 and bound["weights"].size == 10_001
    with pytest.warns(UserWarning), dask.config.set(scheduler="synchronous"):
        exec("\n".join(line for line in for_a_cluster.splitlines() if "Client" not in line), bound)
    assert bound["found"] == alone


PART = 10**6


def drawn(number, size=PART):
    """Budgets of one part, the same ones whenever they are asked for; some public, some missing."""
    rng = np.random.default_rng([2026, number])
    budgets = rng.lognormal(-1, 2, size)
    budgets[rng.random(size) < 0.01] = np.inf
    return budgets


@pytest.mark.settles("hdp-scale-files")
@pytest.mark.parametrize("count", [1, 8, 73])
def test_a_reduction_over_partitions_gives_the_same_bits(count):
    """With dask's scheduler for a single thread; parts as arrays, as functions, as partitions of an array."""
    import dask.array

    whole = drawn(0, 10**5)
    parts = np.array_split(whole, count)
    with dask.config.set(scheduler="synchronous"):
        assert weigh(parts, cluster=True) == weigh(whole)
        assert weigh([part.copy for part in parts], cluster=True) == weigh(whole)
        assert weigh(dask.array.from_array(whole, chunks=-(-whole.size // count))) == weigh(whole)


def test_a_part_that_changes_is_named_there_too():
    """Also where results are merged in a tree."""
    parts = np.array_split(np.random.default_rng(5).uniform(0.1, 0.2, 10**4), 73)
    readings = []

    def changing():
        readings.append(parts[41] if not readings else parts[41] * (1 + 1e-9))
        return readings[-1]

    with dask.config.set(scheduler="synchronous"), pytest.raises(ValueError, match="got others from part 41, counted"):
        weigh([*parts[:41], changing, *parts[42:]], cluster=True)


@pytest.mark.settles("hdp-scale-files")
def test_groups_missing_budgets_and_the_grid_are_the_same_there():
    """And so are the refusals."""
    whole = drawn(0, 10**4)
    whole[::100] = np.nan
    with dask.config.set(scheduler="synchronous"):
        with pytest.warns(UserWarning, match="100 of 10000"):
            found = weigh(np.array_split(whole, 9), cluster=True, missing=0.1, bits=3)
        with pytest.raises(ValueError, match="None for 100 of 10000"):
            weigh(np.array_split(whole, 9), cluster=True)
        with pytest.warns(UserWarning, match="100 of 10000"):
            table = count(np.array_split(whole, 9), cluster=True, missing=0.1, bits=3)
    filled = Groups.of(round_down(np.nan_to_num(whole, nan=0.1, posinf=np.inf), 3))
    assert np.array_equal(table.users, filled.users) and np.array_equal(table.epsilon, filled.epsilon)
    assert (found.level, found.total) == (weigh(filled).level, weigh(filled).total)


def megabytes():
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of dask and tornado about this machine's network
def test_a_hundred_million_users_on_two_processes():
    """The bits of one process, in less than 1 GB for each worker."""
    from dask.distributed import Client, LocalCluster

    parts = [partial(drawn, number) for number in range(100)]
    options = dict(n_workers=2, threads_per_worker=1, processes=True, memory_limit="1GB", dashboard_address=None)
    with LocalCluster(**options) as workers, Client(workers) as client:
        found, peaks = weigh(parts, cluster=True), client.run(megabytes)
    assert found == weigh(parts) and found.users == 10**8
    assert len(peaks) == 2 and max(peaks.values()) < 1000
