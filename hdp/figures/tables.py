"""Tables of formulas whose cells are links, too: Markdown, which the page's own references need."""

import sympy as sp
from IPython.display import Markdown

from hdp.proof import assert_identity
from hdp.proof._shown import in_latex


def shortest(expression):
    """The form without fractions in fractions, if there is one; the shorter of two, as LaTeX between dollars."""
    forms = (expression, sp.together(expression), sp.factor(expression))
    lines = {form: sp.pretty(form, wrap_line=False).count("\n") for form in forms}
    best = min(forms, key=lambda form: (lines[form], len(in_latex(form))))
    if best != expression:
        assert_identity(best, expression, name=None)
    return rf"$\displaystyle {in_latex(best)}$"


def linked(label, text=""):
    """A link to a result, with its own name or a text."""
    return f"{{prf:ref}}`{text} <{label}>`" if text else f"{{prf:ref}}`{label}`"


def table(*lines):
    """Rows of texts of one length, of which the first is the head."""
    widths = {len(line) for line in lines}
    assert len(widths) == 1
    head, *rows = lines
    return Markdown("\n".join("| " + " | ".join(line) + " |" for line in (head, ["---"] * widths.pop(), *rows)))
