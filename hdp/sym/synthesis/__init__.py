"""Statements: the estimators of all papers together; a module a page."""
