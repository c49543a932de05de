// Patterns of demonstrations are found by nearness in meaning; for servers before 2026.02, whose indexes know nothing but the vector.
// $options: map, how the index is made
CREATE VECTOR INDEX tuqa_pattern_vector IF NOT EXISTS FOR (pattern:Pattern) ON pattern.embedding
OPTIONS $options
