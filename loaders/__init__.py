"""The formats: one loader a file, found through entry points and never imported by name."""
