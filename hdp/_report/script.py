"""What a reader takes away: a script, a notebook and a command that do again what the page or the command did."""

import json
import math
import shlex
from dataclasses import dataclass
from typing import Any, NamedTuple

from hdp._report.report import by_kind, calls
from hdp.release import Plan

_VALUE = "value"
_PRIVATE = '''def private(path):
    """A new file for its owner alone, in the place of one that may be there."""
    if os.path.exists(path):
        os.remove(path)
    return open(path, "w", newline="", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600))'''


class Cell(NamedTuple):
    """A part of a notebook."""

    code: bool  # or else Markdown
    text: str


@dataclass(frozen=True, eq=False)
class Asked:
    """What was asked, and how: enough to ask it again."""

    plan: Plan
    variance: float | None
    prior: tuple[float, float] | None
    source: str | None  # name of the users' file; None where they are described by kind
    command: str | None = None  # that plans the same, if there is one
    arguments: tuple[str, ...] = ()  # beyond the file's name: how Python reads it,
    columns: str = ""  # and how the command does
    program: str = "python -m hdp"
    spend: float | None = None  # share of the budgets, if not all
    before: str | None = None  # ledger of earlier releases, if no more may be used than everybody has left by it,
    counted: int = 0  # and how many it has counted
    out: str = "plan.json"
    weights: str = "weights.csv"
    receipts: str = "receipts.csv"
    value: str = _VALUE  # column of values

    @property
    def ledger(self) -> str:
        """The file in which the release is counted."""
        return self.before or "ledger.json"


def commands(asked: Asked) -> str:
    """The lines for a shell that plan and release."""
    if not asked.command:
        return ""
    files = shlex.join([asked.out, asked.source or ""])
    counted = shlex.join(["--ledger" if asked.before else "--new-ledger", asked.ledger, "--receipts", asked.receipts])
    options = f"{asked.columns} {counted}"
    return f"{asked.command}\n{asked.program} release {files}{options}"


def cells(asked: Asked) -> list[Cell]:
    """The parts of script and notebook, in their order."""
    users = f"of {asked.source}" if asked.source else "described here"
    lines = "\n".join(f"    {line}" for line in commands(asked).splitlines())
    same = f"\n\nThe same on the command line:\n\n{lines}" if lines else ""
    return [
        Cell(False, f"# Ranking, plan and answer for the users {users}{same}"),
        Cell(True, _reading(asked)),
        Cell(True, _planning(asked)),
        Cell(True, _writing(asked)),
        Cell(False, _before(asked)),
        Cell(True, _releasing(asked)),
    ]


def script(asked: Asked) -> str:
    """The cells as a script, which editors that know notebooks show as one."""
    parts = []
    for cell in cells(asked):
        lines = cell.text if cell.code else "\n".join(f"# {line}".rstrip() for line in cell.text.splitlines())
        parts.append(f"# %%{'' if cell.code else ' [markdown]'}\n{lines}\n")
    return "\n".join(parts)


def notebook(asked: Asked) -> str:
    """The cells as a notebook, in JSON."""
    found = []
    for number, cell in enumerate(cells(asked)):
        made: dict[str, Any] = {"cell_type": "code" if cell.code else "markdown", "id": f"cell-{number}"}
        made |= {"metadata": {}, "source": cell.text.splitlines(keepends=True)}
        found.append(made | ({"execution_count": None, "outputs": []} if cell.code else {}))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return json.dumps({"cells": found, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


def _reading(asked):
    packages = "import os\n\nfrom hdp import compare, release\n\n"
    if asked.source is not None:
        given = "".join(f"    {argument},\n" for argument in asked.arguments)
        columns = f"columns = dict(\n{given})\n" if given else ""
        return f"{packages}{columns}names, people, _, _ = {_data(asked, value=None)}  # values are not read yet"
    lines = "\n".join(by_kind(asked.plan.kinds))
    return f"{packages.replace('from hdp', 'import numpy as np' + chr(10) + 'from hdp')}{lines}"


def _planning(asked):
    said = {"spend": asked.spend, "ledger": asked.before}
    used = "".join(f", {name}={value!r}" for name, value in said.items() if value is not None)
    ranked, planned = calls(asked.plan, asked.variance, asked.prior, used)
    width = asked.plan.upper - asked.plan.lower
    unit, places = "" if width == 1 else f"{width!r} * ", max(0, math.ceil(4 - math.log10(width) - 1e-12))
    ranking = [
        f"for row in {ranked}:",
        f'    print(row.name, row.obstacle or f"{{{unit}row.error**0.5:.{places}f}}")',
        "",
    ]
    making = [f"plan = {planned}"]
    if asked.before:
        making = [
            f"new = len(release.published({asked.before!r})) == {asked.counted}",
            "if new:",
            f"    {making[0]}",
            "else:  # less is left by now: it stays with the plan that was made of what was left",
            f'    with open({asked.out!r}, encoding="utf-8") as file:',
            "        plan = release.Plan.from_json(file.read())",
        ]
    return "\n".join([
        *(ranking if ranked else []),
        *making,
        f'print(f"root of the expected squared error: {{plan.error.total**0.5:.{places}f}}")',
        'print("plan:", plan.digest)',
    ])  # fmt: skip


def _writing(asked):
    named = ", people, names" if asked.source else ""
    left = f", left=release.left(plan, {asked.before!r})" if asked.before else ""
    lines = [
        f'with open({asked.out!r}, "w", newline="", encoding="utf-8") as file:',
        "    file.write(plan.to_json())  # the SHA-256 of this file is the name of the plan",
        f"with private({asked.weights!r}) as file:",
        f"    release.write_weights(file, plan{named}{left})",
    ]
    if asked.before:
        lines = ["if new:", *(f"    {line}" for line in lines)]
    return "\n".join([_PRIVATE, "", "", *lines])


def _before(asked):
    lines = [
        "The next lines spend budgets: set `RELEASE` to `True` once the plan is the one that you want.",
        f"Run again, they draw nothing new, and print what `{asked.ledger}` keeps.",
    ]
    if asked.before:
        lines.append(f"They stop where `{asked.ledger}` has counted another release since: then plan again.")
    if asked.source is not None and asked.value == _VALUE:
        lines.append(
            f"Where the column of values is not called `{_VALUE}`, name it there (`--value` on a command line)."
        )
    if (asked.plan.kinds.weight > 0).any():
        lines.append(
            "Before that, each user who trusts nobody makes her report on her own machine, and the file gets it in its"
            f" column `report`: `{asked.program} report {asked.out} --epsilon BUDGET --new-ledger mine.json`."
        )
    return "\n".join(lines)


def _releasing(asked):
    told = bool((asked.plan.kinds.weight > 0).any())
    reports = ", reports=reports" if told else ""
    if asked.source is not None:
        data = f"names, people, values, {'reports' if told else '_'} = {_data(asked, asked.value, told)}"
        named, receipts = ", names=names", ", people, names"
    else:
        told = " and reports, None for whoever sends none" if reports else ""
        data = f"values{', reports' if reports else ''} = ...  # the users' values{told}, in the order of people"
        named = receipts = ""
    new = [
        f"    if not os.path.exists({asked.ledger!r}):",
        f"        release.new_ledger(plan, {asked.ledger!r})  # one ledger for all answers about these users",
    ]
    other = f"{asked.ledger} has counted another release: plan with what it leaves, by --ledger"
    return "\n".join([
        "RELEASE = False",
        "if RELEASE:",
        f"    {data}",
        *([] if asked.before else new),
        f"    answers = release.published({asked.ledger!r})",
        f"    if len(answers) == {asked.counted}:" if asked.before else "    if not answers:",
        f"        answer = release.release(plan, people, values, {asked.ledger!r}{reports}{named})",
        "    else:",
        f"        answer = answers[{asked.counted}]",
        "        if answer is not None and answer.plan != plan.digest:",
        f"            raise SystemExit({other!r})",
        "    print(answer)  # before a file is written: on a full disk this may be the only copy",
        f"    with private({asked.receipts!r}) as file:",
        f"        release.write_receipts(file, plan{receipts})",
    ])  # fmt: skip


def _data(asked, value, reports=False):
    """The call that reads the file, with or without its values."""
    options = f"{', reports=True' * reports}, value={value!r}{', **columns' * bool(asked.arguments)}"
    return f"release.read_data({asked.source!r}{options})"
