"""The rules, one a file, in the order in which their problems are listed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set

from ...language.query import Call, Problem, Step
from .arguments import arguments
from .functions import functions
from .references import references
from .steps import steps

Rule = Callable[[Step, Call, Set[int]], Iterator[Problem]]

RULES: tuple[Rule, ...] = (steps, functions, arguments, references)
"""Each takes a step, one of its calls and the numbers of the steps before it."""
