"""What needs more than NumPy and SciPy says so in one line."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec


@contextmanager
def needed(module: str, extra: str, *packages: str) -> Iterator[None]:
    """Around a module's imports of `packages`: if one is missing, name the extra that installs them all.

    In a page nothing can be installed: there the book's kernel brings what it needs, some of it later.
    """
    if sys.platform != "emscripten" and not all(map(find_spec, packages)):
        names = " and ".join(filter(None, [", ".join(packages[:-1]), packages[-1]]))
        raise ImportError(f"{module} needs {names}: pip install 'unequal-privacy[{extra}]'")
    yield
