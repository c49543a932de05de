// Create the vector index of question patterns, without a filter (servers before 2026.02).
// $options: map, options of the index
CREATE VECTOR INDEX tuqa_pattern_vector IF NOT EXISTS FOR (pattern:Pattern) ON pattern.embedding
OPTIONS $options
