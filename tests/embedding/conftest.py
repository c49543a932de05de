from __future__ import annotations

import os
from collections.abc import Iterator

# Read when huggingface_hub is imported: no test asks the network for anything.
os.environ["HF_HUB_OFFLINE"] = "1"

import pytest

from trustuqa_neo4j.embedding import Encoder, open_embedder


@pytest.fixture(scope="session")
def encoder() -> Iterator[Encoder]:
    """The default model, without a cache, in float32 on every machine."""
    with open_embedder(device="cpu", precision="float32") as opened:
        yield opened
