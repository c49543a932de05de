"""The process that embeds the names of a dataset after ``tuqa-load`` has ended.

It belongs to no terminal, gives way to others, and writes what it has to say to a file of ``TUQA_HOME``. What
it has written stays if it is killed; the same load, run again, makes the rest.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ..embedded.process import spawn_detached
from ..private_folder import make_private_folder
from .connection import Neo4jOptions

LOG = "vectors.log"

_NICENESS = 10
_CODE = "from trustuqa_neo4j.cli.load import main; main()"


def start(dataset: str, home: Path, neo4j: Neo4jOptions) -> int:
    """Start the process and return its id; ``neo4j`` are options of the command."""
    make_private_folder(home)
    # -P: nothing of the working folder is imported.
    words = [sys.executable, "-P", "-c", _CODE, "--vectors-of", dataset, "--quiet"]
    for name, value in neo4j._asdict().items():
        if value is not None:
            words += [f"--{name}", value]
    with (home / LOG).open("ab") as log:
        return spawn_detached(words, log, _NICENESS)
