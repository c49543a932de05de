// A dataset whose loads are all complete becomes visible.
// $dataset: text
MATCH (dataset:Dataset {name: $dataset, state: 'loading'})
WHERE NOT EXISTS {
  MATCH (load:Load {dataset: $dataset})
  WHERE load.source IS NOT NULL // all have one: named so that the index is used
    AND load.state <> 'complete'
}
SET dataset.complete = true, dataset.state = 'complete', dataset.loaded = datetime()
RETURN dataset.nodes AS nodes, dataset.facts AS facts
