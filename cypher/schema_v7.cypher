// A dataset has a note once.
CREATE CONSTRAINT tuqa_note IF NOT EXISTS FOR (note:Note) REQUIRE (note.dataset, note.text) IS UNIQUE;
