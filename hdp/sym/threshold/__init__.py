"""Statements: one threshold for all (Cyffers & Ziani 2026); a module a page."""
