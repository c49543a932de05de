// Take the label Pending from what has become visible, in batches.
// $storage: text, stored name of the dataset
MATCH (node:Pending)
WHERE node.dataset = $storage
CALL (node) { REMOVE node:Pending } IN TRANSACTIONS OF 20000 ROWS
