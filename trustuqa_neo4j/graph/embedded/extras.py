"""The packages of the extra ``embedded``, asked for where they are used.

They are imported inside functions, so that ``tuqa --help`` stays quick and the base package works
without them. The alternative, one module that imports all of them and is itself imported late, would
tie every user of one of them to all.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...errors import MissingExtra

OWN_SERVER = "or set NEO4J_URI to use a server of your own"


@contextmanager
def embedded_extra() -> Iterator[None]:
    """Wraps imports; one that fails becomes the error that says how to install the extra.

    Raises:
        MissingExtra: a package of the extra is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        raise MissingExtra(
            f"the embedded server needs the Python package {package!r}",
            where="which is not installed",
            hint=f'try: pip install "trustuqa-neo4j[embedded]", {OWN_SERVER}',
        ) from error
