"""What is asked of a load, what it tells as it goes, and what it did."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol

from ..errors import MalformedLine, UsageError
from ..graph.batch import FACTS
from ..graph.loads import Begun, Mode
from ..loader import File, Loader, Remark
from ..values import DEFAULT, ValueOptions
from .addresses import is_address, masked, refused

NAME_LENGTH = {"dataset": 200, "source": 1000}
"""Characters that a name may have, since both stand in index entries."""


_VALUES = re.compile(
    r"(?:dates (dmy|mdy|iso))?(?:(?:^|, )decimal ([.,]))?(?:(?:^|, )null (.*))?", re.DOTALL
)


@dataclass(frozen=True)
class Request:
    """What to load, and how.

    ``paths`` are those of files and folders, and addresses, which may hold passwords. ``given`` are files
    beside them that have a name of their own. ``source`` None lets the files name their sources. ``mode``
    says what becomes of a dataset that is there: nothing, it is added to, or it is replaced. ``seen`` is the
    hash of what addresses gave when they were looked at.
    """

    loader: Loader
    paths: tuple[str, ...] = field(repr=False)
    dataset: str
    given: tuple[File, ...] = ()
    source: str | None = None
    mode: Mode = "new"
    encoding: str = "utf-8-sig"
    values: ValueOptions = DEFAULT
    skip_bad: int = 0
    batch_size: int = FACTS
    dry_run: bool = False
    seen: str = ""

    @property
    def values_text(self) -> str:
        """How values are read, as text; empty where no option was given."""
        options = self.values
        told = {"dates": options.dates, "decimal": options.decimal}
        given = [f"{name} {value}" for name, value in told.items() if value]
        given += [f"null {word}" for word in sorted(options.null)]
        return ", ".join(given)

    def check(self) -> None:
        """See that this can be done at all.

        Raises:
            UsageError
        """
        if not (self.paths or self.given):
            raise UsageError("no file is given", hint="give at least one")
        repeated = {path for path in self.paths if self.paths.count(path) > 1}
        if repeated:
            raise UsageError(f"{masked(min(repeated))} is given twice", hint="give each file once")
        _check_name("dataset", self.dataset)
        if self.source is not None:
            _check_name("source", self.source)
        for path in self.paths:
            if not _is_text(path):
                where = repr(masked(path))
                raise UsageError("the path is not UTF-8", where=where, hint="rename the file")
            if is_address(path) and not self.loader.addresses:
                raise refused(self.loader.name, path)
        if self.batch_size < 1:
            raise UsageError(f"batches of {self.batch_size} facts", hint="give a number from 1")
        try:
            io.TextIOWrapper(io.BytesIO(), encoding=self.encoding)
        except (LookupError, ValueError) as error:
            raise UsageError(
                f"no encoding {self.encoding!r}", hint="try utf-8 or latin-1"
            ) from error


def values_of(text: str) -> ValueOptions:
    """The options that ``Request.values_text`` says with ``text``."""
    found = _VALUES.fullmatch(text)
    assert found is not None, text
    dates: Any = found[1]  # one of those that it may be, as the pattern says
    decimal: Any = found[2]
    null = found[3]
    words = frozenset[str]() if null is None else frozenset(null.split(", null "))
    return ValueOptions(dates, decimal, words)


def _check_name(what: str, name: str) -> None:
    longest = NAME_LENGTH[what]
    wrong = ""
    if not name.strip():
        wrong = "is empty"
    elif len(name) > longest:
        wrong = f"has {len(name):,} characters, and {longest:,} are allowed"
    elif not _is_text(name) or any(ord(c) < 32 or 127 <= ord(c) < 160 for c in name):
        wrong = "holds control characters, or is not UTF-8"
    if wrong:
        raise UsageError(f"the {what}'s name {wrong}", hint=f"give --{what} NAME")


def _is_text(name: str) -> bool:
    """Whether ``name`` can be written: file names in other encodings arrive as half surrogates."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


@dataclass
class Report:
    """What a load did.

    ``facts`` are those made now, ``repeated`` those that were there already, ``resumed_at`` those made
    before the load was interrupted or appended to, ``total`` all that the dataset has. ``remarks`` are
    what was odd and carried through. ``embedded`` names were given a vector now; ``embedding`` says why
    none were where that was not wished.
    """

    dataset: str
    sources: int
    facts: int = 0
    repeated: int = 0
    resumed_at: int = 0
    total: int | None = None
    seconds: float = 0.0
    embedded: int = 0
    embedding_seconds: float = 0.0
    embedding: str = ""
    begun: Begun = "new"
    dry_run: bool = False
    bad: list[MalformedLine] = field(default_factory=list)
    remarks: dict[str, Remark] = field(default_factory=dict)

    def summary(self) -> str:
        """One line for people."""
        read = self.facts + self.repeated
        rate = f"{self.seconds:.1f} s ({read / self.seconds:,.0f} facts/s)"
        sources = _counted(self.sources, "source")
        facts = _counted(self.facts, "fact")
        if self.dry_run:
            return f"{self.dataset}: {facts} in {sources}, read in {rate}; nothing written"
        embedded = ""
        if self.embedded:
            embedded = (
                f"; {_counted(self.embedded, 'name')} embedded in {self.embedding_seconds:.1f} s"
            )
        if self.begun == "unchanged":
            changed = embedded or "; nothing changed"
            return f"{self.dataset}: loaded already from the same {sources}{changed}"
        told = f"{self.dataset}: {facts} from {sources} in {rate}"
        if self.repeated:
            told += f"; {self.repeated:,} were there already"
        if self.begun == "resumed":
            told += f"; went on after {self.resumed_at:,} facts, now {self.total:,}"
        if self.begun == "appended":
            told += f"; now {self.total:,} facts"
        if self.begun == "replaced":
            told += "; what it held before is gone"
        if self.begun == "other":
            told += "; an unfinished load of other content was removed first"
        return told + embedded

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        given = asdict(replace(self, bad=[]))
        given["bad"] = [{"where": error.where, "what": error.what} for error in self.bad]
        return given


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


class Begin(Protocol):
    """Told that a phase begins, with its total in bytes or names; 0 where that is not known."""

    def __call__(self, phase: str, total: int, unit: str = "bytes", /) -> None:
        """Begin ``phase``."""


@dataclass(frozen=True)
class Progress:
    """Told as a load goes on: a phase with its total in a unit, and how much of it is done."""

    begin: Begin = lambda _phase, _total, _unit="bytes", /: None
    advance: Callable[[int], None] = lambda _: None
