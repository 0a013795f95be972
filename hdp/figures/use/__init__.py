"""Figures of the pages on the book's use."""
