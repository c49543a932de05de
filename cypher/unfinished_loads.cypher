// The loads of a dataset that have not finished, and how far each came.
// $dataset: text
MATCH (load:Load {dataset: $dataset})
WHERE load.source IS NOT NULL // all have one: named so that the index is used
  AND load.state <> 'complete'
RETURN load.files[load.file] AS file, load.position AS position
ORDER BY load.source
