"""One sentence for every row of the ranking: what the estimator does with these users, in their numbers.

Only what is public about the users is counted.
"""

import numpy as np

from hdp import adpm, threshold, user_level
from hdp._report.shown import digits, many
from hdp.baselines.mechanisms import fme_level
from hdp.compare import Candidate, Population

_MUCH = 1e308  # the largest power of ten that a float holds


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
        self.who_trust = many(self.trust, "who trusts", "who trust")
        self.reports = many(self.local, "report")
        self.least = self.budgets.min(initial=np.inf)  # of those who trust
        self.least_shown = digits(self.least)
        self.strictest = digits(people.epsilon[usable].min())  # of all who allow anything
        without = many(self.local, "without trust is left out", "without trust are left out")
        self.left_out = f"; {without}" if self.local else ""  # what follows where local users are not asked


def reasons(rows: list[Candidate], people: Population) -> list[str]:
    """For every row of a ranking of these people a sentence, with the numbers of theirs that explain its error."""
    facts = Facts(people)
    return [_sentence(row, facts) for row in rows]


def _sentence(row, facts):
    text = f"Not for these users: {row.obstacle}"
    if not row.obstacle:
        said = _SENTENCES.get(row.name, _any_other)
        text = said.format(facts=facts) if isinstance(said, str) else said(row, facts)
    return text[0].upper() + text[1:] + "."


def _any_other(row, facts):
    """Of an estimator that has no sentence of its own."""
    return f"asks {many(row.users, 'user')}, who give up at the most: {row.guarantee}"


def _mixed(row, facts):
    shared = facts.trust - facts.public
    parts = [many(shared, "shares", "share") + " one noise of the curator"] * (shared > 0)
    parts += [many(facts.local, "sends", "send") + " a report of their own"] * (facts.local > 0)
    parts += [many(facts.public, "is public", "are public")] * (facts.public > 0)
    return f"counts {many(row.users, 'value')}, each as far as its budget and variance allow: {', '.join(parts)}"


def _reports(row, facts):
    if facts.trust == facts.public:
        return "nobody with a private value trusts the curator here, so this is what mixed does"
    found = many(facts.private, "report with noise of its own", "reports with noise of their own")
    return f"as mixed, if nobody trusted the curator: {found}"


def _adpm(row, facts):
    if not row.users:
        return f"its noise for the {facts.who_trust} would err more than the constant 1/2, which it answers"
    if facts.least == np.inf:
        return f"a plain average of the {many(facts.trust, 'public value')}, without noise"
    cap = adpm.clipping_level(facts.budgets)
    above = int(np.count_nonzero(facts.budgets > cap))
    larger = many(above, "larger budget")
    spent = f"of the {larger} it spends {digits(cap)}" if above else "it spends every budget in full"
    return f"one noise for the {facts.who_trust}, and {spent}{facts.left_out}"


def _propdpm(row, facts):
    if facts.public:
        counting = many(facts.public, "public value counts", "public values count")
        return f"with weights proportional to budgets only the {counting}"
    low, high = facts.budgets.min(), facts.budgets.max()
    if low == high:
        return f"all budgets are {digits(low)}, so weights proportional to them are equal{facts.left_out}"
    times = f"{digits(high / low)} times" if high / _MUCH <= low else f"more than {digits(_MUCH)} times"
    return (
        f"weights proportional to budgets: one of {digits(high)} counts {times} as much as one of {digits(low)}"
        f"{facts.left_out}"
    )


def _ldpe(row, facts):
    levels = np.unique(facts.budgets[np.isfinite(facts.budgets)]).size
    if not levels:
        return f"no noise, because the {many(facts.trust, 'who trusts is', 'who trust are')} public"
    if facts.public:
        noise = "one noise" if levels == 1 else f"a noise for each of {levels} different budgets"
        return f"{noise}, and none for the {many(facts.public, 'who is', 'who are')} public{facts.left_out}"
    if levels == 1:
        have = many(facts.trust, "who trusts has", "who trust have")
        return f"one noise, because the {have} one budget{facts.left_out}"
    return f"a noise for each of {levels} different budgets, where one for all would do{facts.left_out}"


def _sm(row, facts):
    top = facts.budgets.max()
    noise = "no noise" if np.isinf(top) else f"the noise of the largest budget, {digits(top)}"
    values = many(facts.trust, "value")
    return f"keeps about {row.users} of {values}, drawn by their budgets, with {noise}{facts.left_out}"


def _fme(row, facts):
    level, cap = fme_level(facts.budgets), adpm.clipping_level(facts.budgets)
    capped = f"capped at {digits(level)}" if np.any(facts.budgets > level) else "none of them capped"
    best = f"; the cap of least worst error is {digits(cap)}" if np.any(facts.budgets > cap) else ""
    return f"weights proportional to budgets, {capped}{best}{facts.left_out}"


def _uni(row, facts):
    noise = "without noise" if facts.least == np.inf else f"with noise as if all allowed only {facts.least_shown}"
    return f"a plain average of the {facts.who_trust}, {noise}{facts.left_out}"


def _threshold(row, facts):
    tau = threshold.best_threshold(facts.budgets)
    below = facts.trust - int(np.count_nonzero(facts.budgets >= tau))
    out = f"leaves out {many(below, 'who allows', 'who allow')} less" if below else "leaves out nobody who trusts"
    return f"spends {digits(tau)} of each of {many(facts.trust - below, 'budget')} and {out}{facts.left_out}"


def _algorithm_2(row, facts):
    groups = user_level.user_groups(facts.people.records[facts.people.trusting], facts.least)
    head, middle, tail = (group.size for group in groups)
    return f"spends {head + tail} users on rough moments first, and averages the other {middle}"


_COMBINED = (
    "two averages, of {{facts.who_trust}} and of {{facts.reports}}, combined {how}, both at the strictest "
    "budget of all, {{facts.strictest}}"
)
_SENTENCES = {
    "mixed": _mixed,
    "reports": _reports,
    "ldpe-users": lambda row, facts: (
        f"every private value gets Laplace noise of its own, {many(facts.private, 'time')}, trust or not"
    ),
    "centre": "answers 1/2 and reads no value; the mean may be as far away as 1/2",
    "adpm": _adpm,
    "propdpm": _propdpm,
    "ldpe": _ldpe,
    "sm": _sm,
    "fme": _fme,
    "uni": _uni,
    "threshold": _threshold,
    "tcm-only": "a plain average of the {facts.who_trust}, at the strictest budget of all, {facts.strictest}",
    "full-lm": lambda row, facts: (
        f"averages {many(row.users, 'report')}, trust or not, at the strictest budget of all, {facts.strictest}"
    ),
    "kvh": _COMBINED.format(how="for the least error"),
    "pwh": _COMBINED.format(how="for the least noise"),
    "naive": _COMBINED.format(how="by their numbers of users"),
    "private-ideal": "weighs the {facts.who_trust} by their records at their strictest budget, "
    "{facts.least_shown}, and cuts values far from the prior mean",
    "algorithm-2": _algorithm_2,
}
