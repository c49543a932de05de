"""Question answering over tables, knowledge graphs and temporal graphs in Neo4j, with proof.

Public names are imported on first use, so that ``import trustuqa_neo4j`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .answer import Answer, Evidence, Trace
    from .client import TrustUQA
    from .errors import TrustUQAError
    from .model.demonstration import Demonstration
    from .settings import Settings

    __version__: str

__all__ = [
    "Answer",
    "Demonstration",
    "Evidence",
    "Settings",
    "Trace",
    "TrustUQA",
    "TrustUQAError",
    "__version__",
]

_HOME = {
    "Answer": "answer",
    "Demonstration": "model.demonstration",
    "Evidence": "answer",
    "Settings": "settings",
    "Trace": "answer",
    "TrustUQA": "client",
    "TrustUQAError": "errors",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # a third of the time of `tuqa --help`

        return version("trustuqa-neo4j")
    if name in _HOME:
        return getattr(import_module(f".{_HOME[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
