"""Docstrings that are completed: nothing is missing, nothing is told twice, and what says nothing is noticed."""

import pytest

from hdp._docs import Shared

SHARED = Shared(
    """
    Parameters
    ----------
    x, y : float
        Two numbers.

    Returns
    -------
    float
        A number.

    Examples
    --------
    >>> one = 1
    >>> two = 2
    >>> module.add(one, 1)
    2
    >>> module.double(two)
    4
    """
)
COMPLETE = """Add.

Parameters
----------
x, y : float
    Two numbers.
z : float
    A third.

Returns
-------
float
    A number.

Examples
--------
>>> one = 1
>>> module.add(one, 1)
2
"""


def add(x, y, z):
    """Add.

    Parameters
    ----------
    z : float
        A third.
    """


def double(x, y):
    """Double.

    Returns
    -------
    int
        Its own.

    Examples
    --------
    >>> 2 + 2
    4
    """


def test_a_docstring_gets_what_it_lacks_and_nothing_more():
    assert SHARED(add) is add and add.__doc__ == COMPLETE
    assert SHARED(add).__doc__ == COMPLETE, "it is complete already"
    SHARED(double)
    assert "Its own." in double.__doc__ and "A number." not in double.__doc__
    assert ">>> 2 + 2" in double.__doc__ and "two" not in double.__doc__


def test_what_is_said_anew_replaces_what_was_said():
    more = SHARED.but("Parameters\n----------\nx : int\n    Whole.\n\nExamples\n--------\n>>> module.triple(two)\n6\n")

    def triple(x, y):
        """Triple."""

    lines = more(triple).__doc__.splitlines()
    assert lines[4:8] == ["x : int", "    Whole.", "x, y : float", "    Two numbers."]
    assert lines[-3:] == [">>> two = 2", ">>> module.triple(two)", "6"]


def undescribed(x, unknown):
    """Nobody describes an argument."""


def renamed(x):
    """Describe no argument any more.

    Parameters
    ----------
    former : float
        The former name.
    """


def related(x):
    """Have a section of another name.

    See Also
    --------
    add
    """


@pytest.mark.parametrize(("wrong", "named"), [(undescribed, "unknown"), (renamed, "renamed"), (related, "See Also")])
def test_what_does_not_fit_the_arguments_or_sections_is_an_error(wrong, named):
    with pytest.raises(KeyError, match=named):
        SHARED(wrong)


def test_without_docstrings_there_is_nothing_to_complete():
    """As under python -OO."""

    def bare(unknown): ...

    assert SHARED(bare).__doc__ is None
