// Copy the records of sources and their relations to another stored name; return the numbers of the facts to copy.
// $storage: text, stored name of the dataset
// $target: text, stored name of the copy
// $without: list of text, sources that are not copied
MATCH (source:Source {dataset: $storage})
WHERE source.name IS NOT NULL AND NOT source.name IN $without // uses the index
CREATE (copy:Source)
SET copy = source {.*, dataset: $target}
WITH source, copy
MATCH (source)-[has:HAS]->(relation)
MERGE (named:Relation {dataset: $target, name: relation.name})
ON CREATE SET named.folded = relation.folded
CREATE (copy)-[copied:HAS]->(named)
SET copied = has {.*, number: null}
RETURN collect([source.name, relation.name, has.number]) AS pairs
