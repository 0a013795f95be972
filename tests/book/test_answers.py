"""The fields of exercises: what a page calls right is judged right, and three usual mistakes are not."""

import re

import pytest
import sympy as sp
from hdpbook.forms import task

from hdp.proof._judge import judge
from tests.files import PAGES, read

BLOCK = re.compile(r"^```\{answer\} (.*)\n((?::\w+: .*\n)*)((?:(?!```).*\n)+)```$", re.M)
IMPORTS = re.compile(r"^```\{code-cell\} ipython3\n(.*?)^```$", re.M | re.S)
FIELDS = [
    (page, task(right, dict(re.findall(r"^:(\w+): (.*)$", options, re.M))))
    for page in PAGES[1:]
    for right, options, _ in BLOCK.findall(read(f"{page}.md"))
]
assert len(FIELDS) == sum(read(f"{page}.md").count("```{answer}") for page in PAGES[1:])


def answers(asked, right):
    """The right answer as a reader may write it, and three usual mistakes."""
    names = asked["names"]
    if "at" in asked:
        known = re.sub(rf"\b{names[0]}\b", repr(eval(asked["at"])[0]), asked["right"])
        return asked["right"], [f"-{asked['right']}", f"2 * {asked['right']}", known]
    if not names:
        value = sp.N(right, 12)
        third = 1 / value if abs(abs(value) - 1) > 0.1 else value / 2
        return str(value), [str(-value), str(2 * value), str(third)]
    first, *others = sorted(right.free_symbols, key=str)
    forgotten = right.subs(first, sp.Rational(1, 2) if others else first**2)  # a number in place of it
    return str(right), [f"-({right})", f"2*({right})", str(forgotten)]


@pytest.mark.parametrize(("page", "asked"), FIELDS, ids=[f"{p}-{a['right']}" for p, a in FIELDS])
def test_what_is_right_is_judged_right_and_usual_mistakes_are_not(page, asked):
    imports, right = IMPORTS.search(read(f"{page}.md"))[1], None
    if "at" not in asked:
        known = {"sp": sp, "t": sp.Symbol("t", positive=True)}
        exec("import numpy as np\n" + imports, known)
        right = sp.sympify(eval(asked["right"], known | {n: sp.Symbol(n, positive=True) for n in asked["names"]}))
        right = right.xreplace({old: sp.Symbol(old.name, positive=True) for old in right.free_symbols})
        assert {symbol.name for symbol in right.free_symbols} <= set(asked["names"]), "names are not what they say"
        assert asked["names"] or asked["within"] or right.is_Float or right.is_Rational, "not to be written exactly"
    good, mistakes = answers(asked, right)
    assert judge(good, imports=imports, **asked)[0] is True
    for mistake in mistakes:
        verdict, text = judge(mistake, imports=imports, **asked)
        assert verdict is False and text.startswith("Not yet"), (mistake, text)
