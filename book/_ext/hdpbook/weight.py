"""What a page loads, and no more: at most 1 MB for the first page and 2.5 MB for a chapter.

- Icons come from a font with those that the book uses, not from a script with all of them (`templates/`).
- MathJax comes without its menu, and only to pages with formulas.
- What ipywidgets would draw with a kernel stays in the notebooks.
- Style sheets of the theme and its extensions keep the rules for classes that a page or a script names.
"""

import hashlib
import re
from itertools import pairwise
from pathlib import Path

import tinycss2
from joblib import Memory

from hdpbook.fonts import write_subset

TEMPLATES = Path(__file__).with_name("templates")
FORMULA = re.compile(r'class="[^"]*\b(?:math|mathjax_process|hdp-playground)\b')  # a reader's cell may show some
LARGE = 5_000  # bytes from which a style sheet is looked through
CLASSES = re.compile(r'class="([^"]*)"')
WORD = re.compile(r"[\w-]+")
ICON = re.compile("[\ue000-\uf8ff]")  # the part of Unicode that is for private use
ICONS = "vendor/fontawesome/webfonts"


def load_less(app, config):
    """Choose the parts of MathJax, and templates of our own before the theme's."""
    config.templates_path.insert(0, str(TEMPLATES))
    config.mathjax_path = "mathjax/startup.js"
    parts = {"load": ["input/tex", "output/chtml", "a11y/assistive-mml"]}
    config.mathjax3_config = {**(config.mathjax3_config or {}), "loader": parts}


def drop_scripts(app, pagename, templatename, context, doctree):
    """Leave out the state of widgets, which no page shows, and MathJax where there is no formula.

    Sphinx would load MathJax where one of the pages below has some.
    """
    formulas = FORMULA.search(context.get("body") or "")
    context["script_files"] = [
        script for script in context["script_files"] if not _is_widget(script) and (formulas or not _is_mathjax(script))
    ]


def _is_mathjax(script):
    return "mathjax/" in str(getattr(script, "filename", "")) or "window.MathJax" in script.attributes.get("body", "")


def _is_widget(script):
    return "jupyter.widget" in getattr(script, "attributes", {}).get("type", "")


# -- style sheets and icons, once all pages are there --------------------------------------------------------


def names(outdir):
    """Every class that a page has, and every word of a script, which may give it to an element."""
    found = set()
    for path in outdir.rglob("*.html"):
        for classes in set(CLASSES.findall(path.read_text(encoding="utf-8"))):
            found.update(classes.split())
    for path in (outdir / "_static").rglob("*.js"):
        # The kernel's files are base64, in which every short name turns up somewhere.
        if "mathjax" not in path.parts and not path.parent.name.startswith("kernel-"):
            found.update(WORD.findall(path.read_text(encoding="utf-8")))
    return found


def classes_of(selector):
    """The classes that an element or its ancestors must have; not those inside `:not(...)` and the like."""
    return {name.value for dot, name in pairwise(selector) if dot == "." and name.type == "ident"}


def selectors(prelude):
    """The selectors of a rule, as lists of tokens."""
    groups = [[]]
    for token in prelude:
        groups.append([]) if token == "," else groups[-1].append(token)
    return groups


def pruned(rules, known):
    """The rules whose classes are known, as text."""
    kept = []
    for rule in rules:
        if rule.type == "qualified-rule":
            alive = [group for group in selectors(rule.prelude) if classes_of(group) <= known]
            if not alive:
                continue
            head = ",".join(tinycss2.serialize(group) for group in alive)
            kept.append(f"{head}{{{tinycss2.serialize(rule.content)}}}")
        elif rule.type == "at-rule" and rule.lower_at_keyword in ("media", "supports"):
            inside = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
            if body := pruned(inside, known):
                kept.append(f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{body}}}")
        else:
            kept.append(rule.serialize())
    return "".join(kept)


def lightened(digest, sheet, known):
    """A style sheet with the rules whose classes are known, and the fonts that `prune` writes, by the hash of both."""
    rules = tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True)
    return pruned(rules, known).replace('.woff2) format("woff2")', '.woff) format("woff")')


def prune(app, exception):
    """Drop from large style sheets what no page needs, and from the fonts of icons what no style sheet names."""
    if exception is not None or app.builder.name != "html":
        return
    outdir = Path(app.outdir)
    known, icons = names(outdir), set()
    light = Memory(Path(app.doctreedir, "known"), verbose=0).cache(lightened, ignore=["sheet", "known"])
    for path in (outdir / "_static").rglob("*.css"):
        if path.stat().st_size < LARGE:
            continue
        sheet = path.read_text(encoding="utf-8")
        text = light(hashlib.sha256(f"{sheet}{sorted(known)}".encode()).hexdigest(), sheet, known)
        path.write_text(text, encoding="utf-8")
        icons.update(map(ord, ICON.findall(text)))
    for path in (outdir / "_static" / ICONS).glob("*.ttf"):
        write_subset(path, path.with_suffix(".woff"), icons)


def setup(app):
    app.connect("config-inited", load_less)
    app.connect("html-page-context", drop_scripts, priority=900)  # after Sphinx and MyST-NB have added theirs
    app.connect("build-finished", prune)
