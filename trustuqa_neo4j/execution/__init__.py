"""Execution query → what it leads to: programs that search, apply functions and make the answer."""
