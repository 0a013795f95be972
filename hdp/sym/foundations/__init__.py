"""Statements: the Laplace mechanism and the one lemma; a module a page."""
