"""Statements: a budget of each user's own (Chaudhuri & Courtade 2023); a module a page."""
