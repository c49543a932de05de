// Names are found by nearness in meaning; for servers before 2026.02, whose indexes know nothing but the vector.
// $options: map, how the index is made
CREATE VECTOR INDEX tuqa_name_vector IF NOT EXISTS FOR (name:Name) ON name.embedding
OPTIONS $options
