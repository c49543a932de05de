"""Benchmarks: recorded queries run again, and their answers scored against the labels."""
