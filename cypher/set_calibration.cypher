// Record the calibration of a dataset: the score threshold, the share of questions above it, and their precision.
// $dataset: text, or the name of a group
// $threshold: number
// $share: number, 0 to 1
// $precision: number, 0 to 1
// $patterns: whole number, patterns at the time of the calibration
CALL () {
  MATCH (dataset:Dataset {name: $dataset})
  RETURN dataset
  UNION
  MATCH (dataset:DatasetGroup {name: $dataset})
  RETURN dataset
}
SET dataset.askable_threshold = $threshold, dataset.askable_share = $share,
    dataset.askable_precision = $precision, dataset.askable_patterns = $patterns
RETURN dataset.name AS name
