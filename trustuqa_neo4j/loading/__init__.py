"""One load from files to a visible dataset."""
