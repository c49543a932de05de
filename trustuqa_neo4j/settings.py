"""Settings: option, then environment, then ``tuqa.toml``, then the default.

A command or client reads them once and passes them on; nothing else reads the environment. ``tuqa.toml`` is
searched in the working folder, then in the user's configuration folder; the first one counts. An unknown key
is an error, since a misspelt ``uri`` would otherwise silently use another database.

A working folder may come from a stranger. So an address in ``tuqa.toml`` is used only with the credentials
of the same file, and the first use of a file in the working folder is logged as a warning, which Python
prints on stderr.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import unquote

import platformdirs

from .errors import BadSettings

FILE = "tuqa.toml"

_ANNOUNCED_FILE = "announced-settings"
"""File under TUQA_HOME with the hashes of the settings files that were announced."""

_CREDENTIALS = {"uri": ("password", "username"), "openai_base_url": ("openai_api_key",)}
"""Address → what is sent to it; the first is the secret."""

_USER_INFO = re.compile(r"((?:[^:/?#@]*://)?)(.*)@([^@]*)", re.DOTALL)
"""Scheme, user with password, rest. The last ``@`` counts: a password may hold an unescaped one."""

_log = logging.getLogger(__name__)

# Each setting: its field, its environment variables (the first one that is set counts), and its key in
# tuqa.toml.
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
    ("llm_temperature", ("TUQA_LLM_TEMPERATURE",), ("tuqa", "llm_temperature")),
    ("llm_seed", ("TUQA_LLM_SEED",), ("tuqa", "llm_seed")),
    ("llm_reply_tokens", ("TUQA_LLM_REPLY_TOKENS",), ("tuqa", "llm_reply_tokens")),
    ("llm_reasoning_effort", ("TUQA_LLM_REASONING_EFFORT",), ("tuqa", "llm_reasoning_effort")),
    ("llm_extra_body", ("TUQA_LLM_EXTRA_BODY",), ("tuqa", "llm_extra_body")),
    ("openai_api_key", ("OPENAI_API_KEY",), ("openai", "api_key")),
    ("openai_base_url", ("OPENAI_BASE_URL", "OPENAI_API_BASE"), ("openai", "base_url")),
    ("serve_token", ("TUQA_SERVE_TOKEN",), ("serve", "token")),
    ("serve_agent_token", ("TUQA_SERVE_AGENT_TOKEN",), ("serve", "agent_token")),
    ("home", ("TUQA_HOME",), ("tuqa", "home")),
    ("neo4j_version", ("TUQA_NEO4J_VERSION",), ("tuqa", "neo4j_version")),
    ("jar_mirror", ("TUQA_JAR_MIRROR",), ("tuqa", "jar_mirror")),
    ("disk_reserve", ("TUQA_DISK_RESERVE",), ("tuqa", "disk_reserve")),
)

_VARIABLES = {name: variables[0] for name, variables, _ in _SOURCES}
_PLACES = {name: place for name, _, place in _SOURCES}


@dataclass(frozen=True)
class Settings:
    """The settings in force.

    ``uri`` is None for the embedded server. ``source_username`` and ``source_password`` are for property
    graphs in other databases. ``embedder`` is the name or folder of a model, None for the model of the
    package, or ``none`` for no embeddings. ``llm`` is ``provider:NAME``, or None or ``demonstrations`` for
    the offline default; ``llm_prices`` is the price of a million tokens, read, written, and read from the
    cache of the provider (``0.25/2/0.025``). The other ``llm_…`` are the texts of ``ModelParameters``.

    ``serve_token`` and ``serve_agent_token`` are what requests to ``tuqa serve`` must show; None for random
    ones.
    ``disk_reserve`` are the megabytes that loads leave free where the embedded server stores its data, and
    ``data_folder`` is that place; it is None for other servers.

    ``uri`` never contains a user or a password: they become ``username`` and ``password``, unless these are
    set. ``withheld`` are secrets of the environment that are not sent to an address in ``tuqa.toml``.
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
    llm_temperature: str | None = None
    llm_seed: str | None = None
    llm_reply_tokens: str | None = None
    llm_reasoning_effort: str | None = None
    llm_extra_body: str | None = None
    openai_api_key: str | None = field(default=None, repr=False)
    openai_base_url: str | None = field(default=None, repr=False)  # may hold a password
    serve_token: str | None = field(default=None, repr=False)
    serve_agent_token: str | None = field(default=None, repr=False)
    home: Path = field(default_factory=lambda: Path(platformdirs.user_data_dir("tuqa", False)))
    neo4j_version: str | None = None
    jar_mirror: str | None = None
    disk_reserve: str | None = None
    data_folder: Path | None = None
    withheld: Mapping[str, Path] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        parts = _split_user_info({} if self.uri is None else {"uri": self.uri})
        defaults = {"username": "neo4j", "password": None}
        for name, value in parts.items():
            if name == "uri" or getattr(self, name) == defaults[name]:
                object.__setattr__(self, name, value)  # the class is frozen

    def check_secret(self, secret: str) -> None:
        """Refuse to send the setting ``secret`` to an address that comes from ``tuqa.toml``.

        Raises:
            BadSettings: the secret comes from the environment.
        """
        path = self.withheld.get(secret)
        if path is not None:
            section, key = _PLACES[secret]
            address = next(name for name, (first, *_) in _CREDENTIALS.items() if first == secret)
            raise BadSettings(
                f"{_VARIABLES[secret]} is not sent to an address in {FILE}",
                where=str(path),
                hint=f"if you trust this address, set {_VARIABLES[address]} to it, or write "
                f"{key} under [{section}] in the same file",
            )

    @classmethod
    def read(
        cls,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
        **options: str | None,
    ) -> Settings:
        """The settings in force; ``options`` that are not None come first.

        Raises:
            BadSettings: ``tuqa.toml`` cannot be read or holds an unknown key.
            TypeError: there is no such option.
        """
        if unknown := options.keys() - {name for name, _, _ in _SOURCES}:
            raise TypeError(f"no setting {', '.join(sorted(unknown))}")
        environment = os.environ if environment is None else environment
        folder = Path.cwd() if folder is None else folder
        file = _read_file(folder)
        variables = {
            name: next(filter(None, map(environment.get, names)), None)
            for name, names, _ in _SOURCES
        }
        layers = [_split_user_info(layer) for layer in (file.values, variables, options)]
        in_file, in_environment, in_options = layers
        withheld: dict[str, Path] = {}
        for address, (secret, *others) in _CREDENTIALS.items():
            if address in in_environment or address in in_options or address not in in_file:
                continue
            if secret in in_file:
                for name in (secret, *others):
                    in_environment.pop(name, None)
            elif secret in in_environment and secret not in in_options:
                withheld[secret] = file.path
        values = {**in_file, **in_environment, **in_options}
        home = values.pop("home", None)
        settings = cls(**values, withheld=withheld)  # type: ignore[arg-type]  # every field but home is text
        if home is not None:
            settings = replace(settings, home=Path(home).expanduser())
        if file.digest and file.path.parent == folder:
            # The file must not name the place that says whether it was announced.
            own = {**in_environment, **in_options}.get("home")
            _announce(file, Path(own).expanduser() if own else cls().home)
        return settings


def _split_user_info(layer: Mapping[str, str | None]) -> dict[str, str]:
    """The settings that are set, with user and password taken out of ``uri``.

    Raises:
        BadSettings: it is not clear where the password ends.
    """
    values = {name: value for name, value in layer.items() if value}
    match = _USER_INFO.fullmatch(values.get("uri", ""))
    if match is None:
        return values
    scheme, user_info, rest = match.groups()
    if re.search("[/?#]", user_info):
        raise BadSettings(
            "the user or password in the address contains a /, ? or #",
            where=f"{scheme}***@{rest.partition('?')[0]}",
            hint="write them as %2F, %3F and %23, or set NEO4J_USERNAME and NEO4J_PASSWORD",
        )
    username, _, password = map(unquote, user_info.partition(":"))
    user = {"username": username, "password": password}
    return {
        **{name: value for name, value in user.items() if value},
        **values,
        "uri": scheme + rest,
    }


@dataclass(frozen=True)
class _SettingsFile:
    path: Path
    values: Mapping[str, str]
    digest: str


def _announce(file: _SettingsFile, home: Path) -> None:
    """Log the first use of a file with this path and content."""
    record = home / _ANNOUNCED_FILE
    with suppress(OSError):
        if file.digest in record.read_text(encoding="ascii", errors="replace").split():
            return
    names = ", ".join(sorted(".".join(_PLACES[name]) for name in file.values)) or "nothing"
    _log.warning("note: %s is used for the first time; it sets %s", file.path, names)
    with suppress(OSError):  # it is announced again next time
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        with record.open("a", encoding="ascii") as stream:
            stream.write(f"{file.digest}\n")


def _read_file(folder: Path) -> _SettingsFile:
    """The file that counts; an empty one of the user if there is none."""
    user_file = Path(platformdirs.user_config_dir("tuqa", False)) / FILE
    path = next((path for path in (folder / FILE, user_file) if path.is_file()), None)
    if path is None:
        return _SettingsFile(user_file, {}, "")
    try:
        data = path.read_bytes()
        content = tomllib.loads(data.decode("utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadSettings(str(error), where=str(path), hint="correct the file") from error
    keys: dict[tuple[str, str], str] = {place: name for name, place in _PLACES.items()}
    values: dict[str, str] = {}
    for section, entries in content.items():
        for key, value in entries.items() if isinstance(entries, dict) else [("", entries)]:
            if (section, key) not in keys:
                allowed = ", ".join(f"{s}.{k}" for s, k in sorted(keys))
                name = f"{section}.{key}" if key else section
                raise BadSettings(
                    f"unknown setting {name!r}", where=str(path), hint=f"known are {allowed}"
                )
            if not isinstance(value, str):
                raise BadSettings(
                    f"{section}.{key} must be text", where=str(path), hint="put it in quotes"
                )
            values[keys[section, key]] = value
    digest = hashlib.sha256(os.fsencode(path.resolve()) + b"\0" + data).hexdigest()
    return _SettingsFile(path, values, digest)
