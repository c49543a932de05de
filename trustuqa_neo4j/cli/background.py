"""The process that embeds the names of a dataset after ``tuqa-load`` has ended.

It belongs to no terminal, gives way to others, and writes what it has to say to a file of ``TUQA_HOME``. What
it has written stays if it is killed; the same load, run again, makes the rest.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

LOG = "vectors.log"

_NICENESS = 10
_CODE = "from trustuqa_neo4j.cli.load import main; main()"
_CONNECTION = ("uri", "username", "database")


def start(dataset: str, home: Path, options: Mapping[str, object]) -> None:
    """Start the process; ``options`` are those of the command, with the address of the server."""
    home.mkdir(parents=True, exist_ok=True)
    words = [sys.executable, "-c", _CODE, "--vectors-of", dataset, "--quiet"]
    for name in _CONNECTION:
        if options[name] is not None:
            words += [f"--{name}", str(options[name])]
    with (home / LOG).open("ab") as log:
        subprocess.Popen(  # noqa: S603 # this program
            words,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def give_way() -> None:
    """Let questions and loads come first, where the system can."""
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
