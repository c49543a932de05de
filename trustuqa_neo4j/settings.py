"""Settings: option, then environment, then ``tuqa.toml``, then the default.

A command or client reads them once and passes them on; nothing else reads the environment. ``tuqa.toml`` is
searched in the working folder, then in the user's configuration folder; the first one counts. An unknown key
is an error, since a misspelt ``uri`` would otherwise silently use another database.

A working folder may come from a stranger. So a ``tuqa.toml`` there decides where data are read, stored or
sent, and which code runs, only after the user has allowed that file with this content (``tuqa trust``). And
an address in a file is used only with the credentials of the same file.

A secret of the environment may be in a file, which the variable with ``_FILE`` after its name names; user and
password of the server may be in one together, as Neo4j's Docker image reads them (``NEO4J_AUTH_FILE``).
"""

from __future__ import annotations

import os
import re
import shlex
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import unquote

import platformdirs

from .consent import Consents, make_digest
from .errors import BadSettings, HomeNotUsable, TrustUQAError, format_list
from .private_folder import FolderNotPrivate, check_private_folder
from .regular_file import read_regular_file

FILE = "tuqa.toml"
_MAX_BYTES = 65_536

_CREDENTIALS = {"uri": ("password", "username"), "openai_base_url": ("openai_api_key",)}
"""Address → what is sent to it; the first is the secret."""

_ADDRESSES = frozenset({"uri", "openai_base_url", "jar_mirror"})

_USER_INFO = re.compile(r"((?:[^:/?#@]*://)?)(.*)@([^@]*)", re.DOTALL)
"""Scheme, user with password, rest. The last ``@`` counts: a password may hold an unescaped one."""

# Each setting: its field, its environment variables (the first one that is set counts), its key in
# tuqa.toml, and whether a file in the working folder needs consent for it: all that decides where data are
# read, stored or sent, who may ask, and which code runs.
_SOURCES: tuple[tuple[str, tuple[str, ...], tuple[str, str], bool], ...] = (
    ("uri", ("NEO4J_URI",), ("neo4j", "uri"), True),
    ("username", ("NEO4J_USERNAME", "NEO4J_USER"), ("neo4j", "username"), True),
    ("password", ("NEO4J_PASSWORD",), ("neo4j", "password"), True),
    ("database", ("NEO4J_DATABASE",), ("neo4j", "database"), False),
    ("source_username", ("NEO4J_SOURCE_USERNAME",), ("neo4j", "source_username"), True),
    ("source_password", ("NEO4J_SOURCE_PASSWORD",), ("neo4j", "source_password"), True),
    ("embedder", ("TUQA_EMBEDDER",), ("tuqa", "embedder"), True),
    ("llm", ("TUQA_LLM",), ("tuqa", "llm"), True),
    ("llm_prices", ("TUQA_LLM_PRICES",), ("tuqa", "llm_prices"), False),
    *(
        (f"llm_{name}", (f"TUQA_LLM_{name.upper()}",), ("tuqa", f"llm_{name}"), False)
        for name in ("temperature", "seed", "reply_tokens", "reasoning_effort")
    ),
    ("llm_extra_body", ("TUQA_LLM_EXTRA_BODY",), ("tuqa", "llm_extra_body"), True),
    ("openai_api_key", ("OPENAI_API_KEY",), ("openai", "api_key"), True),
    ("openai_base_url", ("OPENAI_BASE_URL", "OPENAI_API_BASE"), ("openai", "base_url"), True),
    ("serve_token", ("TUQA_SERVE_TOKEN",), ("serve", "token"), True),
    ("serve_agent_token", ("TUQA_SERVE_AGENT_TOKEN",), ("serve", "agent_token"), True),
    ("home", ("TUQA_HOME",), ("tuqa", "home"), True),
    ("neo4j_version", ("TUQA_NEO4J_VERSION",), ("tuqa", "neo4j_version"), True),
    ("jar_mirror", ("TUQA_JAR_MIRROR",), ("tuqa", "jar_mirror"), True),
    ("disk_reserve", ("TUQA_DISK_RESERVE",), ("tuqa", "disk_reserve"), False),
    ("neo4j_heap", ("TUQA_NEO4J_HEAP",), ("tuqa", "neo4j_heap"), False),
    ("neo4j_page_cache", ("TUQA_NEO4J_PAGE_CACHE",), ("tuqa", "neo4j_page_cache"), False),
)

_AUTH_FILE = "NEO4J_AUTH_FILE"

_LEAST_MEGABYTES = {"neo4j_heap": 256, "neo4j_page_cache": 16}

_VARIABLES = {name: variables[0] for name, variables, _, _ in _SOURCES}
_PLACES = {name: place for name, _, place, _ in _SOURCES}
_CONSENT = frozenset(name for name, _, _, needs_consent in _SOURCES if needs_consent)
_SECRETS = frozenset(
    {"password", "source_password", "openai_api_key", "serve_token", "serve_agent_token"}
)


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
    ``data_folder`` is that place; it is None for other servers. ``neo4j_heap`` and ``neo4j_page_cache`` are
    the most megabytes that the embedded server takes for each.

    ``uri`` never contains a user or a password: they become ``username`` and ``password``, unless these are
    set. ``withheld`` are secrets of the environment that are not sent to an address in ``tuqa.toml``.
    ``origins`` says of each setting that is not the default where it comes from.
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
    neo4j_heap: str | None = None
    neo4j_page_cache: str | None = None
    data_folder: Path | None = None
    withheld: Mapping[str, Path] = field(default_factory=dict, repr=False, compare=False)
    origins: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

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

    def describe(self) -> list[tuple[str, str, str]]:
        """List key, value and origin of each setting that has a value.

        Nothing secret is shown: neither values that are secrets, nor parts of others that may hold one.
        """
        values = {name: getattr(self, name) for name in _PLACES}
        return sorted(
            (
                ".".join(_PLACES[name]),
                "***" if name == "llm_extra_body" else _mask(name, str(value)).partition("?")[0],
                self.origins.get(name, "default"),
            )
            for name, value in values.items()
            if value is not None
        )

    def read_megabytes(self, name: str) -> int | None:
        """The setting ``name`` as a number of megabytes; None if it is not set.

        Raises:
            BadSettings: it is not one, or fewer than Neo4j needs.
        """
        text = getattr(self, name)
        if text is None:
            return None
        least = _LEAST_MEGABYTES.get(name, 0)
        if not (text.isascii() and text.isdigit() and least <= int(text) < 10**9):
            at_least = f" of at least {least}" if least else ""
            raise BadSettings(
                f"{text[:40]!r} is not a number of megabytes",
                where=_VARIABLES[name],
                hint=f"write a whole number{at_least}, or leave it out for the default",
            )
        return int(text)

    @classmethod
    def read(
        cls,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
        **options: str | None,
    ) -> Settings:
        """The settings in force; ``options`` that are not None come first.

        Raises:
            BadSettings: ``tuqa.toml`` or the file of a secret cannot be read or has another form.
            TypeError: there is no such option.
        """
        if unknown := options.keys() - _PLACES.keys():
            raise TypeError(f"no setting {', '.join(sorted(unknown))}")
        environment = os.environ if environment is None else environment
        folder = Path.cwd() if folder is None else folder
        file = _find_file(folder)
        variables, named = _read_variables(environment)
        layers = [_split_user_info(layer) for layer in (file.values, variables, options)]
        in_file, in_environment, in_options = layers
        if file.path.parent == folder:
            _check_consent(file, in_file.keys() - in_environment.keys() - in_options.keys())
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
        origins = {
            **{name: _name_origin(file, name, folder) for name in in_file},
            # User and password may come from the address.
            **{name: named.get(name, _VARIABLES["uri"]) for name in in_environment},
            **dict.fromkeys(in_options, "option"),
        }
        settings = cls(**values, withheld=withheld, origins=origins)  # type: ignore[arg-type]  # all but home is text
        if home is not None:
            settings = replace(settings, home=Path(home).expanduser())
        check_home(settings.home)
        return settings


def _read_variables(environment: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Read what the environment sets: the value of each setting, and the variable that it is from.

    Raises:
        BadSettings: the file of a secret cannot be read or has another form.
    """
    values: dict[str, str] = {}
    origins: dict[str, str] = {}
    for name, variables, _, _ in _SOURCES:
        files = [f"{variable}_FILE" for variable in variables if name in _SECRETS]
        variable = next(filter(environment.get, (*variables, *files)), None)
        if variable is not None:
            value = environment[variable]
            values[name] = _read_secret(variable, value) if variable in files else value
            origins[name] = variable
    if environment.get(_AUTH_FILE) and "password" not in values:
        user, _, password = _read_secret(_AUTH_FILE, environment[_AUTH_FILE]).partition("/")
        if not user or not password or "/" in password:
            raise _secret_error(
                "it does not hold USER/PASSWORD", _AUTH_FILE, environment[_AUTH_FILE]
            )
        # A user that is set by name counts.
        values = {"username": user, "password": password, **values}
        origins = {"username": _AUTH_FILE, "password": _AUTH_FILE, **origins}
    return values, origins


def _read_secret(variable: str, file: str) -> str:
    try:
        lines = read_regular_file(Path(file), max_bytes=_MAX_BYTES).decode("utf-8-sig").splitlines()
    except TrustUQAError as error:
        raise _secret_error(error.what, variable, file) from error
    except UnicodeDecodeError:
        raise _secret_error("it is not UTF-8 text", variable, file) from None  # it holds the secret
    if len(lines) != 1 or not lines[0]:
        raise _secret_error("it does not hold one line", variable, file)
    return lines[0]


def _secret_error(what: str, variable: str, file: str) -> BadSettings:
    return BadSettings(
        f"the file of a secret is not used: {what}",
        where=f"{variable}={file}",
        hint=f"name a file that you can read, with the secret alone, or unset {variable}",
    )


def _name_origin(file: SettingsFile, name: str, folder: Path) -> str:
    is_allowed = file.path.parent == folder and name in _CONSENT
    return f"{file.path}, allowed by tuqa trust" if is_allowed else str(file.path)


def check_home(home: Path) -> None:
    """Refuse a ``TUQA_HOME`` that is not the user's own.

    Raises:
        HomeNotUsable
    """
    try:
        check_private_folder(home)
    except FolderNotPrivate as error:
        raise HomeNotUsable(str(error.strerror), where=str(home), hint=error.hint) from error


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
class SettingsFile:
    """A ``tuqa.toml``: its values by the names of settings, and the digest of its path and content."""

    path: Path
    values: Mapping[str, str]
    digest: str

    @property
    def held_back(self) -> list[str]:
        """The keys that count in a working folder only with consent."""
        return name_keys(self.values.keys() & _CONSENT)

    def describe(self) -> list[str]:
        """The lines ``key = value``, without secrets."""
        return [
            f"{'.'.join(_PLACES[name])} = {_mask(name, value)!r}"
            for name, value in sorted(self.values.items(), key=lambda item: _PLACES[item[0]])
        ]


def name_keys(names: Iterable[str]) -> list[str]:
    return sorted(".".join(_PLACES[name]) for name in names)


def _mask(name: str, value: str) -> str:
    if name in _SECRETS:
        return "***"
    return _USER_INFO.sub(r"\1***@\3", value) if name in _ADDRESSES else value


def _check_consent(file: SettingsFile, effective: Iterable[str]) -> None:
    """Refuse a file of the working folder whose ``effective`` settings need consent and have none.

    To go on without them would use another database, model or home than the file says.
    """
    held_back = name_keys(_CONSENT.intersection(effective))
    if not held_back or Consents.of_user().has(file.digest):
        return
    raise BadSettings(
        f"the file sets {format_list(held_back, 20)}, and you have not allowed that",
        where=str(file.path),
        hint=f"read it; to allow it as it is now: tuqa trust {shlex.quote(str(file.path))}; otherwise move "
        "it away, or run the command in another folder",
    )


def _find_file(folder: Path) -> SettingsFile:
    """The file that counts; an empty one of the user if there is none."""
    path = folder / FILE
    if os.path.lexists(path):
        return read_settings_file(path)
    user_file = Path(platformdirs.user_config_dir("tuqa", False)) / FILE
    if user_file.is_file():
        return _parse_file(user_file, follow_links=True)
    return SettingsFile(user_file, {}, "")


def read_settings_file(path: Path) -> SettingsFile:
    """Read a ``tuqa.toml`` of a working folder.

    Raises:
        BadSettings: it is a link, no regular file, too large, of another user, or has another form.
    """
    try:
        owner = path.lstat().st_uid
    except OSError as error:
        raise BadSettings(
            f"there is no such file ({error.strerror})", where=str(path), hint="check the path"
        ) from error
    if os.name != "nt" and owner not in (os.geteuid(), 0):
        raise BadSettings(
            "the file belongs to another user",
            where=str(path),
            hint="copy it to a folder of your own, or move it away",
        )
    return _parse_file(path, follow_links=False)


def _parse_file(path: Path, *, follow_links: bool) -> SettingsFile:
    try:
        data = read_regular_file(path, max_bytes=_MAX_BYTES, follow_links=follow_links)
        content = tomllib.loads(data.decode("utf-8-sig"))
    except TrustUQAError as error:
        raise BadSettings(
            f"{FILE} is not used: {error.what}",
            where=str(path),
            hint=f"write the settings into a file of their own, or move {FILE} away",
        ) from error
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = f"not UTF-8 text (line {line})"
        raise BadSettings(what, where=str(path), hint="correct the file") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
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
    return SettingsFile(path, values, make_digest(path, data))
