"""What captions and alternative texts say of the curves: the words, and what the drawn numbers must then show.

The checks stand with the references of the figures, chapter by chapter.
"""

import pytest

from tests.figures.captions import CLAIMS
from tests.figures.oracles import ALL


@pytest.mark.parametrize("name", CLAIMS)
def test_what_is_said_is_drawn(name):
    """The words stand in the caption or in the alternative text, and are true."""
    named, words, check = CLAIMS[name]
    figure = ALL[named]
    assert words in " ".join(f"{figure.caption} {figure.alt}".split())
    check(figure)
