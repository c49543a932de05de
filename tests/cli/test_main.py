"""``tuqa`` itself: help, commands that are not there, and how commands end."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from support.shell import Done, shell

from trustuqa_neo4j import Settings
from trustuqa_neo4j.cli.main import (
    COMMANDS,
    EXIT_INTERRUPTED,
    ErrorHandlingCommand,
    ErrorHandlingGroup,
    allow_imports,
)
from trustuqa_neo4j.errors import UnknownDataset, Unreachable, UsageError

Shell = Callable[..., Done]


@pytest.fixture
def sh() -> Shell:
    """For commands that come to no database."""
    return lambda *words, **options: shell(Settings(uri="bolt://127.0.0.1:1"), *words, **options)


def test_help_lists_every_command(sh: Shell) -> None:
    told = sh("tuqa", "--help")
    assert told.code == 0
    assert sh("tuqa", "-h") == told
    for name, (_, _, sentence) in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(sentence)}$", told.out, re.M)
    assert "Example:\n    tuqa-load kg films.tsv --dataset films\n" in told.out


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_help_of_each_command(sh: Shell, name: str) -> None:
    told = sh("tuqa", name, "--help")
    assert told.code == 0
    assert told.out.startswith(f"Usage: tuqa {name}") or told.out.startswith(f"Usage: main {name}")
    assert "Example:" in told.out


def test_version(sh: Shell) -> None:
    assert re.fullmatch(r"tuqa, version \d+\.\d+\.\d+\n", sh("tuqa", "--version").out)


def test_no_command(sh: Shell) -> None:
    done = sh("tuqa")
    assert done.code == 2
    assert "Commands:" in done.err


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("datsets", "no command 'datsets'; did you mean datasets?"),
        ("dorp", "no command 'dorp'; did you mean drop?"),
        ("neo4", "no command 'neo4'; did you mean neo4j?"),
        ("scheam", "no command 'scheam'; did you mean schema?"),
        ("xyzzy", f"no command 'xyzzy'; there are {', '.join(COMMANDS)}"),
    ],
)
def test_slips(sh: Shell, name: str, said: str) -> None:
    done = sh("tuqa", name)
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[-1] == f"Error: {said}"


def test_an_option_that_is_not_there(sh: Shell) -> None:
    done = sh("tuqa", "--verbose")
    assert done.code == 2
    assert "No such option '--verbose'" in done.err


# How commands end.


def ended(work: Callable[[], object], kind: type[click.Command] = ErrorHandlingCommand) -> Done:
    try:
        done = CliRunner().invoke(kind("thing", callback=work))
    finally:
        allow_imports()
    return Done(done.exit_code, done.stdout, done.stderr)


def raising(error: BaseException) -> Callable[[], object]:
    def work() -> None:
        raise error

    return work


class Told(KeyboardInterrupt):
    """As a load tells how to go on."""


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (
            UnknownDataset("what", where="where", hint="hint"),
            1,
            "error: what, where\nhint: hint\n",
        ),
        (UsageError("what"), 2, "error: what\n"),
        (Unreachable("what", hint="hint"), 3, "error: what\nhint: hint\n"),
        (KeyboardInterrupt(), 130, "\ninterrupted\n"),
        (Told("interrupted: here, go on"), 130, "\ninterrupted: here, go on\n"),
        (click.Abort(), 130, "interrupted\n"),
        (
            OSError(28, "No space left on device"),
            1,
            "error: cannot write: No space left on device\n",
        ),
        (BrokenPipeError(32, "Broken pipe"), 0, ""),
        (SystemExit(5), 5, ""),
        (SystemExit(), 0, ""),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_how_a_command_ends(error: BaseException, code: int, said: str) -> None:
    assert ended(raising(error)) == Done(code, "", said)
    assert EXIT_INTERRUPTED == 130


def test_what_a_command_gives_back_is_no_exit_code_of_its_own() -> None:
    assert ended(lambda: click.echo("fine")) == Done(0, "fine\n", "")
    assert ended(lambda: "text") == Done(0, "", "")


def test_a_fault_says_what_it_is_and_its_traceback_is_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUQA_HOME", str(tmp_path))
    file = tmp_path / "faults.log"
    for reason in ("first", "second"):
        done = ended(raising(ValueError(f"{reason}\nline")))
        assert (done.code, done.out) == (1, "")
        assert done.err == (
            f"error: a fault of trustuqa-neo4j (ValueError: {reason})\n"
            f"hint: please report it, with the traceback at the end of {file}\n"
        )
    text = file.read_text(encoding="utf-8")
    assert text.index("ValueError: first") < text.index("ValueError: second")
    assert "raise error\n" in text
    assert file.stat().st_mode & 0o077 == 0


def test_a_fault_is_told_where_its_traceback_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TUQA_HOME", str(tmp_path / "file" / "home"))
    done = ended(raising(KeyError("x")))
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("error: a fault of trustuqa-neo4j (KeyError: 'x')\nhint: ")


def test_a_group_may_be_a_script() -> None:
    group = ErrorHandlingGroup(
        "group", commands=[ErrorHandlingCommand("one", callback=raising(UsageError("what")))]
    )
    done = CliRunner().invoke(group, ["one"])
    allow_imports()
    assert (done.exit_code, done.stderr) == (2, "error: what\n")


def test_blocked_imports_can_be_allowed() -> None:
    """In a process of its own, where nothing has imported it yet."""
    code = (
        "import sys\nfrom trustuqa_neo4j.cli.main import allow_imports\n"
        "from trustuqa_neo4j.cli.main import main\n"
        "try: main(['--version'])\nexcept SystemExit: pass\n"
        "assert sys.modules['numpy'] is None\nallow_imports()\nassert 'numpy' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_a_question_imports_neither_loading_nor_exporting() -> None:
    # A command imports what it needs: each module makes a short command longer.
    script = (
        "import sys\n"
        "import trustuqa_neo4j.cli.ask, trustuqa_neo4j.client\n"
        "print(*sorted(m for m in sys.modules if m.startswith('trustuqa_neo4j.')))\n"
    )
    modules = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()
    packages = {module.split(".")[1] for module in modules}
    assert {"client", "pipeline"} <= packages
    others = {"bulk", "embedded", "export", "loaders", "loading", "prompts", "server"}
    assert not others & packages
