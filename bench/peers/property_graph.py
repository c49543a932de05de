"""The server of the peers: Neo4j with APOC, and in it the property graph of one dataset."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from unittest.mock import patch
from urllib.parse import urlsplit

import neo4j

from trustuqa_neo4j import Settings, TrustUQA
from trustuqa_neo4j.embedded import EmbeddedServer, config, runtime
from trustuqa_neo4j.embedded.download import Jar, JarLock, read_lock

VERSION = "5.26.30"
"""The newest Neo4j that the newest APOC with all its classes in one jar runs on."""

APOC = Jar(
    "org/neo4j/procedure/apoc-core/5.26.5/apoc-core-5.26.5-core.jar",
    "01233afddacfa84e1da8350a93c5b3ceed0baf9bd72f7a1157ec05bed59099fc",
)
SCHEMA_PROCEDURES = "apoc.meta.*,apoc.schema.nodes,apoc.schema.properties.*"
STATEMENT_TIMEOUT = "60s"

# An export has a label for each class, and MetaQA's files have no classes: without labels APOC describes
# nothing, and the peers would be asked without a schema. A film whose title is also a tag, a name or a
# genre has one label, or all of them would seem to have directors. A year whose number is also the title
# of a film is a node there; it becomes a property, as all other years are.
TAILS = {
    "Person": "directed_by|written_by|starred_actors",
    "Tag": "has_tags",
    "Genre": "has_genre",
    "Language": "in_language",
    "Rating": "has_imdb_rating",
    "Votes": "has_imdb_votes",
}
PREPARATIONS = {
    "metaqa": (
        "MATCH (film)-->() SET film:Movie",
        "MATCH (film) WHERE film.release_year IS NOT NULL SET film:Movie",
        "MATCH (film)-[r:release_year]->(y) SET film.release_year = y.name DELETE r",
        *(
            f"MATCH ()-[:{relations}]->(tail) WHERE NOT tail:Movie SET tail:{label}"
            for label, relations in TAILS.items()
        ),
    )
}


@dataclass(frozen=True)
class GraphAddress:
    uri: str
    username: str
    password: str

    @property
    def with_password(self) -> str:
        parts = urlsplit(self.uri)
        return f"{parts.scheme}://{self.username}:{self.password}@{parts.netloc}"

    @property
    def environment(self) -> dict[str, str]:
        return {
            "NEO4J_URI": self.uri,
            "NEO4J_USERNAME": self.username,
            "NEO4J_PASSWORD": self.password,
        }


@contextmanager
def serve_graph(home: Path) -> Iterator[GraphAddress]:
    """A server with APOC whose folder is ``home`` and whose jars are this machine's."""
    settings = Settings.read()
    home.mkdir(parents=True, exist_ok=True)
    jars = home / "jars"
    if not jars.exists():
        jars.symlink_to(settings.home / "jars")
    changed = {
        "server.directories.plugins": str((jars / APOC.path).parent),
        "dbms.security.procedures.unrestricted": SCHEMA_PROCEDURES,
        # Others commit on their own, such as apoc.periodic.*, and could not be rolled back.
        "dbms.security.procedures.allowlist": SCHEMA_PROCEDURES,
        "db.transaction.timeout": STATEMENT_TIMEOUT,
    }
    server = EmbeddedServer(home, VERSION, settings.jar_mirror)
    with (
        patch.object(config, "SETTINGS", {**config.SETTINGS, **changed}),
        # APOC must be on the class path too: not all of its parts are procedures.
        patch.object(runtime, "read_lock", add_apoc),
    ):
        info = server.start(keep=False, notify=print)
    try:
        yield GraphAddress(info.uri, info.username, info.password)
    finally:
        server.release()


def add_apoc(version: str) -> JarLock:
    lock = read_lock(version)
    return replace(lock, jars=(*lock.jars, APOC))


def export_prepared(tuqa: TrustUQA, dataset: str, address: GraphAddress, mark: Path) -> None:
    """Export ``dataset`` and prepare its graph for the peers; the file ``mark`` says that it is done."""
    if mark.exists():
        return
    tuqa.export_graph(dataset, address.with_password, replace=True)
    auth = (address.username, address.password)
    with neo4j.GraphDatabase.driver(address.uri, auth=auth) as driver:
        for statement in PREPARATIONS.get(dataset, ()):
            driver.execute_query(statement)
    mark.touch()
