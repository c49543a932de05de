// Return for each dataset which texts are names or aliases in it, and its relations and names with words of a question.
// If a dataset has several sources, each comes with the sources that have it; hubs, which are in most sources, have none.
// Texts and names also come with whether facts lead from them; those of cells do not.
// $datasets: list of stored datasets
// $public: map of stored datasets to their names
// $source: text, or null; datasets without such a source are left out
// $spans: list of folded names
// $stems: list of text, the beginnings of words of relations
// $texts: map of dataset to search of stored datasets, in the language of full-text queries
// $relations: whole number, relations of each dataset
// $names: whole number, names with similar words of each dataset
UNWIND $datasets AS name
MATCH (dataset:Dataset {name: $public[name]})
WHERE dataset.complete AND ($source IS NULL OR EXISTS { MATCH (:Source {dataset: name, name: $source}) })
WITH name, COUNT { MATCH (source:Source {dataset: name}) WHERE source.name IS NOT NULL } AS sources
WITH name, sources, sources > 1 AS several
RETURN $public[name] AS dataset, sources, COLLECT {
  UNWIND $spans AS span
  CALL (name, span) {
    MATCH (node:Node {dataset: name, folded: span})
    RETURN node LIMIT 20
    UNION
    MATCH (:Alias {dataset: name, folded: span})-[:OF]->(node)
    RETURN node LIMIT 20
  }
  WITH span, several, collect(node) AS nodes
  RETURN [span, COLLECT {
    UNWIND nodes AS node
    MATCH (node)<-[fact:FACT]-()
    WHERE several AND node.hub IS NULL
    WITH DISTINCT fact.number AS number
    MATCH (source)-[has:HAS]->()
    USING INDEX SEEK has:HAS(number)
    WHERE has.number = number
    RETURN DISTINCT source.name
  }, any(node IN nodes WHERE EXISTS { (node)-[:FACT]->() })]
} AS spans, COLLECT {
  MATCH (relation:Relation {dataset: name})
  WHERE relation.name IS NOT NULL AND any(stem IN $stems WHERE relation.folded CONTAINS stem)
  WITH relation, several LIMIT $relations
  RETURN [relation.name, COLLECT { MATCH (relation)<-[:HAS]-(source) WHERE several RETURN source.name }]
} AS relations, COLLECT {
  CALL db.index.fulltext.queryNodes('tuqa_name_text', $texts[$public[name]], {limit: $names}) YIELD node AS match
  OPTIONAL MATCH (match)-[:OF]->(node)
  WITH match, coalesce(node, match) AS node, several
  RETURN [match.folded, COLLECT {
    MATCH (node)<-[fact:FACT]-()
    WHERE several AND node.hub IS NULL
    WITH DISTINCT fact.number AS number
    MATCH (source)-[has:HAS]->()
    USING INDEX SEEK has:HAS(number)
    WHERE has.number = number
    RETURN DISTINCT source.name
  }, EXISTS { (node)-[:FACT]->() }]
} AS names
