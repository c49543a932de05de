"""Answers on stdout and stderr, in a terminal and elsewhere."""

from __future__ import annotations

import dataclasses
import io
import re
import sys

import pytest
from support.answers import ASKED, NOT_ASKABLE, ODD, TABLE

from trustuqa_neo4j.answer import Answer
from trustuqa_neo4j.cli.output import format_csv, print_answer, print_answer_csv, progress_bars


def in_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one of 40 columns; no fixture, since what is stdout changes once fixtures are set up."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    for name, value in {"COLUMNS": "40", "TERM": "xterm-256color"}.items():
        monkeypatch.setenv(name, value)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


def test_it_is_what_the_answer_says_of_itself(capsys: pytest.CaptureFixture[str]) -> None:
    for answer in (ASKED, TABLE, Answer("empty")):
        print_answer(answer)
        assert capsys.readouterr() == (f"{answer}\n", "")
    print_answer(ASKED, explain=True)
    assert capsys.readouterr().out == ASKED.to_text(explain=True) + "\n"


def test_problems_go_to_stderr_and_hints_do_not(capsys: pytest.CaptureFixture[str]) -> None:
    print_answer(NOT_ASKABLE)
    out, err = capsys.readouterr()
    assert out == "not askable\ncould be asked:\n  who bakes rye?\n  who bakes <b>bagels</b>?\n"
    assert err == (
        "unknown relation: town has no relation 'sells' (step 1)\n"
        "  get_information(relation='sells')\n"
        "                          ^\n"
    )


def test_in_a_terminal_the_answer_is_bold_and_the_rest_fits(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    in_a_terminal(monkeypatch)
    print_answer(ASKED, explain=True)
    out = capsys.readouterr().out
    assert out.startswith("\x1b[1mAda\x1b[0m\n")
    assert "facts (2 of 7): town, bakers.csv\n  Ada  bakes  rye             line 3\n" in out
    lines = re.sub(r"\x1b\[\d*m", "", out).split("\n")
    assert max(map(len, lines)) <= 40


def test_where_all_of_a_long_answer_is(capsys: pytest.CaptureFixture[str]) -> None:
    print_answer(Answer("answered", tuple(map(str, range(100_000)))))
    assert capsys.readouterr().out.endswith("\n… 99,980 more (--json prints all)\n")
    rows = tuple((n, n) for n in range(30))
    print_answer(dataclasses.replace(TABLE, rows=rows))
    assert capsys.readouterr().out.endswith("\n… 10 more rows (--json prints all)\n")


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_phase_has_one_line_of_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm-256color")
    with progress_bars(quiet=False) as progress:
        for phase in ("look at a.csv", "read a.csv", "read b.csv", "embed"):
            progress.begin(phase, 10)
            progress.advance(10)
    last = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", terminal.getvalue()).splitlines()[-2:]
    assert [line.split()[:2] for line in last] == [["read", "b.csv"], ["embed", last[1].split()[1]]]


def test_csv_is_the_data_but_in_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = Answer("answered", ("\x1b[31m", "two\nlines", 3))
    assert format_csv(odd) == 'answer\n\x1b[31m\n"two\nlines"\n3'
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert format_csv(odd) == 'answer\n␛[31m\n"two\nlines"\n3'


def test_csv_of_what_is_no_answer(capsys: pytest.CaptureFixture[str]) -> None:
    print_answer_csv(NOT_ASKABLE)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("not askable\nunknown relation: ")
    print_answer_csv(dataclasses.replace(TABLE, truncated=9))
    assert capsys.readouterr() == (TABLE.to_csv(), "… 7 more rows\n")


def test_a_hundred_thousand_rows_as_csv(capsys: pytest.CaptureFixture[str]) -> None:
    print_answer_csv(Answer("answered", tuple(f"v{n}" for n in range(100_000))))
    assert capsys.readouterr().out.count("\n") == 100_001


@pytest.mark.parametrize("odd", ODD)
def test_odd_values_steer_no_terminal(
    odd: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    in_a_terminal(monkeypatch)
    print_answer(Answer("answered", (odd,), hints=(odd,)))
    print_answer_csv(Answer("answered", (odd,)))
    out = re.sub(r"\x1b\[[013]*m", "", capsys.readouterr().out)
    assert not set("\x1b\x07\x9b\x7f\0\r\u202e") & set(out)
