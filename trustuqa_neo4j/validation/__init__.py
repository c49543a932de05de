"""Validation: the rules that find problems of a query before it runs."""
