"""What the search page knows besides Sphinx's index: every numbered result with its paper, page and verdict.

A script holds it, because a page opened from disk may load nothing else; `hdp-search.js` reads the numbers of results
as it reads what is asked for, and shows these results first; `scorer.js` puts pages in the order that one expects.
"""

import json
from pathlib import Path

from hdpbook.claims import anchor_of
from hdpbook.rows import OWN, authors, conference_number, load, paper_entry

SCORER = Path(__file__).with_name("scorer.js")
# How the papers are called besides by their authors: where they appeared, of which one has other numbers there.
CALLED = {"cc": "isit conference", "adk": "popets pets", "cfmt": "neurips"}


def number(numbers):
    """A number as pages show it."""
    return ".".join(map(str, numbers))


def page_title(env, docname):
    """The title of a page, with its number, which some lack."""
    count = number(env.toc_secnumbers.get(docname, {}).get("", ()))
    return f"{count}. " * bool(count) + env.titles[docname].astext()


def own_names(env):
    """The page and the book's own number of every label: `Theorem 4.1`, `Equation (4.2)`."""
    names = {}
    for label, box in getattr(env, "proof_list", {}).items():
        numbers = env.toc_fignumbers.get(box["docname"], {}).get(box["countertype"], {}).get(label)
        if label and numbers:
            names[label] = box["docname"], f"{box['realtype'].title()} {number(numbers)}"
    for label, (docname, count) in env.get_domain("math").equations.items():
        numbers = env.toc_fignumbers.get(docname, {}).get("displaymath", {}).get(f"equation-{label}") or (count,)
        names[label] = docname, f"Equation ({number(numbers)})"
    return names


def results(env):
    """All claims in the order of the papers, then the book's numbered boxes and equations that are no claim's."""
    named, found = own_names(env), {}
    for row in load(env.srcdir)["claims"]:
        if f"book/{row['page']}" in env.found_docs:
            said = {"number": row["number"].replace("$", ""), "covers": row.get("covers", [])}
            said |= {"conference": conference_number(row), "paper": row["paper"], "verdict": row["verdict"]}
            found[row["id"]] = {**said, "own": named.get(row["id"], ("", ""))[1], "page": f"book/{row['page']}"}
    for label in sorted(named.keys() - found.keys(), key=lambda label: (named[label][0], label)):
        docname, name = named[label]
        found[label] = {"number": name, "covers": [], "conference": "", "paper": OWN, "own": name, "page": docname}
    return [{**said, "address": f"{said['page']}.html#{anchor_of(env, label)}"} for label, said in found.items()]


def paper(tag, source):
    """The short name of a paper, and how else one may name it: by words, years, its title."""
    if tag == OWN:
        return {"name": "this book", "words": [OWN, "book", "companion"], "years": [], "title": ""}
    entry = paper_entry(tag, source)
    people = [" ".join(person.last_names) for person in entry.persons["author"]]
    words = [name.lower() for person in entry.persons["author"] for name in person.last_names]
    return {
        "name": authors(tag, source) if len(people) < 3 else f"{people[0]} et al.",
        "words": [tag, *words, entry.fields["eprint"], *CALLED.get(tag, "").split()],
        "years": sorted({entry.fields["year"], f"20{entry.fields['eprint'][:2]}"}),
        "title": entry.fields["title"],
    }


def pages(env, papers):
    """Of every page, in reading order: title and part, whose paper has its short name."""
    parts = {env.config.root_doc: ""}
    for part in env.external_site_map.root.subtrees:
        caption = part.caption or ""
        for tag in papers:
            caption = caption.replace(authors(tag, env.srcdir), papers[tag]["name"])
        for item in part.items:
            parts |= dict.fromkeys(_below(env, str(item)), caption)
    return {name: [page_title(env, name), part] for name, part in parts.items() if name in env.titles}


def _below(env, docname):
    """A page and all pages below it."""
    yield docname
    for child in env.toctree_includes.get(docname, ()):
        yield from _below(env, child)


def write(app, pagename, templatename, context, doctree):
    """Give the search page its script."""
    if pagename != "search":
        return
    papers = {tag: paper(tag, app.srcdir) for tag in [*load(app.srcdir)["papers"], OWN]}
    known = {"papers": papers, "pages": pages(app.env, papers), "results": results(app.env)}
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
