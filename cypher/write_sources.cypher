// Add sources that the dataset does not have yet, with their files and, for tables, columns.
// $dataset: text
// $number: whole number of the load
// $sources: list of [name, kind, list of files, list of columns, readings of values as JSON or null]
UNWIND $sources AS row
MERGE (source:Source {dataset: $dataset, name: row[0]})
ON CREATE SET source.kind = row[1], source.load = $number, source.facts = 0,
              source.readings = row[4]
SET source.files = row[2]
WITH source, row
UNWIND range(0, size(row[3]) - 1) AS place
MATCH (relation:Relation {dataset: $dataset, name: row[3][place]})
MERGE (source)-[has:HAS]->(relation)
ON CREATE SET has.facts = 0, has.places = [place + 1]
ON MATCH SET has.places = CASE WHEN place + 1 IN has.places THEN has.places ELSE has.places + (place + 1) END
