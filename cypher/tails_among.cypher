// Those of the nodes that facts lead to.
// $nodes: list of node ids
// $relations: list of relation names; none for all
// $source: text, or null for any source
UNWIND $nodes AS place
MATCH (node)
WHERE id(node) = place
  AND (node.hub IS NULL AND EXISTS {
         MATCH (node)<-[fact:FACT]-()
         WHERE (size($relations) = 0 OR fact.relation IN $relations) AND ($source IS NULL OR fact.source = $source)
       }
    OR node.hub IS NOT NULL AND EXISTS {
         MATCH (head)-[fact:FACT]->(tail)
         WHERE id(tail) = place AND fact.tail = node.hub AND fact.relation IN $relations AND fact.source IS NOT NULL
           AND ($source IS NULL OR fact.source = $source)
       }
    OR node.hub IS NOT NULL AND size($relations) = 0 AND EXISTS {
         MATCH (node)<-[fact:FACT]-()
         WHERE $source IS NULL OR fact.source = $source
       })
RETURN collect(place) AS nodes
