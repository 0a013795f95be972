"""Figures of Chaudhuri & Courtade (2023), and the companion's own for the same results; a module a page."""
