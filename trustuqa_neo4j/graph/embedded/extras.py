"""The packages of the extra ``embedded``, asked for where they are used.

They are imported inside functions, so that ``tuqa --help`` stays quick and the base package works
without them. The alternative, one module that imports all of them and is itself imported late, would
tie every user of one of them to all.
"""

from __future__ import annotations

from contextlib import AbstractContextManager

from ...errors import importing

OWN_SERVER = "or set NEO4J_URI to use a server of your own"


def embedded_extra() -> AbstractContextManager[None]:
    """Wraps imports; one that fails becomes the error that says how to install the extra.

    Raises:
        MissingExtra: a package of the extra is not installed.
    """
    return importing("embedded", "the embedded server needs", OWN_SERVER)
