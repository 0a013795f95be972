"""Values, reports and names for a release, from a file."""

import warnings
from collections.abc import Mapping
from os import PathLike

from hdp._types import Floats
from hdp.compare import Population
from hdp.compare.files import Users
from hdp.compare.layout import Layout


def read_data(
    path: str | PathLike[str],
    reports: bool = False,
    *,
    user: str | None = "user",
    epsilon: str = "epsilon",
    trust: str = "trust",
    records: str | int = "records",
    value: str | None = "value",
    budgets: Mapping[str, float] | None = None,
    skip_rows: int = 0,
    decimal: str | None = None,
) -> tuple[list[str], Population, Floats, list[str]]:
    """Read what a release needs from a file: names, what is public, values, and reports.

    Parameters
    ----------
    path : str or pathlib.Path
        A file as `hdp.compare.read_csv` reads it, but that a value is any number, or empty where a plan uses none.
    reports : bool
        Whether the file must have the column report.
    user : str or None
        Column of names, which `hdp.compare.read_csv` describes, as what follows; with None every row is a person.
    epsilon : str
        Column of budgets.
    trust : str
        Column with "curator" or "local"; one of these words is everybody's.
    records : str or int
        Column of numbers of records; a number is everybody's.
    value : str or None
        Column of values; with None none is read, and all are NaN.
    budgets : mapping of str to float, optional
        What the words in the column epsilon mean.
    skip_rows : int
        How many rows below the header are left out.
    decimal : {".", ","}, optional
        The sign before decimals.

    Returns
    -------
    names : list of str
        The users' names; empty for a public user who has none.
    population : Population
        What is public.
    values : numpy.ndarray, shape (n,)
        Values of those who trust the curator or are public; NaN for an empty cell and for local users, whose cell is
        not read.
    reports : list of str
        What stands in the column report, or nothing.

    Raises
    ------
    ValueError
        Naming column, row and allowed range.

    Warns
    -----
    UserWarning
        One, which says what was assumed, as of `hdp.compare.read_csv`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from hdp.release import read_data
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "users.csv")
    ...     _ = file.write_text("user,epsilon,trust,records,salary\\nann,0.5,local,1,\\nbob,inf,curator,1,20204\\n")
    ...     names, population, values, _ = read_data(file, value="salary")
    >>> names, population.epsilon.tolist(), values.tolist()
    (['ann', 'bob'], [0.5, inf], [nan, 20204.0])
    """
    told = "report" if reports else None
    unit = None if value is None else (0.0, 1.0)  # any interval: then a value is any number
    users = Users(path, Layout(user, epsilon, trust, records, value, told, budgets, unit, skip_rows, decimal))
    names: list[str | None] = []
    handed: list[str] = []
    people, values = users.read((names, handed))  # type: ignore[arg-type]
    if users.said:
        warnings.warn(users.said, stacklevel=2)
    return [name or "" for name in names], people, values, handed
