"""``tuqa demo``: sample data without files of one's own."""

from __future__ import annotations

from support.shell import shell

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.loading.sample import QUESTIONS


def test_the_sample_is_loaded_once_and_answers(server: Settings, tuqa: TrustUQA) -> None:
    first = shell(server, "tuqa", "demo", "--dataset", "moon")
    assert first.code == 0, first.err
    assert first.out.count("moon: ") == 3
    for question in QUESTIONS:
        assert f'$ tuqa ask "{question}" --dataset moon\n' in first.out
    assert "Alfred Worden\nDavid Scott\nJames Irwin\n" in first.out
    assert "not askable" not in first.out
    assert "moon, missions.csv:" in first.out
    (moon,) = [entry for entry in tuqa.datasets() if entry.name == "moon"]
    again = shell(server, "tuqa", "demo", "--dataset", "moon")
    assert again.out == first.out[first.out.index("\n$ tuqa ask") :]
    assert [entry for entry in tuqa.datasets() if entry.name == "moon"] == [moon]
    tuqa.load([{"a": 1}], dataset="own", embeddings=False)
    refused = shell(server, "tuqa", "demo", "--dataset", "own")
    assert (refused.code, refused.out) == (1, "")
    assert "with other sources" in refused.err
    assert "hint: take another name" in refused.err
