"""What a reader takes away: a script, a notebook and a command that do again what the page or the command did."""

import json
from dataclasses import dataclass
from typing import Any, NamedTuple

from hdp._report.report import by_kind
from hdp.release import Plan

_LEDGER, _RECEIPTS = "ledger.json", "receipts.csv"
_PRIVATE = '''def private(path):
    """A file for its owner alone."""
    return open(path, "w", newline="", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600))'''


class Cell(NamedTuple):
    """A part of a notebook."""

    code: bool  # or else Markdown
    text: str


@dataclass(frozen=True, eq=False)
class Asked:
    """What was asked, and how: enough to ask it again."""

    plan: Plan
    known: dict[str, float | tuple[float, float]]  # variance or prior, or nothing
    source: str | None  # name of the users' file; None where they are described by kind
    command: str | None  # that plans the same, if there is one
    program: str = "python -m hdp"
    out: str = "plan.json"
    weights: str = "weights.csv"


def commands(asked: Asked) -> str:
    """The lines for a shell that plan and release."""
    released = f"{asked.program} release {asked.out} {asked.source} --new-ledger {_LEDGER} --receipts {_RECEIPTS}"
    return f"{asked.command}\n{released}" if asked.command else ""


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
        return f"{packages}names, people, _, _ = release.read_data({asked.source!r})  # values are not used yet"
    lines = "\n".join(by_kind(asked.plan.kinds))
    return f"{packages.replace('from hdp', 'import numpy as np' + chr(10) + 'from hdp')}{lines}"


def _planning(asked):
    plan, given = asked.plan, "".join(f", {name}={value!r}" for name, value in asked.known.items())
    options = given + ("" if plan.noise == "laplace" else f", noise={plan.noise!r}")
    ranking = [
        f"for row in compare.ranking(people{given}):",
        '    print(row.name, row.obstacle or f"{row.error**0.5:.4f}")',
        "",
    ]
    return "\n".join([
        *(ranking if plan.noise == "laplace" else []),
        f"plan = release.plan(people, {plan.method!r}{options})",
        'print(f"root of the expected squared error: {plan.error.total**0.5:.4f}")',
        'print("plan:", plan.digest)',
    ])  # fmt: skip


def _writing(asked):
    named = ", people, names" if asked.source else ""
    return "\n".join([
        _PRIVATE, "", "",
        f'with open({asked.out!r}, "w", newline="", encoding="utf-8") as file:',
        "    file.write(plan.to_json())  # the SHA-256 of this file is the name of the plan",
        f"with private({asked.weights!r}) as file:",
        f"    release.write_weights(file, plan{named})",
    ])  # fmt: skip


def _before(asked):
    lines = [
        "The next lines spend budgets: set `RELEASE` to `True` once the plan is the one that you want.",
        f"Run again, they draw nothing new, and print what `{_LEDGER}` keeps.",
    ]
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
        read = f"release.read_data({asked.source!r}{', reports=True' * told})"
        data = f"names, people, values, {'reports' if told else '_'} = {read}"
        named, receipts = ", names=names", ", people, names"
    else:
        told = " and reports, None for whoever sends none" if reports else ""
        data = f"values{', reports' if reports else ''} = ...  # the users' values{told}, in the order of people"
        named = receipts = ""
    return "\n".join([
        "RELEASE = False",
        "if RELEASE:",
        f"    {data}",
        f"    if not os.path.exists({_LEDGER!r}):",
        f"        release.new_ledger(plan, {_LEDGER!r})  # one ledger for all answers about these users",
        f"    if not release.published({_LEDGER!r}):",
        f"        release.release(plan, people, values, {_LEDGER!r}{reports}{named})",
        f"    with private({_RECEIPTS!r}) as file:",
        f"        release.write_receipts(file, plan{receipts})",
        f"    print(release.published({_LEDGER!r})[-1])",
    ])  # fmt: skip
