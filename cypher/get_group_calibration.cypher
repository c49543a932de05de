// Return the calibrations of the groups of datasets that demonstrations need together, as for single datasets.
// $datasets: list of text; groups with further datasets are left out
UNWIND $datasets AS name
MATCH (member:GroupMember {dataset: name})
WHERE member.group IS NOT NULL // uses the index
WITH DISTINCT member.group AS name
MATCH (group:DatasetGroup {name: name})
WHERE all(dataset IN group.datasets WHERE dataset IN $datasets)
RETURN name AS dataset, EXISTS {
         MATCH (pattern:Pattern {dataset: name}) WHERE pattern.key IS NOT NULL
       } AS any,
       group.pattern_model AS model,
       group.askable_threshold AS threshold, group.askable_share AS share,
       group.askable_precision AS precision, group.askable_patterns AS patterns
