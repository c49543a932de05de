"""What is wrong with a query, found before anything runs."""
