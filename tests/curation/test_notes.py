"""Notes of a dataset: stored in order, kept when the data are replaced, removed, and refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.curation.notes import MAX_NOTES
from trustuqa_neo4j.errors import DataError, UnknownDataset, UsageError

DATASET = "boats with notes"
DRAUGHT, HARBOUR = "Draughts are in metres.", "A boat has one home harbour."


@pytest.fixture
def boats(client: TrustUQA, tmp_path: Path) -> Iterator[TrustUQA]:
    path = tmp_path / "boats.csv"
    path.write_text("Boat,Draught\nEider,2.1\n", encoding="utf-8")
    client.load("table", path, dataset=DATASET, source="boats", embeddings=False)
    yield client
    client.drop(DATASET)


def test_notes_keep_their_order(boats: TrustUQA) -> None:
    boats.add_notes(DATASET, [HARBOUR, DRAUGHT])
    boats.add_notes(DATASET, ["Eider was sold.", HARBOUR])
    assert boats.schema(DATASET).notes == (HARBOUR, DRAUGHT, "Eider was sold.")
    boats.remove_notes(DATASET, [DRAUGHT])
    assert boats.schema(DATASET, "boats").notes == (HARBOUR, "Eider was sold.")


def test_notes_stay_when_the_data_are_replaced(boats: TrustUQA, tmp_path: Path) -> None:
    boats.add_notes(DATASET, [DRAUGHT])
    path = tmp_path / "boats.csv"
    boats.load("table", path, dataset=DATASET, mode="replace-all", embeddings=False)
    assert boats.schema(DATASET).notes == (DRAUGHT,)
    boats.drop(DATASET)
    boats.load("table", path, dataset=DATASET, embeddings=False)
    assert boats.schema(DATASET).notes == ()


def test_notes_are_refused_whole(boats: TrustUQA) -> None:
    boats.add_notes(DATASET, [f"note {n}" for n in range(MAX_NOTES)])
    with pytest.raises(UsageError, match=r"a dataset has at most 20 notes, and .* would have 21"):
        boats.add_notes(DATASET, ["note 1", "one more"])
    with pytest.raises(DataError, match=r"no note 'note 99'.*\nhint: it has 'note 0', "):
        boats.remove_notes(DATASET, ["note 1", "note 99"])
    assert len(boats.schema(DATASET).notes) == MAX_NOTES
    with pytest.raises(UnknownDataset):
        boats.add_notes("no such boats", [DRAUGHT])
