// Create the vector index of names, filtered by dataset (servers from 2026.02 on).
// $options: map, options of the index
CYPHER 25
CREATE VECTOR INDEX tuqa_name_vector IF NOT EXISTS FOR (name:Name) ON name.embedding WITH [name.dataset]
OPTIONS $options
