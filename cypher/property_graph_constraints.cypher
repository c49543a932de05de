// List the constraints on nodes of a database: type, labels and properties.
SHOW CONSTRAINTS YIELD type, entityType, labelsOrTypes, properties
WHERE entityType = 'NODE'
RETURN type, labelsOrTypes AS labels, properties
