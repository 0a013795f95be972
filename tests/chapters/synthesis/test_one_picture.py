"""The synthesis: specialisations in exact fractions, and the order of the estimators."""

import re
from functools import lru_cache, partial
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import sympy as sp

from hdp import ADPM, Threshold, adpm, affine, baselines, clipping, hybrid, user_level
from hdp.explore.evaluate import expression_values
from hdp.figures.synthesis.one_picture import ranking
from hdp.sym.heterogeneous_budgets import experiments
from hdp.sym.heterogeneous_budgets import upper_bound as upper
from hdp.sym.hybrid_trust import baselines as trust
from hdp.sym.hybrid_trust import known_variance as known
from hdp.sym.symbols import R, epsilon_1, epsilon_2, f, n
from hdp.sym.synthesis import mixed_trust as one
from hdp.sym.synthesis import one_picture as sym
from hdp.sym.threshold.one_threshold import N_1, N_2, saturation
from hdp.sym.user_level import lower_bound as user_lower
from hdp.sym.user_level import model
from tests.figures import lemma
from tests.figures.captions import line, positions, says
from tests.figures.lemma import average, of_groups

FRACTIONS = {"f", "c", "p"}


def numbers(row, rng):
    """Exact values of every symbol of a row, with squares where the row takes roots."""
    symbols = sp.Tuple(row.error, *(part for kind in row.kinds for part in kind[:3])).free_symbols
    return {
        s: sp.Rational(int(rng.integers(1, 40)), 41 if s.name in FRACTIONS | {"sigma_p"} else 8)
        for s in sorted(symbols, key=str)
    }


def exact_minimum(kinds):
    """The lemma in fractions: the least level over all sets of kinds with a noise cost, and one over the sum."""
    costly = [(m, v, s) for m, v, s in kinds if 0 < s < float("inf")]
    free = [(m, v) for m, v, s in kinds if s == 0]
    sets = [[k for i, k in enumerate(costly) if mask >> i & 1] for mask in range(1, 2 ** len(costly))]
    levels = [(2 + sum(m * v / s**2 for m, v, s in group)) / sum(m / s for m, _, s in group) for group in sets]
    level = min(levels, default=None)
    error = 1 / (sum(m / v for m, v in free) + sum(m * min(1 / v, 1 / (level * s)) for m, v, s in costly))
    return sp.oo if level is None else level, error


_sizes = user_lower.N_1, user_lower.N_2
FIRST = {  # what the papers give group 1 of all weight, and the second clip of `cfmt`
    r"ADPM, $r \le R$": n * f * upper.weights_a[0],
    r"ADPM, $r \ge R$": n * f * upper.weights_b[0].subs(R, upper.saturation_ratio),
    "LDPE": experiments.local_shares[0],
    "affine, public group": N_1 * epsilon_1 / (N_1 * epsilon_1 + N_2 * saturation),
    r"threshold $\tau = \epsilon_2$": sp.Integer(0),
    "KVH": known.weight.subs(trust.laplace),
    "ideal weights, not private": model.f * model.ideal / model.heavy,
    "private ideal, all clipped": 1 / (1 + _sizes[1] * user_lower.sigma_1 / (_sizes[0] * user_lower.sigma_2)),
    "private ideal, group 2 clipped": 1 / (1 + _sizes[1] * sym.best_clip([(_sizes[1], user_lower.sigma_2)])
                                           * user_lower.sigma_1**2 / (_sizes[0] * user_lower.sigma_2)),
}  # fmt: skip


@pytest.mark.settles("hdp-specialisations")
@pytest.mark.parametrize("row", sym.SPECIALISATIONS, ids=lambda row: re.sub(r"\W+", "-", row.estimator))
def test_every_specialisation_is_the_lemma_in_exact_fractions(row):
    """Where the row's kinds are the limited ones its level and its error are the lemma's, elsewhere they are not."""
    rng, met = np.random.default_rng(7), 0
    for _ in range(300):
        at = numbers(row, rng)
        kinds = [tuple(sp.sympify(part).subs(at) for part in kind[:3]) for kind in row.kinds]
        level = row.level.subs(at)
        limited = [kind.limited for kind in row.kinds]
        here = [s == sp.oo or (s > 0 and level * s > v) for _, v, s in kinds]
        best_level, best_error = exact_minimum(kinds)
        same = sp.simplify(row.error.subs(at) - best_error) == 0
        assert same == (here == limited) or any(level * s == v for _, v, s in kinds)
        assert not same or level == best_level or sp.simplify(level - best_level) == 0
        (m, v, s), _ = kinds
        weight = best_error * m * (1 / v if s == 0 else 0 if s == sp.oo else min(1 / v, 1 / (best_level * s)))
        assert not same or sp.simplify(FIRST[row.estimator].subs(at) - weight) == 0
        met += same
        if met == 3:
            return
    pytest.fail(f"met {met} times")


@pytest.mark.settles("hdp-trust-price")
def test_missing_trust_costs_a_factor_that_stays():
    """The chain at every size, the three errors from the users themselves, and their limits at a million millions."""
    symbols = (n, f, epsilon_1, epsilon_2, one.v_1, one.v_2)
    stated = sp.lambdify(symbols, [one.least, one.kvh, one.least_reports])
    limits = sp.lambdify(symbols, one.trust_limits)
    rng = np.random.default_rng(3)
    for size in (*np.repeat([2, 10, 1000], 60), *np.repeat(10**12, 60)):
        users = np.array([rng.integers(1, min(size, 1000)), 0]) * max(size // 1000, 1)
        users[1] = size - users[0]
        budgets, v = np.sort(10 ** rng.uniform(-1.5, 0.7, 2)), rng.uniform(0.001, 0.25)
        at = float(size), users[0] / size, *budgets, v, v
        everybody, mixed, nobody = (float(e) for e in stated(*at))
        assert v / size * (1 - 1e-12) <= everybody <= mixed * (1 + 1e-12) <= nobody * (1 + 2e-12)
        reports = v + 2 / budgets**2
        curated = v / users[1] + 2 / (users[1] * budgets[1]) ** 2
        assert everybody == pytest.approx(lemma.of_groups(users, budgets, v)[1], rel=1e-9)
        assert mixed == pytest.approx(1 / (1 / curated + users[0] / reports[0]), rel=1e-9)
        assert nobody == pytest.approx(1 / np.sum(users / reports), rel=1e-9)
        if size == 10**12:
            expected = np.array(limits(*at), dtype=float)
            assert size * np.array([everybody, mixed, nobody]) == pytest.approx(expected, rel=1e-5)
            assert limits(*at)[0] == v < limits(*at)[1] < limits(*at)[2]


@pytest.mark.settles("hdp-ranking")
def test_the_errors_of_the_ranking_are_those_of_the_library():
    """All eighteen, to ten digits, at every preset and at random positions; and who has to trust the curator."""
    rng, given = np.random.default_rng(8), ranking.parameters
    places = [ranking.values(**preset.values) for preset in ranking.presets]
    places += [{p.name: float(rng.choice(p.positions)) for p in given} for _ in range(30)]
    between = ranking.derived[:5]  # the second budget, the variances, the lengths of the intervals
    derive = sp.lambdify([p.symbol for p in given], [value for _, value in between])
    symbols = [*(p.symbol for p in given), *(s for s, _ in between)]
    stated = sp.lambdify(symbols, [error for *_, error in one.ESTIMATORS])
    for values in places:
        at = [values[p.name] for p in given]
        np.testing.assert_allclose(stated(*at, *derive(*at)), errors(**values), rtol=1e-10)
    needed = {name.split(" (")[0].split(":")[0]: trust for name, trust, _ in one.ESTIMATORS}
    reports = {"reports, weighted", "Full-LM", "LM-Only"}
    hybrid = {"KVH", "PWH", "TCM-Only", "naive"}
    assert len(needed) == 18 and {name for name in needed if needed[name] == one.NOBODY} == reports
    assert {name for name in needed if needed[name] == one.MIXED} == hybrid
    assert {name for name in needed if needed[name] == one.IDEAL} == {"best weights, values cut"}


# -- The map of limits: its drawing, its fifteen identities, and six of its steps on the way.

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "book" / "synthesis" / "fifteen-limits.md").read_text(encoding="utf-8")
DRAWING = ROOT / "book" / "_static" / "limits-map.svg"
SVG = "{http://www.w3.org/2000/svg}"


def test_the_drawing_has_the_arrows_of_the_page():
    """The same numbers, starts and ends; every model that an arrow names is drawn, and nothing else is."""
    stated = re.findall(r'^assert_arrow\("([^"]+)", "([^"]+)"', PAGE, re.M)
    root = ElementTree.parse(DRAWING).getroot()
    arrows = [path.attrib for path in root.iter(f"{SVG}path") if "data-arrow" in path.attrib]
    drawn = sorted((int(a["data-arrow"]), a["data-start"], a["data-end"]) for a in arrows)
    assert drawn == [(i, *pair) for i, pair in enumerate(stated, 1)]
    boxes = [g for g in root.iter(f"{SVG}g") if g.get("stroke-width") == "2.5"]
    assert sum(len(g) for g in boxes) == len({name for pair in stated for name in pair})


@pytest.mark.settles("hdp-limits-map")
def test_the_fifteen_arrows_of_the_map_are_identities():
    """The cells of the page's map, which prove them, run here; then the two errors of each in numbers of their own."""
    namespace, proved = {}, []
    cells = re.findall(r"^```\{code-cell\} ipython3\n(.*?)^```", PAGE[: PAGE.index("(hdp-arrows)=")], re.M | re.S)
    for cell in cells:
        exec(cell, namespace)
        if "def assert_arrow" in cell:
            kept = namespace["assert_arrow"]
            namespace["assert_arrow"] = lambda *arrow, kept=kept: (kept(*arrow), proved.append(arrow))
    assert len(namespace["arrows"]) == len(proved) == 15
    rng = np.random.default_rng(5)
    for start, end, _, before, after, _ in proved:
        symbols = sorted(sp.Tuple(before, after).free_symbols, key=str)
        whole = {s: float(rng.integers(20, 200)) for s in symbols if s.name[0] in "Nnmk"}
        at = {s: whole.get(s, rng.uniform(0.1, 0.9)) for s in symbols}
        assert float(before.subs(at)) == pytest.approx(float(after.subs(at)), rel=1e-9), (start, end)


@pytest.mark.settles("hdp-steps")
@pytest.mark.parametrize(("size", "budget"), [(1000, 0.05), (400, 0.2), (100_000, 0.01)])
def test_one_step_arrives_and_the_others_do_not(size, budget):
    """Arrow 3 at R and not before it; the distance of the others falls like 1/t or 1/t^2, as an exercise says."""
    at = {n: sp.Integer(size), epsilon_1: sp.nsimplify(budget), model.K: sp.Integer(10)}
    arrival = sym.arrival.subs(at)
    apart = {i: sp.lambdify(sym.step, error.subs(at) - 1, "mpmath") for i, error in sym.STEPS.items()}
    assert arrival == 1 + 16 / (size * at[epsilon_1] ** 2)
    exact = sym.STEPS[3].subs(at)
    assert exact.subs(sym.step, arrival) == exact.subs(sym.step, 2 * arrival) == 1
    assert exact.subs(sym.step, 1 + (arrival - 1) * sp.Rational(99, 100)) > 1
    for i, order in {4: 1, 8: 2, 9: 1, 13: 2, 15: 2}.items():
        assert apart[i](1e4) != 0 and apart[i](1e4) / apart[i](2e4) == pytest.approx(2**order, rel=0.01), i


# -- What the figures draw, by the library.


NAMES, TRUST = [name for name, *_ in one.ESTIMATORS], [trust for _, trust, _ in one.ESTIMATORS]
TIE = 1e-9  # relative difference below which two errors count as equal, and the order of the list decides


@lru_cache(maxsize=256)
def errors(n, f, epsilon_1, r, k_1, k_2, sigma_p):
    """Expected squared errors of all estimators, in their order."""
    users = np.array([round(n * f), round(n) - round(n * f)])
    budgets, counts = epsilon_1 * np.array([1.0, r]), np.array([k_1, k_2])
    v = user_level.sample_mean_variance(0.5, sigma_p, counts)
    cut = np.minimum(1.0, 2 * user_level.half_width(counts, round(n), sigma_p**2, float(one.FAILURE)))
    each = [np.repeat(values, users) for values in (budgets, v, counts, cut)]
    found = released(*each) | by_mechanism(each[0], each[1]) | grouped(users, budgets, v) | mixed(users, budgets, v)
    found["Full-LM"] = np.mean(each[1] + 2 / each[0] ** 2) / each[0].size
    return np.array([found[name] for name in NAMES])


def released(epsilon, v, counts, cut):
    """One release of a weighted sum; the noise for intervals shorter than 1 is that for larger budgets."""

    def error(weights, budgets=epsilon):
        w = weights / weights.sum()
        return affine.mean_squared_error(w, affine.noise_scale(w, budgets), v)

    kept = Threshold(epsilon, tau=Threshold(epsilon).tau).weights
    return {
        "best weights (the one lemma)": error(clipping.optimal_weights(v, 1 / epsilon, 2.0)),
        "best weights, values cut": error(clipping.optimal_weights(v, cut / epsilon, 2.0), epsilon / cut),
        "ADPM": error(ADPM(epsilon).weights),
        "best threshold": error(kept, np.where(kept > 0, epsilon, np.inf)),
        "weights 1/σ²": error(1 / v),
        "every sample alike": error(counts),
    }


def by_mechanism(epsilon, v):
    """The baselines of `cc` as the library runs them, with their weights and the scales of all their noises."""
    names = {"propdpm": "PropDPM", "fme": "FME (reconstruction)", "uni": "UNI"}
    names["ldpe-users"] = "reports, weighted (LDPE alone)"
    run = {label: baselines.BASELINES[name].mechanism(epsilon) for name, label in names.items()}
    return {label: np.sum(m.weights**2 * v) + 2 * np.sum(m.scales**2) for label, m in run.items()}


def grouped(users, budgets, v):
    """LDPE with its two groups, also if their budgets agree; sampling at the mean size of its sample."""
    assumed = 1 / (0.25 / users + 2 / (users * budgets) ** 2)
    w = assumed / assumed.sum()
    kept = users * np.expm1(budgets) / np.expm1(budgets[1])
    return {
        "LDPE": np.sum(w**2 * (v / users + 2 / (users * budgets) ** 2)),
        "SM (at its mean sample size)": np.average(v, weights=kept) / kept.sum() + 2 / (kept.sum() * budgets[1]) ** 2,
    }


def mixed(users, budgets, v):
    """The hybrid estimators against the true mean, KVH with the best weight for that; each group has its own noise."""
    s = setting(users, budgets, v)
    ends = hybrid.true_mean_mse(s, np.array([0.0, 1.0]))
    weights = {
        "KVH": ends[0] / ends.sum(),
        "PWH": hybrid.pwh_weight(s),
        "TCM-Only": 1.0,
        "naive: every user alike": hybrid.naive_weight(s),
        "LM-Only (group 1 alone)": 0.0,
    }
    return {name: hybrid.true_mean_mse(s, w) for name, w in weights.items()}


def setting(users, budgets, v):
    """Group 2 trusts the curator, group 1 sends reports."""
    noise = 2 / (users[1] * budgets[1]) ** 2, 2 / budgets[0] ** 2
    (reports, trusted), total = np.sqrt(v), users.sum()
    return hybrid.Setting(total, users[1] / total, 1, budgets[1], trusted, reports, s_t2=noise[0], s_l2=noise[1])


def place(i, **population):
    """How many of the others have a larger error than estimator i."""
    found = errors(**population)
    larger = [found[j] > found[i] * (1 + TIE if j < i else 1 - TIE) for j in range(found.size) if j != i]
    return float(np.count_nonzero(larger))


def bar(i, **population):
    """As long as the ratio of root errors, at the estimator's place."""
    found = errors(**population)
    return np.array([np.sqrt(found.min() / found[i]), place(i, **population)])


def least(trust, **population):
    """Root of the smallest error of the estimators that need this trust."""
    return np.sqrt(min(error for error, needed in zip(errors(**population), TRUST, strict=True) if needed == trust))


REFERENCES = {
    "synthesis-ranking": {name: partial(bar, i) for i, name in enumerate(NAMES)}
    | {f"least root mean squared error, {trust}": partial(least, trust) for trust in set(TRUST) - {one.IDEAL}},
}


# -- Six arrows of the map user by user, or group by group, with the library alone.


def halves(n, *budgets):
    """Least error of one release for two groups of equal size."""
    return of_groups(np.array([n / 2, n / 2]), np.array(budgets))[1]


def fifteen_limits_kvh(n, epsilon_1, share, scale=1.0):
    """Fair coins, so many of whom trust; the best weight against the true mean."""
    noise = {"s_t2": 2 / (share * n * epsilon_1) ** 2, "s_l2": 2 * (scale / epsilon_1) ** 2}
    s = hybrid.Setting(n=n, c=share, m=1, epsilon=epsilon_1, sigma_t=0.5, **noise)
    ends = hybrid.true_mean_mse(s, np.array([0.0, 1.0]))
    return hybrid.true_mean_mse(s, ends[0] / ends.sum())


def public(t_step, n, epsilon_1):
    return halves(n, epsilon_1, t_step * epsilon_1) / halves(n, epsilon_1, np.inf)


def arrival(n, epsilon_1):
    return adpm.saturation_ratio(epsilon_1, n, 0.5)


def spread(t_step, K):
    """Means of K samples and single ones with the best weights, over all samples alike without a spread."""
    records = np.array([K, 1.0])
    varied, even = (user_level.sample_mean_variance(0.5, s, records) for s in (0.2 / t_step, 0.0))
    w = records / records.sum()
    return 1 / np.sum(1 / varied) / np.sum(w**2 * even)


REFERENCES |= {
    "synthesis-steps": {
        "3:": public,
        "4:": lambda t_step, n, epsilon_1: halves(n, epsilon_1, (1 + 9 / t_step) * epsilon_1) / average(n, epsilon_1),
        "8:": lambda t_step, n, epsilon_1: (
            fifteen_limits_kvh(n, epsilon_1, 0.5, 1 / t_step) / halves(n, epsilon_1, np.inf)
        ),
        "9:": lambda t_step, n, epsilon_1: fifteen_limits_kvh(n, epsilon_1, 1 - 0.5 / t_step) / average(n, epsilon_1),
        "13:": spread,
        "15:": lambda t_step, n, epsilon_1: average(n, t_step * epsilon_1) / (0.25 / n),
        "3 arrives": arrival,
        "R, the step": arrival,
        "error with equal budgets": lambda n, epsilon_1: public(1, n, epsilon_1),
    },
}


# -- What the captions say.


@says("synthesis-ranking", "then SM, ADPM and LDPE")
def test_the_places_are_as_told(figure):
    """From the top: the number of the place is 17."""
    place = {b.label.split("|")[0]: float(expression_values(figure, b.y, figure.paper_values)) for b in figure.bars}
    order = [
        "best weights",
        "PropDPM",
        "weights 1/σ²",
        "KVH",
        "PWH",
        "TCM-Only",
        "SM",
        "ADPM",
        "LDPE",
        "best threshold",
        "LM-Only",
    ]
    assert sorted(order, key=place.get, reverse=True) == order and place["LM-Only"] == 0


@says("synthesis-ranking", r"Raise \(k_2\), the rest as first drawn: ADPM, LDPE and the threshold")
def test_who_chooses_for_the_largest_variance_falls_behind(figure):
    bars = [next(b for b in figure.bars if b.label == name) for name in ("ADPM", "LDPE", "best threshold")]
    for bar in bars:
        long = [float(expression_values(figure, bar.x, figure.values(k_2=k))) for k in positions(figure, "k_2")]
        assert (np.diff(long) < 0).all()


@says("synthesis-steps", r"noise keeps all lines but that of arrow 13 away from 1 for longer")
def test_noise_keeps_lines_away_from_one(figure):
    for curve in figure.curves:
        far = [np.abs(np.log(line(figure, curve.label, [1, 2, 10, 50], epsilon_1=e))) for e in (0.01, 0.05, 0.2, 1)]
        assert (np.diff(far, axis=0) <= 1e-12).all()
        assert (np.ptp(far, axis=0).max() < 1e-12) == curve.label.startswith("13")
