// Add values that are numbers, dates or empty, and that the dataset does not have yet.
// $dataset: text
// $nodes: list of [key, name, folded, number, unit, first day, last day], nulls where there is none
UNWIND $nodes AS row
MERGE (node:Node {dataset: $dataset, key: row[0]})
ON CREATE SET node:Value, node.name = row[1], node.folded = row[2], node.number = row[3], node.unit = row[4],
              node.date_start = row[5], node.date_end = row[6]
RETURN collect(id(node)) AS ids
