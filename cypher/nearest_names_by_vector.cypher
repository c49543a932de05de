// Find the names nearest in meaning; the index filters by dataset (servers from 2026.02 on).
// $datasets: list of stored datasets
// $vector: list of numbers
// $limit: whole number, names of each dataset
CYPHER 25
UNWIND $datasets AS dataset
CALL (dataset) {
  MATCH (name:Name)
  SEARCH name IN (VECTOR INDEX tuqa_name_vector FOR $vector WHERE name.dataset = dataset LIMIT $limit)
    SCORE AS similarity
  RETURN name, similarity
}
OPTIONAL MATCH (name)-[:OF]->(node)
RETURN collect([id(coalesce(node, name)), name.name, similarity]) AS names
