"""Mend markup of docutils that keeps a screen reader from the bibliography.

docutils gives the entries of the list of references the role ``doc-biblioentry``, which is deprecated and which is
not allowed there; they are the items of a list, which is what its container says.
"""

MEND = {'role="doc-biblioentry"': 'role="listitem"'}


def mend(app, pagename, templatename, context, doctree):
    """Replace the roles in the body of a finished page."""
    for wrong, right in MEND.items():
        if wrong in (context.get("body") or ""):
            context["body"] = context["body"].replace(wrong, right)


def setup(app):
    app.connect("html-page-context", mend)
