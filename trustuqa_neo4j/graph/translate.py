"""The driver's errors → ours, each with what to try."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from neo4j import exceptions

from ..errors import (
    AuthenticationFailed,
    DatabaseError,
    ReadOnlyServer,
    ServerTooOld,
    StatementFailed,
    TimedOut,
    TrustUQAError,
    UnknownDatabase,
    Unreachable,
    UsageError,
)

_TRY_SERVER = "start a server there, correct NEO4J_URI, or unset it to use the embedded server"

# Server codes (their beginnings) → our error and what to try.
_CODES: tuple[tuple[str, type[DatabaseError], str], ...] = (
    ("Neo.ClientError.Security.Forbidden", ReadOnlyServer, "use an account that may do this"),
    ("Neo.ClientError.Security", AuthenticationFailed, "check NEO4J_USERNAME and NEO4J_PASSWORD"),
    ("Neo.ClientError.Database.DatabaseNotFound", UnknownDatabase, "check NEO4J_DATABASE"),
    ("Neo.ClientError.Transaction.TransactionTimedOut", TimedOut, "allow more time (--timeout)"),
    (
        "Neo.ClientError.General.ForbiddenOnReadOnlyDatabase",
        ReadOnlyServer,
        "use one that is writable",
    ),
    (
        "Neo.ClientError.General.WriteOnReadOnlyAccessDatabase",
        ReadOnlyServer,
        "use one that is writable",
    ),
    ("Neo.ClientError.Cluster.NotALeader", ReadOnlyServer, "use a neo4j:// address for a cluster"),
    ("Neo.TransientError.General.OutOfMemory", StatementFailed, "give the server more memory"),
    ("Neo.TransientError.General.MemoryPool", StatementFailed, "give the server more memory"),
)


@contextmanager
def translated(where: str) -> Iterator[None]:
    """Raise the driver's errors as ours; ``where`` is the server's address."""
    try:
        yield
    except TrustUQAError:
        raise
    except exceptions.Neo4jError as error:
        raise _of_server(error, where) from error
    except exceptions.UnsupportedServerProduct as error:
        raise ServerTooOld(
            "the server speaks no protocol of this driver",
            where=where,
            hint="use Neo4j 5.26 or newer",
        ) from error
    except (exceptions.ServiceUnavailable, exceptions.SessionExpired) as error:
        raise Unreachable(_first_line(error), where=where, hint=_TRY_SERVER) from error
    except UnicodeEncodeError as error:
        name = error.object[max(0, error.start - 20) : error.end + 20]
        raise UsageError(
            "a name is no text: it holds half a character",
            where=repr(name),
            hint="write it in UTF-8",
        ) from error
    except (exceptions.ConfigurationError, ValueError) as error:
        raise Unreachable(
            f"the address cannot be used ({_first_line(error)})",
            where=where,
            hint="addresses look like bolt://localhost:7687 or neo4j+s://host",
        ) from error
    except exceptions.DriverError as error:
        raise Unreachable(_first_line(error), where=where, hint=_TRY_SERVER) from error


def _of_server(error: exceptions.Neo4jError, where: str) -> DatabaseError:
    code = error.code or ""
    for beginning, kind, hint in _CODES:
        if code.startswith(beginning):
            return kind(_first_line(error.message or code), where=where, hint=hint)
    return StatementFailed(f"{_first_line(error.message or '')} ({code})", where=where)


def _first_line(error: object) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0].rstrip(".: ")
