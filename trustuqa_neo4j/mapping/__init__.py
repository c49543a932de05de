"""Names as the query gives them → names that exist.

Rungs, tried in this order: *exact* (case kept, or the key of a node), *folded* (case, accents, spaces and
punctuation aside), *alias*, and, only where nothing stands at any of these, *nearest*: by letters and, where
there are vectors, by meaning. Pure: what is known of a name is handed in.
"""

from .folding import FOLDED_LENGTH, fold
from .fulltext import like, worded
from .nearness import Near, score_near, suggestions
from .rungs import Candidate, Mapped, Rung, rungs

__all__ = [
    "FOLDED_LENGTH",
    "Candidate",
    "Mapped",
    "Near",
    "Rung",
    "fold",
    "like",
    "rungs",
    "score_near",
    "suggestions",
    "worded",
]
