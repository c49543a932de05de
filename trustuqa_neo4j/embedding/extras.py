"""The packages of the extra ``embeddings``, asked for where they are used.

Importing torch and sentence-transformers takes seconds, so they are imported inside functions and only
once something has to be embedded: a load whose names are all in the cache never imports them.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ..errors import MissingExtra, importing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

_NEED = "embeddings need"

# Threads of torch that wait for one another would keep their cores from the server, which writes vectors
# meanwhile: 43,000 names took 28 s in all where they take 25 (20 without being written). No waiting
# at all makes the encoding itself slower. libgomp reads it once, when torch is imported.
_SPINS = ("GOMP_SPINCOUNT", "10000")


def embeddings_extra() -> AbstractContextManager[None]:
    """Wraps imports; one that fails becomes the error that says how to install the extra.

    Raises:
        MissingExtra: a package of the extra is not installed.
    """
    os.environ.setdefault(*_SPINS)
    return importing("embeddings", _NEED)


def need_sentence_transformers() -> None:
    """Ask whether the package is there without the seconds its import takes.

    Raises:
        MissingExtra: it is not.
    """
    if find_spec("sentence_transformers") is None:
        raise MissingExtra.of("embeddings", _NEED, "sentence_transformers")
