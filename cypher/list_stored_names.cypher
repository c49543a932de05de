// List the stored names of all datasets and of their other versions.
MATCH (dataset:Dataset)
RETURN dataset.name AS name, coalesce(dataset.storage, dataset.name) AS storage
