"""Statements of the pages on the book's use; a module a page."""
