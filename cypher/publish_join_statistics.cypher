// Put the join statistics of a load that adds to a dataset in the place of those before it.
// $storage: text, stored name of the dataset
// $pending: text, the name under which the new ones stand
MATCH (new:Vocabulary {dataset: $pending})
OPTIONAL MATCH (old:Vocabulary {dataset: $storage})
DELETE old
WITH DISTINCT new
SET new.dataset = $storage
