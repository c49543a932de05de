"""The operators by name: one row each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from ...language.query import LLMQuery
from . import constants, figures, hops, naming, turning
from .outline import Outline

Operate: TypeAlias = Callable[[LLMQuery, Outline, Random], Iterator[LLMQuery]]
"""Queries that a query becomes; what it chooses, it chooses by the given chance."""


@dataclass(frozen=True)
class Operator:
    """One way of making a query wrong.

    ``structural``: what it makes does not fit the data, or names what is not there, unless the data is such
    that it happens to. The others make queries that may well be meant.
    """

    operate: Operate
    structural: bool = True


OPERATORS: Mapping[str, Operator] = {
    "direction": Operator(turning.direction),
    "any relation": Operator(naming.any_relation),
    "same domain": Operator(naming.same_domain, structural=False),
    "parallel path": Operator(naming.parallel_path, structural=False),
    "wrong class": Operator(naming.wrong_class),
    "dropped hop": Operator(hops.dropped_hop),
    "extra hop": Operator(hops.extra_hop),
    "invented relation": Operator(naming.invented_relation),
    "invented class": Operator(naming.invented_class),
    "hallucinated value": Operator(constants.hallucinated_value),
    "identifier output": Operator(hops.identifier_output),
    "dropped column": Operator(figures.dropped_column, structural=False),
    "wrong aggregate": Operator(figures.wrong_aggregate, structural=False),
    "type fault": Operator(figures.type_fault),
    "broken reference": Operator(figures.broken_reference),
}

TWO = "two at once"
"""Two of the operators, one after the other."""
