// Delete the index of patterns' vectors, to be made anew for those of another model.
DROP INDEX tuqa_pattern_vector IF EXISTS
