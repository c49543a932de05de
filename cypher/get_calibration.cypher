// Return for each dataset whether it has patterns, the model of their vectors, and its calibration.
// $datasets: list of text
UNWIND $datasets AS name
MATCH (dataset:Dataset {name: name})
RETURN name AS dataset, EXISTS {
         MATCH (pattern:Pattern {dataset: name}) WHERE pattern.key IS NOT NULL
       } AS any,
       dataset.pattern_model AS model,
       dataset.askable_threshold AS threshold, dataset.askable_share AS share,
       dataset.askable_precision AS precision, dataset.askable_patterns AS patterns
