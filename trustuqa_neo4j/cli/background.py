"""The process that embeds the names of a dataset after ``tuqa-load`` has ended.

It belongs to no terminal, gives way to others, and writes what it has to say to a file of ``TUQA_HOME``. What
it has written stays if it is killed; the same load, run again, makes the rest.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from ..embedded.process import spawn_detached
from ..private_folder import make_private_folder

LOG = "vectors.log"

_NICENESS = 10
_CODE = "from trustuqa_neo4j.cli.load import main; main()"
_CONNECTION = ("uri", "username", "database")


def start(dataset: str, home: Path, options: Mapping[str, object]) -> int:
    """Start the process and return its id; ``options`` are those of the command, with the address."""
    make_private_folder(home)
    # -P: nothing of the working folder is imported.
    words = [sys.executable, "-P", "-c", _CODE, "--vectors-of", dataset, "--quiet"]
    for name in _CONNECTION:
        if options[name] is not None:
            words += [f"--{name}", str(options[name])]
    with (home / LOG).open("ab") as log:
        return spawn_detached(words, log, _NICENESS)
