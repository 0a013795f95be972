"""The command line, and what the page *Your own users* shares with it; not a public interface."""
