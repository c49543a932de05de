// Delete these notes of a dataset, or all; return how many.
// $dataset: text
// $notes: list of text, or null
MATCH (note:Note {dataset: $dataset})
WHERE note.text IS NOT NULL // uses the index
  AND ($notes IS NULL OR note.text IN $notes)
DELETE note
RETURN count(*) AS deleted
