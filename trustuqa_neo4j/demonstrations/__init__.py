"""Demonstrations (questions with their queries), and the offline writer that follows them."""
