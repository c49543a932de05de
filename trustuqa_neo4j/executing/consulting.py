"""The vocabulary of what is asked: read once, and held until the dataset changes."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from ..checking.vocabulary import Vocabulary
from ..compiling import Program
from ..graph.vocabularies import asked, vocabulary
from ..recording import Recorder

HELD = 32
"""Datasets whose vocabularies are held."""

_held: OrderedDict[str, Vocabulary] = OrderedDict()
_lock = Lock()


def consult(dataset: str, stamp: str, recorder: Recorder) -> Program[Vocabulary]:
    """The vocabulary of a dataset as it was stamped; those used last are held for the next query.

    A stamp is given once in all databases, so one store serves every client of the process.
    """
    with _lock:
        found = _held.get(stamp)
        if found is not None:
            _held.move_to_end(stamp)
            return found
    found = vocabulary((yield from recorder.read(asked(dataset))))
    with _lock:
        _held[stamp] = found
        while len(_held) > HELD:
            _held.popitem(last=False)
    return found
