"""Files of the repository and of the built book that many tests read, each parsed once."""

from functools import cache
from pathlib import Path

import yaml
from bs4 import BeautifulSoup

ROOT = Path(__file__).resolve().parents[1]
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the one in C, where there is one, needs a tenth of the time


@cache
def read_yaml(path):
    """What a YAML file of the repository says; it is shared, so not to be changed."""
    return yaml.load((ROOT / path).read_text(encoding="utf-8"), Loader=LOADER)


@cache
def built_page(name):
    """A page of the built book, as a tree; it is shared, so not to be changed."""
    return BeautifulSoup((ROOT / f"_build/html/{name}.html").read_text(encoding="utf-8"), "html.parser")
