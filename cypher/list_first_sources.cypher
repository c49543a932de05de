// List the first sources of datasets, up to a limit for each.
// $datasets: list of stored datasets
// $public: map of stored datasets to their names
// $limit: whole number
UNWIND $datasets AS name
CALL (name) {
  MATCH (source:Source {dataset: name})
  WHERE source.name IS NOT NULL // uses the index
  RETURN source LIMIT $limit
}
RETURN coalesce($public[source.dataset], source.dataset) AS dataset, source.name AS name, source.kind AS kind
