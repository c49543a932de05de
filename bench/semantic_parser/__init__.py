"""Trains the ranker of the semantic parser: see ``__main__.py``."""
