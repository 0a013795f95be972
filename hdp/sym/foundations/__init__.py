"""Statements: the Laplace mechanism, the one lemma, and the notions of privacy; a module a page."""
