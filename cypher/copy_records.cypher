// Copy the records of the loads whose sources were copied, and the totals, to a version of the dataset.
// $dataset: text
// $version: text, name of the version
// $storage: text, stored name of the dataset
// $target: text, stored name of the copy
// $without: list of text, sources that are not copied
MATCH (dataset:Dataset {name: $dataset})
MATCH (version:Dataset {name: $version})
CALL () {
  MATCH (load:Load {dataset: $dataset})
  WHERE load.number IS NOT NULL AND load.state = 'complete' AND EXISTS {
    MATCH (source:Source {dataset: $target}) WHERE source.name IS NOT NULL AND source.load = load.number
  }
  CREATE (copy:Load)
  SET copy = load {.*, dataset: $version, dropped: load.dropped + COLLECT {
    MATCH (source:Source {dataset: $storage}) WHERE source.name IN $without AND source.load = load.number
    RETURN source.name
  }}
  RETURN count(*) AS loads
}
SET version.nodes = COUNT { MATCH (node:Node {dataset: $target}) WHERE node.key IS NOT NULL },
    version.facts = reduce(sum = 0, facts IN COLLECT {
      MATCH (source:Source {dataset: $target}) WHERE source.name IS NOT NULL RETURN source.facts
    } | sum + facts),
    version.embedded = COUNT {
      MATCH (node:Node {dataset: $target}) WHERE node.key IS NOT NULL AND node.embedding IS NOT NULL
    } + COUNT {
      MATCH (alias:Alias {dataset: $target}) WHERE alias.folded IS NOT NULL AND alias.embedding IS NOT NULL
    },
    version.embedding_model = dataset.embedding_model, version.class_labels = dataset.class_labels,
    version.kind = dataset.kind
