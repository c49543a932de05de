// Find the names nearest in meaning; the index cannot filter (servers before 2026.02).
// $datasets: list of text
// $vector: list of numbers
// $limit: whole number, names of all datasets
CALL db.index.vector.queryNodes('tuqa_name_vector', $limit, $vector) YIELD node AS name, score AS similarity
WHERE name.dataset IN $datasets
OPTIONAL MATCH (name)-[:OF]->(node)
RETURN collect([id(coalesce(node, name)), name.name, similarity]) AS names
