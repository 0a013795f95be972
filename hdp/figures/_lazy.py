"""A page needs the figures of its own module only, and some take seconds to build."""

from collections.abc import Callable
from importlib import import_module
from typing import Any


def figures_of(package: str, modules: tuple[str, ...]) -> Callable[[str], Any]:
    """The `__getattr__` of a topic: it builds `FIGURES`, those of all its modules, when they are asked for."""

    def get(name: str) -> Any:
        if name != "FIGURES":
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return tuple(figure for module in modules for figure in import_module(f"{package}.{module}").FIGURES)

    return get
