"""Libraries that the driver of Neo4j imports if they are there, and that most of our programs do not need."""

from __future__ import annotations

import sys

_NAMES = ("numpy", "pandas", "pyarrow")


def block_imports() -> None:
    # They take longer than a short command, and the commands hand the driver no arrays. Programs that
    # use the package as a library do not come here.
    for name in _NAMES:
        sys.modules.setdefault(name, None)  # type: ignore[arg-type]  # None makes the import fail


def allow_imports() -> None:
    # For what loads or embeds.
    for name in _NAMES:
        if sys.modules.get(name, ...) is None:
            del sys.modules[name]
