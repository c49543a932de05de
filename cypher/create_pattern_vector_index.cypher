// Create the vector index of question patterns, filtered by dataset (servers from 2026.02 on).
// $options: map, options of the index
CYPHER 25
CREATE VECTOR INDEX tuqa_pattern_vector IF NOT EXISTS FOR (pattern:Pattern) ON pattern.embedding WITH [pattern.dataset]
OPTIONS $options
