"""The configuration of the embedded server: settings, memory, main class, Java options, Browser style.

``ServerConfig`` writes ``neo4j.conf`` at every start, so an update of this package reaches existing servers;
a file that the user may edit would need merging. Versions of Neo4j differ only in ``RELEASES``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from .home import PLUGINS, Home

DEFAULT_VERSION = "2026.08.1"
STYLE = "browser.grass"

MB = 1 << 20

_HEAP = "server.memory.heap.max_size"
_PAGE_CACHE = "server.memory.pagecache.size"

# What Neo4j needs of Java beyond the defaults, as in the configuration that it ships with.
JAVA_OPTIONS = (
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
    "--enable-native-access=ALL-UNNAMED",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dlog4j2.disable.jmx=true",
    "-Djava.awt.headless=true",
    # A server without memory would answer some and hang on others; the next start finds it ended.
    "-XX:+ExitOnOutOfMemoryError",
)

COLLECTOR = "-XX:+UseParallelGC"
"""A load takes a quarter less processor time than with Java's default, which aims at short pauses."""

SETTINGS: Mapping[str, str] = {
    "server.config.strict_validation.enabled": "true",
    # Nobody outside this machine can reach it.
    "server.default_listen_address": "127.0.0.1",
    "server.default_advertised_address": "127.0.0.1",
    "server.bolt.enabled": "true",
    "server.http.enabled": "true",
    "server.https.enabled": "false",
    # HTTP is for Browser alone, which sends its queries by Bolt.
    "server.http_enabled_modules": "BROWSER",
    # No telemetry.
    "dbms.usage_report.enabled": "false",
    "client.allow_telemetry": "false",
    "server.bolt.telemetry.enabled": "false",
    # A query can read neither files of this machine nor addresses that this machine can reach.
    "dbms.security.allow_csv_import_from_file_urls": "false",
    "internal.dbms.cypher_ip_blocklist": "0.0.0.0/0,::/0",
    "browser.remote_content_hostname_whitelist": "localhost",
    # Nothing is ever in that folder: plugins are code.
    "server.directories.plugins": PLUGINS,
    # 256 MB for each of two databases would be set aside before the first fact is stored, and two
    # days of logs be kept for backups, which a Community server does not make.
    "db.tx_log.preallocate": "false",
    "db.tx_log.rotation.retention_policy": "256M size",
}


@dataclass(frozen=True)
class Release:
    # The last row that is not newer than the version applies.
    since: str
    main_class: str
    settings: Mapping[str, str]


RELEASES = (
    Release(
        since="5.26",
        main_class="org.neo4j.server.CommunityEntryPoint",
        # Seconds of silence that a stop waits for, twice over: the default makes it last ten.
        settings={"internal.dbms.bolt.netty_server_shutdown_quiet_period": "0"},
    ),
    Release(
        since="2026",
        main_class="org.neo4j.server.Neo4jCommunity",
        settings={
            "internal.dbms.bolt.netty_server_shutdown_quiet_period_duration": "0s",
            # It would look for other servers by broadcast, and listen for them on a port.
            "server.fleet_discovery.enabled": "false",
            "dbms.fleet_manager.enabled": "false",
            # No proxy stands before it, so nobody may say that one does.
            "server.http.x_forward.enabled": "false",
        },
    ),
)

MAIN_CLASSES = frozenset(release.main_class for release in RELEASES)
ADMIN_CLASS = "org.neo4j.cli.AdminTool"


def version_key(version: str) -> tuple[int, ...]:
    # Numbers for comparison: ``5.26.30`` is older than ``2026.08.1``.
    return tuple(int(part) if part.isdigit() else 0 for part in version.split("."))


def find_release(version: str) -> Release:
    key = version_key(version)
    return next(r for r in reversed(RELEASES) if version_key(r.since) <= key)


@dataclass(frozen=True)
class Memory:
    # In bytes.
    heap: int
    page_cache: int


def choose_memory(total: int) -> Memory:
    # The heap holds transactions, the page cache the store. A heap grows to its limit before Java
    # collects it, and what does not fit the page cache is read from the cache of files, which the system
    # can take back. The rest is for the client, whose embedding model takes about one gigabyte, and for
    # other programs: where they need memory, the system ends the largest process.
    return Memory(
        heap=_clamp(total // 8, 512 * MB, 2048 * MB),
        page_cache=_clamp(total // 16, 256 * MB, 1024 * MB),
    )


def read_memory(conf: Path) -> Memory | None:
    """The limits in a ``neo4j.conf`` that ``ServerConfig`` wrote; None if it has none."""
    try:
        text = conf.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    sizes = dict(re.findall(r"^(server\.memory\.[\w.]+)=(\d+)m$", text, re.MULTILINE))
    try:
        heap, page_cache = (int(sizes[name]) * MB for name in (_HEAP, _PAGE_CACHE))
    except KeyError:
        return None
    return Memory(heap, page_cache)


def _clamp(value: int, least: int, most: int) -> int:
    return max(least, min(value, most)) // MB * MB


@dataclass(frozen=True)
class ServerConfig:
    version: str
    bolt_port: int
    http_port: int
    memory: Memory
    style: str | None = None
    repair: bool = False  # cut off a damaged end of the log

    def settings(self) -> dict[str, str]:
        settings = {
            **SETTINGS,
            **find_release(self.version).settings,
            "server.bolt.listen_address": f"127.0.0.1:{self.bolt_port}",
            "server.bolt.advertised_address": f"127.0.0.1:{self.bolt_port}",
            "server.http.listen_address": f"127.0.0.1:{self.http_port}",
            "server.http.advertised_address": f"127.0.0.1:{self.http_port}",
            # Web pages of other origins cannot read what it answers; Browser has this one.
            "dbms.security.http_access_control_allow_origin": f"http://127.0.0.1:{self.http_port}",
            # Only Neo4j's own start script obeys these two; here they repeat java_options().
            "server.memory.heap.initial_size": f"{self._initial_heap // MB}m",
            _HEAP: f"{self.memory.heap // MB}m",
            _PAGE_CACHE: f"{self.memory.page_cache // MB}m",
        }
        if self.repair:
            settings["internal.dbms.tx_log.fail_on_corrupted_log_files"] = "false"
        if self.style:
            # Browser shows every command with its result: a page of rules, unless cleared.
            settings["browser.post_connect_cmd"] = f"{self.style}; clear"
        return settings

    def text(self) -> str:
        head = "# Written by trustuqa_neo4j at every start; changes are lost.\n"
        # neo4j.conf has the escapes of a Java properties file.
        pairs = ((key, value.replace("\\", "\\\\")) for key, value in self.settings().items())
        return head + "".join(f"{key}={value}\n" for key, value in sorted(pairs))

    def write(self, home: Home) -> None:
        """Write ``neo4j.conf`` into a folder that has nothing else."""
        home.clear_configuration()
        home.conf.write_text(self.text(), encoding="utf-8")

    def java_options(self) -> list[str]:
        heap = [f"-Xms{self._initial_heap // MB}m", f"-Xmx{self.memory.heap // MB}m"]
        return [*heap, COLLECTOR, *JAVA_OPTIONS]

    @property
    def _initial_heap(self) -> int:
        # Small, so that an idle server stays small.
        return min(256 * MB, self.memory.heap)


def read_browser_style() -> str | None:
    # A command for Neo4j Browser; None if the file is missing.
    try:
        text = (resources.files("trustuqa_neo4j.docker") / STYLE).read_text("utf-8")
    except (FileNotFoundError, ModuleNotFoundError):
        return None
    return make_style_command(text)


def make_style_command(grass: str) -> str:
    # Browser splits ``browser.post_connect_cmd`` at semicolons, which style sheets contain, but its
    # command ``style`` takes the same rules as JSON.
    sheet = re.sub(r"/\*.*?\*/", "", grass, flags=re.DOTALL)
    rules: dict[str, dict[str, str]] = {}
    # A value may hold braces in quotes, as in: caption: "{name}";
    for rule in re.finditer(r"([^{}]+)\{((?:\"[^\"]*\"|'[^']*'|[^{}\"'])*)\}", sheet):
        pairs = re.findall(r"([\w-]+)\s*:\s*(\"[^\"]*\"|'[^']*'|[^;\"']+?)\s*(?:;|$)", rule[2])
        selector = "".join(rule[1].split())
        rules[selector] = {name: value.strip("\"'") for name, value in pairs}
    # Browser puts the values back in quotes of its own, so a semicolon could only end a rule early.
    return "style " + json.dumps(rules).replace(";", ",")
