// Give a number to each relation of a source that has none, and return the numbers of all, in the order of the pairs.
// $dataset: text
// $pairs: list of [source, relation]
MATCH (counter:Schema {name: 'trustuqa'})
SET counter.name = counter.name // locks the counter before it is read
WITH counter, coalesce(counter.numbers, 0) AS last
CALL () {
  UNWIND range(0, size($pairs) - 1) AS place
  MATCH (source:Source {dataset: $dataset, name: $pairs[place][0]})
  MATCH (relation:Relation {dataset: $dataset, name: $pairs[place][1]})
  MERGE (source)-[has:HAS]->(relation)
  ON CREATE SET has.facts = 0
  WITH has ORDER BY place
  RETURN collect(has) AS entries
}
WITH counter, last, entries, [has IN entries WHERE has.number IS NULL] AS new
SET counter.numbers = last + size(new)
WITH last, entries, new
CALL (last, new) {
  UNWIND range(0, size(new) - 1) AS place
  WITH new[place] AS has, last + place + 1 AS number
  SET has.number = number
}
RETURN [has IN entries | has.number] AS numbers
