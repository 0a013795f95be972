"""One case that asks a question of many rows and names every row that fails."""

import inspect
from functools import wraps


def each(rows, name=lambda row: row["id"]):
    """Decorate a test of one row, its first argument: it is asked of all rows, and fails with the list of the bad ones.

    Fixtures follow the row in the signature, and every row gets the same ones.
    """
    rows = list(rows)
    assert rows, "nothing to ask"

    def decorate(test):
        @wraps(test)
        def asked(**fixtures):
            wrong = []
            for row in rows:
                try:
                    test(row, **fixtures)
                except Exception as error:
                    wrong.append(f"{name(row)}: {type(error).__name__}: {error}")
            assert not wrong, f"{len(wrong)} of {len(rows)}\n" + "\n".join(wrong)

        del asked.__wrapped__  # pytest would look for the row among the fixtures
        asked.__signature__ = inspect.Signature([*inspect.signature(test).parameters.values()][1:])
        return asked

    return decorate
