"""What captions and alternative texts say of the curves: the words, and what the drawn numbers must then show."""

import itertools

import numpy as np
import pytest

from hdp import adpm, hybrid, minimax
from hdp.baselines import BASELINES
from hdp.explore.evaluate import cell_values, expression_values
from hdp.explore.evaluate import numbers as drawn_from
from hdp.figures.foundations import notions, one_lemma, what_epsilon_feels_like
from hdp.figures.heterogeneous_budgets import (
    best_linear,
    buying_privacy,
    experiments,
    general_budgets,
    lower_bound,
    smaller_gap,
    upper_bound,
)
from hdp.figures.hybrid_trust import (
    amplification,
    best_report,
    diverging_groups,
    k_means,
    known_variance,
    unknown_variance,
)
from hdp.figures.hybrid_trust import baselines as baseline_figures
from hdp.figures.synthesis import later_weights, mixed_trust, one_picture, which_estimator
from hdp.figures.threshold import one_threshold, worst_case
from hdp.figures.use import at_scale, intervals, real_release
from hdp.figures.user_level import algorithm_2, personal_budgets, private
from hdp.figures.user_level import lower_bound as caps_of_samples

CLAIMS = []


def says(figure, words):
    """The decorated function has the numbers for these words of the figure."""

    def add(check):
        CLAIMS.append(pytest.param(figure, words, check, id=check.__name__))
        return check

    return add


def layer(figure, start):
    """The layer, or the number beside it, of this label; or else the first one whose label begins so."""
    parts = [part for part in (*figure.layers, *figure.readouts) if part.label.startswith(start)]
    return next((part for part in parts if part.label == start), parts[0])


def line(figure, start, x, **values):
    """Height of the curve whose label begins so."""
    return expression_values(figure, layer(figure, start).y, figure.values(**values), np.asarray(x, dtype=float))


def number(figure, start, **values):
    """The number whose label begins so: a readout, or the place of a rule."""
    part = layer(figure, start)
    if hasattr(part, "value"):
        return float(expression_values(figure, part.value, figure.values(**values)))
    return drawn_from(figure, part, figure.values(**values))[0]


def positions(figure, name, count=7):
    """Some positions of a slider, its ends among them."""
    every = figure.parameter(name).positions
    return [every[i] for i in np.unique(np.linspace(0, len(every) - 1, count).round().astype(int))]


@says(general_budgets.groups_privacy, r"Raise \(n\): the vertical line moves left")
def more_users_lower_the_level(figure):
    """A larger strict group does not: at the first values it raises it."""
    levels = [number(figure, "level", n=n) for n in positions(figure, "n")]
    assert (np.diff(levels) < 0).all()
    assert number(figure, "level", g_1=10) > number(figure, "level", g_1=5) > number(figure, "level", g_1=1)


@says(general_budgets.groups_privacy, "FME, where it clips a group, clips lower")
def fme_clips_lower(figure):
    """With three equal budgets it clips nobody, and its line stands above the level."""
    kinds = [(e, g) for e in positions(figure, "e_1", 4) for g in positions(figure, "g_1", 3)]
    clipped = 0
    for (e_1, g_1), (e_2, g_2), (e_3, g_3), n in itertools.product(kinds[::2], kinds[::3], kinds[1::3], (100, 10_000)):
        values = {"e_1": e_1, "e_2": e_2, "e_3": e_3, "g_1": g_1, "g_2": g_2, "g_3": g_3, "n": n}
        fme, adpm = (line(figure, name, [e_1, e_2, e_3], **values) for name in ("FME", "ADPM"))
        clips = fme < [e_1, e_2, e_3]
        clipped += clips.sum()
        assert (fme[clips] <= adpm[clips] * (1 + 1e-12)).all()
    assert clipped > 100


@says(general_budgets.groups_weights, "more and more of the weight, all of it in the limit")
def the_generous_have_at_most_all_the_weight(figure):
    """They are a fifth of the users: n times the weight of one is at most 5."""
    weights = [number(figure, "n × weight in group 3, PropDPM", e_3=e) for e in positions(figure, "e_3")]
    assert (np.diff(weights) > 0).all() and 4.7 < weights[-1] < 5


@says(general_budgets.groups_weights, r"beyond \(\tau\): the line of ADPM stays")
def beyond_the_level_the_line_stays(figure):
    """Below it does not."""
    at = [float(line(figure, "ADPM", 0.02, e_3=figure.parameter("e_3").positions[i])) for i in (0, 20, -10, -1)]
    assert at[2] == pytest.approx(at[3], rel=1e-12) and at[0] > 1.5 * at[3]


@says(general_budgets.groups_weights, "and FME, where it clips a group, earlier, nearer to equal weights")
def fme_stops_earlier_where_it_clips(figure):
    """Elsewhere its line may stop later: with three budgets of 0.012 for a thousand users it rises to the end."""
    x, earlier = np.geomspace(0.01, 10, 400), []
    for e_1, e_2, e_3, n in itertools.product(*(positions(figure, f"e_{i}", 4) for i in (1, 2, 3)), (100, 1000, 1e5)):
        values = {"e_1": e_1, "e_2": e_2, "e_3": e_3, "n": n}
        stop = [(y >= y[-1] * (1 - 1e-9)).argmax() for y in (line(figure, s, x, **values) for s in ("FME", "ADPM"))]
        earlier.append(stop[0] <= stop[1])
        if x[stop[0]] < max(e_1, e_2, e_3) * 0.97:
            assert earlier[-1]
    assert 0.9 < np.mean(earlier) < 1


@says(general_budgets.log_uniform, r"the level, \(a + 4\sqrt{\log(b/a)/n}\) while it is below \(b\)")
def the_level_has_this_form_below_the_largest_budget(figure):
    """Above it the level is another one; both happen."""
    below = []
    for a, b, n in itertools.product(*(positions(figure, name) for name in ("a", "b", "n"))):
        level = number(figure, "level", a=a, b=b, n=n)
        below.append(level < b)
        assert (level == pytest.approx(a + 4 * np.sqrt(np.log(b / a) / n), rel=1e-9)) == below[-1]
    assert 0 < sum(below) < len(below)


@says(general_budgets.log_uniform, "more and more users keep what they allow beyond it")
def more_users_keep_something(figure):
    """Not almost everything: even if the level were the strictest budget, one in nine would keep less than half."""
    shares = [number(figure, "share of users", n=n) for n in positions(figure, "n")]
    a, b = figure.paper_values["a"], figure.paper_values["b"]
    assert (np.diff(shares) > 0).all() and np.log(2) / np.log(b / a) > 1 / 9


@says(general_budgets.log_uniform_weights, "it is nearly 2 below half a nat, and less than 1 beyond 3 nats")
def local_weights_are_steep_only_where_budgets_are_small(figure):
    """A logarithmic slope of 2 / (1 + b^2 / 8) at the budget b."""
    for low, high in ((1.87, 2), (0, 1)):
        x = np.geomspace(0.02, 0.5) if high == 2 else np.geomspace(3, 7)
        slopes = np.diff(np.log(line(figure, "LDPE", x))) / np.diff(np.log(x))
        assert ((low < slopes) & (slopes < high)).all()


@says(general_budgets.log_uniform_error, r"second only to ADPM, and for few the worst if \(a\) is small enough")
def uni_is_worst_for_small_budgets_only(figure):
    """With a = 0.122 it is not, whatever b."""
    names = [layer.label for layer in figure.curves]
    for b in positions(figure, "b"):
        few = {a: {name: float(line(figure, name, 100, a=a, b=b)) for name in names} for a in (0.01, 0.122)}
        many = {name: float(line(figure, name, 1e5, b=b)) for name in names}
        assert max(few[0.01], key=few[0.01].get).startswith("UNI")
        assert not max(few[0.122], key=few[0.122].get).startswith("UNI")
        assert [name.split()[0] for name in sorted(many, key=many.get)[:2]] == ["ADPM", "UNI"]


@says(best_linear.levels, r"Lower \(\epsilon_1\): both levels come down to the strict group's line later")
def levels_come_down_later_for_smaller_budgets(figure):
    """They do not rise everywhere: with 10,000 users the level for drawn data falls from 0.116 to 0.082."""
    at = [float(line(figure, "data drawn", 1e4, epsilon_1=e)) for e in (0.1, 0.05)]
    assert at == pytest.approx([0.116, 0.082])
    for f in positions(figure, "f"):
        both = [
            [number(figure, start, epsilon_1=e, f=f) for e in positions(figure, "epsilon_1")]
            for start in ("n at which", "the same, given data")
        ]
        assert (np.diff(both) < 0).all() and (np.divide(*both) > 5).all()


@says(upper_bound.shrinkage, "there the bound falls by a factor of 2, elsewhere by less")
def shrinking_gains_most_at_the_switch(figure):
    """The gap moves: left of the line it is narrower for fewer users."""
    for n in positions(figure, "n"):
        switch = number(figure, "switch", n=n)
        x = switch * np.array([0.5, 0.9, 1, 1.1, 2])
        gains = line(figure, "switch to 0", x, n=n) / line(figure, "shrink", x, n=n)
        assert gains[2] == pytest.approx(2) and (np.delete(gains, 2) < 1.999).all()
    gaps = [line(figure, "switch to 0", 0.1, n=n) - line(figure, "shrink", 0.1, n=n) for n in (2, 20)]
    assert gaps[0] < gaps[1]


@says(experiments.figure_4, r"while \(\epsilon_1 \le 1/\sqrt n\), which is \(\sqrt 2\)")
def fme_stops_at_its_ratio_or_weighs_all_alike(figure):
    """Both happen among the positions of the sliders."""
    alike = []
    for e, n, f in itertools.product(*(positions(figure, name) for name in ("epsilon_1", "n", "f"))):
        alike.append(e > 1 / np.sqrt(n) * (1 + 1e-12))
        stop = 1 if alike[-1] else 1 / (e * np.sqrt(n * (1 - f)))
        assert float(line(figure, "FME", 1e6, epsilon_1=e, n=n, f=f)) == pytest.approx(stop)
    assert 0 < sum(alike) < len(alike)


@says(
    upper_bound.effective_budget,
    "At the first values choose another notion: that line moves, and with it the most that group 2 gives up",
)
def another_notion_moves_line_and_level(figure):
    """The rest stays: group 2 gives up what it allows left of the line, and group 1 all.  Elsewhere two coincide."""
    few = {"epsilon_1": 0.5, "n": 20, "f": 0.1}
    assert number(figure, "saturation", kind=1, **few) == number(figure, "saturation", kind=2, **few) == 4.5
    levels = {
        number(figure, "saturation", kind=kind): line(figure, "group 2 gives up", 10, kind=kind) for kind in range(3)
    }
    assert len(levels) == 3 and list(levels) == pytest.approx([float(level) for level in levels.values()])
    assert all(float(line(figure, "group 1", 10, kind=kind)) == pytest.approx(0.1) for kind in range(3))


@says(upper_bound.figure_1b, "UNI is constant, above ADPM and below SM")
def uni_lies_between(figure):
    """PropDPM and LDPE cross it."""
    x = np.linspace(0.101, 1)
    uni, adpm, sm, *crossing = (line(figure, name, x) for name in ("UNI", "ADPM", "SM", "PropDPM", "LDPE"))
    assert np.ptp(uni) < 1e-9 and (adpm < uni).all() and (uni < sm).all()
    assert all((other < uni).any() and (other > uni).any() for other in crossing)


@says(upper_bound.figure_1b, "LDPE at last approaches ADPM")
def separate_means_approach_the_best_weights_in_the_end(figure):
    """At first the distance may grow; with a public group it is 0."""
    x, grows = np.geomspace(0.5, 1e4, 50), []
    for e, n, f in itertools.product(*(positions(figure, name, 4) for name in ("epsilon_1", "n", "f"))):
        above = [line(figure, s, x, epsilon_1=e, n=n, f=f) for s in ("LDPE", "ADPM")]
        part = above[0] / above[1] - 1
        assert (part > 0).all() and part[-1] < 1e-4
        near = np.linspace(e, 1.2 * e, 9)
        apart = np.subtract(*(line(figure, s, near, epsilon_1=e, n=n, f=f) for s in ("LDPE", "ADPM")))
        grows.append(apart[-1] > apart[0])
    assert 0 < sum(grows) < len(grows)


@says(experiments.figure_1a, "SM rising from 138 to just above it")
def sampling_rises_beyond_uniform(figure):
    """From 400 to 4000 users; it is ADPM that begins at 129."""
    sm, adpm = (line(figure, name, [400, 4000]) for name in ("SM", "ADPM"))
    assert sm == pytest.approx([138, 201.4], abs=0.5) and adpm[0] == pytest.approx(129, abs=0.5)


@says(experiments.figure_3a, "the others at the paper&rsquo;s values fall, and cross a tenth of it")
def each_crosses_a_tenth_of_fme(figure):
    """Elsewhere some do not: SM stays above for small shares of the generous group, and ADPM can rise a little."""
    x, strict = np.linspace(400, 4000, 200), {"epsilon_1": 0.01, "epsilon_2": 0.27, "f": 0.8}
    assert all((np.diff(line(figure, name, x)) < 0).all() for name in ("UNI", "LDPE", "SM", "ADPM"))
    assert line(figure, "ADPM", x, **strict)[-1] > line(figure, "ADPM", x, **strict).min() * 1.001
    ends, elsewhere = [400, 4000], {"epsilon_1": 0.06, "epsilon_2": 0.145, "f": 0.9}
    for name in ("UNI", "LDPE", "SM", "ADPM"):
        above = line(figure, name, ends) > line(figure, "a tenth", ends)
        assert list(above) == [True, False]
    assert (line(figure, "SM", ends, **elsewhere) > line(figure, "a tenth", ends, **elsewhere)).all()


@says(
    smaller_gap.gaps,
    "three or more: the peak sinks and the dip fills; the hump between strict and generous is there without",
)
def public_users_leave_the_hump_as_it_is(figure):
    """One of them raises the peak."""
    peak, dip, hump = np.geomspace(1e-7, 1e-4, 200), np.geomspace(1e-4, 1e-3), np.geomspace(1e-3, 4e-3, 200)
    number_of = (0, 1, 3, 10, 100, 1000)
    lines = {p: [line(figure, "scores", x, public_users=p) for x in (peak, dip, hump)] for p in number_of}
    tops, bottoms, humps = zip(*((a.max(), b.min(), c.max()) for a, b, c in lines.values()), strict=True)
    assert tops[1] > tops[0] and (np.diff(tops[1:]) < 0).all() and tops[2] < tops[0]
    assert (np.diff(bottoms) > 0).all() and humps == pytest.approx(np.full(6, 3.06), abs=0.01)


@says(smaller_gap.strict, "the dashed one has a peak of 8.9 there, falls to 2, has a hump of 3, and falls to 1")
def the_dashed_line_has_a_peak(figure):
    """In this order from left to right."""
    parts = [(1e-7, 1e-4, 8.86, max), (1e-4, 1e-3, 2.17, min), (1e-3, 1e-2, 3.06, max), (1e-2, 10, 1.03, min)]
    for low, high, expected, extreme in parts:
        found = extreme(line(figure, "scores shared", np.geomspace(low, high, 400)))
        assert found == pytest.approx(expected, abs=0.02)


@says(smaller_gap.left, "Add a few public users: the plateau rises above the limit for strict users")
def a_few_public_users_raise_the_plateau(figure):
    """Where every second user is public, nothing rises above it."""
    x = np.geomspace(1e-7, 10, 400)
    for public in (1, 10, 100):
        assert line(figure, "left to gain", x, public_users=public).max() > 18
    assert line(figure, "left to gain", x, public_users=1000, n=2000).max() < 13.5


@says(lower_bound.bounds, "takes its place while group 1 is strict enough")
def the_bound_of_a_strict_group_takes_the_place(figure):
    """For 0.96 and many users the strictest position is not strict enough; below 0.95 none is."""
    for n, f, e, takes in ((2e4, 0.99, 5e-4, True), (2e4, 0.96, 5e-4, False), (200, 0.96, 5e-4, True)):
        group, nobody = (float(line(figure, s, 10, n=n, f=f, epsilon_1=e)) for s in ("(38)", "(37)"))
        assert (group > nobody) == takes
    for n, e in itertools.product(positions(figure, "n", 4), positions(figure, "epsilon_1", 4)):
        assert line(figure, "(38)", 10, n=n, f=0.94, epsilon_1=e) < line(figure, "(37)", 10, n=n, f=0.94, epsilon_1=e)


@says(
    best_linear.gain,
    "With one generous user it is brightest at the top, where she is nearly all there is: 4 is the limit",
)
def one_generous_user_makes_the_top_brightest(figure):
    """With 50 or 90 of 100 users strict, the top is darker than what lies below it."""
    for n, f, at_the_top in ((10, 0.9, True), (100, 0.5, False), (100, 0.9, False)):
        values = figure.values(n=n, f=f)
        *_, cells = cell_values(figure, values)
        assert (cells[-1].max() >= cells.max() * 0.99) == at_the_top and cells.max() < 4


@says(buying_privacy.prices, "How deep a user is under water says how much privacy she sells")
def depth_is_in_proportion_to_the_loss(figure):
    """It is no loss: at first it is more than 2 where the loss is 0.52 nats; users of one price are asked together."""
    depth, loss = number(figure, "from this price") - 1, number(figure, "privacy loss")
    assert loss == pytest.approx(8 * depth / 32) and loss == pytest.approx(0.524, abs=1e-3)
    assert {number(figure, "users who", B_money=b) % 20 for b in positions(figure, "B_money")} == {0}


@says(best_report.frontier, r"Raise \(c\): the lines part and meet earlier")
def lines_part_and_meet_earlier(figure):
    """For c = 0.9 published reports cost 41 % more left of the first rule, and hardly 10 % between the two."""
    x, spans = np.geomspace(1e-5, 100, 3000), []
    for c in positions(figure, "c"):
        ratio = line(figure, "published", x, c=c) / line(figure, "secret", x, c=c)
        spans.append(x[ratio > 1.01][[0, -1]])
    assert (np.diff(spans, axis=0) < 0).all()
    left, right = (number(figure, start, c=0.9) for start in ("all count alike", "KVH"))
    assert ratio[x < left].max() > 1.41 and ratio[(left < x) & (x < right)].max() < 1.1


@says(best_report.gain, "The other budget moves it to the right")
def the_peak_moves(figure):
    """At first it sinks in any case; where fewer than one user would trust at the peak, more users raise it."""
    shares = np.geomspace(0.001, 0.9, 300)
    few = [line(figure, "no coalition", shares, n=n, b_T_reach=2, b_L_reach=0.02) for n in (100, 1000)]
    assert np.nanmax(few[1]) > 1.2 * np.nanmax(few[0])
    x = np.geomspace(0.001, 0.9, 300)
    for name, side in (("n", -1), ("b_T_reach", -1), ("b_L_reach", 1)):
        lines = [line(figure, "no coalition", x, **{name: v}) for v in positions(figure, name)]
        assert (side * np.diff([x[np.nanargmax(y)] for y in lines]) > 0).all()
        assert (np.diff([np.nanmax(y) for y in lines]) < 0).all()


@says(known_variance.figure_2b, r"the ridge of the salaries is below 2")
def the_ridge_of_the_salaries_is_below_two(figure):
    """With a larger deviation, as the caption says to try, the circle comes to the left of a budget of 1."""
    assert number(figure, "largest R for ε ≤ 1") < 2 < number(figure, "largest R for ε ≤ 1", sigma=0.5)
    assert number(figure, "smallest ε") > 2.3 and number(figure, "smallest ε", sigma=0.5) < 0.11


@says(
    known_variance.ridge,
    r"at the salaries&rsquo; \(\sigma/m\): what is missing to the dashed line shrinks like \(1/\sqrt n\) at the left",
)
def what_is_missing_shrinks(figure):
    """From 100,000 users to ten million; with the least deviation slower at the right, with the largest faster left."""
    many = [min(figure.parameter("n").positions, key=lambda p: abs(p - n)) for n in (1e5, 1e7)]
    for at, expected in (({}, [0.5, 1]), ({"sigma": 0.005}, [0.5, 0.77]), ({"sigma": 0.5}, [0.77, 1])):
        x = [0.1, 10]
        missing = [line(figure, "its limit", x, n=n, **at) - line(figure, "largest R", x, n=n, **at) for n in many]
        rates = np.log(missing[0] / missing[1]) / np.log(many[1] / many[0])
        assert rates == pytest.approx(expected, abs=0.01)


@says(unknown_variance.figure_8b, "For the salaries the largest values stand at the top left")
def the_brightest_corner(figure):
    """For 1000 users, and for 100,000 with a large deviation, they stand at the bottom right."""
    for changed, at_top_left in (({}, True), ({"n": 1000}, False), ({"n": 1e5, "sigma": 0.5}, False)):
        _, y, cells = cell_values(figure, figure.values(**changed))
        row, column = np.unravel_index(np.nanargmax(cells), cells.shape)
        assert (row == len(y) - 1, column == 0) == (at_top_left, at_top_left)


@says(known_variance.corollary, r"with \(\sigma/m = \tfrac12\) the circle climbs to \(2+\epsilon^2/8\)")
def the_circle_climbs(figure):
    """With a smaller deviation it ends lower."""

    def height(**values):
        return drawn_from(figure, layer(figure, "largest R"), figure.values(**values))[1]

    heights = [height(t=t) for t in positions(figure, "t")]
    top = number(figure, "supremum 2 + ε²/8")
    assert (np.diff(heights) > 0).all() and 0 < top - heights[-1] < 1e-4
    assert height(t=1e5, sigma=figure.parameter("sigma").positions[10]) < top - 0.1


@says(unknown_variance.figure_3_best, r"In any panel raise \(\epsilon_2\) to 4: its lines fall")
def lines_fall_at_a_budget_of_four(figure):
    """On the way they rise at some n: by 0.04 at 750 users from 1.8 to 2."""
    x = np.geomspace(200, 1e5, 200)
    for preset in figure.presets:
        for name in ("few trust (c₁), large", "more trust (c₂), large"):
            least, paper, most = (line(figure, name, x, **preset.values | {"e_2": e}) for e in (0.6, 1, 4))
            assert (most <= least + 1e-12).all() and (most <= paper + 1e-12).all()
    rising = [float(line(figure, "more trust (c₂), large", 750, e_2=e)) for e in positions(figure, "e_2", 18)]
    assert np.diff(rising).max() > 0.03


@says(
    unknown_variance.figure_3_best,
    "of those for the larger budget one falls far below 1 in panel b, and both in panel c",
)
def who_falls_below_one(figure):
    """The least and the largest values, by panel."""
    x = np.geomspace(200, 1e5, 400)
    for preset, falling in zip(figure.presets, (0, 1, 2), strict=True):
        lines = {c.label: line(figure, c.label, x, **preset.values) for c in figure.curves}
        assert sum(y.min() < 0.6 for name, y in lines.items() if "large" in name) == falling
        assert all(y.min() >= 1 and 1.9 < y.max() < 2 for name, y in lines.items() if "small" in name)


@says(amplification.figure_7, "stays far below, though it rises at its left end")
def the_printed_loss_more_than_doubles(figure):
    """At c = 0.1 %, as the coalition grows from nobody to all; at 10 % it does not move."""
    none, everybody = (line(figure, "printed", [0.001, 0.1], alpha=alpha) for alpha in (0, 1))
    assert everybody / none == pytest.approx([2.233, 1.0003], abs=1e-3) and everybody.max() < 0.005


@says(diverging_groups.variance, "and is far off if they differ as here")
def the_mixture_is_far_off(figure):
    """But not for groups of the same variance."""
    same = figure.paper_values["sigma_L"]
    for changed, off in (({}, 9.1), ({"sigma_T": same}, 1)):
        assert number(figure, "mixture", **changed) / number(figure, "effective", **changed) == pytest.approx(
            off, abs=0.1
        )


@says(later_weights.caps, "without a curator small budgets count nearly by their squares")
def small_budgets_count_by_their_squares(figure):
    """By the library's weights of local reports; the cap is what public users reach."""

    def counts(strict, generous):
        weights = BASELINES["ldpe-users"].mechanism([strict, generous]).weights
        return weights[1] / weights[0]

    for first in positions(figure, "epsilon_1"):
        cap = float(line(figure, "no curator", 100, epsilon_1=first))
        assert counts(first, np.inf) == pytest.approx(cap)
        assert all(counts(first, first * ratio) > ratio for ratio in ((2, 5) if first < 0.1 else (1.5,)))
    assert counts(0.01, 0.02) == pytest.approx(4, rel=1e-3)


@says(which_estimator.asking, "With many users, most of whom trust the curator, the line of the mixed release")
def a_second_answer_costs_little_where_many_trust(figure):
    """Where few do, it costs 39 % even a hundred thousand, and of a hundred users it costs 26 % where nearly all do."""
    second = lambda **values: float(np.divide(*line(figure, "mixed", [2.0, 1.0], **values)))  # noqa: E731
    assert second(n=100, theta_C=0.95, q_public=0.01) > 1.25
    assert second(n=1e5, theta_C=0.95) < second(n=1e5) < 1.05 < 1.39 < second(n=1e5, theta_C=0.05, q_public=0.01) < 1.4


@says(which_estimator.asking, "it is never as steep as the dotted line")
def each_answer_errs_less_than_proportionally(figure):
    """At any position of the sliders."""
    answers = np.geomspace(1, 30, 40)
    for n, share, public in itertools.product(*(positions(figure, name, 4) for name in ("n", "theta_C", "q_public"))):
        of_each = line(figure, "mixed", answers, n=n, theta_C=share, q_public=public)
        assert (np.diff(np.log(of_each)) < np.diff(np.log(answers))).all()


@says(notions.gaussian, "the dashed one ahead; it falls again, to at most 2, where group 2 is as good as public")
def the_dashed_hump_falls_to_two(figure):
    """The solid one has further to go than the slider: at its end it is still at 3.3."""
    x = np.geomspace(1e-4, 100, 2000)
    tops = {
        name: [line(figure, name, x, rho=r).max() for r in positions(figure, "rho", 11)]
        for name in ("Laplace", "Gaussian")
    }
    assert max(tops["Laplace"]) > 3.7 and tops["Laplace"][-1] == pytest.approx(2, abs=0.01)
    assert tops["Gaussian"][-1] == pytest.approx(3.3, abs=0.01)


@says(worst_case.trivial_answer, "comes ever closer to where the two rules cross")
def the_top_comes_closer_to_the_rules(figure):
    """For 20 users it stands 0.11 higher."""
    gaps = []
    for n in (20, 100, 1000, 10_000):
        n = min(figure.parameter("n").positions, key=lambda p: abs(p - n))
        m = np.arange(2, n)
        gaps.append(np.nanmax(line(figure, "trivial answer", m, n=n)) - (4 - 4 * np.sqrt(2 / n)))
    assert gaps[0] > 0.11 and (np.diff(gaps) < 0).all() and 0 < gaps[-1] < 1e-3


@says(private.example_1, "with a budget of 1 at almost 160 times its height")
def truncated_data_alone_are_far_above(figure):
    """Cutting weights comes near the lowest line, but not down to it."""
    x = np.geomspace(1e3, 1e7)
    lowest = line(figure, "best without", x)
    times = line(figure, "data truncated only", x) / lowest
    assert ((155 < times) & (times < 160)).all()
    cut = np.min(
        [line(figure, "data truncated, m", x, m_cut=m) / lowest for m in positions(figure, "m_cut", 41)], axis=0
    )
    assert ((1.3 < cut) & (cut < 3)).all()


@says(at_scale.grid, "one about half as high as the other, of which the upper begins just below a horizontal rule")
def the_upper_line_begins_below_the_rule(figure):
    """The lower one begins at half its height."""
    rule = float(expression_values(figure, layer(figure, "never more").y, figure.paper_values))
    upper, lower = (float(line(figure, name, 40)) for name in ("all are", "by half"))
    assert 0.9 * rule < upper < rule and lower < 0.5 * rule


@says(personal_budgets.budgets, "the dotted one falls after a small rise")
def the_dotted_line_rises_first(figure):
    """Up to a fifth of the rich."""
    left_out = line(figure, "strict users left out", [0.1, 0.193, 0.9])
    assert left_out == pytest.approx([2.288, 2.370, 1.783], abs=1e-3)


@says(personal_budgets.budgets, "her own for each (thick) the error is the least of the three everywhere")
def the_thick_line_is_the_lowest(figure):
    """At any position of the sliders where the others are drawn; it does not always stay below 2."""
    x, most = np.linspace(0.1, 0.9, 30), []
    for e, k, s in itertools.product(*(positions(figure, name, 4) for name in ("epsilon_1", "k_1", "sigma_p"))):
        values = {"epsilon_1": e, "k_1": k, "sigma_p": s}
        own, *others = (line(figure, name, x, **values) for name in ("own", "strictest", "strict u"))
        most.append(np.nanmax(own))
        assert not any((own >= other).any() for other in others)
    assert len(most) == 64 and 2.5 < max(most) < 3


@says(caps_of_samples.costs, r"the better of the averages with the caps \(k_1\) and \(k_2\), but where it jumps")
def the_cap_jumps_too_early(figure):
    """By the root of two against these; the drawn equal weights cross the average of all samples elsewhere.

    Of many users with much data it does not jump at all.
    """
    always = layer(figure, "average of at most").part
    many = [float(expression_values(figure, always, figure.values(N_2=1000), x)) for x in (1e-6, 0.01, 10)]
    assert many == [1000] * 3
    for k_1, k_2, N_1, N_2 in ((1, 1000, 1000, 10), (10, 12, 100, 79), (1, 12, 10, 1)):
        values, few, all_used = (
            {"k_1": k_1, "k_2": k_2, "N_1": N_1, "N_2": N_2},
            (N_1 + N_2) * k_1,
            N_1 * k_1 + N_2 * k_2,
        )
        # 1 / S + 2 k / (b S)^2 for the budget b is the same for both caps at
        equal = np.sqrt(2 * (k_2 / all_used**2 - k_1 / few**2) / (1 / few - 1 / all_used))
        part = layer(figure, "average of at most").part
        at = [
            float(expression_values(figure, part, figure.values(**values), equal / np.sqrt(2) * x))
            for x in (0.999, 1.001)
        ]
        assert at == [k_1, k_2]


@says(caps_of_samples.caps, "moves to the left or vanishes")
def the_jump_of_the_papers_cap_moves_left_or_vanishes(figure):
    """With six users in the second group there is one, with a thousand none."""
    x, places = np.geomspace(1e-4, 10, 4000), []
    for N_2 in (1, 6, 10, 20):
        cap = line(figure, "k*", x, N_2=N_2)
        assert set(cap) <= {1, 1000}
        places.append(x[np.argmax(cap > 1)])
    assert places[0] > places[1] > places[2] > places[3] > x[0]
    assert (line(figure, "k*", x, N_2=1000) == 1000).all()


@says(private.objective, r"both optima, unless they are at \(1/\sigma_2\) still, move right")
def the_optima_move_right_once_they_have_left(figure):
    """Of a hundred users with wide intervals both stay where they are up to a budget of 3."""
    for name in ("best T, T*", "best T as printed, T*"):
        still = [number(figure, name, epsilon=e, n=100, r=20) for e in (0.1, 1)]
        assert still[0] == still[1]
        moving = [number(figure, name, epsilon=e) for e in (1, 3.16, 10)]
        assert moving == sorted(set(moving))


@says(private.weight_shapes, r"The larger \(T\), the fewer are clipped")
def somebody_may_be_clipped_at_the_largest_threshold(figure):
    """Where people hardly differ the richest are; as first drawn nobody is."""
    x = np.geomspace(1e-4, 1, 200)
    for spread, clipped in ((0.01, True), (0.03, False)):
        free, cut = (line(figure, name, x, sigma_p=spread, T=50) for name in ("1/σ² (no", "min(1/σ², T/σ)"))
        assert (cut < free * (1 - 1e-9)).any() == clipped
        counts = [
            (line(figure, "min(1/σ², T/σ)", x, sigma_p=spread, T=T) < free * (1 - 1e-9)).sum() for T in (2, 5, 20)
        ]
        assert counts == sorted(counts, reverse=True)


@says(unknown_variance.figure_3_worst, "In panel f the lowest comes down from 4.5 to just above 1")
def the_lowest_of_panel_f(figure):
    """And how many lines rise again, by panel."""
    x, lines = np.geomspace(200, 1e5, 400), {}
    for preset, kinks in zip(figure.presets, (3, 2, 2), strict=True):
        lines = {c.label: line(figure, c.label, x, **preset.values) for c in figure.curves[:4]}
        assert sum(y[-1] > 1.01 * y.min() for y in lines.values()) == kinks
        assert all(y[1] < y[0] for y in lines.values())
    lowest = min(lines.values(), key=min)
    assert (np.diff(lowest) < 0).all() and lowest[[0, -1]] == pytest.approx([4.52, 1.008], abs=0.01)


@says(k_means.figure_6, "with its random answers left in is highest throughout, the hybrid almost on it")
def the_local_model_is_highest(figure):
    """Lines and points."""
    lines = {c.label: line(figure, c.label, np.arange(1, 11)) for c in figure.curves}
    points = {
        part.label: part.y
        for part in figure.layers
        if getattr(part, "at", {}).get("c", 0.001) == 0.001 and hasattr(part, "error")
    }
    for found in (lines, points):
        local = np.array(found.pop("local model (LM)"))
        assert len(found) >= 4 and all((local > y).all() for y in found.values())


@says(intervals.width, "Where the noise rules, at few users, it is all but exact")
def the_interval_is_all_but_exact(figure):
    """The noise alone needs 0.4 % less for ten users, and 4 % less for a hundred."""
    ratio = line(figure, "one exponential", [10, 100]) / line(figure, "noise alone", [10, 100])
    assert ratio == pytest.approx([1.0042, 1.0417], abs=1e-3)


@says(one_picture.ranking, "then SM, ADPM and LDPE")
def the_places_are_as_told(figure):
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


@says(what_epsilon_feels_like.vessels, "the first three are full, of the last one most stays empty")
def three_vessels_are_full(figure):
    """As high as the water are the boxes of what is lost, and as high as the vessel those of what is allowed."""
    values = figure.paper_values
    tops = [
        [float(expression_values(figure, box.y2, values)) for box in figure.layers if box.label == name][:5]
        for name in ("privacy you lose", "privacy you keep")
    ]
    assert np.equal(*tops).tolist() == [True] * 3 + [False] * 2 and tops[0][-1] < tops[1][-1] / 2


@says(real_release.rounding, "brings both lines nearer to the budget wherever that exceeds a step")
def a_finer_grid_brings_both_lines_nearer(figure):
    """Of a budget of a millionth nothing is spent with four digits, and nothing with twelve."""
    for name in ("her share", "the sum"):
        off = [np.abs(line(figure, name, [1e-6, 0.5, 1], n_bits=bits) - 1)[1:] for bits in (4, 12, 30)]
        assert (np.diff(off, axis=0) < 0).all()
    assert line(figure, "her share", [1e-6], n_bits=4) == line(figure, "her share", [1e-6], n_bits=12) == 0


@says(one_picture.ranking, r"Raise \(k_2\), the rest as first drawn: ADPM, LDPE and the threshold")
def who_chooses_for_the_largest_variance_falls_behind(figure):
    """Where the users' own means are 0 or 1, more samples change nothing."""
    bars = [next(b for b in figure.bars if b.label == name) for name in ("ADPM", "LDPE", "best threshold")]
    for bar in bars:
        first, alike = (
            [float(expression_values(figure, bar.x, figure.values(k_2=k, **rest))) for k in positions(figure, "k_2")]
            for rest in ({}, {"sigma_p": 0.5})
        )
        assert (np.diff(first) < 0).all() and np.ptp(alike) < 1e-9


@says(one_picture.steps, r"noise keeps all lines but that of arrow 13 away from 1 for longer")
def noise_keeps_lines_away_from_one(figure):
    """Without privacy it has nothing to do."""
    for curve in figure.curves:
        far = [np.abs(np.log(line(figure, curve.label, [1, 2, 10, 50], epsilon_1=e))) for e in (0.01, 0.05, 0.2, 1)]
        assert (np.diff(far, axis=0) <= 1e-12).all()
        assert (np.ptp(far, axis=0).max() < 1e-12) == curve.label.startswith("13")


@says(mixed_trust.trust, "the reports of group 1 count for less")
def reports_count_for_less(figure):
    """Not for little: with budgets of 2 and one sample, half of the users lower the error by a quarter."""
    for f, more in itertools.product((0.1, 0.5, 0.9), ({}, {"epsilon_1": 2.0, "k": 1.0})):
        gain = [
            float(np.divide(*(line(figure, name, f, r=r, **more) for name in ("only group 2", "group 2 without"))))
            for r in positions(figure, "r", 5)
        ]
        assert (np.diff(gain) > 0).all() and gain[-1] < 1
    assert (
        float(line(figure, "only group 2", 0.5, r=100, **more) / line(figure, "group 2 without", 0.5, r=100, **more))
        < 0.88
    )


@says(mixed_trust.trust, "full trust comes down towards the sampling error")
def full_trust_comes_down_towards_the_sampling_error(figure):
    """For a budget of 0.01 it is still five times as high at the end of the slider."""
    for e in positions(figure, "epsilon_1", 3):
        over = [
            float(line(figure, "all trust", 0.5, n=n, epsilon_1=e) / line(figure, "sampling", 0.5, n=n, epsilon_1=e))
            for n in positions(figure, "n", 4)
        ]
        assert (np.diff(over) < 0).all() and (over[-1] > 5) == (e == 0.01)


@says(which_estimator.wrong_variances, r"Drag \(\epsilon_2\), the rest as first drawn: the thick line touches")
def the_thick_line_touches_elsewhere(figure):
    """At the ends of the slider only at 1; with 130 users in each group at a ratio above 2, too."""
    x = np.geomspace(1 / 16, 16, 400)

    def touched(**values):
        gap = line(figure, "the most", x, **values) / line(figure, "what it costs", x, **values)
        assert gap.min() > 1 - 1e-9
        return x[gap < 1.002].max()

    ends = [touched(epsilon_2=e) for e in (0.001, 1)]
    assert max(ends) < 1.1 < 2 < min(touched(epsilon_2=0.02), touched(epsilon_2=1, N_1=130, N_2=130, epsilon_1=100))


@says(which_estimator.believed_level, "which can bring the weights nearer to each other")
def a_lower_level_can_bring_weights_nearer(figure):
    """Not where it stays above both budgets; and believing in too little need not reach the budgets' ratio."""

    def ratio(rho, **values):
        cut, first, second = line(figure, "believed", rho, **values), values["epsilon_1"], values["epsilon_2"]
        return float(min(first, cut) / min(second, cut))

    high, low = {"epsilon_1": 0.1, "epsilon_2": 0.001}, {"epsilon_1": 10, "epsilon_2": 1}
    assert ratio(16, N_1=1, N_2=1, **high) == ratio(1, N_1=1, N_2=1, **high)
    assert (
        ratio(16, N_1=1, N_2=2000, **low)
        < ratio(1, N_1=1, N_2=2000, **low)
        < ratio(1 / 16, N_1=1, N_2=2000, **low)
        < 10
    )


@says(which_estimator.which_estimator, r"they need to come near 1 while \(\theta\) is large")
def the_strictest_budget_comes_near_one_where_many_trust(figure):
    """Where few do, it takes more than twice the error at any number and any factor."""
    x = np.geomspace(0.1, 10, 30)
    near = {
        share: min(line(figure, "KVH", x, theta_C=share, q_public=0.01, n=n).min() for n in positions(figure, "n"))
        for share in (0.05, 0.6)
    }
    assert near[0.6] < 1.05 and near[0.05] > 2


@says(algorithm_2.algorithm_2, "Wherever the sliders stand, it is below 14, and where they stand first, below 2")
def not_knowing_costs_less_than_fourteen(figure):
    """The most is 13.5, for a budget of 0.2."""
    x, names, most = np.geomspace(0.2, 10, 15), ("k_1", "k_2", "f", "sigma_p"), {}
    for place in itertools.product(*(positions(figure, name, 4) for name in names)):
        most[place] = line(figure, "Algorithm 2", x, **dict(zip(names, place, strict=True))).max()
    assert max(most, key=most.get) == (2000, 2, 0.2, 0.01) and max(most.values()) == pytest.approx(13.5, abs=0.1)
    assert line(figure, "Algorithm 2", x).max() < 2
    assert line(figure, "Algorithm 2", x, k_1=2000, sigma_p=0.01).max() == pytest.approx(4, abs=0.03)


@says(one_lemma.water, "for three small budgets that is above the picture")
def small_budgets_need_a_high_level(figure):
    """For three of 0.25 it is 10.9, and the picture ends at 8."""
    small = {f"b_{i}": 0.25 for i in (1, 2, 3)}
    assert number(figure, "the level where", **small) == pytest.approx(0.25 + 8 / 0.75)
    assert number(figure, "the level where", **small) > figure.y.domain[1] > number(figure, "the level where")


@says(lower_bound.gap, r"with better constants; at its hump, where it has one, one \(k\) hands over")
def the_thick_line_may_have_no_hump(figure):
    """For weak privacy it only rises; and the best constants would bring it lower still."""
    humps = []
    for e in (0.002, 0.5):
        y = line(figure, "closed form", np.geomspace(max(e, 0.01), 10, 300), epsilon_1=e)
        humps.append(y.max() > 1.01 * max(y[0], y[-1]))
    assert humps == [True, False]
    best = minimax.le_cam(np.repeat([0.002, 1], [9900, 100]))
    assert 1.02 * adpm.two_group_bound(0.002, 1, 10_000, 0.99) / best < line(figure, "closed form", 1)


@says(lower_bound.coins, "is at most 21 times as high")
def coins_prove_a_twentieth(figure):
    """Where privacy and data count alike it is more than 20 times as high."""
    found = [
        number(figure, "the algorithm errs", epsilon=e, n=k) / number(figure, "it proves", epsilon=e, n=k)
        for e, k in itertools.product(figure.parameter("epsilon").positions, figure.parameter("n").positions)
    ]
    assert min(found) > 1 and 20 < max(found) < 21


@says(diverging_groups.variance, "the rules stay, but for the mixture&rsquo;s where deviations are small")
def the_mixture_moves_where_deviations_are_small(figure):
    """It is almost six times as far to the right then; as first drawn it moves by less than one per cent."""
    for changed, low, high in (({"sigma_T": 0.01, "sigma_L": 0.01}, 5.7, 5.8), ({}, 1, 1.01)):
        near, far = (number(figure, "mixture", d=d, **changed) for d in (0, 0.1))
        assert low < far / near < high


@says(
    one_threshold.public_ratio,
    "At first the dashed line passes 2; with the largest budget the lines nearly agree",
)
def the_dashed_line_passes_two_at_first(figure):
    """For weaker privacy of group 1 it does not, and for stricter privacy the lines stay apart."""
    x = np.geomspace(1e-5, 100, 1000)
    assert line(figure, "group 2 has", x).max() > 2 > line(figure, "group 2 has", x, s=1).max()
    assert line(figure, "group 2 has", x, rho=1e5) == pytest.approx(line(figure, "group 2 is", x), abs=0.05)
    apart = line(figure, "group 2 has", x, rho=1e5, s=0.01) - line(figure, "group 2 is", x, s=0.01)
    assert np.abs(apart).max() > 0.5


@says(worst_case.shape_budgets, "the ratio, if it is not 1, falls")
def the_ratio_falls_off_the_progression(figure):
    """Of equal budgets, or of one level, it stays at 1."""
    for q, k, base in ((10, 4, 13.69), (2, 4, 6.25), (1, 4, 1), (10, 1, 1)):
        steps = {abs(g / q - 1) < 1e-3: [] for g in figure.parameter("g").positions}
        for g in figure.parameter("g").positions:
            ratio = number(figure, "ratio of the two", epsilon_1=1e-5, q=q, k_levels=k, g=g)
            steps[abs(g / q - 1) < 1e-3].append(ratio)
        assert min(steps[True]) == pytest.approx(base, rel=0.01)
        assert max(steps[False]) < min(steps[True]) if base > 1 else max(steps[False]) == pytest.approx(1)


@says(smaller_gap.strict, "draw together and rise, the peak just above the rule")
def the_parts_rise_for_fewer_people(figure):
    """For a hundred the line neither falls to 1 nor is near 2 where the lines cross."""
    for k, peak, dip in ((1e6, 3.61, 1.03), (100, 3.68, 1.89)):
        x = np.geomspace(1 / k, 2000 / k if k > 1e3 else 15 / k, 4000)
        y = line(figure, "errors by", x, n=k)
        top = y[x * k < 5].max()
        assert top == pytest.approx(peak, abs=0.01) and y[x * k > 3].min() == pytest.approx(dip, abs=0.05)
    assert top > number(figure, "3.6")


@says(which_estimator.wrong_variances, r"while \(\epsilon_2\) is small the thick line hardly moves")
def the_thick_line_hardly_moves_for_small_budgets(figure):
    """For a budget of 1 it rises to more than four times its height."""
    x = np.geomspace(1 / 16, 16)
    for e, moves in ((0.001, False), (0.02, False), (1, True)):
        near, far = (line(figure, "what it costs", x, epsilon_2=e, rho_2=r) for r in (1, 4))
        assert (abs(far / near - 1).max() > 0.05) == moves


@says(
    amplification.figure_7,
    r"and \(\delta = 10^{-7}\) they differ by factors of 250 at the left and 18,000 at the right",
)
def how_far_the_printed_guarantee_is_off(figure):
    """Whoever colludes; for a budget of 0.05 by 25,000 at the right, for the largest delta by 12,200."""
    for budget, delta, most in ((1, 1e-7, 18_000), (0.05, 1e-7, 25_200), (1, 3e-3, 12_200)):
        for alpha in positions(figure, "alpha", 2):
            values = {"epsilon": budget, "alpha": alpha, "delta": delta}
            ends = line(figure, "corrected", [0.001, 0.1], **values) / line(figure, "printed", [0.001, 0.1], **values)
            assert ends == pytest.approx([252, most], rel=0.01)


@says(known_variance.figure_1, r"or \(\epsilon_2\): a kink slides along its dotted line, and vanishes to the right")
def a_kink_slides_to_the_right(figure):
    """As the deviation or the larger budget grows, but not the smaller one; there the line touches the dotted one."""
    numbers = "users from which TCM-Only is better: {} trust (c{}), {} budget"
    gone = {name: max(figure.parameter(name).positions) for name in ("sigma", "e_2", "e_1")}
    stays = [
        number(figure, numbers.format(*kind), e_1=gone["e_1"])
        for kind in (("few", "₁", "small"), ("more", "₂", "small"))
    ]
    assert max(stays) < 1e5
    assert all(number(figure, numbers.format("more", "₂", "large"), **{k: gone[k]}) == np.inf for k in ("sigma", "e_2"))
    for start, e, c in (("few trust (c₁), large", "e_2", "c₁"), ("more trust (c₂), large", "e_2", "c₂")):
        for name in ("sigma", e):
            at = [{"sigma": 0.05} | {name: v} for v in positions(figure, name, 4)]
            kinks = [number(figure, f"users from which TCM-Only is better: {start}", **values) for values in at]
            assert all(a <= b for a, b in itertools.pairwise(kinks)) and kinks[0] < kinks[-1]
            for kink, values in zip(kinks, at, strict=True):
                if np.isfinite(kink):
                    touched = line(figure, f"most that any σ and ε give with {c}", [kink], **values)
                    assert line(figure, start, [kink], **values) == pytest.approx(touched, rel=1e-6)


@says(unknown_variance.figure_3_worst, r"Raise \(\sigma\): where Full-LM is the worse baseline, \(r\) falls")
def the_gain_over_full_lm_falls(figure):
    x = np.geomspace(200, 1e5, 50)
    for start, share, budget in (("few trust (c₁), large", 0.005, 1), ("more trust (c₂), small", 0.05, 0.1)):
        before = line(figure, start, x, sigma=0.01)
        for sigma in positions(figure, "sigma", 4)[1:]:
            after = line(figure, start, x, sigma=sigma)
            worse = x >= hybrid.laplace_n_crit(hybrid.Setting(1e5, share, 1, budget, sigma))
            assert (after[worse] < before[worse]).all()
            before = after


@says(lower_bound.coins, "the error that they prove grows, until the answers tell the coins apart, if they ever do")
def coins_may_never_be_told_apart(figure):
    """With so little privacy to give as 200 users of 0.0005 the hill of privacy has no other side."""
    x = np.geomspace(1e-4, 0.99, 300)
    little = line(figure, "everybody's privacy", x, epsilon=0.0005, n=200)
    assert (np.diff(little) > 0).all() and np.isnan(line(figure, "everybody's privacy", x)[-1])


@says(
    general_budgets.log_uniform_weights, r"Raise \(b\) beyond \(\tau\): PropDPM hands the estimate to the most generous"
)
def the_generous_weigh_more_than_with_the_best_weights_beyond_the_level(figure):
    """Below the level both hand over the same: a hundred users up to 0.6 or 0.77."""
    heaviest = []
    for n, b in itertools.product((100, 1000), (0.6, 0.77, 7.39)):
        weights = [float(line(figure, s, 0.999 * b, n=n, a=0.01, b=b)) for s in ("PropDPM", "ADPM")]
        heaviest.append(weights[0] > weights[1] * (1 + 1e-9))
    assert heaviest == [False, False, True, True, True, True]


@says(baseline_figures.regions, r"closes from above (dashed), and no longer reaches \(c_{crit}\)")
def the_region_closes_from_above(figure):
    """For a small budget a distance of 0.1 leaves much of it: at c = 1/2 from 4 users to 80,000."""
    shares = np.geomspace(0.005, 0.5, 400)
    for e, gaps in ((1, (0.01, 0.02, 0.05)), (0.1, (0.05, 0.1))):
        for d in gaps:
            first, last = (line(figure, name, shares, epsilon=e, d=d) for name in ("better from", "better up"))
            there = shares[np.isfinite(first)]
            assert (last[np.isfinite(first)] >= first[np.isfinite(first)]).all()
            assert there[0] > 1.3 * number(figure, "critical fraction", epsilon=e, d=d)
    assert first[-1] < 5 and last[-1] > 7e4


@says(unknown_variance.figure_3_best, r"for \(\epsilon_1 = 0.1\) the lines are nearly those of KVH")
def nearly_those_of_kvh(figure):
    """For every deviation and fraction; at the end of the slider, 0.5, they are far from them."""
    x, far = np.geomspace(1e3, 1e5, 50), []
    for e_1, sigma, c_1, c_2 in itertools.product((0.1, 0.5), (0.01, 0.5), (0.001, 0.005, 0.02), (0.025, 0.3)):
        values = {"e_1": e_1, "sigma": sigma, "c_1": c_1, "c_2": c_2}
        pairs = (line(of, "few trust (c₁), small", x, **values) for of in (known_variance.figure_1, figure))
        far.append((e_1, np.nanmax(np.subtract(*pairs))))
    assert max(d for e_1, d in far if e_1 == 0.1) < 0.08 and max(d for _, d in far) > 0.9


@says(unknown_variance.weights, "can fall below naive, and is below 1 right of the line that says so")
def pwh_falls_below_naive_and_one(figure):
    """Below naive also where it never falls below 1, though TCM-Only has a vertical line."""
    for values, end in (({"sigma": 0.5, "c": 0.3, "epsilon": 1.79}, False), ({}, True)):
        x = np.geomspace(1e3, 1e8, 200)
        pwh, naive = (line(figure, name, x, **values) for name in ("PWH", "naive"))
        assert (pwh < naive).any() and (pwh < 1 - 1e-9).any() == end
        first = number(figure, "R(PWH) < 1", **values)
        assert np.array_equal(pwh < 1 - 1e-9, x > first)


@says(unknown_variance.figure_8a, "For the salaries the dark corner, where \\(R\\) is below one half")
def the_dark_corner_of_the_salaries(figure):
    """With the largest deviation it reaches to the largest fraction."""
    for changed, most in (({}, 0.009), ({"sigma": 0.5}, 0.09)):
        _, y, cells = cell_values(figure, figure.values(**changed))
        dark = y[(cells < 0.5).any(axis=1)]
        assert dark.size and dark.max() == pytest.approx(most, rel=0.1)


@says(diverging_groups.figure_4, r"hardly leave their dotted twins until \(\epsilon_2\) is raised")
def twins_part_for_large_budgets(figure):
    """Not for a larger fraction."""
    x = np.geomspace(300, 1e5, 300)
    for values, far in (({}, 0.1), ({"c_2": 0.3}, 0.1), ({"c_1": 0.02, "sigma_L": 0.5}, 0.12), ({"e_2": 4}, 0.25)):
        curves = [curve.y for curve in figure.curves]
        lines = [expression_values(figure, y, figure.values(**values), x) for y in curves]
        apart = max(np.nanmax(np.abs(np.subtract(*pair))) for pair in zip(lines[:4], lines[4:], strict=True))
        assert apart == pytest.approx(far, abs=0.01)


@says(diverging_groups.figure_5, "Without a shift four lines above 1, three of them with a peak")
def three_peaks(figure):
    """The line of few who trust and the larger budget rises throughout."""
    x = np.geomspace(300, 1e5, 300)
    lines = [line(figure, curve.label, x, t=0) for curve in figure.curves[:4]]
    assert min(map(np.min, lines)) > 1 and sum(0 < y.argmax() < y.size - 1 for y in lines) == 3


@says(diverging_groups.variance, r"Every weight between PWH&rsquo;s (\(v = 0\)) and \(c\) (\(v\) without bound)")
def every_weight_is_a_belief(figure):
    """At the ends of the figure the weight may be far from both: here the library's."""
    s = hybrid.Setting(1e4, 0.5, 1, 0.02, 0.1)
    assert hybrid.homogeneous_weight(s, 0) == hybrid.pwh_weight(s)
    assert hybrid.homogeneous_weight(s, figure.x.domain[1]) > 0.99 and hybrid.homogeneous_weight(s, 1e12) < 0.501


@says(amplification.figure_7_adversaries, r"the line rises from \(0.45\,\epsilon\) to \(\epsilon\)")
def the_guarantee_of_those_who_trust(figure):
    """For every budget and every delta."""
    for epsilon, delta in itertools.product(positions(figure, "epsilon", 3), positions(figure, "delta", 3)):
        lost = line(figure, "corrected", [0, 1], epsilon=epsilon, delta=delta) / epsilon
        assert lost == pytest.approx([0.45, 1], abs=0.005)


# CLAIMS-END


@pytest.mark.parametrize(("figure", "words", "check"), CLAIMS)
def test_what_is_said_is_drawn(figure, words, check):
    """The words stand in the caption or in the alternative text, and are true."""
    assert words in " ".join(f"{figure.caption} {figure.alt}".split())
    check(figure)
