"""What the tests of models ask, and how they open one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from trustuqa_neo4j import TrustUQA
from trustuqa_neo4j.llm.client import Model
from trustuqa_neo4j.llm.messages import Message

QUESTION = (Message("system", "Write a query."), Message("user", "who won the race"))
Opened = Callable[..., Model]
"""Opens a model that asks a ``Chat``; keywords go to ``open_model``, ``prices`` to the settings."""


def without_reader(client: TrustUQA) -> TrustUQA:
    """Let the client ask the model alone, unless a question says ``reader=True``."""
    client.ask = partial(client.ask, reader=False)  # type: ignore[method-assign]
    return client
