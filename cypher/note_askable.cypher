// The figures of a dataset's calibration: from which score on it answers, what share it then answers, how much of that is right.
// $dataset: text
// $threshold: number
// $share: number, 0 to 1
// $precision: number, 0 to 1
// $patterns: whole number, those that there were
MATCH (dataset:Dataset {name: $dataset})
SET dataset.askable_threshold = $threshold, dataset.askable_share = $share,
    dataset.askable_precision = $precision, dataset.askable_patterns = $patterns
RETURN dataset.name AS name
