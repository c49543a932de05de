// Create the vector index of names, without a filter (servers before 2026.02).
// $options: map, options of the index
CREATE VECTOR INDEX tuqa_name_vector IF NOT EXISTS FOR (name:Name) ON name.embedding
OPTIONS $options
