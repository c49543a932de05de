// Patterns of demonstrations are found by nearness in meaning, within a dataset; for servers from 2026.02 on, which can filter inside the index.
// $options: map, how the index is made
CYPHER 25
CREATE VECTOR INDEX tuqa_pattern_vector IF NOT EXISTS FOR (pattern:Pattern) ON pattern.embedding WITH [pattern.dataset]
OPTIONS $options
