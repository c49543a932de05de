"""The packages of the extra ``embeddings``, asked for where they are used.

Importing torch and sentence-transformers takes seconds, so they are imported inside functions and only
once something has to be embedded: a load whose names are all in the cache never imports them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ..errors import MissingExtra

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


@contextmanager
def embeddings_extra() -> Iterator[None]:
    """Wraps imports; one that fails becomes the error that says how to install the extra.

    Raises:
        MissingExtra: a package of the extra is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise _missing((error.name or "").partition(".")[0]) from error


def need_sentence_transformers() -> None:
    """Ask whether the package is there without the seconds its import takes.

    Raises:
        MissingExtra: it is not.
    """
    if find_spec("sentence_transformers") is None:
        raise _missing("sentence_transformers")


def _missing(package: str) -> MissingExtra:
    return MissingExtra(
        f"embeddings need the Python package {package!r}",
        where="which is not installed",
        hint='try: pip install "trustuqa-neo4j[embeddings]"',
    )
