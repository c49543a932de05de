"""Benchmarks and other commands for developers of the package."""
