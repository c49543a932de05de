"""The check of queries as a tool of LangChain."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..answer import CheckReport
from ..errors import require_extra
from ..language.ast import excerpt

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

NAME = "check_query"
_DESCRIPTION = (
    'See what is wrong with a query of steps (Query1: "get_information(...)" ...) before it is run. '
    "Replies with the problems, each with its step and what to try, or says that there is none."
)


def check_tool(check: Callable[[str], CheckReport]) -> BaseTool:
    with require_extra("openai", "the check as a tool needs"):
        from langchain_core.tools import StructuredTool

    def check_query(query: str) -> str:
        return told(query, check(query))

    return StructuredTool.from_function(check_query, name=NAME, description=_DESCRIPTION)


def told(query: str, checked: CheckReport) -> str:
    """Format the problems of a check: a line for each, with its place in the query."""
    lines = []
    for problem in checked.problems:
        where = "" if problem.step is None else f", step {problem.step}"
        lines.append(f"{problem.severity}: {problem.kind}{where}: {problem.message}")
        if problem.position is not None:
            lines += [f"  {line}" for line in excerpt(query, problem.position).splitlines()]
    lines += [f"{m.given!r} is read as {m.used!r}" for m in checked.mapped]
    return "\n".join(lines) if lines else "Nothing is wrong with this query."
