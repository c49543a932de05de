"""The version of a dataset that readers see, and how they notice that another one has taken its place.

The data of a dataset stand under a *stored name*, which is the name of the dataset until it is loaded anew. A
load that replaces it writes under another stored name, and one transaction gives the name of the dataset to
it. A load that adds to a dataset hides what it writes: new nodes have the label ``Pending``, and facts have
numbers from ``adding`` on. One transaction makes them visible.

Neo4j shows each statement what is committed by then. So a transaction of a reader translates names by the
version that it read first, and begins anew if a later statement shows another one. What a reader of the old
version may still see is changed ``GRACE`` seconds after readers could notice the change: a transaction that
takes longer looks again at its end. So a switch costs readers no statement.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from typing import Any

from ..errors import DatasetReplaced
from ..matching.fulltext import rename_datasets
from ..reads.reader import Row

GRACE = 1.0
"""Seconds."""

SEEN_AGAIN = 5
"""Times that a transaction begins anew."""


@dataclass(frozen=True, slots=True)
class DatasetVersion:
    """``adding`` is the first number of hidden facts, if a load adds to the dataset now."""

    storage: str
    adding: int | None = None
    loaded: str | None = None


class VersionChanged(Exception):  # it is caught by the connection, which begins anew
    """A statement showed another version of a dataset than the transaction has used so far."""


@dataclass
class KnownVersions:
    """The versions that a client saw last, of all its threads."""

    _versions: dict[str, DatasetVersion] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def get(self, dataset: str) -> DatasetVersion | None:
        with self._lock:
            return self._versions.get(dataset)

    def set(self, dataset: str, version: DatasetVersion | None) -> None:
        with self._lock:
            if version is None:
                self._versions.pop(dataset, None)
            else:
                self._versions[dataset] = version


@dataclass
class TransactionVersions:
    """The versions that one transaction uses.

    Those that the client knew from before are ``assumed`` until a statement of the transaction confirms them.
    ``look_up`` reads a version.
    """

    known: KnownVersions
    look_up: Callable[[str], DatasetVersion | None]
    started: float = field(default_factory=monotonic)
    used: dict[str, DatasetVersion] = field(default_factory=dict)
    assumed: set[str] = field(default_factory=set)

    def find(self, dataset: str) -> DatasetVersion:
        version = self.used.get(dataset)
        if version is not None:
            return version
        version = self.known.get(dataset)
        if version is not None:
            self.assumed.add(dataset)
        else:
            version = self.look_up(dataset)
            self.known.set(dataset, version)
        if version is None:  # there is no such dataset, and so no data
            return DatasetVersion(dataset)
        self.used[dataset] = version
        return version

    def learn(self, dataset: str, version: DatasetVersion | None) -> None:
        """Take note of the version that a statement has shown now.

        Raises:
            VersionChanged
        """
        if version is None:  # perhaps only while another version gets the name
            version = self.look_up(dataset)
            if version is not None:
                raise VersionChanged
        self._take(dataset, version)

    def _take(self, dataset: str, version: DatasetVersion | None) -> None:
        self.known.set(dataset, version)
        self.assumed.discard(dataset)
        used = self.used.get(dataset)
        if used is None:
            if version is not None:
                self.used[dataset] = version
        elif used != version:
            raise VersionChanged

    def confirm(self) -> None:
        """See at the end of the transaction that its versions are, or have just been, the current ones.

        Raises:
            VersionChanged
        """
        is_long = monotonic() - self.started > GRACE
        for dataset in sorted(self.used if is_long else self.assumed):
            self._take(dataset, self.look_up(dataset))

    @property
    def hidden(self) -> dict[str, int]:
        """Stored name → the first number of hidden facts, of datasets that a load adds to."""
        return {v.storage: v.adding for v in self.used.values() if v.adding is not None}

    @property
    def public(self) -> dict[str, str]:
        return {version.storage: dataset for dataset, version in self.used.items()}

    def translate(self, stored: Mapping[str, str], parameters: dict[str, Any]) -> dict[str, Any]:
        """Put stored names into the parameters that ``stored`` lists with their types."""
        translated = dict(parameters)
        for name, kind in stored.items():
            value = parameters[name]
            if kind == "search":
                translated[name] = _map_texts(lambda text: rename_datasets(text, self._name), value)
            else:
                translated[name] = _map_texts(self._name, value)
        return translated

    def _name(self, dataset: str) -> str:
        return self.find(dataset).storage


def _map_texts(change: Callable[[str], str], value: Any) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: change(text) for key, text in value.items()}
    return [change(text) for text in value]


def read_version(row: Row) -> DatasetVersion:
    """The version in a row of ``describe_dataset`` or ``get_version``."""
    return DatasetVersion(row["storage"], row["adding"], row["loaded"])


def list_versions(
    name: str, parameters: Mapping[str, Any], rows: list[Row]
) -> dict[str, DatasetVersion | None]:
    """The versions of datasets that the rows of a statement show; None for a dataset that is gone."""
    if name == "describe_dataset":
        return {parameters["dataset"]: read_version(rows[0]) if rows else None}
    if name == "resolve_names":
        states = [row for row in rows if row["what"] == "dataset"]
        missing = dict.fromkeys(parameters["datasets"])
    elif name == "start_question":
        states = [row["state"] for row in rows]
        missing = {parameters["dataset"]: None}
    else:
        return {}
    return missing | {state["name"]: DatasetVersion(*state["known"]["version"]) for state in states}


def make_replaced_error() -> DatasetReplaced:
    return DatasetReplaced(
        "the dataset was loaded anew again and again while it was asked",
        hint="ask again when the loads are done",
    )
