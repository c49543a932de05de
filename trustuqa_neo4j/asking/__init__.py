"""Questions in plain words: which data is asked, who writes the query, and which answer is given."""
