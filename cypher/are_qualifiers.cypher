// Tell whether some of the relations are qualifiers: whether their first fact leads from a qualified fact.
// $datasets: list of stored datasets
// $relations: list of relation names
// $source: text, or null for any source
UNWIND $datasets AS dataset
UNWIND $relations AS name
MATCH (:Relation {dataset: dataset, name: name})<-[has:HAS]-(source)
WHERE $source IS NULL OR source.name = $source
CALL (has) {
  MATCH (head)-[fact:FACT]->()
  WHERE fact.number = has.number
  RETURN head:Hyperedge AS is_qualifier LIMIT 1
}
RETURN any(is_qualifier IN collect(is_qualifier) WHERE is_qualifier) AS are
