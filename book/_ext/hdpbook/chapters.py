"""Which chapter a page belongs to: a chapter is a page of the table of contents with its sections."""

from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx_external_toc.collectors import TocTreeCollectorWithStyles as Collector

from hdpbook.rows import kept, read

TITLES = (nodes.caption, nodes.title, nodes.literal_block)


@kept
def _chapters(path):
    toc = read(path)
    pages = [page for part in toc.get("parts", [toc]) for page in part.get("chapters", ())]
    return {found["file"]: page["file"] for page in pages for found in (page, *page.get("sections", ()))}


def chapter_of(page, source):
    """The chapter of a page of a book in the folder `source`: its name is that of its statements, figures and tests."""
    return _chapters(Path(source, "_toc.yml")).get(page, page)


@kept
def _parts(path):
    toc = read(path)
    return {
        found["file"]: part.get("caption")
        for part in toc.get("parts", [toc])
        for page in part.get("chapters", ())
        for found in (page, *page.get("sections", ()))
    }


def part_of(page, source):
    """The name of the part in which a page of a book in the folder `source` stands, if it has one."""
    toc = Path(source, "_toc.yml")
    return _parts(toc).get(page) if toc.exists() else None


def sections_first(app, _doctree):
    """Count a chapter's sections before its own headings, so that the first one is 4.1 and not 4.10."""
    for entries in app.env.tocs[app.env.docname].findall(nodes.bullet_list):
        entries.children.sort(key=lambda entry: not isinstance(entry, addnodes.toctree))


def number_pages(app):
    """Number pages, and no headings within them, whoever else has had a say in how sections are numbered."""
    original = Collector.assign_section_numbers

    def assign(self, env):
        earlier = env.toc_secnumbers
        original(self, env)
        env.toc_secnumbers = {name: {"": found.get("")} for name, found in env.toc_secnumbers.items()}
        for toc in env.tocs.values():
            for heading in toc.findall(nodes.reference):
                if heading.get("anchorname"):
                    heading.attributes.pop("secnumber", None)
        return [name for name, found in env.toc_secnumbers.items() if found != earlier.get(name)]

    Collector.assign_section_numbers = assign


def outline(node, domains):
    """A copy of a part of a document tree with what is numbered, and what leads there; None where nothing is."""
    numbered = any(domain.get_enumerable_node_type(node) for domain in domains)
    if isinstance(node, addnodes.toctree):
        copy = node.copy()
    else:
        below = [outline(child, domains) for child in node.children if isinstance(child, nodes.Element)]
        if not numbered and not any(below):
            return None
        copy = node.copy() if numbered else nodes.Element()
        copy += [found for found in below if found is not None]
    if numbered:  # it has a number only where it has a title
        copy += [child.deepcopy() for child in node if isinstance(child, TITLES)]
    return detached(copy)


def detached(node):
    """A node without the document that it is of, which would be kept with it."""
    for part in node.findall():
        part._document = None
    return node


def number_figures(app):
    """Number figures, boxes and equations by outlines: the trees of all pages take seconds to read."""
    original = Collector.assign_figure_numbers

    def assign(self, env):
        env.get_doctree = env.hdp_outlines.__getitem__
        try:
            return original(self, env)
        finally:
            del env.get_doctree

    Collector.assign_figure_numbers = assign


def keep_outline(app, doctree):
    """Make the outline of a page while its tree is there, for to read it again takes longer."""
    found = outline(doctree, app.env.domains.values())
    app.env.hdp_outlines[app.env.docname] = nodes.Element() if found is None else found


def forget_outline(app, env, docname):
    """Drop the outline of a page that is read again, or gone."""
    env.hdp_outlines = getattr(env, "hdp_outlines", {})
    env.hdp_outlines.pop(docname, None)


def detach_exercises(app, env):
    """Keep of the exercises no more than they are: with their documents they are most of what a build remembers."""
    for exercise in getattr(env, "sphinx_exercise_registry", {}).values():
        exercise["node"] = detached(exercise["node"].deepcopy())
    return ()


class TitleNumbers:
    """What a translator to HTML adds: the number of a page stands before its title only."""

    def get_secnumber(self, node):
        """None for a heading, where Sphinx falls back on the number of its page."""
        return super().get_secnumber(node) if isinstance(node.parent.parent, nodes.document) else None


def number_titles(app):
    """Have it added to the translator that the theme has made."""
    if app.builder.format == "html":
        made = app.registry.get_translator_class(app.builder)
        app.set_translator(app.builder.name, type("Numbered", (TitleNumbers, made), {}), override=True)


def setup(app):
    """Register all: after Sphinx has collected the headings of a page, and once all extensions are there."""
    app.connect("doctree-read", sections_first, priority=900)
    app.connect("doctree-read", keep_outline, priority=999)  # as it is kept, after all others
    app.connect("builder-inited", number_pages, priority=900)
    app.connect("builder-inited", number_figures, priority=900)
    app.connect("builder-inited", number_titles, priority=900)
    app.connect("env-purge-doc", forget_outline)
    app.connect("env-get-updated", detach_exercises)
