// Hide a dataset before one of its sources is dropped, and mark the load of the source as partial.
// $dataset: text
// $storage: text, stored name of the dataset
// $source: text
MATCH (source:Source {dataset: $storage, name: $source})
MATCH (dataset:Dataset {name: $dataset})
WHERE NOT (source:Pending AND dataset.adding IS NOT NULL)
OPTIONAL MATCH (load:Load {dataset: $dataset, number: source.load})
SET dataset.complete = false, dataset.state = 'trimming',
    load.owner = null, load.state = 'trimming',
    load.dropped = CASE WHEN $source IN load.dropped THEN load.dropped ELSE load.dropped + $source END
RETURN source.facts AS facts, dataset.nodes AS nodes
