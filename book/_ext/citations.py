"""Give the entries of the bibliography the role that their list asks for.

Docutils writes `doc-biblioentry`, which ARIA has withdrawn and no list may hold: a screen reader then counts none.
"""

WITHDRAWN, VALID = 'role="doc-biblioentry"', 'role="listitem"'


def mend_roles(app, pagename, templatename, context, doctree):
    """Replace the role in a page, after the document is written."""
    if WITHDRAWN in (context.get("body") or ""):
        context["body"] = context["body"].replace(WITHDRAWN, VALID)


def setup(app):
    """Register with Sphinx."""
    app.connect("html-page-context", mend_roles)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
