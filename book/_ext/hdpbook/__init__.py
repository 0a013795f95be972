"""The book's Sphinx extension: claims, errata, figures, citations, and the checks of what was built."""

from importlib import import_module

MODULES = (
    "chapters site routes fonts figures front execution folds answers places acronyms claims claims_page uses_page cite"
    " glance errata notebooks release use users previews search weight kernel checks"  # last what looks at all
).split()


def setup(app):
    """Register every part with Sphinx."""
    for module in MODULES:
        import_module(f"{__name__}.{module}").setup(app)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
