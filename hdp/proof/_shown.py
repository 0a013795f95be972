"""How an assertion that holds shows what it has shown: typeset in a notebook, silent elsewhere.

HTML for the book and JupyterLab, LaTeX for print, plain text for a console.
"""

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import sympy as sp

from hdp._number import number
from hdp.proof._arranged import arranged
from hdp.proof._printer import latex, width

LINE = 52  # characters of a formula that stand side by side; beyond, it breaks before its relation
WIDEST = 66  # characters that the book's column holds; a longer sum breaks between its terms
SHORT = 8  # a name of so few characters stays with what follows it
WORDS = 24  # letters; a cell with more has words that should stand side by side
MANY = 14  # terms; a polynomial with more is described, not printed

_POWER = re.compile("(-?(?:[0-9.]+·)?)10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_NUMBER = re.compile(r"[-+−]?[0-9][0-9,.]*( ?%)?|∞")
_LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_RELATIONS = {"=": "=", ">=": r"\ge", ">": ">"}


@dataclass(frozen=True)
class Formula:
    """A chain of expressions, each with the relation before it, and the kind of proof.

    Parameters
    ----------
    name : str
        LaTeX of what stands before the chain: a symbol, or empty.
    parts : tuple of (str, sympy.Expr)
        Relation ("=", ">=", ">"; that of the first is not used without a name) and expression.
    kind : str
        What the mark says: "identity", "multiplied out, only plus signs", ...; may contain LaTeX between dollars.
    where : str
        LaTeX that the mark ends with: the substitution.
    """

    name: str
    parts: tuple[tuple[str, sp.Expr], ...]
    kind: str
    where: str = ""

    def latex(self) -> str:
        """The chain as one aligned display, broken where the column ends."""
        pieces = [("", self.name)] if self.name else []
        width = _width(self.name)
        lines: list[list[tuple[str, str]]] = []
        for relation, expression in self.parts:
            terms = _broken(expression)
            sign = _RELATIONS[relation] if pieces or lines else ""
            wide = width + terms[0][1] > LINE and width > SHORT and expression != 0
            if (pieces and wide) or (len(terms) > 1 and width > SHORT):
                lines.append(pieces)
                pieces, width = [], 0
            pieces.append((sign, terms[0][0]))
            width += terms[0][1] + 3
            for text, w in terms[1:]:
                lines.append(pieces)
                pieces, width = [("+", text)], w
        lines.append(pieces)
        if len(lines) == 1:
            return " ".join(f"{sign} {text}" for sign, text in lines[0]).strip()
        return r"\begin{aligned} " + r" \\[2pt] ".join(map(_aligned, lines)) + r" \end{aligned}"

    def text(self) -> str:
        """One line for a console."""
        chain = " ".join(f"{relation} {expression}" for relation, expression in self.parts)
        return f"{self.name + ' ' if self.name else ''}{chain if self.name else chain[2:].lstrip()} [{self.kind}]"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        latex, kind = self.latex(), self.kind + (f", with ${self.where}$" if self.where else "")
        mark = f'<p class="hdp-mark">{_inline(kind)}</p>'
        return {
            "text/html": _box(f'<div class="hdp-formula">\\[{escape(latex)}\\]</div>{mark}'),
            "text/latex": f"$${latex} \\tag*{{\\footnotesize {kind}}}$$",
            "text/plain": self.text(),
        }


@dataclass(frozen=True)
class Said:
    """A sentence about what was shown, where a formula would say less."""

    sentence: str
    kind: str

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        mark = f'<p class="hdp-mark">{escape(self.kind)}</p>'
        return {
            "text/html": _box(f'<p class="hdp-said">{escape(self.sentence)}</p>{mark}'),
            "text/markdown": f"{_in_print(self.sentence)} ({self.kind})",
            "text/plain": f"{self.sentence} [{self.kind}]",
        }


@dataclass(frozen=True)
class Table:
    """A table with headings, whose numbers are aligned; for results that a page shows.

    Parameters
    ----------
    headings : sequence of str
        One a column, with its unit; may contain LaTeX between dollars.
    rows : sequence of sequences
        Cells: text, or numbers, which are written with four significant digits.
    note : str
        A line under the table.

    Raises
    ------
    ValueError
        If a row has not a cell for every heading.

    Examples
    --------
    >>> from hdp.proof import Table
    >>> print(Table(("users", "error"), [(100, 0.01)])._repr_mimebundle_()["text/plain"])
    | users | error |
    | --- | --- |
    | 100 | 0.01 |
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[Any]]
    note: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.headings):
                raise ValueError(f"rows must have {len(self.headings)} cells as headings has, got {row!r}")

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        columns = list(zip(*self.rows, strict=True)) or [()] * len(self.headings)
        head = "".join(map(_head, self.headings, columns))
        note = f"<p>{_inline(self.note)}</p>" if self.note else ""
        body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in self.rows)
        lines = [self.headings, ["---"] * len(self.headings), *([_written(c) for c in row] for row in self.rows)]
        plain = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        return {
            "text/html": '<div class="hdp-table mathjax_process" tabindex="0" role="group" aria-label="Results">'
            f'<table class="table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}</div>',
            "text/markdown": _in_print(plain),
            "text/plain": plain,
        }


def equation(name: str | None, left: sp.Expr, right: sp.Expr, where: Mapping[sp.Symbol, sp.Expr]) -> None:
    """Show left = right; with a name for both, the left side only where it is short and says something new."""
    if name is not None:
        alike = in_latex(left) == in_latex(right)
        parts = (("=", right),) if name and (alike or _width(left) > LINE) else (("=", left), ("=", right))
        used = left.free_symbols | right.free_symbols
        show(Formula(name, parts, "identity", _substitution({k: v for k, v in where.items() if k in used})))


def _substitution(where: Mapping[sp.Symbol, sp.Expr]) -> str:
    return r",\ ".join(f"{in_latex(k)} = {in_latex(v)}" for k, v in where.items())


def squares(name: str | None, expression: sp.Expr, terms: list[tuple[sp.Expr, sp.Expr]]) -> None:
    """Show an expression as a sum of squares."""
    if name is not None:
        as_squares = sp.Add(*(sp.factor(factor) * base**2 for factor, base in terms), evaluate=False)
        parts = (("=", expression), ("=", as_squares), (">=", sp.S.Zero))
        show(Formula(name, parts, "a sum of squares with nonnegative factors"))


def certificate(
    name: str | None,
    expression: sp.Expr,
    substitute: Mapping[sp.Symbol, sp.Expr],
    numerator: sp.Expr,
    denominator: sp.Expr,
    sign: str,
) -> None:
    """Show a fraction whose coefficients have one sign; where it is long, say what was looked at."""
    if name is None:
        return
    where, kind = _substitution(substitute), "multiplied out, only plus signs"
    terms = len(sp.Add.make_args(numerator))
    symbols = ", ".join(sorted(map(in_latex, numerator.free_symbols)))
    if terms > MANY:
        of = f"a polynomial in ${symbols}$ with {terms} terms" + (" over a positive one" if denominator != 1 else "")
        parts: tuple[tuple[str, sp.Expr], ...] = (("=", expression), (sign, sp.S.Zero))
        show(Formula(name, parts, f"{of}; {kind}", where))
        return
    fraction = numerator / sp.factor(denominator)
    parts = (("=", expression), ("=", fraction), (sign, sp.S.Zero))
    if in_latex(fraction) == in_latex(expression) or (name and _width(expression) > LINE):
        parts = parts[1:]
    show(Formula(name, parts, kind, where))


def simulation(draws: int, mean: float, expected: float, z: float) -> None:
    """Say how far a simulated mean is from what was claimed."""
    sentence = f"Mean of {draws:,} draws: {number(mean)}; expected: {number(expected)}."
    show(Said(sentence, f"simulation; {z:+z.2f} standard errors apart"))


def show(shown: Any) -> None:
    """Display in a notebook; do nothing elsewhere."""
    ipython = sys.modules.get("IPython")
    if ipython is not None and ipython.get_ipython() is not None:
        from IPython.display import display

        display(shown)


def _written(cell: Any) -> str:
    if isinstance(cell, str):
        return cell
    return str(cell) if isinstance(cell, bool) else number(cell)


def _in_print(text: str) -> str:
    """Markdown of it, with powers of ten as formulas, for whose raised digits a printed font has no letters."""
    return _POWER.sub(lambda m: f"${m[1]}10^{{{m[2].translate(_LOWERED)}}}$".replace("·", r"\cdot "), text)


def _is_number(cell: Any) -> bool:
    return not isinstance(cell, str) or _NUMBER.fullmatch(cell) is not None


def _look(cell: Any, number: bool) -> str:
    """A number is aligned, and text of several words has room for them."""
    words = isinstance(cell, str) and len(cell) >= WORDS
    return ' class="number"' if number else ' class="words"' if words else ""


def _cell(cell: Any) -> str:
    look = _look(cell, _is_number(cell))
    return f"<td{look}>{_inline(cell) if isinstance(cell, str) else _written(cell)}</td>"


def _head(heading: str, column: Sequence[Any]) -> str:
    """A heading, over numbers where its column has nothing else."""
    look = _look(heading, bool(column) and all(map(_is_number, column)))
    return f'<th scope="col"{look}>{_heading(heading)}</th>'


def _box(content: str) -> str:
    return f'<div class="hdp-shown mathjax_process">{content}</div>'


def _heading(text: str) -> str:
    """A formula is no text to those who hear a table: they hear its letters."""
    if "$" not in text:
        return escape(text)
    said = re.sub(r"\\(mathrm|mathbf|text|operatorname|frac)|[$\\{}]", " ", text)
    spoken = escape(" ".join(said.split()))
    return f'<span class="visually-hidden">{spoken}</span>{_inline(text)}'


def _inline(text: str) -> str:
    """HTML of a text with LaTeX between dollars."""
    parts = text.split("$")
    return "".join(f"\\({escape(part)}\\)" if i % 2 else escape(part) for i, part in enumerate(parts))


def _width(expression: Any) -> int:
    """Characters that an expression is wide, fractions stacked; of LaTeX a guess."""
    if isinstance(expression, str):
        return len(expression.replace("\\", "").replace("{", "").replace("}", "")) // 2
    return width(arranged(expression))


def in_latex(expression: sp.Expr) -> str:
    """LaTeX, as the papers print it."""
    return latex(arranged(expression), _names(expression))


def _names(expression: sp.Expr) -> dict[sp.Symbol, str]:
    """Symbols whose index is a word, which only keeps them apart, without it where nothing else is written so."""
    symbols = sorted(expression.free_symbols, key=str)
    letters = [re.sub(r"_[a-z]{3,}$", "", symbol.name.replace("_prime", "'")) for symbol in symbols]
    return {
        symbol: sp.latex(sp.Symbol(letter.rstrip("'"))) + "'" * letter.endswith("'")
        for symbol, letter in zip(symbols, letters, strict=True)
        if letter != symbol.name and letters.count(letter) == 1
    }


def _broken(expression: sp.Expr) -> list[tuple[str, int]]:
    """LaTeX and width of an expression, or of groups of the terms of a sum that is too wide."""
    whole, names = arranged(expression), _names(expression)
    if width(whole) <= WIDEST or not isinstance(whole, sp.Add):
        return [(latex(whole, names), width(whole))]
    lines: list[list[sp.Expr]] = [[]]
    for term in whole.args:
        if lines[-1] and width(sp.Add(*lines[-1], term, evaluate=False)) > WIDEST - 8:
            lines.append([])
        lines[-1].append(term)
    groups = [sp.Add(*line, evaluate=False) if len(line) > 1 else line[0] for line in lines]
    return [(latex(group, names), width(group)) for group in groups]


def _aligned(pieces: list[tuple[str, str]]) -> str:
    line = " ".join(f"{sign} {text}".strip() for sign, text in pieces)
    return "& " + (line[1:].lstrip() if line.startswith("+ -") or line.startswith("+ &") else line)
