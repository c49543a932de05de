"""Which relations are like the question, where there are too many to tell of all.

Of 1,108 relations of Freebase those that 107 queries need are among the first 40 for 84 % of them, and among
the first 100 for 94 %, by vectors and letters together; by letters alone for 46 and 52 %, by their number of
facts for 15 and 28 %.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...compiling import Program
from ...dataset import Schema
from ...looking import near_relations
from .describing import DETAILED


def likeness(question: str, schemas: Sequence[Schema], embedded: bool) -> Program[dict[str, float]]:
    """How near each relation and column is to ``question``; nothing where all of them can be told of."""
    names = dict.fromkeys(relation.name for schema in schemas for relation in schema.relations)
    if len(names) <= DETAILED:
        return {}
    near = yield from near_relations(question, list(names), embedded)
    return {each.name: each.score for each in near}
