// Drop the vector index of patterns, so that it can be created for another embedding model.
DROP INDEX tuqa_pattern_vector IF EXISTS
