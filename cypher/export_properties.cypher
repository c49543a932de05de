// What a source declares of relations, by name.
// $dataset: text
// $source: text
MATCH (property:Property {dataset: $dataset, source: $source})
WHERE property.name IS NOT NULL // all have one: named so that the index is used
RETURN property {.name, .domains, .ranges, .values, .datatypes, .inverses, .parents, .labels, .comment} AS property
ORDER BY property.name
