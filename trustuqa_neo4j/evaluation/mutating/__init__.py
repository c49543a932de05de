"""Right queries made wrong on purpose, to see what of it a check finds; knows nothing of how one checks."""
