"""Values, reports and names for a release, from a file."""

from os import PathLike

from hdp._types import Floats
from hdp.compare import Population


def read_data(path: str | PathLike[str], reports: bool = False) -> tuple[list[str], Population, Floats, list[str]]:
    """Read what a release needs from a file with the columns user, epsilon, trust, records, value and report.

    Parameters
    ----------
    path : str or pathlib.Path
        A file as `hdp.compare.read_csv` reads it, but that a value is any number, or empty where a plan uses none.
    reports : bool
        Whether the file must have the column report.

    Returns
    -------
    names : list of str
        The users' names.
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

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from hdp.release import read_data
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "users.csv")
    ...     _ = file.write_text("user,epsilon,trust,records,value\\nann,0.5,local,1,\\nbob,inf,curator,1,20204\\n")
    ...     names, population, values, _ = read_data(file)
    >>> names, population.epsilon.tolist(), values.tolist()
    (['ann', 'bob'], [0.5, inf], [nan, 20204.0])
    """
    from hdp._cli.release import read_data as read  # which imports this package

    return read(path, reports)
