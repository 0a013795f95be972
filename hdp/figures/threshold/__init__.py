"""Figures for Cyffers & Ziani (2026); the paper has none, these are the companion's own; a module a page."""
