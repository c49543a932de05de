// Add relation declarations of sources; several declarations of a relation are merged.
// $dataset: text
// $properties: list of [source, name, folded, domains, ranges, whether it leads to values, datatypes, inverses, parents,
//              labels, comment, whether it is transitive]; a domain or range is a union of classes, with a unit
//              separator between them
UNWIND $properties AS row
MERGE (property:Property {dataset: $dataset, source: row[0], name: row[1]})
ON CREATE SET property.folded = row[2]
SET property.folded = row[2],
    property.domains = coalesce(property.domains, []) + [item IN row[3] WHERE NOT item IN coalesce(property.domains, [])],
    property.ranges = coalesce(property.ranges, []) + [item IN row[4] WHERE NOT item IN coalesce(property.ranges, [])],
    property.values = coalesce(property.values, row[5]),
    property.datatypes = coalesce(property.datatypes, []) + [item IN row[6] WHERE NOT item IN coalesce(property.datatypes, [])],
    property.inverses = coalesce(property.inverses, []) + [item IN row[7] WHERE NOT item IN coalesce(property.inverses, [])],
    property.parents = coalesce(property.parents, []) + [item IN row[8] WHERE NOT item IN coalesce(property.parents, [])],
    property.labels = coalesce(property.labels, []) + [item IN row[9] WHERE NOT item IN coalesce(property.labels, [])],
    property.comment = CASE WHEN coalesce(property.comment, '') = '' THEN row[10] ELSE property.comment END,
    property.transitive = coalesce(property.transitive, false) OR row[11]
