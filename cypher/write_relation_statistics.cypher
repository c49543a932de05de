// Store the statistics of imported relations in the catalog.
// $dataset: text
// $figures: list of [source, relation, statistics by name, ids of nodes that are samples]
UNWIND $figures AS row
MATCH (source:Source {dataset: $dataset, name: row[0]})
MATCH (relation:Relation {dataset: $dataset, name: row[1]})
MERGE (source)-[has:HAS]->(relation)
SET has += row[2], source.facts = source.facts + row[2].facts,
    has.samples = reduce(samples = [], name IN COLLECT {
      UNWIND row[3] AS id MATCH (node) WHERE id(node) = id RETURN left(node.name, 100)
    } | CASE WHEN name = '' OR name IN samples THEN samples ELSE samples + name END)
