"""What a reader takes away: every executed page as a notebook, the library as a wheel, links to Binder and the source.

Downloads come with the site and need no network.  Where the repository is stands in the configuration value
``hdp_repository``, or else in the environment variable ``HDP_REPOSITORY``, which the publishing workflow sets;
while neither names one, no page has a link that leads nowhere.
"""

import os
import re
import shutil
from pathlib import Path
from urllib.parse import quote, urlencode

import jupytext
import nbformat
from docutils import nodes
from sphinx.errors import ConfigError
from sphinx.util.docutils import SphinxDirective

from hdpbook.kernel import tool
from hdpbook.page import carry

GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+)")
FIELD = re.compile(r"^```\{answer\}.*?^```\n*", re.M | re.S)  # of an exercise: a notebook would show what is right
# Binder makes the .ipynb beside each chapter when it sets itself up (.binder/postBuild).
BINDER = "https://mybinder.org/v2/gh/{}/main"
ERROR_FORM = "error-in-a-derivation.yml"  # in .github/ISSUE_TEMPLATE
NEEDS = """\
This notebook is a page of an executable book.
The library `hdp` that it imports comes with the book's source: `pip install ".[book,lab]"` there installs all it needs.
"""
SOURCES = ("hdp", "pyproject.toml", "LICENSE")  # of the wheel
FOLDER = "downloads"


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
    home = f"{repository}/blob/main/{quote(pagename)}.md"
    report = urlencode({"template": ERROR_FORM, "page": pagename.removeprefix("book/")})
    found = [
        {"text": "Source on GitHub", "icon": "fab fa-github", "url": home},
        {"text": "Report an error", "icon": "fas fa-bug", "url": f"{repository}/issues/new?{report}"},
    ]
    if is_notebook:
        place = urlencode({"urlpath": f"lab/tree/{pagename}.ipynb"})
        url = f"{BINDER.format(GITHUB.fullmatch(repository)[1])}?{place}"
        found.insert(0, {"text": "Run on Binder", "icon": "_static/images/logo_binder.svg", "url": url})  # the theme's
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


def write_wheel(app, folder):
    """Build the wheel of the library as it is here; a small book of one's own has no library to build."""
    if all(Path(app.srcdir, name).exists() for name in SOURCES):
        for old in folder.glob("*.whl"):
            old.unlink()
        shutil.copy(tool().library_wheel(tool().cache_folder(), Path(app.srcdir)), folder)


class InstallFrom(SphinxDirective):
    """Links to what can be installed or opened; each stands there only if it leads somewhere."""

    def run(self):
        up, repository = "../" * self.env.docname.count("/"), self.config.hdp_repository
        lines = [
            f'<a class="wheel" href="{up}_static/{path.name}">{path.name}</a>: the library as it is in this book, '
            "with its types"
            for path in Path(self.env.app.outdir).parent.glob(f"{FOLDER}/*.whl")
        ]
        if repository:
            binder = BINDER.format(GITHUB.fullmatch(repository)[1])
            lines += [
                f'<a href="{repository}">{repository}</a>: the source of library and book',
                f'<a href="{binder}?urlpath=lab/tree/book">Binder</a>: JupyterLab with all pages as notebooks, on '
                "another machine, with nothing to install",
            ]
        items = "".join(f"<li><p>{line}</p></li>" for line in lines)
        return [nodes.raw("", f"<ul>{items}</ul>", format="html")]


def setup(app):
    """Register with Sphinx; another repository means other links, so every page is written again."""
    app.add_config_value("hdp_repository", os.environ.get("HDP_REPOSITORY", ""), "html", [str])
    app.add_directive("install-from", InstallFrom)
    app.connect("config-inited", check_repository)
    # After the theme's list of buttons is there (500), before the theme turns it into HTML (501).
    app.connect("html-page-context", add_buttons, priority=500)
    carry(app, FOLDER, write_wheel)
