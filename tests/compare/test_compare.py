"""The ranking of all estimators on one population: reading it, the mixed release, every row, and the page's table."""

import math
import re
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path

import mpmath
import numpy as np
import pytest

from hdp import adpm, affine, baselines, compare, hybrid, simulate, threshold, user_level
from hdp.compare import files
from hdp.compare.reports import flip_probability
from hdp.sym.synthesis import which_estimator as sym
from tests.oracles import convex_weights, exact_weights

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "book" / "synthesis" / "which-estimator.md"
inf = float("inf")
HEADER = "user,epsilon,trust,records,value\n"


def random_population(seed, n=60):
    """Budgets over two decades and a few public ones, mixed trust, unequal variances."""
    rng = np.random.default_rng(seed)
    epsilon = rng.choice([0.2, 0.7, 1.5, 4.0, inf], n, p=[0.3, 0.3, 0.2, 0.15, 0.05])
    trust = np.where(rng.random(n) < 0.5, *compare.TRUST)
    trust[:2], epsilon[:2] = compare.TRUST, 0.2
    return compare.Population(epsilon, trust, rng.integers(1, 30, n)), rng.choice([0.02, 0.1, 0.25], n)


# -- the population and its file -----------------------------------------------------------------------------


def test_the_file_of_the_example_is_the_recipe_run_again():
    """Byte for byte, so the page's numbers come from the seed."""
    text = (ROOT / "book" / "synthesis" / "users.csv").read_text(encoding="utf-8")
    assert text == compare.synthetic_csv()
    assert text != compare.synthetic_csv(seed=1)


def test_a_value_of_the_file_is_a_share_of_ones_among_the_records(tmp_path):
    """Means around 0.4, each value a multiple of 1/records up to the digits that are printed."""
    people, values = compare.read_csv(ROOT / "book" / "synthesis" / "users.csv")
    ones = values * people.records
    assert np.abs(ones - np.round(ones)).max() < 2e-4
    deviation = np.sqrt(np.sum(user_level.sample_mean_variance(0.4, 0.1, people.records))) / people.size
    assert abs(values.mean() - 0.4) < 4 * deviation
    assert sorted({*zip(people.epsilon, people.trust, strict=True)})[-1] == (inf, "curator")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("ann,-1,local,1,0.5", r"column epsilon, row 2: must lie in \[0, inf\], got '-1'"),
        ("ann,nan,local,1,0.5", r"column epsilon, row 2: must lie in \[0, inf\], got 'nan'"),
        ("ann,much,local,1,0.5", r"column epsilon, row 2: must lie in \[0, inf\], got 'much'"),
        ("ann,1,nobody,1,0.5", r"column trust, row 2: must be one of curator, local, got 'nobody'"),
        ("ann,1,local,0,0.5", r"column records, row 2: must lie in \[1, 2\^53\), got '0'"),
        ("ann,1,local,2.5,0.5", r"column records, row 2: must be a whole number in \[1, 2\^53\), got '2.5'"),
        ("ann,1,local,inf,0.5", r"column records, row 2: must lie in \[1, 2\^53\), got 'inf'"),
        ("ann,1,local,1,1.01", r"column value, row 2: must lie in \[0, 1\], got '1.01'"),
        ("ann,1,local,1,", r"column value, row 2: must lie in \[0, 1\], got ''"),
        ("ann,1,local,1", r"column value, row 2: must lie in \[0, 1\], got None"),
        ("bob,1,local,1,1", r"column user, row 2: must be unique, got 'bob' as in row 1"),
        (",1,local,1,1", r"column user, row 2: must not be empty, got ''"),
        ("ann,1e999,local,1,1", r"column epsilon, row 2: must lie in \[0, inf\], got '1e999'"),
        ("ann,1_0,local,1,1", r"column epsilon, row 2: must lie in \[0, inf\], got '1_0'"),
        ("ann,1,local,1e308,1", r"column records, row 2: must lie in \[1, 2\^53\), got '1e308'"),
        ("ann,1,local,1,0.5", "column value, row 2: must be a share of ones among 1 records, got '0.5'"),
        ("ann,1,local,3,0.34", "column value, row 2: must be a share of ones among 3 records, got '0.34'"),
        ("Bob,1,local,1,1", "column user, row 2: must be unique, got 'Bob' as in row 1, 'bob': case and invisible"),
        ("bo\u200bb,1,local,1,1", r"column user, row 2: must be unique, got 'bo\\u200bb' as in row 1, 'bob'"),
        ("\uff22ob,1,local,1,1", "column user, row 2: must be unique, got 'Ｂob' as in row 1, 'bob'"),
        ("\u200b,1,local,1,1", r"column user, row 2: must not be empty, got '\\u200b'"),
        ("a\0nn,1,local,1,1", r"column user, row 2: must hold no control characters, got 'a\\x00nn'"),
        ("ann,1,local,0.5,7\neve,-1,local,1,1", "column records, row 2: must lie"),
        ("ann,1,local,3,0,25", r"row 2: must have no more cells than the header, got \['25'\] beyond"),
    ],
)
def test_a_bad_cell_is_named_with_column_row_value_and_range(tmp_path, row, message):
    """The second row is bad, the first is not."""
    file = tmp_path / "users.csv"
    file.write_text(f"{HEADER}bob,0.5,curator,4,0.25\n{row}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        compare.read_csv(file)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the header must name the columns user, epsilon"),
        ("user,epsilon,trust,value\n", "got none named records"),
        (HEADER, "at least one row"),
        (HEADER.replace("\n", ",epsilon\n"), "every column once, got epsilon again"),
        (f"{HEADER}ann,0,local,1,1\n", r"epsilon must have at least one entry in \(0, inf\]"),
    ],
)
def test_a_bad_file_is_refused(tmp_path, text, message):
    """No header, a column missing, no users, nobody usable."""
    file = tmp_path / "users.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        compare.read_csv(file)


@pytest.mark.parametrize(
    ("encoding", "message"),
    [
        ("latin-1", r"column user, row 2: must be UTF-8, got 'Jos\\udce9'"),
        ("cp1252", r"column user, row 2: must be UTF-8, got 'Jos\\udce9'"),
        ("utf-16", "row 0, the header must name the columns user, .* in UTF-8"),
        ("utf-16-le", "row 0, the header must name the columns user, .* in UTF-8"),
        ("utf-32", "row 0, the header must name the columns user, .* in UTF-8"),
        ("utf-7", None),
        ("utf-8", None),
        ("utf-8-sig", None),
    ],
)
def test_a_file_of_another_encoding_is_refused_at_a_row_and_a_column(tmp_path, encoding, message):
    """Or is read, where it looks like UTF-8."""
    file = tmp_path / "users.csv"
    file.write_bytes(f"{HEADER}bob,0.5,curator,4,0.25\nJosé,1,local,1,1\n".encode(encoding))
    if message is None:
        assert compare.read_csv(file)[0].size == 2
        return
    with pytest.raises(ValueError, match=message):
        compare.read_csv(file)


def test_a_cell_that_csv_cannot_hold_is_named(tmp_path):
    """Whichever it is; and in the header."""
    file = tmp_path / "users.csv"
    for place, column in enumerate(HEADER.strip().split(",")):
        cells = ["ann", "1", "local", "1", "1"]
        cells[place] = "1" * 131_073
        file.write_text(f"{HEADER}bob,1,local,1,1\n\n{','.join(cells)}\n", encoding="utf-8")
        with pytest.raises(ValueError, match=f"column {column}, row 2: field larger than field limit"):
            compare.read_csv(file)
    file.write_text(f"{'1' * 131_073}\n", encoding="utf-8")
    with pytest.raises(ValueError, match="column 1, row 0: field larger than field limit"):
        compare.read_csv(file)


def test_names_that_differ_are_different_users(tmp_path):
    """Accents do; composed and decomposed they are the same, and so are ß and ss."""
    file = tmp_path / "users.csv"
    people = ["jose", "jos\u00e9", "جوزيف", "joseb", "strass"]
    file.write_text(HEADER + "".join(f"{name},1,local,1,1\n" for name in people), encoding="utf-8")
    assert compare.read_csv(file)[0].size == len(people)
    for again in ("JOSE\u0301", "Straß", " jose "):
        file.write_text(HEADER + "".join(f"{name},1,local,1,1\n" for name in [*people, again]), encoding="utf-8")
        with pytest.raises(ValueError, match="column user, row 6: must be unique"):
            compare.read_csv(file)


def test_a_share_is_one_of_the_records_to_the_digits_that_are_printed(tmp_path):
    """1/3 in one digit or in six, 0.5 of two; not a third of two."""
    file = tmp_path / "users.csv"
    for records, value in ((3, "0.3"), (3, "0.33"), (3, "0.333333"), (3, "3.3e-1"), (2, "0.5"), (7, "1"), (7, "0")):
        file.write_text(f"{HEADER}ann,1,local,{records},{value}\n", encoding="utf-8")
        assert compare.read_csv(file)[1][0] == float(value)
    for records, value in ((3, "0.4"), (2, "0.333333"), (1, "0.999"), (1000, "0.12345")):
        file.write_text(f"{HEADER}ann,1,local,{records},{value}\n", encoding="utf-8")
        with pytest.raises(ValueError, match=f"share of ones among {records} records"):
            compare.read_csv(file)


def test_a_file_of_several_blocks_is_read_as_one(tmp_path, monkeypatch):
    """Rows are numbered through, blank lines are skipped, and a name may repeat in another block."""
    monkeypatch.setattr(files, "_ROWS", 7)
    text = compare.synthetic_csv()
    file = tmp_path / "users.csv"
    file.write_text(text.replace("\nu0020", "\n\n\nu0020"), encoding="utf-8")
    people, values = compare.read_csv(file)
    rows = [line.split(",") for line in text.splitlines()[1:]]
    np.testing.assert_array_equal(people.epsilon, [float(row[1]) for row in rows])
    assert people.trust.tolist() == [row[2] for row in rows]
    np.testing.assert_array_equal(people.records, [float(row[3]) for row in rows])
    np.testing.assert_array_equal(values, [float(row[4]) for row in rows])
    file.write_text(text + "U0003,1,local,1,1\n", encoding="utf-8")
    with pytest.raises(ValueError, match="column user, row 1001: must be unique, got 'U0003' as in row 3, 'u0003'"):
        compare.read_csv(file)
    file.write_text(text.replace("u0500,", "u0500,-"), encoding="utf-8")
    with pytest.raises(ValueError, match="column epsilon, row 500: must lie in"):
        compare.read_csv(file)


def test_columns_may_stand_in_any_order_beside_others(tmp_path):
    """Found by name."""
    file = tmp_path / "users.csv"
    file.write_text("value,note,trust,records,epsilon,user\n0.25,x,local,4,0.5,ann\n", encoding="utf-8")
    people, values = compare.read_csv(file)
    assert (people.epsilon[0], people.trust[0], people.records[0], values[0]) == (0.5, "local", 4, 0.25)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([-1.0],), r"epsilon must lie in \[0, inf\]"),
        (([1.0], "nobody"), "trust must be one of curator, local, got 'nobody'"),
        (([1.0], "local", [0]), r"records must lie in \[1, 9.0072e\+15\]"),
        (([1.0], "local", [1.5]), "records must be whole numbers"),
        (([1.0, 1e-160],), r"epsilon must be 0 or lie in \[1e-100, inf\], got 1e-160"),
        (([1.0, 1.0], ["local"]), r"trust must have shape \(2,\)"),
        (([1.0, 1.0], "local", [1, 2, 3]), r"records must have shape \(2,\)"),
    ],
)
def test_population_names_what_is_wrong(arguments, message):
    """Argument, value, allowed range."""
    with pytest.raises(ValueError, match=message):
        compare.Population(*arguments)


def test_a_variance_out_of_range_is_refused():
    """Above that of a coin, zero, or of another length."""
    people = compare.Population([1.0, 1.0])
    for bad in (0.26, 0.0, [0.1, 0.1, 0.1]):
        with pytest.raises(ValueError, match="variance must"):
            compare.ranking(people, bad)
    with pytest.raises(ValueError, match=r"x must lie in \[0, 1\]"):
        compare.mixed_release(people).estimate([0.5, 1.5], 1)
    with pytest.raises(ValueError, match=r"epsilon must lie in \[1e-150, inf\], got 0.0"):
        compare.one_bit_report([0.5, 0.5], [1.0, 0.0], 1)
    with pytest.raises(ValueError, match=r"mean must lie in \[0, 1\], got 1.5"):
        compare.mixed_release(people).error(mean=1.5)
    with pytest.raises(ValueError, match="one column for each user"):
        compare.mixed_release(people).estimate([0.5], 1)


def test_a_population_does_not_change_with_the_arrays_it_was_made_of():
    """A local user stays one."""
    arrays = np.ones(2), np.array(["local", "curator"]), np.ones(2)
    people = compare.Population(*arrays)
    arrays[0][:], arrays[1][:], arrays[2][:] = 9.0, "curator", 9.0
    assert people.epsilon.tolist() == [1.0, 1.0] and people.local.tolist() == [True, False]
    assert people.records.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([100.0] * 4000, r"x must lie in \[0, 1\], got 100.0"),
        ([np.nan] * 4000, r"x must lie in \[0, 1\], got nan"),
        ([-3.0] * 4000, r"x must lie in \[0, 1\], got -3.0"),
        ([0.5] * 3999, r"x must have shape \(..., 4000\)"),
    ],
)
def test_no_estimate_takes_values_that_its_privacy_does_not_hold_for(values, message):
    """Every estimator of the ranking, those that average and those that truncate."""
    rows = compare.ranking(compare.Population([1.0] * 4000, ["curator", "local"] * 2000, 20), prior=(0.5, 0.1))
    usable = [row for row in rows if not row.obstacle]
    assert len(usable) >= 15
    for row in usable:
        with pytest.raises(ValueError, match=message):
            row.estimate(values, 1)


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        (0.4, "prior must be a pair"),
        ((0.4,), "prior must be a pair"),
        ((0.4, 0.1, 0.2), "prior must be a pair"),
        ((7, 0.1), r"the mean of prior must lie in \(0, 1\)"),
        ((0.5, 0.6), r"the standard deviation of prior must lie in \[0, sqrt\(p \(1 - p\)\)\] = \[0, 0.5\]"),
    ],
)
def test_a_prior_out_of_range_is_refused(prior, message):
    """Also where the variance is given and the prior decides little."""
    with pytest.raises(ValueError, match=message):
        compare.ranking(compare.Population([1.0], "local"), variance=0.1, prior=prior)


# -- the mixed release ---------------------------------------------------------------------------------------


def coins(v, mean=0.5):
    """Values mean +- deviation, with these variances."""

    def draw(rng, runs):
        return mean + np.sqrt(v) * (2 * rng.integers(0, 2, (runs, v.size)) - 1)

    return draw


def reported(v, epsilon, reports="best"):
    """Variance of a local report, from the two formulas."""
    noisy = v + 2 / epsilon**2
    return np.minimum(noisy, 0.25 / np.tanh(epsilon / 2) ** 2) if reports == "best" else noisy


@pytest.mark.parametrize("reports", compare.REPORTS)
@pytest.mark.parametrize("seed", range(12))
def test_mixed_weights_agree_with_exact_fractions(seed, reports):
    """The KKT conditions of the statement's own items, in fractions; with them the noise, the reports, the error."""
    rng = np.random.default_rng(seed)
    epsilon = rng.choice([0.25, 0.5, 1.0, 4.0, 8.0, inf, 0.0], 7)
    epsilon[:2] = 1.0, 8.0
    local, v = rng.random(7) < 0.5, rng.choice([0.03125, 0.125, 0.25], 7)
    local[1] = True
    plan = compare.mixed_release(compare.Population(epsilon, np.where(local, "local", "curator")), v, reports)
    sends = local & (epsilon > 0) & np.isfinite(epsilon)
    items = np.where(sends, reported(v, np.where(sends, epsilon, 1.0), reports), v)
    cost = [inf if e == 0 else 0 if r or e == inf else 1 / Fraction(e) for e, r in zip(epsilon, sends, strict=True)]
    expected = np.array([float(w) for w in exact_weights(items, cost, 2)])
    np.testing.assert_allclose(plan.weights, expected, rtol=1e-12, atol=1e-15)
    scale = max(float(w * s) if w else 0.0 for w, s in zip(expected, cost, strict=True))
    assert plan.curator_scale == pytest.approx(scale, rel=1e-12)
    assert plan.error() == pytest.approx(np.sum(expected**2 * items) + 2 * scale**2, rel=1e-12)
    bits = sends & (items < v + 2 / np.where(sends, epsilon, 1.0) ** 2)
    np.testing.assert_array_equal(plan.bit_budgets, np.where(bits, epsilon, 0))
    np.testing.assert_array_equal(plan.report_scales, np.where(sends & ~bits, 1 / np.where(sends, epsilon, 1), 0))
    assert bits.any() == (reports == "best" and bool((items < v + 2 / epsilon.clip(1e-9) ** 2)[sends].any()))


@pytest.mark.parametrize("seed", range(4))
def test_the_two_groups_combine_as_independent_answers(seed):
    """The error of both and the weight of those who trust, from the errors of each group alone."""
    people, v = random_population(seed)
    apart = people.local
    F_C, F_L = (compare.mixed_release(people.where(group), v[group]).error() for group in (~apart, apart))
    at = {sym.trusting_mse: F_C, sym.local_mse: F_L}
    plan = compare.mixed_release(people, v)
    assert plan.error() == pytest.approx(float(sym.combined_mse.subs(at)), rel=1e-12)
    assert plan.weights[~apart].sum() == pytest.approx(float(sym.trusting_weight.subs(at)), rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_mixed_release_is_adpm_ldpe_or_kvh_at_the_corners(seed):
    """All trust; nobody does, with Laplace reports; one budget and one variance: weights and errors."""
    epsilon = np.exp(np.random.default_rng(seed).uniform(-3, 2, 80))
    everybody = compare.mixed_release(compare.Population(epsilon))
    np.testing.assert_allclose(everybody.weights, adpm.weights(epsilon), rtol=1e-12)
    assert everybody.error() == pytest.approx(threshold.affine_mse(epsilon), rel=1e-12)
    nobody = compare.mixed_release(compare.Population(epsilon, "local"), reports="laplace")
    ldpe = baselines.BASELINES["ldpe-users"].mechanism(epsilon)
    np.testing.assert_allclose(nobody.weights, ldpe.weights, rtol=1e-12)
    assert nobody.error() == pytest.approx(baselines.expected_mse("ldpe-users", epsilon), rel=1e-12)
    for budget, v in ((0.7, 0.09), (2.0, 0.25)):
        half = compare.Population(np.full(80, budget), np.repeat(compare.TRUST, [30, 50]))
        s = hybrid.Setting(n=80, c=30 / 80, m=1, epsilon=budget, sigma_t=v**0.5)
        found = compare.mixed_release(half, v, reports="laplace")
        assert found.weights[:30].sum() == pytest.approx(hybrid.kvh_weight(s), rel=1e-12)
        assert found.error() == pytest.approx(hybrid.true_mean_mse(s, hybrid.kvh_weight(s)), rel=1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.0])
def test_local_users_alone_get_the_better_report(epsilon):
    """Of worst-case variance one bit: at budget 1, 1.17 instead of 2.25 for each; where values hardly vary, noise."""
    people = compare.Population([epsilon] * 50, "local")
    plan, noisy = compare.mixed_release(people), compare.mixed_release(people, reports="laplace")
    assert 50 * plan.error() == pytest.approx(0.25 / np.tanh(epsilon / 2) ** 2, rel=1e-12)
    assert 50 * noisy.error() == pytest.approx(0.25 + 2 / epsilon**2, rel=1e-12)
    if epsilon == 1:
        assert (round(50 * plan.error(), 4), round(noisy.error() / plan.error(), 2)) == (1.1707, 1.92)
    rich = compare.mixed_release(compare.Population([5.0] * 50, "local"), 0.01)
    assert not rich.bit_budgets.any() and 50 * rich.error() == pytest.approx(0.09, rel=1e-12)
    with pytest.raises(ValueError, match="reports must be one of best, laplace, got 'bits'"):
        compare.mixed_release(people, reports="bits")


class Uniforms(np.random.Generator):
    """A generator whose two draws for a report, of the bit and of the lie, are every pair of midpoints of a grid."""

    def __init__(self, cells):
        super().__init__(np.random.PCG64(0))
        points = (np.arange(cells) + 0.5) / cells
        self.draws = [np.repeat(points, cells), np.tile(points, cells)]

    def random(self, shape):
        """The next coordinate of all pairs."""
        return self.draws.pop(0).reshape(shape)


@pytest.mark.parametrize("odds", [1.5, 3.0, 9.0])
def test_a_report_of_one_bit_is_private_unbiased_and_varies_as_stated(odds):
    """Its code on a grid of uniform numbers that has the frequencies exactly; and drawn, |z| < 4."""
    cells, values, epsilon, found = 20, np.array([0.0, 0.25, 0.5, 1.0]), np.log(odds), {}
    plan = compare.MixedRelease(*map(np.array, ([1.0], 0.0, [0.0], [epsilon], [0.1])))
    for value in values:
        every = np.full((cells**2, 1), value)
        found[value] = compare.one_bit_report(every, [epsilon], Uniforms(cells)).ravel()
        assert found[value].mean() == pytest.approx(value, abs=1e-12)
        assert found[value].var() == pytest.approx(plan.error(mean=value), rel=1e-12)
        assert found[value].var() == pytest.approx(0.25 / np.tanh(epsilon / 2) ** 2 - (value - 0.5) ** 2, rel=1e-12)
        assert np.unique(found[value].round(12)).size == 2
    up = {value: np.mean(reports > 0.5) for value, reports in found.items()}
    pairs = [(up[one], up[other]) for one in up for other in up]
    losses = [np.log(ratio) for a, b in pairs for ratio in (a / b, (1 - a) / (1 - b))]
    assert max(losses) == pytest.approx(epsilon, rel=1e-12) == pytest.approx(plan.privacy_loss()[0], rel=1e-12)
    drawn = compare.one_bit_report(np.tile(values, (40_000, 1)), np.full(4, epsilon), 7)
    stated = 0.25 / np.tanh(epsilon / 2) ** 2 - (values - 0.5) ** 2
    assert np.all(np.abs(drawn.mean(axis=0) - values) < 4 * np.sqrt(stated / 40_000))


@pytest.mark.parametrize("epsilon", [1e-100, 1e-12, 0.01, 1.0, 20.0, 36.0, 40.0, 800.0, 1e7])
def test_the_loss_of_a_bit_is_never_more_than_the_budget(epsilon):
    """To the last digit: a lie is drawn no more rarely than it must be, where uniform numbers have 53 bits."""
    plan = compare.mixed_release(compare.Population([epsilon] * 2, "local"))
    assert plan.bit_budgets.tolist() == [epsilon] * 2
    lie = Fraction(float(flip_probability(np.array(epsilon))))
    drawn = Fraction(math.ceil(lie * 2**53), 2**53)  # the share of the generator's numbers below it
    with mpmath.workdps(60):
        least = 1 / (1 + mpmath.exp(mpmath.mpf(epsilon)))
        assert mpmath.mpf(drawn.numerator) / drawn.denominator >= least
    assert np.all(plan.privacy_loss() <= epsilon) and np.isfinite(plan.privacy_loss()).all()
    if 0.01 <= epsilon <= 36:
        np.testing.assert_allclose(plan.privacy_loss(), epsilon, rtol=1e-11)


@pytest.mark.parametrize("reports", compare.REPORTS)
@pytest.mark.parametrize("seed", range(4))
def test_nobody_loses_more_than_her_budget(seed, reports):
    """From weights and scales; a local user from her own report, whatever the curator does."""
    people, v = random_population(seed)
    plan = compare.mixed_release(people, v, reports)
    private = np.isfinite(people.epsilon)
    assert np.all(plan.privacy_loss() <= people.epsilon * (1 + 1e-12))
    sends = people.local & private
    np.testing.assert_allclose(plan.privacy_loss()[sends], people.epsilon[sends], rtol=1e-12)
    noisy, bits = plan.report_scales > 0, plan.bit_budgets > 0
    np.testing.assert_array_equal(noisy ^ bits, sends)
    np.testing.assert_allclose(plan.report_scales[noisy], 1 / people.epsilon[noisy], rtol=1e-15)
    trusting = ~people.local & private
    least = affine.noise_scale(plan.weights[trusting], people.epsilon[trusting])
    assert plan.curator_scale == pytest.approx(least, rel=1e-14)
    np.testing.assert_allclose(plan.privacy_loss()[trusting], plan.weights[trusting] / plan.curator_scale, rtol=1e-12)


@pytest.mark.parametrize("mean", [0.5, 0.3])
def test_the_mixed_release_errs_by_what_it_says(mean):
    """Unclamped, simulated, at the mean where one-bit reports vary most and elsewhere; clamped by less."""
    people, v = random_population(5, 30)
    v = np.minimum(v, 0.04)
    plan = compare.mixed_release(people, v)
    assert (plan.bit_budgets > 0).any() and (plan.report_scales > 0).any()
    runs = {clamp: partial(plan.estimate, clamp=clamp) for clamp in (False, True)}
    found = simulate.compare(runs, coins(v, mean), mean, 40_000, seed=8)
    assert abs(found[False].mse - plan.error(mean=mean)) < 4 * found[False].standard_error
    assert found[True].mse <= found[False].mse
    assert plan.error(mean=mean) <= plan.error() and (mean == 0.5) == (plan.error(mean=mean) == plan.error())


def test_clamping_is_free_and_the_rule():
    """Twenty users of budget 0.05: the noise has the variance 2; an answer is never further from the mean for it."""
    rows = {row.name: row for row in compare.ranking(compare.Population([0.05] * 20))}
    x = np.tile([0.0, 1.0], (40_000, 10))
    for name in ("mixed", "ldpe", "uni"):
        clamped, plain = (rows[name].estimate(x, 3, clamp=flag) for flag in (True, False))
        np.testing.assert_array_equal(clamped, np.clip(plain, 0, 1))
        np.testing.assert_array_equal(clamped, rows[name].estimate(x, 3))
        assert np.mean((plain - 0.5) ** 2) == pytest.approx(2, rel=0.1)
        assert np.mean((clamped - 0.5) ** 2) == pytest.approx(2 - 3 * np.exp(-0.5), rel=0.02)  # of Laplace noise, cut
    assert adpm.estimate(np.full(20, 0.5), [1.0] * 20, 1) != np.clip(
        adpm.estimate(np.full(20, 0.5), [1.0] * 20, 1), -0.5, 0.5
    )


@pytest.mark.parametrize("seed", range(6))
def test_no_linear_release_is_better(seed):
    """No rival of the ranking, no weights that a convex solver finds, no others with several noises, no fewer users."""
    people, v = random_population(seed)
    plan = compare.mixed_release(people, v)
    rows = {row.name: row for row in compare.ranking(people, v) if not row.obstacle}
    assert rows["mixed"].error == pytest.approx(plan.error(), rel=1e-14)
    linear = set(rows) - {"mixed", "centre", "sm", "private-ideal"}
    assert len(linear) == 13
    assert all(rows[name].error >= plan.error() * (1 - 1e-12) for name in linear)
    rng, sends = np.random.default_rng(seed), people.local & np.isfinite(people.epsilon)
    curated = ~people.local & np.isfinite(people.epsilon)
    items = np.where(sends, reported(v, np.where(sends, people.epsilon, 1.0)), v)
    cost = np.where(sends, 0.0, 1 / people.epsilon)
    w = convex_weights(items, cost, 2.0, "CLARABEL")
    assert plan.error() == pytest.approx(np.sum(w**2 * items) + 2 * np.max(w * cost) ** 2, rel=1e-7)
    for size in (1e-3, 0.1):
        for noises in (1, 1, 2):
            w = plan.weights * np.exp(size * rng.normal(size=people.size))
            w, group = w / w.sum(), rng.integers(0, noises, people.size)
            scales = [np.max(w[curated] / people.epsilon[curated], initial=0, where=group[curated] == g)
                      for g in range(noises)]  # fmt: skip
            assert np.sum(w**2 * items) + 2 * max(scales) ** 2 > plan.error()
    noisy = compare.mixed_release(people, v, reports="laplace").error()
    assert plan.error() < noisy
    assert compare.mixed_release(compare.Population(people.epsilon * 0.9, people.trust), v).error() > plan.error()
    fewer = np.arange(people.size) != 5
    assert compare.mixed_release(people.where(fewer), v[fewer]).error() > plan.error()


@pytest.mark.parametrize("budget", [0.2, 1.0, 3.0, 5.0])
def test_trust_helps_from_some_number_of_users_on(budget):
    """Of users alike and of the largest variance, beside others who send reports; below it, reports are better."""
    limit = float(sym.users_for_trust.subs(sym.epsilon, budget))
    for users in range(1, 15):
        epsilon = np.append(np.full(users, budget), [0.7] * 5)
        both = [compare.Population(epsilon, np.append([kind] * users, ["local"] * 5)) for kind in compare.TRUST]
        trusting, reporting = (compare.mixed_release(people).error() for people in both)
        assert (trusting < reporting) == (users > limit)
    pair = {row.name: row.error for row in compare.ranking(compare.Population([1.0] * 2))}
    assert pair["reports"] < pair["mixed"]


def test_biased_estimators_may_come_before_the_mixed_release():
    """The capped ADPM and the centre with little budget; the private ideal where a rough mean is known."""
    few = [row.name for row in compare.ranking(compare.Population([0.05] * 40))]
    assert max(few.index("adpm"), few.index("centre")) < few.index("mixed")
    errors = {row.name: row.error for row in compare.ranking(compare.Population([0.05] * 40))}
    assert (errors["adpm"], round(errors["mixed"], 3)) == (0.25, 0.506)
    k = np.repeat([2000, 100], 100)
    rows = {row.name: row for row in compare.ranking(compare.Population([0.5] * 200, "curator", k), prior=(0.5, 0.02))}
    assert rows["private-ideal"].error < rows["mixed"].error
    assert rows["private-ideal"].needs.startswith("a rough p")

    def draw(rng, runs):
        return rng.binomial(k, 0.52, (runs, 200)) / k  # the mean is not the prior's

    error, bar = simulate.mean_squared_error(rows["private-ideal"].estimate, draw, 0.52, 4000, seed=2)
    assert error < rows["private-ideal"].error + 4 * bar


def test_one_strict_local_user_ruins_the_hybrid_estimators():
    """Each runs at the strictest budget of all, TCM-only too, which does not use her; the mixed release does not."""
    with_her = compare.Population([1.0] * 300 + [1.0, 1e-4], ["curator"] * 300 + ["local"] * 2)
    without = with_her.where(with_her.epsilon == 1)
    before, after = ({row.name: row.error for row in compare.ranking(people)} for people in (without, with_her))
    assert after["tcm-only"] == pytest.approx(0.25 / 300 + 2 / (300 * 1e-4) ** 2, rel=1e-12)
    for name in ("tcm-only", "kvh", "pwh", "naive", "full-lm"):
        assert after[name] > 1e4 * before[name]
    assert after["mixed"] <= before["mixed"]


def test_an_upper_bound_of_the_variances_bounds_the_error():
    """The weights that are best for a bound err by less than they say; and a bound that is wrong costs."""
    people, v = random_population(11)
    bound = compare.mixed_release(people, np.minimum(1.4 * v, 0.25))
    assert compare.mixed_release(people, v).error() <= bound.error(v) < bound.error()
    assert compare.mixed_release(people, v).error(0.25) > compare.mixed_release(people).error()


# -- the ranking ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seed", "variances"), [(2, "unequal"), (4, "equal")])
def test_every_row_errs_by_what_it_says(seed, variances):
    """Simulated, |z| < 4; where the error is a bound, below it."""
    people, v = random_population(seed)
    v = v if variances == "unequal" else np.full(people.size, 0.2)
    rows = {row.name: row for row in compare.ranking(people, v) if not row.obstacle}
    assert len(rows) >= 14
    runs = {name: partial(row.estimate, clamp=False) for name, row in rows.items()}
    found = simulate.compare(runs, coins(v), 0.5, 6000, seed=seed)
    for name, (error, bar) in found.items():
        if name == "centre":  # its worst distribution is a point mass
            assert error == 0
        elif name == "sm" and variances == "unequal":
            assert error < rows[name].error + 4 * bar
        else:
            assert abs(error - rows[name].error) < 4 * bar, name


def test_sampling_is_ranked_where_it_is_private_and_random():
    """At t >= 2 ln 2 without public users, by the exact error; refused below, with the user who would lose more."""
    v = np.full(40, 0.25)
    rows = {row.name: row for row in compare.ranking(compare.Population(np.repeat([0.5, 2.0], 20)))}
    unclamped = partial(rows["sm"].estimate, clamp=False)
    error, bar = simulate.mean_squared_error(unclamped, coins(v), 0.5, 20_000, seed=1)
    assert abs(error - rows["sm"].error) < 4 * bar
    small = compare.Population(np.log([5 / 4, 9 / 4]))
    refused = {row.name: row for row in compare.ranking(small)}["sm"]
    assert refused.obstacle == "not private: a user who allows 0.223 loses 0.272".replace("0.223", f"{np.log(1.25):g}")
    assert refused.error == inf and refused.estimate is None


@pytest.mark.parametrize("holders", [1, 2, 3, 10])
def test_sampling_is_refused_below_the_bound_for_those_who_hold_the_largest_budget(holders):
    """With k of them it is private from t = (k + 1) ln((k + 1)/k) on; below, somebody with a smaller one loses more."""
    bound = (holders + 1) * np.log((holders + 1) / holders)
    for t, private in ((bound * 0.999, False), (bound * 1.001, True)):
        epsilon = np.append([0.01 * t], [t] * holders)
        row = {row.name: row for row in compare.ranking(compare.Population(epsilon))}["sm"]
        assert (not row.obstacle) == private
        exceeded = baselines.privacy_loss_witness(epsilon) > epsilon * (1 + 1e-9)
        assert exceeded.any() == (not private)


def test_linear_errors_are_the_sums_that_they_stand_for():
    """To twelve digits, for unequal variances: sampling and noise of every estimator for a curator, written anew."""
    people, v = random_population(3)
    rows = {row.name: row for row in compare.ranking(people, v)}
    trusting = ~people.local
    epsilon, u = people.epsilon[trusting], v[trusting]
    with np.errstate(divide="ignore"):
        cost = 1 / epsilon
    tau = threshold.best_threshold(epsilon)
    weights = {
        "adpm": adpm.weights(epsilon),
        "uni": np.full(epsilon.size, 1 / epsilon.size),
        "threshold": np.where(epsilon >= tau, 1 / np.count_nonzero(epsilon >= tau), 0),
        "propdpm": np.isinf(epsilon) / np.count_nonzero(np.isinf(epsilon)),
    }
    noise = {name: 2 * np.max(w * cost) ** 2 for name, w in weights.items() if name != "threshold"}
    noise["threshold"] = 2 * (weights["threshold"].max() / tau) ** 2
    for (name, w), worst in product(weights.items(), (False, True)):
        found = rows[name].worst_case if worst else rows[name].error
        assert found == pytest.approx(np.sum(w**2 * (0.25 if worst else u)) + noise[name], rel=1e-12), name
    report = np.where(np.isinf(people.epsilon), 0.25, 0.25 + 2 / people.epsilon**2)
    w = 1 / report / np.sum(1 / report)
    expected = np.sum(w**2 * (report - 0.25 + v))
    assert rows["ldpe-users"].error == pytest.approx(expected, rel=1e-12)
    size = {level: np.count_nonzero(epsilon == level) for level in epsilon}
    group = {level: 0.25 / m + 2 / (m * level) ** 2 for level, m in size.items()}
    total = sum(1 / error for error in group.values())
    parts = (
        (u[epsilon == level].mean() / m + group[level] - 0.25 / m) / group[level] ** 2 for level, m in size.items()
    )
    assert rows["ldpe"].error == pytest.approx(sum(parts) / total**2, rel=1e-12)


def test_the_private_ideal_stays_below_its_bound():
    """Means of Beta distributions around p, and the prior right."""
    k = np.repeat([200, 5], [150, 150])
    people = compare.Population(np.full(300, 2.0), "curator", k)
    row = {r.name: r for r in compare.ranking(people, prior=(0.5, 0.05))}["private-ideal"]

    def draw(rng, runs):
        return rng.binomial(k, rng.beta(49.5, 49.5, (runs, 300))) / k

    error, bar = simulate.mean_squared_error(row.estimate, draw, 0.5, 4000, seed=5)
    assert 0.8 * row.error < error < row.error + 4 * bar
    assert row.worst_case == inf


def test_algorithm_2_errs_roughly_as_predicted():
    """Its first estimates only aim at what the prediction takes for granted; without a prior there is none."""
    k = np.repeat([400, 20], [1000, 4000])
    people = compare.Population(np.full(5000, 1.5), "curator", k)
    row = {r.name: r for r in compare.ranking(people, prior=(0.5, 0.03))}["algorithm-2"]

    def draw(rng, runs):
        return rng.binomial(k, rng.beta(138.4, 138.4, (runs, 5000))) / k

    error, bar = simulate.mean_squared_error(row.estimate, draw, 0.5, 400, seed=5)
    assert bar < 0.1 * error and 0.7 < error / row.error < 1.3
    without = {r.name: r for r in compare.ranking(people)}["algorithm-2"]
    assert "prior" in without.obstacle


@pytest.mark.parametrize(
    ("people", "refused"),
    [
        (compare.Population([1.0] * 9, "local"), {"adpm", "sm", "kvh", "tcm-only", "threshold", "algorithm-2"}),
        (compare.Population([1.0] * 9), {"kvh", "pwh", "tcm-only", "full-lm", "naive", "algorithm-2"}),
        (compare.Population([inf] * 9, ["local"] + ["curator"] * 8), {"kvh", "private-ideal", "algorithm-2"}),
    ],
)
def test_what_does_not_apply_says_why_and_comes_last(people, refused):
    """Nobody trusts, all trust, all are public; the private ideal always misses its prior here."""
    rows = compare.ranking(people)
    names = [row.name for row in rows if row.obstacle]
    assert refused <= set(names) and names == [row.name for row in rows][-len(names) :]
    assert [row.error for row in rows] == sorted(row.error for row in rows)
    assert all(len(row.obstacle) > 10 and row.estimate is None for row in rows if row.obstacle)


def test_a_public_value_takes_no_trust():
    """Whoever publishes her value is used by everybody, whatever the column says."""
    either = [compare.ranking(compare.Population([0.5, 0.5, inf], ["local", "curator", t])) for t in compare.TRUST]
    for row, other in zip(*either, strict=True):
        assert (row.name, row.error, row.users) == (other.name, other.error, other.users)


def test_unusable_users_are_left_out():
    """A budget of 0 changes nothing but n."""
    some = compare.Population([0.0, 1.0, 1.0, 2.0], ["curator", "local", "curator", "curator"])
    without = some.where(some.epsilon > 0)
    for row, other in zip(compare.ranking(some), compare.ranking(without), strict=True):
        assert (row.name, row.users) == (other.name, other.users)
        assert row.error == pytest.approx(other.error, rel=1e-12)


def test_the_prior_gives_the_variances_from_the_records():
    """As Lemma 2.1 says; a variance that is given goes before."""
    people, v = random_population(7)
    implied = user_level.sample_mean_variance(0.3, 0.1, people.records)
    by_prior, by_variance, both = (
        {row.name: row.error for row in compare.ranking(people, **arguments)}
        for arguments in ({"prior": (0.3, 0.1)}, {"variance": implied}, {"variance": v, "prior": (0.3, 0.1)})
    )
    assert by_prior["mixed"] == by_variance["mixed"] != both["mixed"]
    assert by_variance["private-ideal"] == inf > by_prior["private-ideal"]


# -- the page ------------------------------------------------------------------------------------------------


def test_every_call_of_the_decision_table_runs():
    """Each is taken from the page, and answers near the mean of what it is given."""
    listed = PAGE.read_text(encoding="utf-8").split("(which-estimator-calls)=")[1].split("\n```")[0]
    calls = re.findall(r"^`([^`]+)`$", listed, re.M)
    assert len(calls) == 8
    rng, n, t = np.random.default_rng(1), 6000, 4000
    k = np.repeat([100, 20], n // 2)
    x = rng.binomial(k, rng.beta(12, 12, n)) / k
    epsilon = np.full(n, 1.0)
    namespace = {
        "x": x, "epsilon": epsilon, "budget": 1.0, "k": k, "p": 0.5, "sigma_p": 0.1, "variance": 0.1, "t": t,
        "population": compare.Population(epsilon, np.repeat(compare.TRUST, [t, n - t]), k), "rng": rng,
        "setting": hybrid.Setting(n=n, c=t / n, m=1, epsilon=1.0, sigma_t=0.2),
        "adpm": adpm, "baselines": baselines, "compare": compare, "hybrid": hybrid, "threshold": threshold,
        "user_level": user_level,
    }  # fmt: skip
    for call in calls:
        answer = eval(call, namespace)
        assert abs(answer - x.mean()) < (0.1 if "local" in call else 0.02), call
