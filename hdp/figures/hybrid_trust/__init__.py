"""Figures of Avent, Dubey & Korolova (2020), and the companion's own for the same results; a module a page."""
