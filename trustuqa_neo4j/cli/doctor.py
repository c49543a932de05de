"""``tuqa doctor``: one line for each thing that must work, with what to do if it does not."""

from __future__ import annotations

import os
import platform
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from errno import EACCES
from importlib import metadata
from pathlib import Path

import click

from ..errors import (
    SchemaOutdated,
    SchemaTooNew,
    SchemaTooOld,
    TrustUQAError,
    format_count,
    format_list,
)
from ..render.terminal import escape_controls
from ..settings import Settings
from .connection import Neo4jOptions, connect_within, connection_options
from .main import allow_imports
from .output import format_json

_PACKAGE = "trustuqa-neo4j"
_DRIVER = ("neo4j", "neo4j-rust-ext")
_CONNECT_SECONDS = 10.0
_REQUIREMENT = re.compile(r"""([\w.-]+)[^;]*; extra == ["']([\w-]+)["']""")
_NOT_LISTED = ("dev",)  # for developers


@dataclass(frozen=True)
class Check:
    """The state of one thing; ``exit_code`` is that of its error, 0 if it is usable."""

    name: str
    message: str
    hint: str = ""
    exit_code: int = 0

    @classmethod
    def of_error(cls, name: str, error: TrustUQAError) -> Check:
        hint = error.hint or f"see {error.kind!r} in docs/troubleshooting.md"
        return cls(name, ", ".join(filter(None, (error.what, error.where))), hint, error.exit_code)

    @classmethod
    def of_work(cls, name: str, work: Callable[[], str]) -> Check:
        try:
            return cls(name, work())
        except TrustUQAError as error:
            return cls.of_error(name, error)

    def lines(self) -> list[str]:
        state = "failed" if self.exit_code else "ok"
        line = f"{self.name:<9} {state:<7} {self.message}"
        return [line, *[f"{'':<17} hint: {self.hint}"] * bool(self.hint)]

    def to_dict(self) -> dict[str, object]:
        return {
            "name": self.name,
            "usable": not self.exit_code,
            "message": self.message,
            "hint": self.hint or None,
        }


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@connection_options
def command(as_json: bool, neo4j: Neo4jOptions) -> None:
    """Check versions, settings, server, store and disk.

    Nothing is changed, started or sent to a model, and secrets are not printed. The exit code is 0 if all is
    usable, otherwise that of the first error: 2 for settings and packages, 3 for server, store and disk.

    \b
    Example:
      tuqa doctor
      tuqa doctor --json
    """
    extras = list_extras()
    checks = [
        Check("package", f"{_PACKAGE} {metadata.version(_PACKAGE)}"),
        Check("python", f"{platform.python_version()}, {platform.system()} {platform.machine()}"),
        Check("driver", ", ".join(f"{name} {metadata.version(name)}" for name in _DRIVER)),
        Check("extras", _describe_extras(extras)),
    ]
    settings = None
    try:
        settings = neo4j.read_settings()
    except TrustUQAError as error:
        checks.append(Check.of_error("settings", error))
    described = [] if settings is None else settings.describe()
    if settings is not None:
        origins = list(dict.fromkeys(settings.origins.values()))
        checks.append(Check("settings", f"from {format_list(origins or ['defaults'], 5)}"))
        checks += check_database(settings)
        checks.append(check_disk(settings))
        checks.append(check_model(settings))
    code = next((check.exit_code for check in checks if check.exit_code), 0)
    if as_json:
        content = {
            "usable": code == 0,
            "checks": [check.to_dict() for check in checks],
            "extras": extras,
            "settings": [
                dict(zip(("name", "value", "origin"), row, strict=True)) for row in described
            ],
        }
        click.echo(format_json(content, indent=2))
    else:
        rows = [f"  {name} = {value!r}  ({origin})" for name, value, origin in described]
        lines = [line for check in checks for line in check.lines()]
        for line in [*lines, *["settings in force"] * bool(rows), *rows]:
            click.echo(escape_controls(line))
    raise click.exceptions.Exit(code)


def list_extras() -> dict[str, bool]:
    """Tell of each extra whether all its packages are installed; those made of others are not listed."""
    extras: dict[str, bool] = {}
    for match in map(_REQUIREMENT.fullmatch, metadata.requires(_PACKAGE) or ()):
        if match is not None and match[1] != _PACKAGE and match[2] not in _NOT_LISTED:
            extras[match[2]] = extras.get(match[2], True) and _is_installed(match[1])
    return dict(sorted(extras.items()))


def _is_installed(package: str) -> bool:
    try:
        return bool(metadata.version(package))
    except metadata.PackageNotFoundError:
        return False


def _describe_extras(extras: dict[str, bool]) -> str:
    installed = [name for name, is_installed in extras.items() if is_installed]
    missing = [name for name, is_installed in extras.items() if not is_installed]
    text = ", ".join(installed) or "none"
    return f"{text}; not installed: {', '.join(missing)}" if missing else text


def check_database(settings: Settings) -> list[Check]:
    """Check the server, and what it stores if it runs."""
    try:
        kind, running = _find_server(settings)
        if running is None:
            return [Check("server", kind)]
        with connect_within(_CONNECT_SECONDS, running) as tuqa:
            (row,) = tuqa.connection.read_one("get_server_edition")
            where = f"at {tuqa.connection.where}"
            server = Check("server", f"{kind}: Neo4j {tuqa.ping()} {row['edition']} {where}")
            datasets = tuqa.datasets()
    except TrustUQAError as error:
        is_of_store = isinstance(error, SchemaOutdated | SchemaTooNew | SchemaTooOld)
        return [Check.of_error("store" if is_of_store else "server", error)]
    unfinished = [dataset.name for dataset in datasets if not dataset.complete]
    parts = [
        format_count(len(datasets), "dataset"),
        format_count(sum(dataset.facts for dataset in datasets), "fact"),
        *[f"not complete: {format_list(unfinished, 5)}"] * bool(unfinished),
    ]
    return [server, Check("store", ", ".join(parts))]


def _find_server(settings: Settings) -> tuple[str, Settings | None]:
    # The kind of server, and the settings that reach it; None for an embedded one that does not run.
    if settings.uri is not None:
        return "own server", settings
    from .. import embedded
    from ..embedded.download import count_download_bytes, read_lock
    from ..embedded.home import check_free_space
    from ..embedded.runtime import choose_version, find_java

    server = embedded.EmbeddedServer.from_settings(settings)
    status = server.status()
    if status.ready:
        return "embedded server", embedded.ensure_running(settings)
    if status.running:
        return "embedded server, starting or stopping", None
    version = choose_version(server.home, settings.neo4j_version)
    lock = read_lock(version)
    java = find_java(lock.java)
    next_start = f"Neo4j {version} with Java {java.version} ({java.found_by})"
    if download := count_download_bytes(lock, server.home.jars):
        check_free_space(_find_existing(server.home.folder), download)
        next_start += ", after a download"
    return f"embedded server, not running: the next command starts {next_start}", None


def check_disk(settings: Settings) -> Check:
    """Check that the embedded server can store its data, there and as far as needed."""
    from ..embedded.home import Home, write_error
    from ..graph.disk_space import MB, DiskSpace

    folder = _find_existing(Home(settings.home).data)

    def describe() -> str:
        disk = DiskSpace.from_settings(replace(settings, data_folder=folder))
        if disk is not None and settings.uri is None:
            if not (folder.is_dir() and os.access(folder, os.W_OK)):
                raise write_error(PermissionError(EACCES, os.strerror(EACCES)), folder)
            disk.check()
        return f"{shutil.disk_usage(folder).free / MB:,.0f} MB free, {folder}"

    return Check.of_work("disk", describe)


def _find_existing(folder: Path) -> Path:
    # The folder, else the nearest one above it that exists.
    return next(path for path in (folder, *folder.absolute().parents) if path.exists())


def check_model(settings: Settings) -> Check:
    """Check that the model can be opened; nothing is sent to it."""
    from ..llm.client import OFFLINE, open_model

    def describe() -> str:
        if settings.llm in (None, OFFLINE):
            return "none: demonstrations and the reader answer"
        allow_imports()
        return f"{open_model(settings).name}, to which nothing was sent"

    return Check.of_work("model", describe)
