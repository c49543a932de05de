"""What the tests of models ask, and how they open one."""

from __future__ import annotations

from collections.abc import Callable

from trustuqa_neo4j.llm.client import Model
from trustuqa_neo4j.llm.messages import Message

QUESTION = (Message("system", "Write a query."), Message("user", "who won the race"))
Opened = Callable[..., Model]
"""Opens a model that asks a ``Chat``; keywords go to ``open_model``, ``prices`` to the settings."""
