// Drop the vector index of names, so that it can be created for another embedding model.
DROP INDEX tuqa_name_vector IF EXISTS
