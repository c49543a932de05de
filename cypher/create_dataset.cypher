// A new dataset, empty and not complete.
// $dataset: text
// $kind: text
CREATE (:Dataset {name: $dataset, kind: $kind, complete: false, state: 'loading', nodes: 0, facts: 0})
