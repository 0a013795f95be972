"""The draw of mutants: each is another text that Python reads, and the same seed draws the same ones."""

import ast

from tests.audit import ROOT
from tests.tools.mutants import draw, in_one_line


def test_a_mutant_is_one_readable_change_of_its_file():
    drawn = draw(ROOT, seed=1, count=20)
    assert drawn == draw(ROOT, seed=1, count=20)
    assert len({mutant["key"] for mutant, _ in drawn}) == 20
    for mutant, text in drawn:
        original = (ROOT / mutant["file"]).read_text(encoding="utf-8")
        assert ast.unparse(ast.parse(text)) != ast.unparse(ast.parse(original)), in_one_line(mutant)
        assert "→" in in_one_line(mutant)
