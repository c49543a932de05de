"""``tuqa-load --refresh``: what has changed is loaded anew, as it was loaded first."""

from __future__ import annotations

from pathlib import Path

from support.shell import Command

from trustuqa_neo4j import TrustUQA

HARBOURS = "harbour;depth;opened\nOslo;12,5;03/04/1999\nBergen;9,25;05/06/2001\n"
FERRIES = "ferry,harbour\nFram,Oslo\nNord,Bergen\n"


def test_refresh(sh: Command, tuqa: TrustUQA, tmp_path: Path) -> None:
    harbours, ferries = tmp_path / "harbours.csv", tmp_path / "ferries.csv"
    harbours.write_text(HARBOURS)
    ferries.write_text(FERRIES)
    options = ("--dates", "mdy", "--rename", "opened=since")
    first = sh("tuqa-load", "table", "harbours.csv", "--dataset", "quays", *options)
    assert first.code == 0, first.err
    assert sh("tuqa-load", "ferries.csv", "--dataset", "quays", "--append").code == 0

    done = sh("tuqa-load", "--refresh", "--dataset", "quays")
    assert (done.code, done.out) == (0, "quays: unchanged: harbours.csv, ferries.csv\n")

    harbours.write_text(HARBOURS.replace("12,5", "14,5"))
    done = sh("tuqa-load", "--refresh", "--dataset", "quays")
    assert done.code == 0, done.err
    assert done.out.startswith("quays: unchanged: ferries.csv\nquays: ")
    assert set(tuqa.run("get_information(relation='depth')", "quays").values) == {"14,5", "9,25"}
    days = tuqa.run("get_information(relation='since')", "quays").values
    assert set(days) == {"03/04/1999", "05/06/2001"}
    columns = {relation.name for relation in tuqa.schema("quays", "harbours.csv").relations}
    assert columns == {"harbour", "depth", "since"}
    assert sh("tuqa-load", "--refresh", "--dataset", "quays").out == (
        "quays: unchanged: ferries.csv, harbours.csv\n"
    )


def test_a_missing_file_changes_nothing(sh: Command, tuqa: TrustUQA, tmp_path: Path) -> None:
    harbours, ferries = tmp_path / "harbours.csv", tmp_path / "ferries.csv"
    harbours.write_text(HARBOURS)
    ferries.write_text(FERRIES)
    assert sh("tuqa-load", "harbours.csv", "ferries.csv", "--dataset", "quays").code == 0
    before = tuqa.schema("quays")
    harbours.write_text(HARBOURS + "Bodo;7;01/02/2003\n")
    ferries.unlink()
    done = sh("tuqa-load", "--refresh", "--dataset", "quays")
    assert done.code == 2
    assert "'ferries.csv': no such file; nothing was changed, dataset 'quays'" in done.err
    assert tuqa.schema("quays") == before


def test_refresh_takes_no_files_and_no_other_options(sh: Command, tuqa: TrustUQA) -> None:
    for words in (["x.csv"], ["--append"], ["--dates", "dmy"], ["--skip", "1"], ["--source", "s"]):
        done = sh("tuqa-load", "--refresh", *words)
        assert (done.code, done.err.partition("\n")[0]) == (
            2,
            "error: --refresh reads the files again that a dataset was loaded from",
        )
    done = sh("tuqa-load", "--refresh", "--dataset", "nothing")
    assert (done.code, done.err.partition("\n")[0]) == (1, "error: no dataset 'nothing'")
