"""How the command was called, so that messages repeat what the reader typed."""

import sys
from pathlib import PurePath

SCRIPT, MODULE = "unequal-privacy", "python -m hdp"


def called() -> str:
    """The words before a command: those of the script that is installed, or else of the module."""
    return SCRIPT if PurePath(sys.argv[0]).stem == SCRIPT else MODULE
