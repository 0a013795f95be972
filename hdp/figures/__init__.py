"""Every figure of the book, a module a paper; `ALL` lists them by name."""

from hdp.figures import cc, foundations

ALL = {figure.name: figure for module in (foundations, cc) for figure in module.FIGURES}
