// Return for each dataset whether it has patterns, how their vectors are indexed, and its calibration.
// $datasets: list of text
OPTIONAL MATCH (schema:Schema {name: 'trustuqa'})
WITH schema
UNWIND $datasets AS name
MATCH (dataset:Dataset {name: name})
RETURN name AS dataset, EXISTS {
         MATCH (pattern:Pattern {dataset: name}) WHERE pattern.key IS NOT NULL
       } AS any,
       CASE WHEN dataset.pattern_model = schema.embedder THEN schema.pattern_index END AS index,
       dataset.askable_threshold AS threshold, dataset.askable_share AS share,
       dataset.askable_precision AS precision, dataset.askable_patterns AS patterns
