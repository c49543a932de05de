// List the first sources of datasets, up to a limit for each.
// $datasets: list of text
// $limit: whole number
UNWIND $datasets AS name
CALL (name) {
  MATCH (source:Source {dataset: name})
  WHERE source.name IS NOT NULL // uses the index
  RETURN source LIMIT $limit
}
RETURN source.dataset AS dataset, source.name AS name, source.kind AS kind
