"""What the pages of the part *Use* show that depends on the build: the wheel, the repository, the citations.

``{install-from}`` lists where the library and the book can be had, ``{all-citations}`` all BibTeX of the book, and
``{this-version}`` says which version this is.
"""

import shutil
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from hdpbook.cite import Book, bibtex_of
from hdpbook.kernel import tool
from hdpbook.notebooks import BINDER, BRANCH, GITHUB
from hdpbook.release import commit
from hdpbook.rows import entry_of, load, names
from hdpbook.site import carry

SOURCES = ("hdp", "pyproject.toml", "LICENSE")
BIBTEX = "hdp-book.bib"
FOLDER = "downloads"  # of what pages offer


def make_wheel(source, folder):
    """Build the wheel of the library as it is in the checkout `source`."""
    for old in folder.glob("*.whl"):
        old.unlink()
    shutil.copy(tool().library_wheel(tool().cache_folder(), Path(source)), folder)


def write_files(app, folder):
    """Let the site carry the wheel and the bibliography; a small book of one's own has no library to build."""
    if all(Path(app.srcdir, name).exists() for name in SOURCES):
        make_wheel(app.srcdir, folder)
        text = "\n\n".join(entry for _, entry in entries(app)) + "\n"
        Path(folder, BIBTEX).write_text(text, encoding="utf-8")


def entries(app):
    """Title and BibTeX of the book, of the papers as the bibliography has them, and of every result."""
    source = app.srcdir
    book, claims = Book.read(source), load(source)
    yield "The book", book.entry([], "", "", app.config.html_baseurl)
    for key in claims["papers"].values():
        entry = entry_of(key, source)
        yield f"{names(entry)} ({entry.fields['year']})", entry.to_string("bibtex").strip()
    for row in claims["claims"]:
        if row.get("page") and row["verdict"] != "not treated":
            yield row["id"], bibtex_of(app, book, f"book/{row['page']}", row)


class InstallFrom(SphinxDirective):
    """Links to what can be installed or opened; each stands there only if it leads somewhere."""

    def run(self):
        up = "../" * self.env.docname.count("/")
        wheels = [path.name for path in Path(self.env.app.outdir).parent.glob(f"{FOLDER}/*.whl")]
        lines = [
            f'<a class="wheel" href="{up}_static/{name}">{name}</a>: the library as it is in this book, with its types'
            for name in wheels
        ]
        if repository := self.config.hdp_repository:
            name = GITHUB.fullmatch(repository)[1]
            lines += [
                f'<a href="{repository}">{repository}</a>: the source of library and book',
                f'<a href="{BINDER}/{name}/{BRANCH}?urlpath=lab/tree/book">Binder</a>: JupyterLab with all pages as '
                "notebooks, on another machine, with nothing to install",
            ]
        items = "".join(f"<li><p>{line}</p></li>" for line in lines)
        return [nodes.raw("", f"<ul>{items}</ul>", format="html")]


class AllCitations(SphinxDirective):
    """A file with all entries, and the entries of the book and of its papers to copy."""

    def run(self):
        up = "../" * self.env.docname.count("/")
        found = list(entries(self.env.app))
        papers = len(load(self.env.srcdir)["papers"])
        link = f'<a href="{up}_static/{BIBTEX}">{BIBTEX}</a>'
        shown = [nodes.raw("", f"<p>{link}: the book, the papers and every result.</p>", format="html")]
        for title, entry in found[: 1 + papers]:
            block = nodes.literal_block(entry, entry, language="bibtex")
            shown += [nodes.paragraph("", "", nodes.strong("", title)), block]
        return shown


class ThisVersion(SphinxDirective):
    """Version and commit, in a sentence."""

    def run(self):
        short = commit(self.env.srcdir)
        made = f", made from the commit {short}" if short else ""
        return [nodes.paragraph("", f"This is version {Book.read(self.env.srcdir).version}{made}.")]


def setup(app):
    app.add_directive("install-from", InstallFrom)
    app.add_directive("all-citations", AllCitations)
    app.add_directive("this-version", ThisVersion)
    carry(app, FOLDER, write_files)
