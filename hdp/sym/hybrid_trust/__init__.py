"""Statements: some users trust a curator, others do not (Avent, Dubey & Korolova 2020); a module a page."""
