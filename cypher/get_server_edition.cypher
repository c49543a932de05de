// Return the edition of the server, such as community.
CALL dbms.components() YIELD name, edition
WHERE name = 'Neo4j Kernel'
RETURN edition
