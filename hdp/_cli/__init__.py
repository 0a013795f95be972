"""The commands of `python -m hdp`, one a module."""
