"""The dataset ``films``, kept in the database from one test to the next for as long as nothing is written."""

from __future__ import annotations

from trustuqa_neo4j import TrustUQA

from .samples import FILMS

NAME = "films"


class KeptFilms:
    """Loads the films for a test, unless they are there as another test loaded them."""

    def __init__(self, client: TrustUQA) -> None:
        self._client = client
        self._loaded: frozenset[str] | None = (
            None  # the last write after the load; None without films
        )

    @property
    def is_kept(self) -> bool:
        return self._loaded is not None

    def ensure(self) -> None:
        self.drop_changed()
        if self._loaded is None:
            self._client.load("kg", FILMS, dataset=NAME)
            self._loaded = self._last_write()

    def drop_changed(self) -> None:
        """Whoever wrote, and whatever."""
        if self._loaded is not None and self._loaded != self._last_write():
            self.drop()

    def drop(self) -> None:
        if self._loaded is not None:
            self._loaded = None
            if NAME in {dataset.name for dataset in self._client.datasets()}:
                self._client.drop(NAME)

    def _last_write(self) -> frozenset[str]:
        # The bookmark of a transaction that reads is the last one that wrote before it.
        with self._client.connection.driver.session(default_access_mode="READ") as session:
            session.run("RETURN 1").consume()
            return session.last_bookmarks().raw_values
