"""Questions over three sources are generated with right labels and traps."""

from __future__ import annotations

import json
from pathlib import Path

from support.data_packs import jsonl, lines

from bench.cross import write_folder


def write_packs(packs: Path) -> None:
    lines(
        packs / "metaqa" / "kb.txt",
        """
        Alien / directed_by / Ridley Scott
        Alien / written_by / Dan O'Bannon
        Duel / directed_by / Eva Roth
        Duel / has_genre / Thriller
        """,
        "|",
    )
    lines(
        packs / "yago11k" / "kg.tsv",
        """
        head / relation / tail / start / end
        Ridley Scott / wasBornIn / South Shields / 1937 / 1937
        Dan O'Bannon / wasBornIn / St. Louis / 1946 / 1946
        Eva Roth / wasBornIn / Berlin / 1950 / 1950
        """,
    )
    jsonl(
        packs / "cross" / "case.jsonl",
        {
            "question": "When does she win?",
            "answers": ["2002"],
            "sources": {
                "kg": {"triple": ["Duel", "directed_by", "Eva Roth"]},
                "temporal_kg": {"fact": ["Prize", "winner", "Eva Roth", "2002", "2002"]},
            },
            "execution_query": ["get_information(relation='Award', tail_entity='11th Musical')"],
        },
    )


def test_cases(tmp_path: Path) -> None:
    write_packs(tmp_path / "packs")
    assert write_folder(tmp_path / "packs", tmp_path / "out", 9, 1) == 3
    records = (tmp_path / "out" / "cases.jsonl").read_text().splitlines()
    paper, *cases = map(json.loads, records)
    assert paper["query"] == "Query1: get_information(relation='Award', tail_entity='11th Musical')"
    by_group = {(case["group"], case["answers"][0]): case for case in cases}
    director = by_group["director, wasBornIn", "South Shields"]
    assert "St. Louis" in director["traps"]  # the writer's
    assert "South Shields" not in director["traps"]
    assert "relation='directed_by', head_entity=output_of_query2" in director["query"]
    table = (tmp_path / "out" / "table.csv").read_text().splitlines()
    assert table[:2] == ["Award,Nominated work,Guest,Sponsor", "11th Musical,Duel,,"]
    assert len(table) == 5
    assert (
        (tmp_path / "out" / "kg.tsv").read_text().endswith("Prize\twinner\tEva Roth\t2002\t2002\n")
    )


def test_the_same_seed_gives_the_same_cases(tmp_path: Path) -> None:
    write_packs(tmp_path / "packs")
    for name in ("a", "b"):
        write_folder(tmp_path / "packs", tmp_path / name, 2, 5)
    first, second = ((tmp_path / name / "cases.jsonl").read_text() for name in ("a", "b"))
    assert first == second
