// The first sources of datasets, at most a number of each.
// $datasets: list of text
// $limit: whole number
UNWIND $datasets AS name
CALL (name) {
  MATCH (source:Source {dataset: name})
  WHERE source.name IS NOT NULL // all have one: named so that the index is used
  RETURN source LIMIT $limit
}
RETURN source.dataset AS dataset, source.name AS name, source.kind AS kind
