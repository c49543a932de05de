"""Settings: option, then environment, then ``tuqa.toml``, then the default.

One frozen record is made once per command or client and handed down; nothing else reads the
environment, so what is in force can be printed and tested. ``tuqa.toml`` is looked for in the
working folder, then in the user's configuration folder; the first one found counts. An unknown key is
refused, since a misspelt ``uri`` would otherwise lead silently to another database.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import platformdirs

from .errors import BadSettings

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pragma: no cover

FILE = "tuqa.toml"

# Each setting: its field, the environment variables that give it (first one set counts), and its
# place in tuqa.toml.
_SOURCES: tuple[tuple[str, tuple[str, ...], tuple[str, str]], ...] = (
    ("uri", ("NEO4J_URI",), ("neo4j", "uri")),
    ("username", ("NEO4J_USERNAME", "NEO4J_USER"), ("neo4j", "username")),
    ("password", ("NEO4J_PASSWORD",), ("neo4j", "password")),
    ("database", ("NEO4J_DATABASE",), ("neo4j", "database")),
    ("source_username", ("NEO4J_SOURCE_USERNAME",), ("neo4j", "source_username")),
    ("source_password", ("NEO4J_SOURCE_PASSWORD",), ("neo4j", "source_password")),
    ("embedder", ("TUQA_EMBEDDER",), ("tuqa", "embedder")),
    ("llm", ("TUQA_LLM",), ("tuqa", "llm")),
    ("llm_prices", ("TUQA_LLM_PRICES",), ("tuqa", "llm_prices")),
    ("openai_api_key", ("OPENAI_API_KEY",), ("openai", "api_key")),
    ("openai_base_url", ("OPENAI_BASE_URL", "OPENAI_API_BASE"), ("openai", "base_url")),
    ("home", ("TUQA_HOME",), ("tuqa", "home")),
    ("neo4j_version", ("TUQA_NEO4J_VERSION",), ("tuqa", "neo4j_version")),
    ("jar_mirror", ("TUQA_JAR_MIRROR",), ("tuqa", "jar_mirror")),
)


@dataclass(frozen=True)
class Settings:
    """What is in force.

    ``uri`` is None where the embedded server is meant. ``source_username`` and ``source_password`` are for
    property graphs that are loaded from other databases. ``embedder`` is the name or folder of a model,
    None for the one that the package comes with, ``none`` where no names are to be embedded. ``llm`` is
    ``provider:NAME``, None or ``demonstrations`` for the offline default; ``llm_prices`` what a million
    tokens cost, read and written (``0.25/2``).
    """

    uri: str | None = None
    username: str = "neo4j"
    password: str | None = field(default=None, repr=False)
    database: str | None = None
    source_username: str | None = None
    source_password: str | None = field(default=None, repr=False)
    embedder: str | None = None
    llm: str | None = None
    llm_prices: str | None = None
    openai_api_key: str | None = field(default=None, repr=False)
    openai_base_url: str | None = field(default=None, repr=False)  # may hold a password
    home: Path = field(default_factory=lambda: Path(platformdirs.user_data_dir("tuqa", False)))
    neo4j_version: str | None = None
    jar_mirror: str | None = None

    @classmethod
    def read(
        cls,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
        **options: str | None,
    ) -> Settings:
        """Settings in force; ``options`` win where they are not None.

        Raises:
            BadSettings: ``tuqa.toml`` cannot be read or holds an unknown key.
            TypeError: there is no such option; a fault of the caller.
        """
        if unknown := options.keys() - {name for name, _, _ in _SOURCES}:
            raise TypeError(f"no setting {', '.join(sorted(unknown))}")
        environment = os.environ if environment is None else environment
        written = _read_file(Path.cwd() if folder is None else folder)
        values: dict[str, str] = {}
        for name, variables, place in _SOURCES:
            candidates = [options.get(name), *(environment.get(v) for v in variables)]
            candidates.append(written.get(place))
            value = next((c for c in candidates if c), None)
            if value is not None:
                values[name] = value
        home = values.pop("home", None)
        settings = cls(**values)  # type: ignore[arg-type]  # every field but home is text
        return settings if home is None else replace(settings, home=Path(home).expanduser())


def _read_file(folder: Path) -> dict[tuple[str, str], str]:
    candidates = (folder / FILE, Path(platformdirs.user_config_dir("tuqa", False)) / FILE)
    path = next((c for c in candidates if c.is_file()), None)
    if path is None:
        return {}
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadSettings(str(error), where=str(path), hint="correct the file") from error
    known = {place for _, _, place in _SOURCES}
    found: dict[tuple[str, str], str] = {}
    for section, entries in content.items():
        for key, value in entries.items() if isinstance(entries, dict) else [("", entries)]:
            if (section, key) not in known:
                allowed = ", ".join(f"{s}.{k}" for s, k in sorted(known))
                name = f"{section}.{key}" if key else section
                raise BadSettings(
                    f"unknown setting {name!r}", where=str(path), hint=f"known are {allowed}"
                )
            if not isinstance(value, str):
                raise BadSettings(
                    f"{section}.{key} must be text", where=str(path), hint="put it in quotes"
                )
            found[section, key] = value
    return found
