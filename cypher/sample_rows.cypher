// Of each source its columns with their places, and the cells of the first of the given rows that is there.
// $dataset: text
// $sources: list of [name, list of keys of rows]
UNWIND $sources AS wanted
MATCH (source:Source {dataset: $dataset, name: wanted[0]})
CALL (wanted) {
  UNWIND wanted[1] AS key
  MATCH (row:Node {dataset: $dataset, key: key})
  WITH wanted, row ORDER BY row.position LIMIT 1
  MATCH (row)-[fact:FACT]->(cell)
  WHERE fact.source = wanted[0]
  RETURN collect([fact.relation, coalesce(cell.name, cell.key)]) AS cells
}
RETURN source.name AS source, cells, COLLECT {
         MATCH (source)-[has:HAS]->(relation)
         RETURN [relation.name, has.places]
       } AS columns
