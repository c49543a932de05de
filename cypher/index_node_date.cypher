// Values are found by the first day of their dates.
CREATE INDEX tuqa_node_date IF NOT EXISTS FOR (node:Node) ON (node.dataset, node.date_start)
