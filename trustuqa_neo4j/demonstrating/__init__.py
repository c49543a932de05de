"""Demonstrations: questions with their queries, and how a new question is asked after them."""
