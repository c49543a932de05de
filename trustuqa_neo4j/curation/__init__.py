"""Demonstrations: import, verification, listing and deletion."""
