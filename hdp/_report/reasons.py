"""One sentence for every row of the ranking: what the estimator does with these users, in their numbers.

Only what is public about the users is counted.
"""

import numpy as np

from hdp import adpm, threshold, user_level
from hdp._report.shown import digits
from hdp.baselines.mechanisms import fme_level
from hdp.compare import Candidate, Population


class Facts:
    """Counts and budgets of a population."""

    def __init__(self, people):
        usable = people.epsilon > 0
        self.people = people
        self.budgets = people.epsilon[people.trusting]
        self.trust = int(np.count_nonzero(people.trusting))
        self.local = int(np.count_nonzero(usable & people.local))
        self.public = int(np.count_nonzero(np.isinf(people.epsilon)))
        self.private = int(np.count_nonzero(usable)) - self.public
        self.least = self.budgets.min(initial=np.inf)  # of those who trust
        self.least_shown = digits(self.least)
        self.strictest = digits(people.epsilon[usable].min())  # of all who allow anything
        without = f"; {self.local} without trust {'is' if self.local == 1 else 'are'} left out"
        self.left_out = without if self.local else ""  # what follows where local users are not asked


def reasons(rows: list[Candidate], people: Population) -> list[str]:
    """For every row of a ranking of these people a sentence, with the numbers of theirs that explain its error."""
    facts = Facts(people)
    return [_sentence(row, facts) for row in rows]


def _sentence(row, facts):
    text = f"Not for these users: {row.obstacle}"
    if not row.obstacle:
        said = _SENTENCES[row.name]
        text = said.format(facts=facts) if isinstance(said, str) else said(row, facts)
    return text[0].upper() + text[1:] + "."


def _mixed(row, facts):
    shared = facts.trust - facts.public
    parts = [f"{shared} share one noise of the curator"] * (shared > 0)
    parts += [f"{facts.local} send a report of their own"] * (facts.local > 0)
    parts += [f"{facts.public} are public"] * (facts.public > 0)
    return f"counts {row.users} values, each as far as its budget and variance allow: {', '.join(parts)}"


def _reports(row, facts):
    if facts.trust == facts.public:
        return "nobody with a private value trusts the curator here, so this is what mixed does"
    return f"as mixed, if nobody trusted the curator: {facts.private} reports with noise of their own"


def _adpm(row, facts):
    if not row.users:
        return f"its noise for the {facts.trust} who trust would err more than the constant 1/2, which it answers"
    if facts.least == np.inf:
        return f"a plain average of the {facts.trust} public values, without noise"
    cap = adpm.clipping_level(facts.budgets)
    above = int(np.count_nonzero(facts.budgets > cap))
    spent = f"of the {above} larger budgets it spends {digits(cap)}" if above else "it spends every budget in full"
    return f"one noise for the {facts.trust} who trust, and {spent}{facts.left_out}"


def _propdpm(row, facts):
    if facts.public:
        return f"with weights proportional to budgets only the {facts.public} public values count"
    low, high = facts.budgets.min(), facts.budgets.max()
    if low == high:
        return f"all budgets are {digits(low)}, so weights proportional to them are equal{facts.left_out}"
    return (
        f"weights proportional to budgets: one of {digits(high)} counts {digits(high / low)} times as much as one of "
        f"{digits(low)}{facts.left_out}"
    )


def _ldpe(row, facts):
    levels = np.unique(facts.budgets[np.isfinite(facts.budgets)]).size
    if not levels:
        return f"no noise, because the {facts.trust} who trust are public"
    if facts.public:
        noise = "one noise" if levels == 1 else f"a noise for each of {levels} different budgets"
        return f"{noise}, and none for the {facts.public} who are public{facts.left_out}"
    if levels == 1:
        return f"one noise, because the {facts.trust} who trust have one budget{facts.left_out}"
    return f"a noise for each of {levels} different budgets, where one for all would do{facts.left_out}"


def _sm(row, facts):
    top = facts.budgets.max()
    noise = "no noise" if np.isinf(top) else f"the noise of the largest budget, {digits(top)}"
    return f"keeps about {row.users} of {facts.trust} values, drawn by their budgets, with {noise}{facts.left_out}"


def _fme(row, facts):
    level, cap = fme_level(facts.budgets), adpm.clipping_level(facts.budgets)
    capped = f"capped at {digits(level)}" if np.any(facts.budgets > level) else "none of them capped"
    best = f"; the cap of least worst error is {digits(cap)}" if np.any(facts.budgets > cap) else ""
    return f"weights proportional to budgets, {capped}{best}{facts.left_out}"


def _threshold(row, facts):
    tau = threshold.best_threshold(facts.budgets)
    below = facts.trust - int(np.count_nonzero(facts.budgets >= tau))
    out = f"leaves out {below} who allow less" if below else "leaves out nobody who trusts"
    return f"spends {digits(tau)} of each of {facts.trust - below} budgets and {out}{facts.left_out}"


def _algorithm_2(row, facts):
    groups = user_level.user_groups(facts.people.records[facts.people.trusting], facts.least)
    head, middle, tail = (group.size for group in groups)
    return f"spends {head + tail} users on rough moments first, and averages the other {middle}"


_COMBINED = (
    "two averages, of {{facts.trust}} who trust and of {{facts.local}} reports, combined {how}, both at the strictest "
    "budget of all, {{facts.strictest}}"
)
_SENTENCES = {
    "mixed": _mixed,
    "reports": _reports,
    "ldpe-users": "every private value gets Laplace noise of its own, {facts.private} times, trust or not",
    "centre": "answers 1/2 and reads no value; the mean may be as far away as 1/2",
    "adpm": _adpm,
    "propdpm": _propdpm,
    "ldpe": _ldpe,
    "sm": _sm,
    "fme": _fme,
    "uni": "a plain average of the {facts.trust} who trust, with noise as if all allowed only {facts.least_shown}"
    "{facts.left_out}",
    "threshold": _threshold,
    "tcm-only": "a plain average of the {facts.trust} who trust, at the strictest budget of all, {facts.strictest}",
    "full-lm": "everybody sends a report, at the strictest budget of all, {facts.strictest}",
    "kvh": _COMBINED.format(how="for the least error"),
    "pwh": _COMBINED.format(how="for the least noise"),
    "naive": _COMBINED.format(how="by their numbers of users"),
    "private-ideal": "weighs the {facts.trust} who trust by their records at their strictest budget, "
    "{facts.least_shown}, and cuts values far from the prior mean",
    "algorithm-2": _algorithm_2,
}
