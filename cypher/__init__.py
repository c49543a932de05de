"""The statements: one file each, named after what it does; read by ``trustuqa_neo4j.graph.statements``."""
