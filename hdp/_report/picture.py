"""A picture of weights and receipts by group of users: who counts how much, what each spends, and what each keeps."""

import math
from typing import IO

import numpy as np

from hdp import _extras
from hdp._report.shown import cells
from hdp._types import Floats
from hdp.release import Plan, receipts
from hdp.release.groups import NOTHING, Group, groups, members
from hdp.release.receipts import less

FORMATS = ("png", "svg")
_FAR = 100  # times the least, from where on lengths are drawn on a logarithmic axis
_COLOURS = {"users": "#9a9a9a", "weight": "#0b5fa5", "spent": "#c2571a", "kept": "#3c8d5a"}


def draw(file: IO[bytes], plan: Plan, format: str, left: Floats | None = None) -> None:
    """Draw the groups of a ``plan`` into a ``file``, opened for bytes, in one of `FORMATS`.

    What each kind of user has ``left`` before it is her budget, unless a ledger says less.
    """
    with _extras.needed("--picture", "explore", "matplotlib"):
        import matplotlib
        from matplotlib.figure import Figure
    found, (spent, kept) = groups(plan), averages(plan, left)
    place = np.arange(len(found))
    with matplotlib.rc_context({"svg.hashsalt": plan.digest, "svg.fonttype": "none"}):  # the same plan, the same file
        figure = Figure(figsize=(10, 1.6 + 0.55 * len(found)), layout="constrained")
        counts, losses = figure.subplots(1, 2, sharey=True)
        _bars(counts, place, {
            "users": ("of all users", [100 * group.users / plan.n for group in found]),
            "weight": ("of the answer", [100 * group.weight for group in found]),
        })  # fmt: skip
        _bars(losses, place, {
            "spent": ("a user spends", spent),
            "kept": ("and keeps", kept),
        })  # fmt: skip
        counts.set_xlabel("part (%)")
        losses.set_xlabel(f"privacy loss, average of the group ({'nats' if plan.noise == 'laplace' else 'rho'})")
        counts.set_ylabel("budget, whom they trust, records of each")
        counts.set_yticks(place, list(map(_label, found)))
        counts.invert_yaxis()
        shown = [bar.get_width() for bar in losses.patches if bar.get_width() > 0]
        if shown and max(shown) > _FAR * min(shown):
            losses.set_xscale("log")
        figure.suptitle(f"Weights and receipts of plan {plan.digest[:12]}")
        figure.savefig(file, format=format, dpi=150, metadata={"Date": None} if format == "svg" else None)


def _bars(axes, place, columns):
    for shift, (name, (label, lengths)) in zip((-0.2, 0.2), columns.items(), strict=True):
        axes.barh(place + shift, lengths, 0.38, label=label, color=_COLOURS[name])
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False, fontsize="small")


def averages(plan: Plan, left: Floats | None = None) -> tuple[list[float], list[float]]:
    """What a user of each group spends and keeps on average; 0 for public values, to which nothing is promised."""
    found, users, means = receipts(plan), plan.kinds.users, []
    kept = found.kept if left is None else np.maximum(less(left, found.spent), 0.0)
    for column in (np.minimum(found.spent, found.allowed), kept):
        drawn = np.where(column <= NOTHING * found.allowed, 0.0, column)  # of public values all
        means.append([float(np.average(drawn[rows], weights=users[rows])) for rows in members(plan)])
    return means[0], means[1]


def _label(group: Group) -> str:
    text = cells(group)
    records = f"{text['records']} record{'s' if group.records[1] > 1 else ''}"
    if math.isinf(group.epsilon[1]):
        return f"public, {records}"
    return f"{text['epsilon']}, {'nobody' if group.local else 'curator'}, {records}"
