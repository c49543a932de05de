"""Checked query → execution query: operations in the paper's notation."""

from .operations import (
    Apply,
    Calculate,
    Catalogue,
    ExecutionQuery,
    Group,
    Known,
    Members,
    Name,
    Operation,
    Option,
    PlannedStep,
    Result,
    Search,
    Test,
    Walk,
    uses,
    within,
)  # fmt: skip
from .plan import names, plan

__all__ = [
    "Apply",
    "Calculate",
    "Catalogue",
    "ExecutionQuery",
    "Group",
    "Known",
    "Members",
    "Name",
    "Operation",
    "Option",
    "PlannedStep",
    "Result",
    "Search",
    "Test",
    "Walk",
    "names",
    "plan",
    "uses",
    "within",
]
