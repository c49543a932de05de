"""Reads plain questions without a model: links, typed plans, and a small shipped ranker."""
