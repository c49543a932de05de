// Find the sources that names in a query mean: by name, else by the last part of the path, in any case.
// $datasets: list of text
// $names: list of text in lower case
UNWIND $datasets AS dataset
MATCH (source:Source {dataset: dataset})
WHERE source.name IS NOT NULL // uses the index
WITH source, toLower(source.name) AS name, toLower(last(split(replace(source.name, '\\', '/'), '/'))) AS title
UNWIND $names AS text
WITH source, text, CASE text
       WHEN name THEN 0
       WHEN title THEN 1
       WHEN split(title, '.')[0] THEN 2
     END AS rank
WHERE rank IS NOT NULL
RETURN text, rank, collect(DISTINCT source.name) AS sources
ORDER BY text, rank
