"""The console scripts, run inside the test's own process: without the time that starting Python takes."""

from __future__ import annotations

import os
from importlib import import_module

from click.testing import CliRunner
from conftest import Done, environment

from trustuqa_neo4j import Settings
from trustuqa_neo4j.cli.failing import let_in

_SCRIPTS = {"tuqa": "main", "tuqa-load": "load"}


def shell(server: Settings, *words: str, stdin: str | bytes = "") -> Done:
    """Run a command as a person would; what it did."""
    others: dict[str, str | None] = {
        name: None for name in os.environ if name.startswith(("NEO4J_", "TUQA_"))
    }
    script = import_module(f"trustuqa_neo4j.cli.{_SCRIPTS[words[0]]}").main
    try:
        done = CliRunner(env=others | environment(server)).invoke(script, words[1:], input=stdin)
    finally:
        let_in()  # this process is not the command's alone
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return Done(done.exit_code, done.stdout, done.stderr)
