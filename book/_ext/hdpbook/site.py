"""What pages load besides their text: files that a build makes, and scripts for those pages that need them."""

from pathlib import Path


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
