"""Offer every executed page as a notebook: a file to download and, once the book has a public home, a launch button.

The download comes with the site and needs no network.  Where the repository is stands in the configuration value
``hdp_repository``, or else in the environment variable ``HDP_REPOSITORY``, which the publishing workflow sets;
while neither names one, no page has a link that leads nowhere.
"""

import os
import re
from pathlib import Path
from urllib.parse import quote, urlencode

import jupytext
import nbformat
from sphinx.errors import ConfigError

GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+)")
BRANCH = "main"
FIELD = re.compile(r"^```\{answer\}.*?^```\n*", re.M | re.S)  # of an exercise: a notebook would show what is right
# Binder makes the .ipynb beside each chapter when it sets itself up (.binder/postBuild).
BINDER = "https://mybinder.org/v2/gh"
ERROR_FORM = "error-in-a-derivation.yml"  # in .github/ISSUE_TEMPLATE
NEEDS = """\
This notebook is a page of an executable book.
The library `hdp` that it imports comes with the book's source: `pip install ".[book,lab]"` there installs all it needs.
"""


def notebook(source):
    """Return the page at `source` as a notebook without outputs, the same one every time."""
    result = jupytext.read(source)
    del result.metadata["jupytext"]
    result.cells.insert(0, nbformat.v4.new_markdown_cell(NEEDS))
    for number, cell in enumerate(result.cells):
        cell["id"] = f"cell-{number}"  # nbformat would draw it at random
        if cell.cell_type == "markdown":
            cell.source = FIELD.sub("", cell.source)
    return result


def links(repository, pagename, is_notebook):
    """Return the theme's description of a page's links to Binder and into the repository."""
    home = f"{repository}/blob/{BRANCH}/{quote(pagename)}.md"
    report = urlencode({"template": ERROR_FORM, "page": pagename.removeprefix("book/")})
    found = [
        {"text": "Source on GitHub", "icon": "fab fa-github", "url": home},
        {"text": "Report an error", "icon": "fas fa-bug", "url": f"{repository}/issues/new?{report}"},
    ]
    if is_notebook:
        name = GITHUB.fullmatch(repository)[1]
        place = urlencode({"urlpath": f"lab/tree/{pagename}.ipynb"})
        logo = "_static/images/logo_binder.svg"  # comes with the theme
        found.insert(0, {"text": "Run on Binder", "icon": logo, "url": f"{BINDER}/{name}/{BRANCH}?{place}"})
    return [{"type": "link", **link} for link in found]


def check_repository(app, config):
    """Refuse an address from which no link to Binder can be made."""
    config.hdp_repository = config.hdp_repository.rstrip("/")
    if config.hdp_repository and not GITHUB.fullmatch(config.hdp_repository):
        wanted = "must be https://github.com/owner/name"
        raise ConfigError(f"hdp_repository (or HDP_REPOSITORY) {wanted}, got {config.hdp_repository!r}")


def add_buttons(app, pagename, templatename, context, doctree):
    """Write the page's notebook where the theme's download button expects it, and add the links to its header."""
    if doctree is None or pagename not in app.env.found_docs:
        return
    is_notebook = "kernelspec" in app.env.metadata[pagename]
    if is_notebook:
        target = Path(app.outdir, "_sources", f"{pagename}.ipynb")
        target.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook(app.env.doc2path(pagename)), target)
        context["ipynb_source"] = f"{pagename}.ipynb"
    if app.config.hdp_repository:
        look = {"label": "launch-buttons", "icon": "fas fa-rocket", "tooltip": "Run, read or correct the source"}
        buttons = links(app.config.hdp_repository, pagename, is_notebook)
        context["header_buttons"].append({"type": "group", **look, "buttons": buttons})


def setup(app):
    """Register with Sphinx; another repository means other links, so every page is written again."""
    app.add_config_value("hdp_repository", os.environ.get("HDP_REPOSITORY", ""), "html", [str])
    app.connect("config-inited", check_repository)
    # After the theme's list of buttons is there (500), before the theme turns it into HTML (501).
    app.connect("html-page-context", add_buttons, priority=500)
