"""The query language: its functions, its text, and what was read from it."""
