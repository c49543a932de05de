"""One dataset to files that load again to the same; imports nothing, since a loader reads ``manifest``."""
