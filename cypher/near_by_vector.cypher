// Names by nearness in meaning, and whose they are; asked of an index that can filter by dataset.
// $datasets: list of text
// $vector: list of numbers
// $limit: whole number, of names of each dataset
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
