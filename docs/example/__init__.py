"""The sample data: missions of Apollo as a graph, a table and a temporal graph."""
