"""What only a browser gets: files that a build makes, scripts for the pages that need them, HTML that print lacks."""

from pathlib import Path

from docutils import nodes

FIRST = Path(__file__).with_name("first.js")


class browser_only(nodes.Inline, nodes.Element):
    """Finished HTML in `html`, which no search finds and of which a printed page shows nothing."""


def carry(app, name, write):
    """Have `write` fill a folder beside the site, and Sphinx copy what is in it; print has no use for it."""

    def fill(app):
        if app.builder.format == "html":
            folder = Path(app.outdir).parent / name
            folder.mkdir(parents=True, exist_ok=True)
            write(app, folder)
            app.config.html_static_path.append(str(folder))

    app.connect("builder-inited", fill)


def load_where(app, mark, script):
    """Have the pages whose HTML has a mark load a script, once their document is there."""

    def load(app, pagename, templatename, context, doctree):
        if mark in (context.get("body") or ""):
            app.add_js_file(script, loading_method="defer")

    app.connect("html-page-context", load)


def begin(app, pagename, templatename, context, doctree):
    """Begin each page with what scripts need that run while it is read, the theme's among them."""
    context["metatags"] = f"<script>\n{FIRST.read_text(encoding='utf-8')}</script>\n" + context.get("metatags", "")


def visit_html(self, node):
    """Write it as it is."""
    self.body.append(node["html"])
    raise nodes.SkipNode


def setup(app):
    app.connect("html-page-context", begin)
    app.add_node(browser_only, html=(visit_html, None))
