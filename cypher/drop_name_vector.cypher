// Delete the index of vectors, to be made anew for those of another model.
DROP INDEX tuqa_name_vector IF EXISTS
