// List the relation declarations of a source, by name.
// $dataset: stored dataset
// $source: text
MATCH (property:Property {dataset: $dataset, source: $source})
WHERE property.name IS NOT NULL // uses the index
RETURN property {.name, .domains, .ranges, .values, .datatypes, .inverses, .parents, .labels, .comment, .transitive} AS property
ORDER BY property.name
