"""Figures of the foundations: the Laplace mechanism, the one lemma for items, and for notions of privacy."""
