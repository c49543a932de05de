"""The data model: facts, datasets, sources, demonstrations."""
