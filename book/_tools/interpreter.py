"""Refuse in one line a Python that pyproject.toml does not promise: `make` asks before pip, build.py before all else.

Old Pythons must understand it, too, so it is written without what they lack.
"""

import platform
import re
import sys
from os.path import abspath, dirname, join

PROJECT = join(dirname(dirname(dirname(abspath(__file__)))), "pyproject.toml")


def check():
    """Leave with a message unless this is CPython in a version that the classifiers name."""
    with open(PROJECT, "rb") as file:
        promised = re.findall("Python :: (3[.][0-9]+)", file.read().decode("utf-8"))
    version = ".".join(map(str, sys.version_info[:3]))
    implementation = platform.python_implementation()
    if implementation == "CPython" and ".".join(version.split(".")[:2]) in promised:
        return
    some, last = ", ".join(promised[:-1]), promised[-1]
    found = "This is " + implementation + " " + version + ", and the book needs CPython " + some + " or " + last
    sys.exit(found + "; name one: make book PYTHON=python" + last)


if __name__ == "__main__":
    check()
