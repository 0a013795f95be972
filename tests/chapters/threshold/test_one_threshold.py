"""The statements of Cyffers & Ziani in exact rationals: against the definitions, the library and each other."""

from fractions import Fraction
from itertools import pairwise, product

import cvxpy
import numpy as np
import pytest
import sympy as sp
from scipy.optimize import brentq

from hdp import ADPM, Threshold, affine, clipping, figures, threshold
from hdp.sym.symbols import epsilon_1, epsilon_2
from hdp.sym.threshold import one_threshold as sym
from hdp.sym.threshold.one_threshold import N_1, N_2, q
from tests.figures.captions import line, says
from tests.figures.lemma import average, of_groups
from tests.oracles import exact_level, inf


def clipped_risk(epsilon, tau):
    """Eq. (2) in exact fractions; the budgets may be infinite."""
    clipped = [min(e, tau) for e in epsilon]
    return (sum(c * c for c in clipped) + 8) / Fraction(4 * sum(clipped) ** 2)


def threshold_risk(epsilon):
    """Eq. (3) at the best of all budgets, in exact fractions."""
    counts = {tau: sum(e >= tau for e in epsilon) for tau in epsilon}
    return min(Fraction(1, 4 * m) + (0 if tau == inf else 2 / (m * Fraction(tau)) ** 2) for tau, m in counts.items())


def laws(points, parts):
    """Every distribution on these points whose probabilities are multiples of 1/parts."""
    for masses in product(range(parts + 1), repeat=len(points)):
        if sum(masses) == parts:
            yield {x: Fraction(k, parts) for x, k in zip(points, masses, strict=True) if k}


def sampling_error(w, law):
    """E (<w, X> - mean)^2 by enumeration of all data of three users."""
    mean = sum(x * chance for x, chance in law.items())
    outcomes = product(law, repeat=3)
    return sum(law[a] * law[b] * law[c] * (w[0] * a + w[1] * b + w[2] * c - mean) ** 2 for a, b, c in outcomes)


@pytest.mark.settles("cz-definition-5")
@pytest.mark.parametrize("sixths", [(3, 2, 1), (9, -1, -2)])
def test_the_fair_coin_is_the_worst_distribution(sixths):
    """Definition 5: enumerate all data of three users under many distributions, in exact fractions."""
    w, eta = [Fraction(k, 6) for k in sixths], Fraction(1, 5)
    bound = sym.unbiased_risk(w, eta)
    points = [Fraction(k, 4) for k in (-2, -1, 0, 1, 2)]
    errors = [(sampling_error(w, law) + 2 * eta**2, law) for law in laws(points, 4)]
    assert max(error for error, _ in errors) == bound
    fair_coin = {Fraction(int(x.p), int(x.q)): Fraction(int(c.p), int(c.q)) for x, c in sym.fair_coin.items()}
    assert [law for error, law in errors if error == bound] == [fair_coin]
    assert affine.mean_squared_error([float(x) for x in w], float(eta)) == pytest.approx(float(bound), rel=1e-15)


@pytest.mark.settles("cz-eq-1", "cz-affine-optimal")
@pytest.mark.parametrize("seed", range(5))
def test_no_signed_weights_do_better(seed):
    """Eq. (1): a convex solver that may use negative weights finds the same error, at the weights of the library."""
    epsilon = np.exp(np.random.default_rng(seed).uniform(-1, 2, 12) - 3 * (seed == 0))  # once above the cap of 1/4
    w = cvxpy.Variable(12)
    error = cvxpy.sum_squares(w) / 4 + 2 * cvxpy.square(cvxpy.max(cvxpy.multiply(cvxpy.abs(w), 1 / epsilon)))
    best = cvxpy.Problem(cvxpy.Minimize(error), [cvxpy.sum(w) == 1]).solve(solver="CLARABEL")
    assert threshold.affine_mse(epsilon) == pytest.approx(best, rel=1e-7)
    assert float(sym.affine_objective(ADPM(epsilon).weights, epsilon)) == pytest.approx(best, rel=1e-7)
    assert w.value.min() > 0 and (best > 0.25) == (seed == 0)
    assert threshold.affine_mse([*epsilon, 0]) == pytest.approx(best, rel=1e-7)  # whom nobody may use


@pytest.mark.settles("cz-eq-1")
def test_absolute_values_of_signed_weights_do_better():
    """Eq. (1): |w| on the simplex beats w wherever a weight is negative, in exact rationals; the library agrees."""
    rng = np.random.default_rng(11)
    for _ in range(200):
        budgets = [sp.Rational(int(k), 7) if k < 35 else sp.oo for k in rng.integers(1, 40, 4)]
        signed = [sp.Rational(int(k), 9) for k in rng.integers(-9, 10, 3)]
        signed.append(1 - sum(signed))
        total = sum(abs(w) for w in signed)
        before, after = (sym.affine_objective(w, budgets) for w in (signed, [abs(w) / total for w in signed]))
        assert after < before or (after == before and min(signed) >= 0)
        w, e = np.array(signed, dtype=float), np.array(budgets, dtype=float)
        assert affine.mean_squared_error(w, affine.noise_scale(w, e)) == pytest.approx(float(before), rel=1e-13)


BUDGETS = {
    "level-between": [Fraction(1, 2)] * 3 + [Fraction(2), Fraction(7)],
    "public": [Fraction(3)] * 4 + [inf],
    "level-above-all": [Fraction(1, 9), Fraction(1, 3)],
    "equal": [Fraction(2)] * 3,
    "level-is-largest": [Fraction(1), Fraction(1), Fraction(5), Fraction(5)],
    "unusable": [Fraction(0), Fraction(1), Fraction(1), Fraction(40)],
}


@pytest.mark.settles("cz-claim-1")
@pytest.mark.parametrize("epsilon", BUDGETS.values(), ids=BUDGETS)
def test_the_minimisers_are_the_level_alone_or_a_ray(epsilon):
    """Claim 1, in exact fractions: of many levels exactly the stated ones are best; the library's errors are theirs."""
    level, largest = exact_level([e for e in epsilon if e > 0]), max(epsilon)
    grid = sorted({Fraction(k, d) for d in (3, 8) for k in range(1, 48 * d)} | {min(level, largest)})
    risks = {tau: clipped_risk(epsilon, tau) for tau in grid}
    least = min(risks.values())
    best = {tau for tau, risk in risks.items() if risk == least}
    stated = sym.minimisers(sp.Rational(level), sp.oo if largest == inf else sp.Rational(largest))
    assert best == {tau for tau in risks if sp.Rational(tau) in stated} and best
    budgets = [float(e) for e in epsilon]
    assert threshold.affine_mse(budgets) == pytest.approx(float(least), rel=1e-13)
    for tau, risk in [*risks.items()][::20]:
        assert threshold.affine_mse(budgets, float(tau)) == pytest.approx(float(risk), rel=1e-13)


@pytest.mark.settles("cz-claim-1")
def test_without_private_users_no_level_attains_the_infimum():
    """Everybody public: eq. (2) falls for ever, and the library has its limit."""
    risks = [clipped_risk([inf] * 3, Fraction(k)) for k in range(1, 400)]
    assert all(a > b > Fraction(1, 12) for a, b in pairwise(risks))
    assert threshold.affine_mse([inf] * 3) == pytest.approx(1 / 12, rel=1e-15)


@pytest.mark.settles("cz-eq-2")
def test_equation_2_is_exact_from_the_smallest_budget_on():
    """Below it the formula has more noise than the promises need: 1/(n tau) instead of 1/(n min)."""
    epsilon = np.array([0.5, 0.5, 1.0, 3.0])
    groups = [(2, sp.Rational(1, 2)), (1, 1), (1, 3)]
    for tau in (0.1, 0.4, 0.49, 0.5, 0.7, 2.0, 3.0, 9.0):
        w = np.minimum(epsilon, tau) / np.minimum(epsilon, tau).sum()
        needed = affine.mean_squared_error(w, affine.noise_scale(w, epsilon))
        stated = float(sym.clipped_risk(groups, sp.Rational(str(tau))))
        assert threshold.affine_mse(epsilon, tau) == pytest.approx(stated, rel=1e-14)
        excess = 2 / (4 * tau) ** 2 - 2 / (4 * 0.5) ** 2 if tau < 0.5 else 0.0
        assert stated - needed == pytest.approx(excess, rel=1e-12, abs=1e-15)
        assert tau >= 0.5 or stated > needed
    assert sym.clipped_risk([(1, 0), (1, 1)], sp.Rational(1, 2)) == sp.Rational(33, 4)  # not exact at 1/2
    assert affine.mean_squared_error(np.array([0.0, 1.0]), affine.noise_scale([0.0, 1.0], [0.0, 1.0])) == 2.25


def errors(users, budgets):
    """Of the best threshold and of the best weights for two groups, user by user in the library."""
    each = np.repeat(budgets, users)
    return Threshold(each).mse(), threshold.affine_mse(each)


@pytest.mark.settles("hdp-public-worst")
@pytest.mark.parametrize(("users", "public"), [(1, 1), (2, 1), (10, 3), (3, 10), (1000, 2)])
def test_no_budget_beside_a_public_group_is_worse(users, public):
    """The closed form is attained at its budget, and no other budget gives more."""
    stated = {N_1: users, N_2: public}
    worst, budget = (float(e.subs(stated)) for e in (sym.public_worst_ratio, sym.public_worst_budget))

    def ratio(eps):
        kept, clipped = errors([users, public], [eps, inf])
        return kept / clipped

    assert ratio(budget) == pytest.approx(worst, rel=1e-12)
    ratios = [ratio(budget * k) for k in np.geomspace(0.01, 100, 400)]
    assert max(ratios) < worst
    assert max(ratios) > 0.97 * worst
    assert worst < sym.public_factor


@pytest.mark.settles("hdp-above-two")
def test_the_example_in_exact_fractions():
    """Two private levels beyond the factor of a public group: from the definitions, user by user."""
    epsilon = [Fraction(1, 1000)] * 99 + [Fraction(1, 10)]
    assert exact_level(epsilon) > max(epsilon)
    ratio = threshold_risk(epsilon) / clipped_risk(epsilon, max(epsilon))
    assert threshold_risk(epsilon) == Fraction(80001, 400)
    assert sym.public_factor < 3.955 < ratio < 3.956
    stated = sym.two_level_threshold.subs(sym.example) / sym.two_level_affine.subs(sym.example)
    assert stated == sp.Rational(ratio.numerator, ratio.denominator)


@pytest.mark.settles("hdp-suprema")
def test_the_family_approaches_4_with_vanishing_errors():
    """User by user for whole q, in the library; both errors below the trivial 1/4; the limit by sympy."""
    ratios = []
    for whole in (3, 4, 6, 10, 15):
        at = {symbol: float(value.subs(q, whole)) for symbol, value in sym.two_level_family.items()}
        kept, clipped = errors([int(at[N_1]), int(at[N_2])], [at[epsilon_1], at[epsilon_2]])
        assert kept < 0.25
        ratios.append(kept / clipped)
        stated = (sym.everybody_risk / sym.proportional_risk).subs(sym.two_level_family, simultaneous=True)
        assert ratios[-1] == pytest.approx(float(stated.subs(q, whole)), rel=1e-12)
    assert ratios == sorted(ratios) and ratios[-1] < sym.two_level_factor
    limits = [r.subs(sym.two_level_family, simultaneous=True) for r in (sym.everybody_risk, sym.proportional_risk)]
    assert [sp.limit(r * q**2, q, sp.oo) for r in limits] == [2, sp.Rational(1, 2)]
    assert sp.limit(limits[0] / limits[1], q, sp.oo) == sym.two_level_factor


@pytest.mark.settles("hdp-suprema")
def test_a_public_group_approaches_2_with_errors_below_the_trivial_one():
    """One public user and ever more private ones, user by user in the library; the limit by sympy."""
    ratios = []
    for users in (1, 10, 1000, 10**6):
        budget = float(sym.public_worst_budget.subs({N_1: users, N_2: 1}))
        kept, clipped = errors([users, 1], [budget, inf])
        assert max(kept, clipped) <= 0.25
        ratios.append(kept / clipped)
    assert ratios == sorted(ratios) and 0.99999 * sym.public_factor < ratios[-1] < sym.public_factor
    assert sp.limit(sym.public_worst_ratio, N_1, sp.oo) == sym.public_factor


@pytest.mark.settles("hdp-beyond-saturation")
def test_beyond_saturation_the_golden_ratio_bounds_the_ratio():
    """Random saturated groups in the library stay below phi^2, and the extremal ones come close to it."""
    bound = float(sym.saturated_supremum)
    rng = np.random.default_rng(1618)
    for _ in range(200):
        users, eps = rng.integers(1, [3000, 30]), 10 ** rng.uniform(-3, 1)
        kept, clipped = errors(users, [eps, (eps + 8 / (users[0] * eps)) * 10 ** rng.exponential(0.1)])
        assert kept < bound * clipped
    users = np.array([500_000, 202])  # N_1 eps_1^2 = 0.002; N_2 = phi N_1^2 eps_1^2/(N_1 eps_1^2 + 8)
    eps = (0.002 / users[0]) ** 0.5
    kept, clipped = errors(users, [eps, eps + 8 / (users[0] * eps)])
    assert 0.998 * bound < kept / clipped < bound
    at = {N_1: 500_000, N_2: 202, epsilon_1: eps}
    assert float(sym.saturation.subs(at)) == pytest.approx(ADPM(np.repeat([eps, inf], users)).level, rel=1e-9)
    assert float(sym.public_affine.subs(at)) == pytest.approx(clipped, rel=1e-9)


@pytest.mark.settles("cz-four-times-data")
def test_four_times_the_users_are_worth_the_stated_factor():
    """In the example; four times the users are worth nearly 16."""
    once, four = (threshold_risk([Fraction(1, 1000)] * 99 * k + [Fraction(1, 10)] * k) for k in (1, 4))
    assert once / four == Fraction(320004, 20001)
    stated = [sym.two_level_threshold.subs(sym.example | {N_1: 99 * k, N_2: k}) for k in (1, 4)]
    assert stated[0] / stated[1] == sp.Rational(320004, 20001)


@pytest.mark.settles("cz-four-times-data")
def test_four_times_the_users_are_worth_a_factor_of_four_where_sampling_dominates():
    """c times the users: the factor c without noise, c^2 with nothing else; twice the budgets are then worth 4."""
    users, budget, c = sp.symbols("users budget c", positive=True)
    risk = sym.group_risk(users, budget)
    more, looser = risk / sym.group_risk(c * users, budget), risk / sym.group_risk(users, 2 * budget)
    assert [sp.limit(more, budget, end) for end in (sp.oo, 0)] == [c, c**2]
    assert [sp.limit(looser, budget, end) for end in (sp.oo, 0)] == [1, 4]


# -- Figures for Cyffers & Ziani: what statements say of the curves, and the variables that they have.


@pytest.mark.settles("hdp-cz-figure-public")
@pytest.mark.parametrize("strictness", [0.01, 0.1, 1.0, 10.0])
def test_the_ratio_beside_a_public_group_has_a_kink_at_its_maximum_below_2(strictness):
    """It rises to the circle, falls from there at an angle, and Theorem 1's rule is never reached."""
    value = lambda nu: line(figures.ALL["cz-public-ratio"], "group 2 is public", nu, s=strictness)  # noqa: E731
    place, top = (float(e.subs(sym.strictness, strictness)) for e in (sym.public_peak, sym.public_maximum))
    x = np.geomspace(1e-5, 100, 1000)
    y = value(x)
    assert value(place) == pytest.approx(top, rel=1e-12) and y.max() <= top * (1 + 1e-12) < sym.public_factor
    left, right = np.diff(np.log(value(place * np.exp([-1e-5, 0.0, 1e-5])))) / 1e-5  # slopes on both sides
    assert left > 0 > right and left - right > 0.01
    assert np.all(np.diff(y[x < place]) > 0) and np.all(np.diff(y[x > place]) < 0)


@pytest.mark.parametrize("risk", [sym.private_risk**2, sym.private_risk + 1, sym.private_risk * epsilon_1])
def test_what_does_not_scale_cannot_be_drawn_in_three_variables(risk):
    """`reduced` refuses it by name instead of leaving n in a formula of the figure."""
    with pytest.raises(ValueError, match="risk must scale like 1/n, got"):
        sym.reduced(risk)


# -- What the figures draw, by the library.


def risks(nu, rho, s, kappa=2.0):
    """Of one threshold and of the affine estimator."""
    n, epsilon = np.array([1.0, nu]) / (1 + nu), s * np.array([1.0, rho])
    kept = average(np.array([1.0, n[1]]), epsilon, kappa=kappa)
    return kept.min(), of_groups(n, epsilon, kappa=kappa)[1]


def ratio(nu, rho, s, kappa=2.0):
    threshold, affine = risks(nu, rho, s, kappa)
    return threshold / affine


def switch(nu, s):
    """Where the noise of group 2 makes up for the sampling error that it adds."""
    noise = 2 / s**2 - 0.25 / nu
    return (1 + nu) / nu * np.sqrt(2 / noise) / s if noise > 0 else np.nan


def beside_public(nu, s, kappa):
    """N R of the private group alone and of the public group alone."""
    n = np.array([1.0, nu]) / (1 + nu)
    return average(n[0], s, kappa=kappa), 0.25 / n[1]


def public_ratio(nu, s, kappa):
    """Beside a public group, from the inverse-variance combination of the two."""
    private, public = beside_public(nu, s, kappa)
    return min(average(1.0, s, kappa=kappa), public) * (1 / private + 1 / public)


def balance(s, kappa):
    """Where the two groups alone are equally good."""
    return brentq(lambda nu: np.subtract(*beside_public(nu, s, kappa)), 1e-9, 1, xtol=1e-300, rtol=1e-15)


def top(s, kappa):
    """Where the public group alone errs as much as everybody with the strict budget, and the ratio there."""
    place = brentq(lambda nu: average(1.0, s, kappa=kappa) - 0.25 * (1 + nu) / nu, 1e-9, 1e4, xtol=1e-300, rtol=1e-15)
    return place, public_ratio(place, s, kappa)


REFERENCES = {
    "cz-ratio": {
        "ratio of errors": lambda nu, rho, s: ratio(nu, rho, s),
        "group 2 is clipped": lambda nu, s: (
            clipping.water_level(np.array([s]), np.array([s / (1 + nu)]), 8.0) / s  # the level of group 1 alone
        ),
        "the threshold drops": switch,
        "your point": lambda nu_0, rho_0: (nu_0, rho_0),
        "ratio at your point": lambda nu_0, rho_0, s: ratio(nu_0, rho_0, s),
        "share of users": lambda nu_0, rho_0, s: (
            1.0 if risks(nu_0, rho_0, s)[0] == average(1.0, s) else nu_0 / (1 + nu_0)
        ),
    },
    "cz-public-ratio": {
        "group 2 has the budget": ratio,
        "group 2 is public": public_ratio,
        "Theorem 1": 2.0,
        "Theorem 2": 4.0,
        "both groups": balance,
        "largest ratio": [top, lambda s, kappa: top(s, kappa)[1]],
    },
}


# -- Both risks user by user, by `hdp.threshold`.


def budgets(e_1, e_2, e_3, N_1, N_2, N_3):
    return np.repeat([e_1, e_2, e_3], [int(N_1), int(N_2), int(N_3)])


def dropped(tau, **groups):
    """Eq. (3); nobody is left beyond the largest budget."""
    epsilon = budgets(**groups)
    return Threshold(epsilon, tau=tau).mse() if tau <= epsilon.max() else np.nan


def clipped(tau, **groups):
    return threshold.affine_mse(budgets(**groups), tau)


def best_threshold(**groups):
    epsilon = budgets(**groups)
    return Threshold(epsilon).tau, Threshold(epsilon).mse()


def best_level(**groups):
    """Where eq. (2) is least: at the clipping level, or from the largest budget on if nobody is clipped."""
    epsilon = budgets(**groups)
    return min(ADPM(epsilon).level, epsilon.max()), threshold.affine_mse(epsilon)


REFERENCES |= {
    "cz-risk-against-threshold": {
        "drop whoever": dropped,
        "clip whoever": clipped,
        "least error by dropping": best_threshold,
        "least error by clipping": best_level,
        "best threshold": lambda **groups: best_threshold(**groups)[1],
        "best clipping": lambda **groups: best_level(**groups)[1],
        "ratio": lambda **groups: best_threshold(**groups)[1] / best_level(**groups)[1],
        "bound of Theorem 4": lambda **groups: np.unique(budgets(**groups)).size ** 2,
    }
}


# -- What the captions say.


@says(
    "cz-public-ratio",
    "At first the dashed line passes 2; with the largest budget the lines nearly agree",
)
def test_the_dashed_line_passes_two_at_first(figure):
    """For weaker privacy of group 1 it does not, and for stricter privacy the lines stay apart."""
    x = np.geomspace(1e-5, 100, 1000)
    assert line(figure, "group 2 has", x).max() > 2 > line(figure, "group 2 has", x, s=1).max()
    assert line(figure, "group 2 has", x, rho=1e5) == pytest.approx(line(figure, "group 2 is", x), abs=0.05)
    apart = line(figure, "group 2 has", x, rho=1e5, s=0.01) - line(figure, "group 2 is", x, s=0.01)
    assert np.abs(apart).max() > 0.5
