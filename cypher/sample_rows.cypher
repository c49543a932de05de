// Return for each source its columns with their places, and the cells of the first of the given rows that exists.
// $dataset: stored dataset
// $sources: list of [name, list of keys of rows]
UNWIND $sources AS entry
MATCH (source:Source {dataset: $dataset, name: entry[0]})
WITH entry, source, COLLECT { MATCH (source)-[has:HAS]->() RETURN has.number } AS numbers
CALL (entry, numbers) {
  UNWIND entry[1] AS key
  MATCH (row:Node {dataset: $dataset, key: key})
  WITH row, numbers ORDER BY row.position LIMIT 1
  MATCH (row)-[fact:FACT]->(cell)
  WHERE fact.number IN numbers
  RETURN collect([fact.relation, coalesce(cell.name, cell.key)]) AS cells
}
RETURN source.name AS source, cells, COLLECT {
         MATCH (source)-[has:HAS]->(relation)
         RETURN [relation.name, has.places]
       } AS columns
