"""Classes and relations of a dataset, declared and observed."""
