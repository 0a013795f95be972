"""What the search page knows besides Sphinx's index: every numbered result with its paper, page, verdict and BibTeX.

A script holds it, because a page opened from disk may load nothing else; `hdp-search.js` shows the results of the
number that is asked for before all pages, and `scorer.js` puts pages in the order that one expects.
"""

import json
from pathlib import Path

from hdpbook.cite import Book, bibtex_of
from hdpbook.keys import WORDS, all_keys, keys, naming
from hdpbook.rows import OWN, authors, conference_number, load, short_authors

SCORER = Path(__file__).with_name("scorer.js")


def number(numbers):
    """A number as pages show it."""
    return ".".join(map(str, numbers))


def page_title(env, docname):
    """The title of a page, with its number, which some lack."""
    count = number(env.toc_secnumbers.get(docname, {}).get("", ()))
    return f"{count}. " * bool(count) + env.titles[docname].astext()


def own_names(env):
    """The book's own number of every label: `Theorem 4.1`, `Equation (4.2)`."""
    names = {}
    for label, box in getattr(env, "proof_list", {}).items():
        numbers = env.toc_fignumbers.get(box["docname"], {}).get(box["countertype"], {}).get(label)
        if label and numbers:
            names[label] = box["docname"], f"{box['realtype'].title()} {number(numbers)}"
    for label, (docname, count) in env.get_domain("math").equations.items():
        numbers = env.toc_fignumbers.get(docname, {}).get("displaymath", {}).get(f"equation-{label}") or (count,)
        names[label] = docname, f"Equation ({number(numbers)})"
    return names


def result(app, book, row, named):
    """One claim: where it is, all its numbers, whose it is, and how to cite it where it has a box."""
    env, label, docname = app.env, row["id"], f"book/{row['page']}"
    equation = label in env.get_domain("math").equations
    boxed = label in named and not equation
    own = named.get(label, ("", ""))[1]
    return {
        "number": row["number"].replace("$", ""),
        "keys": keys(row, own),
        "conference": conference_number(row),
        "own": own,
        "paper": row["paper"],
        "verdict": row["verdict"],
        "page": docname,
        "address": f"{docname}.html#{'equation-' if equation else ''}{label}",
        "bibtex": bibtex_of(app, book, docname, row) if boxed else "",
    }


def results(app):
    """All claims in the order of the papers, then the book's numbered boxes and equations that are no claim's."""
    book, named = Book.read(app.srcdir), own_names(app.env)
    rows = [row for row in load(app.srcdir)["claims"] if f"book/{row['page']}" in app.env.found_docs]
    found = [result(app, book, row, named) for row in rows]
    for label in named.keys() - {row["id"] for row in rows}:
        docname, name = named[label]
        anchor = f"{'equation-' if name.startswith('Equation') else ''}{label}"
        entry = {"number": name, "keys": [[], [], all_keys([name]), [], [], []], "own": name, "paper": OWN}
        found.append(entry | {"page": docname, "address": f"{docname}.html#{anchor}"})
    return found[: len(rows)] + sorted(found[len(rows) :], key=lambda entry: entry["address"])


def papers(source):
    """Of every paper, and of the book itself: its short name, and how else one may name it."""
    tags = [*load(source)["papers"], OWN]
    return {tag: {"name": short_authors(tag, source), **naming(tag, source)} for tag in tags}


def pages(env):
    """Of every page, in reading order: title and part, whose paper has its short name."""
    parts = {}
    for part in env.external_site_map.root.subtrees:
        for item in part.items:
            parts.update(dict.fromkeys(_below(env, str(item)), part.caption))
    for paper in load(env.srcdir)["papers"]:
        long, short = authors(paper, env.srcdir), short_authors(paper, env.srcdir)
        parts = {name: (part or "").replace(long, short) for name, part in parts.items()}
    order = [env.config.root_doc, *parts]
    return {name: [page_title(env, name), parts.get(name, "")] for name in order if name in env.titles}


def _below(env, docname):
    """A page and all pages below it."""
    yield docname
    for child in env.toctree_includes.get(docname, ()):
        yield from _below(env, child)


def write(app, pagename, templatename, context, doctree):
    """Give the search page its script."""
    if pagename != "search":
        return
    known = {"words": WORDS, "papers": papers(app.srcdir), "pages": pages(app.env), "results": results(app)}
    text = json.dumps(known, ensure_ascii=False, separators=(",", ":"))
    Path(app.outdir, "_static", "results.js").write_text(f"window.hdpSearch = {text};\n", encoding="utf-8")
    app.add_js_file("results.js")
    app.add_js_file("hdp-search.js", loading_method="defer")


def order_pages(app, config):
    """Let Sphinx's search ask our scorer."""
    config.html_search_scorer = str(SCORER)


def setup(app):
    app.connect("config-inited", order_pages)
    app.connect("html-page-context", write)
