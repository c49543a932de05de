// Find facts of the relations whose tail has a unit or a number in a range, with the columns of facts_of_relations.
// $datasets: list of stored datasets
// $relations: list of relation names
// $source: text, or null for any source
// $low: number, or null
// $high: number, or null
// $extreme: highest or lowest, for the greatest or least number of each relation alone, or null
UNWIND $datasets AS dataset
UNWIND $relations AS name
MATCH (:Relation {dataset: dataset, name: name})<-[has:HAS]-(source)
WHERE $source IS NULL OR source.name = $source
WITH name, has.number AS number, has.qualifiers IS NOT NULL AS has_qualifiers,
     CASE $extreme WHEN 'highest' THEN has.highest ELSE $low END AS low,
     CASE $extreme WHEN 'lowest' THEN has.lowest ELSE $high END AS high
MATCH (head)-[fact:FACT]->(tail)
WHERE fact.number = number
WITH name, head, fact, tail, low, high, has_qualifiers
WHERE tail.unit IS NOT NULL OR (low IS NULL OR tail.number >= low) AND (high IS NULL OR tail.number <= high)
RETURN name, collect(id(head)) AS heads, collect(id(tail)) AS tails, collect(id(fact)) AS facts,
       collect(CASE WHEN fact.span IS NOT NULL THEN [id(fact), fact.start, fact.end] END) AS intervals,
       collect(CASE WHEN has_qualifiers THEN CASE WHEN fact.hyperedge IS NOT NULL THEN id(fact) END END) AS qualified
