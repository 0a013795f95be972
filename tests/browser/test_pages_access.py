"""Every page for every reader and every connection: nothing for axe to find, and no heavier than it need be."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.figure_page import DESKTOP, open_context
from tests.browser.test_site import PAGES, settle
from tests.conftest import SITE

# Without preloading of style sheets, which a page from disk may not read.
EVERYTHING = {"resultTypes": ["violations"], "preload": False, "rules": {"color-contrast": {"enabled": False}}}
# The other colour scheme changes colours and nothing else; the title, which every page has, shows that axe has looked.
LINKS = {"resultTypes": ["violations"], "preload": False, "runOnly": ["link-in-text-block", "document-title"]}
CONTRAST = {"resultTypes": ["violations"], "preload": False, "runOnly": ["color-contrast"]}

# Axe measures the contrast of every piece of text, for ten seconds a page.  It depends on what is listed here alone,
# so one piece of each kind will do.
SAMPLE = """() => {
    const seen = new Set(), opaque = element => {
        const colour = getComputedStyle(element).backgroundColor;
        return /^rgb\\(/.test(colour) || !element.parentElement ? colour : opaque(element.parentElement);
    };
    const faded = element => element ? getComputedStyle(element).opacity + faded(element.parentElement) : "";
    for (const element of document.querySelectorAll("body *")) {
        delete element.dataset.contrast;
        const text = Array.from(element.childNodes).some(node => node.nodeType === Node.TEXT_NODE && node.data.trim());
        if (!text || !element.checkVisibility()) continue;
        const style = getComputedStyle(element);
        const kind = [style.color, opaque(element), style.fontSize, style.fontWeight, style.textShadow,
                      faded(element).replace(/1/g, ""), element.closest("svg, button, summary")?.tagName].join();
        if (!seen.has(kind)) element.dataset.contrast = "sample";
        seen.add(kind);
    }
    return seen.size;
}"""

# What stays: the rule, the elements it may find, and the reason.
ALLOWED = {
    # sphinx-book-theme puts the book's title, a link to the first page, into the sidebar but not into a landmark;
    # the contents below it, the page's header and its text are in landmarks, so nothing is out of reach.
    ("region", ".bd-sidebar-primary .sidebar-primary-item:has(> .navbar-brand)"),
}

# What every page shares is fetched once for the whole book: 5.1 MB, of which the theme's icons 1.5 MB, MathJax 1.2 MB,
# Vega 0.9 MB, the fonts of the text 0.6 MB and style sheets 0.5 MB.  A page of its own has up to 1.5 MB, nearly all of
# it the pictures of its figures.  Servers compress it to two fifths.  Both limits leave a fifth of room, and no more:
# what needs more is to be drawn with fewer points, or to become a page of its own.
SHARED_BYTES, OWN_BYTES = 6_100_000, 1_800_000

WITHOUT_WORDS = "images => images.filter(image => !image.alt.trim()).map(image => image.src.slice(0, 80))"
NOT_DRAWN = "images => images.filter(image => !image.naturalWidth).map(image => image.src.slice(0, 80))"

# The chapters, and whatever Sphinx has added to them; the first index.html only leads to the book's first page.
BUILT = {path.relative_to(SITE).with_suffix("").as_posix() for path in SITE.rglob("*.html")}
NAMES = sorted({*PAGES, *(name for name in BUILT if not name.startswith("_static/"))} - {"index"})
ALL_PAGES = [pytest.param(name, marks=pytest.mark.xdist_group(f"page-{name}")) for name in NAMES]


@pytest.fixture(scope="module", params=ALL_PAGES)
def opened(request, browser, site):
    """Yield a page on a desktop, and the sizes of the files that it has loaded, by their paths."""
    addresses, complaints = [], []
    context = open_context(browser, complaints, viewport=DESKTOP, color_scheme="light", reduced_motion="reduce")
    context.on("requestfinished", lambda finished: addresses.append(finished.url))
    page = context.new_page()
    page.goto((site / f"{request.param}.html").as_uri())
    settle(page)
    assert complaints == []
    files = {Path(unquote(urlsplit(address).path)) for address in addresses if address.startswith("file:")}
    yield page, {path.relative_to(site).as_posix(): path.stat().st_size for path in files}
    context.close()


def test_a_page_stands_alone(opened):
    page, _ = opened
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.title().strip()
    assert page.eval_on_selector_all("img", WITHOUT_WORDS) == []
    assert page.eval_on_selector_all("img", NOT_DRAWN) == []
    assert page.locator("mjx-merror, [data-mjx-error]").all_inner_texts() == [], "formulas that MathJax cannot read"


def findings(page, options, context=None):
    """Yield all that axe finds on a page as it is now: its entry in ALLOWED or None, and what it is."""
    response = Axe().run(page, context=context, options=options).response
    assert response["passes"], "axe has looked at nothing"
    matches = "([target, where]) => document.querySelector(target).matches(where)"
    for violation in response["violations"]:
        for node in violation["nodes"]:
            known = (key for key in ALLOWED if key[0] == violation["id"])
            entry = next((key for key in known if page.evaluate(matches, [node["target"][0], key[1]])), None)
            yield entry, f"{violation['id']}: {node['html'][:200]}: {node['failureSummary']}"


def test_nothing_for_axe_to_find(opened):
    page, _ = opened
    allowed = set()
    for scheme, options in (("light", EVERYTHING), ("dark", LINKS)):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.locator(f"html[data-theme={scheme}]").wait_for(state="attached")
        assert page.evaluate(SAMPLE) >= 5
        found = [*findings(page, options), *findings(page, CONTRAST, {"include": [["[data-contrast]"]]})]
        assert [f"{scheme}: {text}" for entry, text in found if entry is None] == []
        allowed |= {entry for entry, _ in found}
    assert allowed == ALLOWED, "what is found no longer needs no permission"


# Of all text that is shown, and of the words in fields: which characters each kind of font writes.
KINDS = """() => {
    const kinds = {}, note = (element, text) => {
        const look = getComputedStyle(element);
        const kind = [look.fontStyle, look.fontWeight, "20px", look.fontFamily].join(" ");
        kinds[kind] = [...new Set([...(kinds[kind] || ""), ...text])].filter(sign => sign.trim()).join("");
    };
    for (const element of document.querySelectorAll("body, body *")) {
        if (!element.checkVisibility() || element.closest("mjx-assistive-mml")) continue; // the latter is read aloud
        const own = Array.from(element.childNodes).filter(node => node.nodeType === Node.TEXT_NODE);
        note(element, own.map(node => node.data).join("") + (element.placeholder || "") + (element.value || ""));
    }
    const probe = document.body.appendChild(document.createElement("div"));
    probe.id = "probe";
    for (const [kind, text] of Object.entries(kinds)) {
        if (!text) continue;
        const line = probe.appendChild(document.createElement("p"));
        line.style.font = kind;
        line.textContent = text;
    }
    probe.getBoundingClientRect(); // what is laid out asks for its fonts
    return document.fonts.ready.then(() => probe.childElementCount);
}"""


def test_every_sign_is_in_a_font_of_the_book(opened):
    page, _ = opened
    assert page.evaluate(KINDS) >= 3
    session = page.context.new_cdp_session(page)
    for domain in ("DOM", "CSS"):
        session.send(f"{domain}.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    lines = session.send("DOM.querySelectorAll", {"nodeId": root, "selector": "#probe p"})["nodeIds"]
    used = [(n, font) for n in lines for font in session.send("CSS.getPlatformFontsForNode", {"nodeId": n})["fonts"]]
    texts = dict(zip(lines, page.locator("#probe p").all_inner_texts(), strict=True))
    page.locator("#probe").evaluate("probe => probe.remove()")
    assert any(font["isCustomFont"] for _, font in used), "no font is seen"
    foreign = [
        f"{font['familyName']}: {font['glyphCount']:g} of {texts[n]}" for n, font in used if not font["isCustomFont"]
    ]
    assert foreign == [], "fonts of this machine"


def test_a_page_is_within_its_weight(opened):
    _, loaded = opened
    assert {"_static/hdp.css", "_static/scripts/fontawesome.js"} <= set(loaded), "the files are not seen"
    own = {path: size for path, size in loaded.items() if not path.startswith("_static/")}
    heaviest = sorted(loaded.items(), key=lambda item: -item[1])[:6]
    assert sum(own.values()) <= OWN_BYTES, heaviest
    assert sum(loaded.values()) - sum(own.values()) <= SHARED_BYTES, heaviest
