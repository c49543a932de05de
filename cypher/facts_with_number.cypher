// Find facts of the relations whose tail has a unit, or a number from the first to the last, as columns.
// $datasets: list of text
// $relations: list of relation names
// $source: text, or null for any source
// $low: number, or null
// $high: number, or null
// $extreme: highest or lowest, for the greatest or least number of each relation alone, or null
UNWIND $datasets AS dataset
UNWIND $relations AS name
MATCH (:Relation {dataset: dataset, name: name})<-[has:HAS]-(source)
WHERE $source IS NULL OR source.name = $source
WITH has.number AS number, CASE $extreme WHEN 'highest' THEN has.highest ELSE $low END AS low,
     CASE $extreme WHEN 'lowest' THEN has.lowest ELSE $high END AS high
MATCH (head)-[fact:FACT]->(tail)
WHERE fact.number = number
WITH head, fact, tail, low, high
WHERE tail.unit IS NOT NULL OR (low IS NULL OR tail.number >= low) AND (high IS NULL OR tail.number <= high)
RETURN collect(id(head)) AS heads, collect(id(tail)) AS tails, collect([id(fact)]) AS facts
