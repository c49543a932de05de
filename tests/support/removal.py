"""Datasets go after a test by one statement: ``drop`` needs a dozen and a half, and has tests of its own."""

from __future__ import annotations

from collections.abc import Collection

from trustuqa_neo4j import TrustUQA

_FACTS_AT_ONCE = 50_000
"""Facts that one transaction deletes without trouble; datasets with more are dropped as people drop them."""

_REMOVE = """
MATCH (dataset:Dataset)
WHERE dataset.name IN $names OR dataset.version_of IN $names
WITH collect(dataset.name) + collect(dataset.storage) AS stored
OPTIONAL MATCH (group:DatasetGroup)
WHERE any(member IN group.datasets WHERE member IN $names)
WITH stored, collect(group.name) AS groups
MATCH (node)
WHERE node.dataset IN stored + groups
   OR node:Dataset AND node.name IN stored
   OR node:DatasetGroup AND node.name IN groups
   OR node:GroupMember AND node.group IN groups
DETACH DELETE node
"""


def remove_datasets(
    client: TrustUQA,
    names: Collection[str] | None = None,
    *,
    all_but: Collection[str] = (),
) -> None:
    """Remove datasets with all that belongs to them: versions, loads, and what was taught."""
    found = [
        dataset
        for dataset in client.datasets()
        if dataset.name not in all_but and (names is None or dataset.name in names)
    ]
    for dataset in found:
        if dataset.facts > _FACTS_AT_ONCE:
            client.drop(dataset.name)
    if found:
        with client.connection.driver.session(database=client.connection._database) as session:
            session.run(_REMOVE, names=[dataset.name for dataset in found]).consume()
