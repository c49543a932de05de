// Write notes of a dataset; one that it has stays in its place.
// $dataset: text
// $notes: list of text
UNWIND range(0, size($notes) - 1) AS position
MERGE (note:Note {dataset: $dataset, text: $notes[position]})
ON CREATE SET note.added = datetime(), note.position = position
