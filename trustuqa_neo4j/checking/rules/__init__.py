"""The rules, one a file, in the order in which their problems are listed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set

from ...language.query import Problem, Step
from ..inquiry import Inquiry
from .arguments import arguments
from .columns import columns
from .comparable import comparable
from .depth import depth
from .direction import direction
from .domain import domain
from .domain_range import domain_range
from .double import double_domain, double_range
from .functions import functions
from .identifiers import identifiers
from .information import information
from .range import ids, range_
from .references import references
from .tables import tables
from .warnings import merged, seldom, unused

Rule = Callable[[Step, Set[int], Set[int]], Iterator[Problem]]

RULES: tuple[Rule, ...] = (depth, functions, arguments, information, tables, references)
"""Of what a step says by itself: each takes a step, the numbers of the steps before it, and those of all."""

MEANING: tuple[Callable[[Inquiry], Iterator[Problem]], ...] = (
    direction, domain, range_, double_domain, double_range, domain_range,
    ids, identifiers, comparable, columns, unused, seldom, merged,
)  # fmt: skip
"""Of what the steps ask of the data: each takes the pattern with the vocabulary, and never the database."""
