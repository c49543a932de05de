"""``tuqa export`` and ``tuqa-load exported``, from the shell."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from support.samples import SAMPLES
from support.shell import Done

from trustuqa_neo4j import TrustUQA

Shell = Callable[..., Done]


def test_there_and_back(sh: Shell, films: TrustUQA) -> None:
    done = sh("tuqa", "export", "films", "out dir")
    assert (done.code, done.err) == (0, "")
    first, second = done.out.splitlines()
    assert first.startswith("films: 14 facts of 1 source to out dir in ")
    assert second == "load it with: tuqa-load exported 'out dir' --dataset NAME"
    done = sh("tuqa-load", "exported", "out dir", "--dataset", "back")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("back: 14 facts from 1 source in ")
    again = sh("tuqa-load", "exported", "out dir", "--dataset", "back")
    assert again.out == "back: loaded already from the same 1 source; nothing changed\n"


def test_options_of_values_are_told_and_asked_for(sh: Shell) -> None:
    Path("t.csv").write_text("when\n05/03/1999\n-\n")
    words = ["--dates", "dmy", "--decimal", ",", "--null", "-", "--null", "n a"]
    assert sh("tuqa-load", "table", "t.csv", "--dataset", "t", *words).code == 0
    done = sh("tuqa", "export", "t", "out")
    wanted = "--dates dmy --decimal , --null - --null 'n a'"
    assert done.out.splitlines()[1].endswith(f" --dataset NAME {wanted}")
    done = sh("tuqa-load", "exported", "out", "--dataset", "u")
    assert done.code == 2
    assert done.err == (
        "error: the values of 't' were read with other options, given: no options\n"
        f"hint: give {wanted}\n"
    )
    assert sh("tuqa-load", "exported", "out", "--dataset", "u", *words).code == 0


def test_what_is_refused(sh: Shell, films: TrustUQA) -> None:
    Path("full").mkdir()
    Path("full", "x").write_text("")
    for words, code, said in (
        (
            ["films", "full"],
            1,
            "error: the folder is not empty, and an export never overwrites files, full",
        ),
        (["flims", "out"], 1, "error: no dataset 'flims'\nhint: did you mean 'films'?"),
        (["films"], 2, "error: an export goes to DIR, or to the database of --neo4j"),
    ):
        done = sh("tuqa", "export", *words)
        assert (done.code, done.out) == (code, "")
        assert said in done.err
    assert not Path("out").exists()
    done = sh("tuqa-load", "exported", str(SAMPLES), "--dataset", "u")
    assert done.code == 1
    assert "a folder without manifest.json" in done.err
