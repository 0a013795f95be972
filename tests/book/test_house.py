"""Who knows the address of a page knows where its statements, figures and tests are; what differs says why.

The library is ordered by what it computes: which of its modules a page draws on, its last fold says.
"""

import re

import pytest

from tests.files import PAGES, ROOT, built_page, read

CHAPTERS = [
    page.removeprefix("book/") for page in PAGES if "/reference/" not in page and "```{code-cell}" in read(f"{page}.md")
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
ALL = tuple(FLOORS)
# What a page lacks under its own name: the floors, whose modules stand for it (None: nobody's), and the reason.
ELSEWHERE = {
    "foundations": [("privacy", ["statements"], "one_lemma", "both pages share their symbols")],
    "heterogeneous-budgets": [
        ("beyond-the-cap", ["statements"], "upper_bound", "the page refutes and improves what the upper bound states"),
        ("optimal-weights", ["statements", "tests"], "upper_bound", "Lemma 3 and Theorem 1 share their statements"),
        ("simulations", ["statements"], "experiments", "the same baselines, simulated"),
        ("two-coins", ["statements"], "lower_bound", "the lemmas that the lower bound rests on"),
        ("two-coins", ["tests"], "tests/test_minimax.py", "the lemmas that the lower bound rests on"),
        ("closing-the-gap", ["statements"], "lower_bound", "the bounds of the pages before, with better constants"),
        ("what-is-left", ["statements"], "lower_bound", "it asks where the bounds of the page before are apart"),
        ("what-is-left", ["tests"], "tests/test_minimax.py", "it asks where the bounds of the page before are apart"),
        ("no-gap", ALL, "smaller_gap", "the scores of the page before, and what they leave to whom"),
        ("given-data", ["tests"], "tests/test_given_data.py", "the tests of `hdp.given_data`"),
        ("selling-privacy", ALL, "buying_privacy", "the prices of the page before, and what they buy"),
        ("lower-bound", ["tests"], "tests/test_minimax.py", "the tests of `hdp.minimax`"),
        ("populations", ALL, "general_budgets", "the groups of the page before, and their rivals"),
        ("log-uniform", ["tests"], "general_budgets", "one test for groups and for log-uniform budgets"),
    ],
    "threshold": [
        ("clipping", ["statements", "tests"], "one_threshold", "one threshold is compared with clipping throughout"),
        ("two-levels", ALL, "one_threshold", "two private levels and a public group share their formulas"),
        ("geometric-budgets", ["statements", "tests"], "worst_case", "the construction is one of the worst cases"),
        ("other-privacy", ["statements"], "one_threshold", "the budgets of one threshold, translated"),
        ("trivial-answer", ["statements"], "worst_case", "the worst case, once more"),
    ],
    "hybrid-trust": [
        ("largest-gain", ["statements", "tests"], "known_variance", "the statements of section 4 are on two pages"),
        ("large-budgets", ["statements", "tests"], "unknown_variance", "the weights of section 5 share statements"),
        ("cautious-weight", ALL, "unknown_variance", "the weights of section 5 share statements and figures"),
        ("better-baseline", ALL, "baselines", "the baselines share their statements and figures"),
        ("trust-as-budget", ["statements", "figures"], "baselines", "the baselines share statements and figures"),
        ("trust-as-budget", ["tests"], "tests/hybrid/test_relations.py", "what ADPM makes of the hybrid model"),
        ("beliefs", ["statements", "tests"], "diverging_groups", "a wrong belief's cost is stated with the groups"),
        ("amplified-salaries", ["statements", "figures"], "amplification", "section 8 is on two pages and shares both"),
        ("amplified-salaries", ["tests"], "tests/test_amplification.py", "the tests of `hdp.amplification`"),
        ("k-means-budget", ["statements"], "k_means", "the budgets of the algorithm of the page before"),
        ("k-means-budget", ["tests"], "tests/kmeans/test_kmeans.py", "the budgets of the algorithm of the page before"),
        ("least-noise", ALL, "best_report", "the reports of the page before, against all others"),
        ("laplace-sums", ["statements"], "amplification", "the noise of those who do not collude amplifies"),
        ("laplace-sums", ["tests"], "tests/test_laplace_sum.py", "the tests of `hdp.laplace_sum`"),
    ],
    "user-level": [
        ("non-private", ["statements", "figures"], "model", "the estimators belong to the model"),
        ("algorithm-1", ["statements", "figures"], "model", "it estimates the weights of the page before"),
        ("algorithm-1", ["tests"], "non_private", "it estimates the weights of the page before"),
        ("price-of-privacy", ["statements", "tests"], "private", "the price of the estimator of the page before"),
        ("algorithm-2", ["statements"], "private", "it approximates the private ideal"),
        ("algorithm-2-accuracy", ["statements"], "private", "the error of the algorithm of the page before"),
        ("algorithm-2-accuracy", ["figures", "tests"], "algorithm_2", "the error of the algorithm of the page before"),
        ("effective-cap", ALL, "lower_bound", "the least variance that the lower bound is about"),
    ],
    "synthesis": [
        ("mixed-trust", ["statements"], "which_estimator", "it compares the errors that its neighbours rank"),
        ("mixed-trust", ["tests"], "tests/compare/test_compare.py", "the tests of `hdp.compare`"),
        ("performance", ["statements", "figures"], None, "it runs the library and states nothing"),
        ("performance", ["tests"], "tests/test_simulate.py", "the tests of `hdp.simulate`"),
    ],
}
STANDS_IN = {
    (f"{topic}/{page}", floor): (name and (name if "/" in name else f"{topic}/{name}"), reason)
    for topic, rows in ELSEWHERE.items()
    for page, floors, name, reason in rows
    for floor in floors
}


def found(page, floor):
    """Modules at what the address of a page gives; one at a path of its own is named by that."""
    topic, _, name = page.replace("-", "_").rpartition("/")
    paths = [page] if page.endswith(".py") else [path.format(topic=topic, page=name) for path in FLOORS[floor]]
    return [path for path in paths if (ROOT / path).exists()]


@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize("page", CHAPTERS)
def test_every_page_has_its_modules_under_its_own_name(page, floor):
    """Or a reason, while it has none of its own; and the page shows its figures from there."""
    modules = found(page, floor)
    instead, reason = STANDS_IN.get((page, floor), (page, "its own"))
    if instead != page:
        assert not modules, f"{page} has {modules} of its own: its entry is out of date"
        modules = found(instead, floor) if instead else []
    assert reason and (modules or not instead), f"{page} has none of {FLOORS[floor]}"
    if floor == "figures":
        for path in modules:
            package, _, module = path.removesuffix(".py").replace("/", ".").rpartition(".")
            shown = rf"from {package} import [^\n]*\b{module}\b|from {package}\.{module} import"
            assert re.search(shown, read(f"book/{page}.md")), path


@pytest.mark.parametrize("page", CHAPTERS)
def test_every_page_says_where_its_code_is(page):
    """What bears its name, and its implementation: modules of the library, all of which exist."""
    rows = {row.strong.text: row for row in built_page(f"book/{page}").select(".hdp-imports .hdp-floors > li")}
    named = {floor: [code.text for code in row.select("code")] for floor, row in rows.items()}
    files = {path for paths in named.values() for path in paths}
    assert all((ROOT / path).exists() for path in files)
    assert set(found(page, "statements") + found(page, "figures") + found(page, "tests")) <= files
    assert named["Library:"] and all(re.match("hdp/(?!sym/|figures/|proof/)", path) for path in named["Library:"])
    assert any(path.startswith("tests/") for path in named["Tests:"])


def test_every_reason_is_for_a_page():
    """None is left of pages that are no more."""
    assert {page for page, _ in STANDS_IN} <= set(CHAPTERS) and len(CHAPTERS) > 25


@pytest.mark.parametrize("floor", ["hdp/sym", "hdp/figures", "tests/sym", "tests/figures"])
def test_every_folder_is_a_topic_of_the_book(floor):
    """The same words on every floor."""
    topics = {page.split("/")[0].replace("-", "_") for page in CHAPTERS}
    assert {path.parent.name for path in (ROOT / floor).glob("*/*.py")} <= topics
