// Lock a dataset; return which process embeds its names, and the seconds since its last vectors.
// $dataset: text
MATCH (dataset:Dataset {name: $dataset})
SET dataset.state = dataset.state // locks it before it is read
WITH dataset
RETURN dataset.embedding_owner AS owner,
       coalesce(duration.inSeconds(dataset.embedding_touched, datetime()).seconds, 0) AS idle
