"""Statements: users with several samples (Cummings, Feldman, McMillan & Talwar 2022); a module a page."""
