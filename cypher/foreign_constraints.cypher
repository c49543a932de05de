// Constraints on nodes of a database: what kind each is, its labels, and its properties.
SHOW CONSTRAINTS YIELD type, entityType, labelsOrTypes, properties
WHERE entityType = 'NODE'
RETURN type, labelsOrTypes AS labels, properties
