"""The rules, one a file, in the order in which their problems are listed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set

from ...language.query import Problem, Step
from .arguments import arguments
from .depth import depth
from .functions import functions
from .information import information
from .references import references
from .tables import tables

Rule = Callable[[Step, Set[int], Set[int]], Iterator[Problem]]

RULES: tuple[Rule, ...] = (depth, functions, arguments, information, tables, references)
"""Each takes a step, the numbers of the steps before it, and those of all steps."""
