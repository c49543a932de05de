// Find the last of so many extreme numbers in a column of a table, and the number of units in the column.
// $dataset: stored dataset
// $source: text
// $relation: relation name
// $size: whole number
// $is_upper: true for the greatest numbers, false for the least
// $is_distinct: true if equal numbers count once
MATCH (:Source {dataset: $dataset, name: $source})-[has:HAS]->(relation)
WHERE relation.name = $relation
WITH has.number AS number
CALL (number) {
  MATCH ()-[fact:FACT]->(cell)
  WHERE fact.number = number
  RETURN cell.number AS value, count(*) AS cells, count(cell.unit) AS units
}
WITH value, cells, units ORDER BY CASE WHEN $is_upper THEN -value ELSE value END
WITH collect([value, cells])[0..$size] AS first, sum(units) AS units
WITH units, reduce(state = {seen: 0, bound: null}, pair IN first | CASE
  WHEN state.seen >= $size THEN state
  ELSE {seen: state.seen + CASE WHEN $is_distinct THEN 1 ELSE pair[1] END, bound: pair[0]} END) AS state
RETURN state.bound AS number, units
