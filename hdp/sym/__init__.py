"""The statement of every closed form, as sympy expressions with assumptions; a package a topic, a module a page.

Chapters derive these expressions from definitions and assert that they arrive at them; `hdp` implements the same
quantities independently; figures are drawn from them.  Nothing here imports the implementation.
"""

from hdp import _extras

with _extras.needed("hdp.sym", "explore", "sympy"):
    import sympy  # noqa: F401
