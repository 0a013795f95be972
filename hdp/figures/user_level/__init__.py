"""Figures for Cummings, Feldman, McMillan & Talwar (2022), which has none of its own; a module a page."""
