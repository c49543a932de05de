// Store the vectors of patterns; return how many patterns still exist.
// $dataset: text
// $vectors: list of [key, vector]
UNWIND $vectors AS row
MATCH (pattern:Pattern {dataset: $dataset, key: row[0]})
CALL db.create.setNodeVectorProperty(pattern, 'embedding', row[1])
RETURN count(*) AS embedded
