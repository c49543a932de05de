// Store the vectors of names, and count them in their dataset.
// $dataset: text
// $vectors: list of [id of the node, vector]
UNWIND $vectors AS row
MATCH (name) WHERE id(name) = row[0] AND name.dataset = $dataset AND name.embedding IS NULL
CALL db.create.setNodeVectorProperty(name, 'embedding', row[1])
WITH count(*) AS embedded
MATCH (dataset:Dataset {name: $dataset})
SET dataset.embedded = coalesce(dataset.embedded, 0) + embedded
RETURN embedded
