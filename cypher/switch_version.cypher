// Give the name of a dataset to the version that was loaded anew, and another name to the version that had it.
// $dataset: text
// $version: text, the name of the new version
// $outdated: text, the name that the old version gets
// $number: whole number of the load
// $owner: text
// $kind: text, kind of the dataset's sources
MATCH (load:Load {dataset: $version, number: $number, owner: $owner})
MATCH (new:Dataset {name: $version, state: 'loading'})
MATCH (old:Dataset {name: $dataset})
SET load.state = 'complete', load.finished = datetime(), load.at = null
WITH DISTINCT new, old
CALL (old) {
  MATCH (load:Load {dataset: $dataset}) WHERE load.number IS NOT NULL // uses the index
  SET load.dataset = $outdated, load.owner = null, load.state = 'dropping'
  RETURN count(*) AS outdated_loads
}
SET old.storage = coalesce(old.storage, old.name), old.version_of = $dataset, old.complete = false,
    old.state = 'dropping', old.outdated = datetime(), old.adding = null, old.name = $outdated
WITH new, old, outdated_loads
CALL (outdated_loads) {
  MATCH (load:Load {dataset: $version}) WHERE load.number IS NOT NULL // uses the index
  SET load.dataset = $dataset
  RETURN count(*) AS loads
}
SET new.name = $dataset, new.version_of = null, new.complete = true, new.state = 'complete',
    new.loaded = datetime(), new.kind = $kind, new.pattern_model = old.pattern_model,
    new.askable_threshold = old.askable_threshold, new.askable_share = old.askable_share,
    new.askable_precision = old.askable_precision, new.askable_patterns = old.askable_patterns
RETURN new.nodes AS nodes, new.facts AS facts
