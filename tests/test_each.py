"""One case for many rows, where every bad row is named."""

import pytest

from tests.each import each


def test_all_bad_rows_are_named_and_fixtures_are_given(tmp_path):
    """Whatever the row raises; a table without rows asks nothing and is refused."""

    @each([1, 0, 2, "x"], str)
    def odd(number, tmp_path):
        assert tmp_path.exists() and 1 // number % 2 == 1, "is even"

    with pytest.raises(AssertionError) as failure:
        odd(tmp_path=tmp_path)
    found = str(failure.value).splitlines()
    starts = ["3 of 4", "0: ZeroDivisionError", "2: AssertionError: is even", "x: TypeError"]
    assert all(any(line.startswith(start) for line in found) for start in starts), found
    with pytest.raises(AssertionError, match="nothing to ask"):
        each([])
