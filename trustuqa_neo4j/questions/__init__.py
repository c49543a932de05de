"""Questions: dataset routing, query writing, and the selection of an answer."""
