// Find the sources that names in a query mean: by name, end of the path, or name of the file without its ending.
// $datasets: list of stored datasets
// $names: list of text in lower case
UNWIND $datasets AS dataset
MATCH (source:Source {dataset: dataset})
WHERE source.name IS NOT NULL // uses the index
WITH source, toLower(replace(source.name, '\\', '/')) AS path
UNWIND $names AS text
WITH source, text, CASE
       WHEN path = replace(text, '\\', '/') THEN 0
       WHEN path ENDS WITH '/' + text THEN 1
       WHEN split(last(split(path, '/')), '.')[0] = text THEN 2
     END AS rank
WHERE rank IS NOT NULL
RETURN text, rank, collect(DISTINCT source.name) AS sources
ORDER BY text, rank
