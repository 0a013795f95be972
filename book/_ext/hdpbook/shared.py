"""What chapters share: imported in the process that kernels are forked from, it imports what HDP_SHARED names.

A module that fails is left to the chapters that import it, which say so.
"""

import gc
import os
from contextlib import suppress
from importlib import import_module

gc.disable()
for name in os.environ.get("HDP_SHARED", "").split():
    with suppress(Exception):
        import_module(name)
gc.enable()
gc.freeze()  # no chapter looks through all this for what it could drop
