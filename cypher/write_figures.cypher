// What the catalogue tells of relations whose facts were imported.
// $dataset: text
// $figures: list of [source, relation, figures by name, ids of nodes that are samples]
UNWIND $figures AS row
MATCH (source:Source {dataset: $dataset, name: row[0]})
MATCH (relation:Relation {dataset: $dataset, name: row[1]})
MERGE (source)-[has:HAS]->(relation)
SET has += row[2], source.facts = source.facts + row[2].facts,
    has.samples = reduce(found = [], name IN COLLECT {
      UNWIND row[3] AS place MATCH (node) WHERE id(node) = place RETURN left(node.name, 100)
    } | CASE WHEN name = '' OR name IN found THEN found ELSE found + name END)
