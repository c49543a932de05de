// Give a number to relations of sources that have none, up to a limit, for facts of an older schema version.
// $limit: whole number
MATCH (counter:Schema {name: 'trustuqa'})
SET counter.name = counter.name // locks the counter before it is read
WITH counter, coalesce(counter.numbers, 0) AS last
CALL () {
  MATCH (:Source)-[has:HAS]->()
  WHERE has.number IS NULL
  WITH has LIMIT $limit
  RETURN collect(has) AS new
}
SET counter.numbers = last + size(new)
WITH last, new
CALL (last, new) {
  UNWIND range(0, size(new) - 1) AS place
  WITH new[place] AS has, last + place + 1 AS number
  SET has.number = number
}
RETURN size(new) AS relations
