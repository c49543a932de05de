"""The console scripts, run inside the test's own process: without the time that starting Python takes."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from click.testing import CliRunner, Result

from trustuqa_neo4j import Settings
from trustuqa_neo4j.cli.main import allow_imports


@dataclass(frozen=True)
class Done:
    """What a command did."""

    code: int
    out: str
    err: str


Command = Callable[..., Done]


def environment(server: Settings) -> dict[str, str]:
    """The environment in which a command finds ``server``."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("NEO4J_", "TUQA_"))}
    given = {
        "NEO4J_URI": server.uri or "",
        "NEO4J_USERNAME": server.username,
        "NEO4J_PASSWORD": server.password or "",
        "NEO4J_DATABASE": server.database or "",
        "TUQA_HOME": str(server.home),
        "TUQA_EMBEDDER": server.embedder or "",
    }
    return kept | {name: value for name, value in given.items() if value}


_SCRIPTS = {
    "tuqa": "trustuqa_neo4j.cli.main",
    "tuqa-load": "trustuqa_neo4j.cli.load",
}


def shell(
    server: Settings, *words: str, stdin: str | bytes = "", env: dict[str, str] | None = None
) -> Done:
    """Run a command as a person would; what it did."""
    done = invoke(server, *words, stdin=stdin, env=env)
    return Done(done.exit_code, done.stdout, done.stderr)


def invoke(
    server: Settings, *words: str, stdin: str | bytes = "", env: dict[str, str] | None = None
) -> Result:
    """Run a command; ``output`` has both of its streams."""
    others: dict[str, str | None] = {
        name: None for name in os.environ if name.startswith(("NEO4J_", "TUQA_"))
    }
    script = import_module(_SCRIPTS[words[0]]).main
    try:
        done = CliRunner(env=others | environment(server) | (env or {})).invoke(
            script, words[1:], input=stdin
        )
    finally:
        allow_imports()  # this process is not the command's alone
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done
