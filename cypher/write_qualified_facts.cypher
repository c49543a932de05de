// Add nodes for facts that have qualifiers, which the dataset does not have yet.
// $dataset: text
// $nodes: list of [key, id of the head, relation, id of the tail, name]
UNWIND $nodes AS row
MERGE (edge:Node {dataset: $dataset, key: row[0]})
ON CREATE SET edge:Hyperedge, edge.relation = row[2], edge.name = row[4]
WITH edge, row
MATCH (head) WHERE id(head) = row[1]
MATCH (tail) WHERE id(tail) = row[3]
MERGE (edge)-[:HEAD]->(head)
MERGE (edge)-[:TAIL]->(tail)
RETURN collect(id(edge)) AS ids
