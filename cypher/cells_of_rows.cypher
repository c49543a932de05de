// List the cells of some rows of a table with the positions of their rows and their values, by column.
// $dataset: stored dataset
// $source: text
// $keys: list of keys of rows
WITH COLLECT {
  MATCH (:Source {dataset: $dataset, name: $source})-[has:HAS]->() RETURN has.number
} AS numbers
UNWIND $keys AS key
MATCH (row:Node {dataset: $dataset, key: key})
MATCH (row)-[fact:FACT]->(cell)
WHERE fact.number IN numbers
RETURN fact.relation AS column, collect([row.position, coalesce(cell.name, cell.key), cell.number, cell.unit,
                                         cell.date_start, cell.date_end]) AS cells
