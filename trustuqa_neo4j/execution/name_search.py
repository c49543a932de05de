"""Names of the data for a text: relations, and nodes of any kind, the most similar first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..matching import sort_by_similarity
from ..model.dataset import Scope
from ..reads.nearest import Pool, near_nodes
from ..reads.reader import Reader
from .name_resolution import resolve_names


@dataclass(frozen=True, slots=True)
class SimilarNames:
    """Names that a text may mean; ``exact`` are those of nodes that have it as name, alias or key.

    ``scores`` are the similarities of the names in ``similar``, from 0 to 1, by name.
    """

    relations: tuple[str, ...]
    exact: tuple[str, ...]
    similar: tuple[str, ...]
    scores: Mapping[str, float] = field(default_factory=dict)


def find_similar_names(reader: Reader, scope: Scope, text: str, limit: int) -> SimilarNames:
    """Find at most ``limit`` names of each kind."""
    resolved = resolve_names((), (text,), scope, reader)
    tiers = resolved.entities[text]
    exact = tuple(dict.fromkeys(name for tier in tiers for name in tier.names))
    parameters = {"datasets": list(scope.datasets), "source": scope.source}
    relations = {row["name"] for row in reader.run("list_relations", **parameters)}
    pool = Pool((), "any", scope.source, 1)
    near = near_nodes(reader, text, scope.datasets, pool, resolved.has_vectors)
    scores: dict[str, float] = {}
    for candidate in near:
        scores.setdefault(candidate.name, round(candidate.score, 3))
    similar = (*scores,)[:limit]
    ranked = tuple(sort_by_similarity(text, sorted(relations))[:limit])
    return SimilarNames(ranked, exact[:limit], similar, {name: scores[name] for name in similar})
