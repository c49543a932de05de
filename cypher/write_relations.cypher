// Add relations that the catalog does not have yet.
// $dataset: text
// $relations: list of [name, folded]
UNWIND $relations AS row
MERGE (relation:Relation {dataset: $dataset, name: row[0]})
ON CREATE SET relation.folded = row[1]
