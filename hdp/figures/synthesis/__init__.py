"""The companion's synthesis: one population through every estimator of the book; a module a page or a figure."""
