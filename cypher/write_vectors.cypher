// Store the vectors of names, and count them in their dataset.
// $dataset: text
// $storage: text, stored name of the dataset
// $vectors: list of [id of the node, vector]
UNWIND $vectors AS row
MATCH (name) WHERE id(name) = row[0] AND name.dataset = $storage AND name.embedding IS NULL
CALL db.create.setNodeVectorProperty(name, 'embedding', row[1])
WITH count(*) AS embedded
MATCH (dataset:Dataset {name: $dataset})
WHERE coalesce(dataset.storage, dataset.name) = $storage
SET dataset.embedded = coalesce(dataset.embedded, 0) + embedded, dataset.embedding_touched = datetime()
RETURN embedded
