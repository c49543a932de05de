"""Checked query → execution query: operations in the paper's notation."""

from .operations import (
    Apply,
    Catalogue,
    ExecutionQuery,
    Known,
    Members,
    Name,
    Operation,
    Option,
    PlannedStep,
    Result,
    Search,
    Test,
    uses,
    within,
)  # fmt: skip
from .plan import names, plan

__all__ = [
    "Apply",
    "Catalogue",
    "ExecutionQuery",
    "Known",
    "Members",
    "Name",
    "Operation",
    "Option",
    "PlannedStep",
    "Result",
    "Search",
    "Test",
    "names",
    "plan",
    "uses",
    "within",
]
