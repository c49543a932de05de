// Return names of nodes, positions of rows, and for facts their intervals, places in the sources, kinds and keys of nodes.
// $nodes: list of node ids
// $facts: list of relationship ids
// $public: map of stored datasets to their names
CALL () {
  MATCH (node)
  WHERE id(node) IN $nodes
  RETURN collect(id(node)) AS ids, collect(coalesce(node.name, node.key)) AS names,
         collect(CASE WHEN node.position IS NOT NULL THEN [id(node), node.position] END) AS rows
}
CALL () {
  MATCH (head)-[fact:FACT]->(tail)
  WHERE id(fact) IN $facts
  WITH head, fact, tail, fact.number AS number
  MATCH (source)-[has:HAS]->()
  USING INDEX SEEK has:HAS(number)
  WHERE has.number = number
  RETURN collect({
    id: id(fact), head: coalesce(head.name, head.key), relation: fact.relation, tail: coalesce(tail.name, tail.key),
    dataset: coalesce($public[source.dataset], source.dataset), source: source.name, file: source.files[coalesce(fact.file, 0)], line: fact.line,
    start: fact.start_text, end: fact.end_text, cell: fact.cell,
    head_kind: CASE WHEN head:Row THEN 'row' WHEN head:Hyperedge THEN 'hyperedge' WHEN head:Value THEN 'value' ELSE 'entity' END,
    tail_kind: CASE WHEN tail:Row THEN 'row' WHEN tail:Hyperedge THEN 'hyperedge' WHEN tail:Value THEN 'value' ELSE 'entity' END,
    head_key: head.key, tail_key: tail.key,
    key: CASE WHEN head:Hyperedge THEN COLLECT { MATCH (head)-[:HEAD]->(start) RETURN start.key }[0] ELSE head.key END
  }) AS facts
}
RETURN ids, names, rows, facts
