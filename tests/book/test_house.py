"""Who knows the address of a page knows where its statements, figures and tests are; what differs says why."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
PAGES = [entry["file"] for part in TOC["parts"] for entry in part["chapters"] if "/reference/" not in entry["file"]]
CHAPTERS = [
    page.removeprefix("book/") for page in PAGES if "```{code-cell}" in (ROOT / f"{page}.md").read_text("utf-8")
]
FLOORS = {
    "statements": ("hdp/sym/{topic}/{page}.py",),
    "figures": ("hdp/figures/{topic}/{page}.py",),
    "tests": (
        "tests/sym/{topic}/test_{page}.py",
        "tests/figures/{topic}/test_{page}.py",
        "tests/{topic}/test_{page}.py",
    ),
}
# (page, floor): the module that stands for it (none, if there is nothing to find) and the reason
ELSEWHERE = {
    ("foundations/privacy", "statements"): ("hdp/sym/foundations/one_lemma.py", "both pages share their symbols"),
    ("heterogeneous-budgets/beyond-the-cap", "statements"): (
        "hdp/sym/heterogeneous_budgets/upper_bound.py",
        "the page refutes and improves what the upper bound states",
    ),
    **{
        ("heterogeneous-budgets/optimal-weights", floor): (path, "Lemma 3 and Theorem 1 share their statements")
        for floor, path in (
            ("statements", "hdp/sym/heterogeneous_budgets/upper_bound.py"),
            ("tests", "tests/sym/heterogeneous_budgets/test_upper_bound.py"),
        )
    },
    ("heterogeneous-budgets/simulations", "statements"): (
        "hdp/sym/heterogeneous_budgets/experiments.py",
        "the same baselines, simulated",
    ),
    **{
        ("heterogeneous-budgets/two-coins", floor): (path, "the lemmas that the lower bound rests on")
        for floor, path in (
            ("statements", "hdp/sym/heterogeneous_budgets/lower_bound.py"),
            ("tests", "tests/test_minimax.py"),
        )
    },
    ("heterogeneous-budgets/closing-the-gap", "statements"): (
        "hdp/sym/heterogeneous_budgets/lower_bound.py",
        "the bounds of the pages before, with better constants",
    ),
    **{
        ("heterogeneous-budgets/what-is-left", floor): (path, "it asks where the bounds of the page before are apart")
        for floor, path in (
            ("statements", "hdp/sym/heterogeneous_budgets/lower_bound.py"),
            ("tests", "tests/test_minimax.py"),
        )
    },
    **{
        ("heterogeneous-budgets/no-gap", floor): (path, "the scores of the page before, and what they leave to whom")
        for floor, path in (
            ("statements", "hdp/sym/heterogeneous_budgets/smaller_gap.py"),
            ("figures", "hdp/figures/heterogeneous_budgets/smaller_gap.py"),
            ("tests", "tests/sym/heterogeneous_budgets/test_smaller_gap.py"),
        )
    },
    ("heterogeneous-budgets/given-data", "tests"): ("tests/test_given_data.py", "the tests of `hdp.given_data`"),
    **{
        ("heterogeneous-budgets/selling-privacy", floor): (path, "the prices of the page before, and what they buy")
        for floor, path in (
            ("statements", "hdp/sym/heterogeneous_budgets/buying_privacy.py"),
            ("figures", "hdp/figures/heterogeneous_budgets/buying_privacy.py"),
            ("tests", "tests/sym/heterogeneous_budgets/test_buying_privacy.py"),
        )
    },
    ("heterogeneous-budgets/lower-bound", "tests"): ("tests/test_minimax.py", "the tests of `hdp.minimax`"),
    **{
        ("heterogeneous-budgets/populations", floor): (path, "the groups of the page before, and their rivals")
        for floor, path in (
            ("statements", "hdp/sym/heterogeneous_budgets/general_budgets.py"),
            ("figures", "hdp/figures/heterogeneous_budgets/general_budgets.py"),
            ("tests", "tests/sym/heterogeneous_budgets/test_general_budgets.py"),
        )
    },
    ("heterogeneous-budgets/log-uniform", "tests"): (
        "tests/sym/heterogeneous_budgets/test_general_budgets.py",
        "one test for groups and for log-uniform budgets",
    ),
    **{
        ("threshold/clipping", floor): (path, "one threshold is compared with clipping throughout")
        for floor, path in (
            ("statements", "hdp/sym/threshold/one_threshold.py"),
            ("figures", "hdp/figures/threshold/risk.py"),
            ("tests", "tests/sym/threshold/test_one_threshold.py"),
        )
    },
    **{
        ("threshold/two-levels", floor): (path, "two private levels and a public group share their formulas")
        for floor, path in (
            ("statements", "hdp/sym/threshold/one_threshold.py"),
            ("figures", "hdp/figures/threshold/one_threshold.py"),
            ("tests", "tests/sym/threshold/test_one_threshold.py"),
        )
    },
    **{
        ("threshold/geometric-budgets", floor): (path, reason)
        for floor, path, reason in (
            ("statements", "hdp/sym/threshold/worst_case.py", "the construction is one of the worst cases"),
            ("figures", "hdp/figures/threshold/shape.py", "the figure shapes budgets of any kind"),
            ("tests", "tests/threshold/test_worst_case.py", "the construction is one of the worst cases"),
        )
    },
    ("threshold/other-privacy", "statements"): (
        "hdp/sym/threshold/one_threshold.py",
        "the budgets of one threshold, translated",
    ),
    ("threshold/trivial-answer", "statements"): ("hdp/sym/threshold/worst_case.py", "the worst case, once more"),
    **{
        ("hybrid-trust/largest-gain", floor): (path, "section 4 is on two pages and shares its statements and figures")
        for floor, path in (
            ("statements", "hdp/sym/hybrid_trust/known_variance.py"),
            ("figures", "hdp/figures/hybrid_trust/known_variance.py"),
            ("tests", "tests/sym/hybrid_trust/test_known_variance.py"),
        )
    },
    **{
        (f"hybrid-trust/{page}", floor): (path, "the weights of section 5 share statements and figures")
        for page in ("large-budgets", "cautious-weight")
        for floor, path in (
            ("statements", "hdp/sym/hybrid_trust/unknown_variance.py"),
            ("figures", "hdp/figures/hybrid_trust/unknown_variance.py"),
            ("tests", "tests/sym/hybrid_trust/test_unknown_variance.py"),
        )
    },
    **{
        ("hybrid-trust/better-baseline", floor): (path, "the baselines share their statements and figures")
        for floor, path in (
            ("statements", "hdp/sym/hybrid_trust/baselines.py"),
            ("figures", "hdp/figures/hybrid_trust/baselines.py"),
            ("tests", "tests/sym/hybrid_trust/test_baselines.py"),
        )
    },
    **{
        ("hybrid-trust/trust-as-budget", floor): (path, "the baselines share their statements and figures")
        for floor, path in (
            ("statements", "hdp/sym/hybrid_trust/baselines.py"),
            ("figures", "hdp/figures/hybrid_trust/baselines.py"),
            ("tests", "tests/sym/hybrid_trust/test_baselines.py"),
        )
    },
    **{
        ("hybrid-trust/beliefs", floor): (path, "what a wrong belief costs is stated with the groups")
        for floor, path in (
            ("statements", "hdp/sym/hybrid_trust/diverging_groups.py"),
            ("tests", "tests/sym/hybrid_trust/test_diverging_groups.py"),
        )
    },
    **{
        ("hybrid-trust/amplified-salaries", floor): (path, "section 8 is on two pages and shares its figures")
        for floor, path in (
            ("statements", "hdp/sym/hybrid_trust/amplification.py"),
            ("figures", "hdp/figures/hybrid_trust/amplification.py"),
            ("tests", "tests/sym/hybrid_trust/test_amplification.py"),
        )
    },
    **{
        ("hybrid-trust/k-means-budget", floor): (path, "the budgets of the algorithm of the page before")
        for floor, path in (
            ("statements", "hdp/sym/hybrid_trust/k_means.py"),
            ("tests", "tests/kmeans/test_kmeans.py"),
        )
    },
    **{
        ("hybrid-trust/least-noise", floor): (path, "the reports of the page before, against all others")
        for floor, path in (
            ("statements", "hdp/sym/hybrid_trust/best_report.py"),
            ("figures", "hdp/figures/hybrid_trust/best_report.py"),
            ("tests", "tests/sym/hybrid_trust/test_best_report.py"),
        )
    },
    ("hybrid-trust/laplace-sums", "statements"): (
        "hdp/sym/hybrid_trust/amplification.py",
        "the noise of those who do not collude amplifies",
    ),
    ("hybrid-trust/laplace-sums", "tests"): ("tests/test_laplace_sum.py", "the tests of `hdp.laplace_sum`"),
    ("user-level/non-private", "statements"): ("hdp/sym/user_level/model.py", "the estimators belong to the model"),
    ("user-level/non-private", "figures"): ("hdp/figures/user_level/model.py", "the estimators belong to the model"),
    **{
        ("user-level/algorithm-1", floor): (path, "it estimates the weights of the page before")
        for floor, path in (
            ("statements", "hdp/sym/user_level/model.py"),
            ("figures", "hdp/figures/user_level/model.py"),
            ("tests", "tests/user_level/test_non_private.py"),
        )
    },
    **{
        ("user-level/price-of-privacy", floor): (path, "the price of the estimator of the page before")
        for floor, path in (
            ("statements", "hdp/sym/user_level/private.py"),
            ("figures", "hdp/figures/user_level/example.py"),
            ("tests", "tests/user_level/test_private.py"),
        )
    },
    ("user-level/algorithm-2", "statements"): ("hdp/sym/user_level/private.py", "it approximates the private ideal"),
    **{
        ("user-level/algorithm-2-accuracy", floor): (path, "the error of the algorithm of the page before")
        for floor, path in (
            ("statements", "hdp/sym/user_level/private.py"),
            ("figures", "hdp/figures/user_level/algorithm_2.py"),
            ("tests", "tests/user_level/test_algorithm_2.py"),
        )
    },
    **{
        ("user-level/effective-cap", floor): (path, "the least variance that the lower bound is about")
        for floor, path in (
            ("statements", "hdp/sym/user_level/lower_bound.py"),
            ("figures", "hdp/figures/user_level/lower_bound.py"),
            ("tests", "tests/user_level/test_lower_bound.py"),
        )
    },
    **{
        ("synthesis/mixed-trust", floor): (path, "it compares the errors that its neighbours rank")
        for floor, path in (
            ("statements", "hdp/sym/synthesis/which_estimator.py"),
            ("figures", "hdp/figures/synthesis/trust.py"),
            ("tests", "tests/compare/test_compare.py"),
        )
    },
    **{
        ("synthesis/performance", floor): (None, "it runs the library and states nothing")
        for floor in ("statements", "figures")
    },
    ("synthesis/performance", "tests"): ("tests/test_simulate.py", "the tests of `hdp.simulate`"),
}


def places(page, floor):
    """Paths that the page's own address gives."""
    topic, name = page.replace("-", "_").split("/")
    return [path.format(topic=topic, page=name) for path in FLOORS[floor]]


@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize("page", CHAPTERS)
def test_every_page_has_its_modules_under_its_own_name(page, floor):
    """Or a reason, while it has none of its own; and the page shows its figures from there."""
    found = [path for path in places(page, floor) if (ROOT / path).exists()]
    if (page, floor) in ELSEWHERE:
        assert not found, f"{page} has {found} of its own: its entry is out of date"
        instead, reason = ELSEWHERE[page, floor]
        assert reason and (instead is None or (ROOT / instead).exists())
        found = [instead] if instead else []
    else:
        assert found, f"{page} has none of {places(page, floor)}"
    if floor == "figures":
        text = (ROOT / "book" / f"{page}.md").read_text(encoding="utf-8")
        for path in found:
            package, _, module = path.removesuffix(".py").replace("/", ".").rpartition(".")
            assert re.search(rf"from {package} import [^\n]*\b{module}\b|from {package}\.{module} import", text), path


def test_every_reason_is_for_a_page():
    """None is left of pages that are no more."""
    assert {page for page, _ in ELSEWHERE} <= set(CHAPTERS) and len(CHAPTERS) > 25


@pytest.mark.parametrize("floor", ["hdp/sym", "hdp/figures", "tests/sym", "tests/figures"])
def test_every_folder_is_a_topic_of_the_book(floor):
    """The same words on every floor."""
    topics = {page.split("/")[0].replace("-", "_") for page in CHAPTERS}
    assert {path.parent.name for path in (ROOT / floor).glob("*/*.py")} <= topics
