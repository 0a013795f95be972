"""The book's Sphinx extension: claims, errata, figures, citations, and the checks of what was built."""

from importlib import import_module

# In this order; what looks at all is last.
MODULES = "page figures execution folds forms claims uses errata cite downloads previews search kernel checks".split()


def setup(app):
    """Register every part with Sphinx."""
    for module in MODULES:
        import_module(f"{__name__}.{module}").setup(app)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
