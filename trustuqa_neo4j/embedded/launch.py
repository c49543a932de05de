"""One start of the embedded server, or a share in a running one; ``server.py`` holds the lock meanwhile.

The order matters: steps that can fail without a trace come first (Java, jars, ports), and each step may be
interrupted and done again. A record of the steps done would be one more thing that can be wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from ..errors import EmbeddedError, PortTaken, ServerDidNotStart, UsageError, undo_on_failure
from ..private_folder import restrict_tree
from . import java_cache, process
from .config import Memory, ServerConfig, choose_memory, read_browser_style
from .download import JarProgress
from .home import Home, ServerState, check_free_space
from .readiness import ServerLogs, wait_for_answer, wait_until_ready
from .runtime import Runtime, prepare_runtime, set_initial_password

if TYPE_CHECKING:
    import psutil

Notify = Callable[[str], None]  # called with one sentence that the user should know

_DISCARD_TIMEOUT = 20.0  # seconds that a failed start may take to end
_START_BYTES = 50_000_000  # an empty store takes 2 MB and its logs as much; the rest is for data


@dataclass(frozen=True)
class StartOptions:
    # None: this module chooses.
    version: str | None = None
    mirror: str | None = None
    bolt_port: int | None = None
    http_port: int | None = None
    repair: bool = False
    answer_timeout: float | None = None  # seconds in which a running server must answer
    heap: int | None = None  # bytes
    page_cache: int | None = None

    def check(self) -> None:
        if self.bolt_port is not None and self.bolt_port == self.http_port:
            raise UsageError(
                f"port {self.bolt_port} is named twice",
                hint="name different ports with --bolt-port and --http-port",
            )


def share_server(home: Home, options: StartOptions, notify: Notify) -> ServerState | None:
    # None if no server runs.
    server = process.find_server(home)
    if server is None:
        return None
    state, password = home.state(), home.password()
    if state is None or password is None:
        raise EmbeddedError(
            f"the embedded server runs (process {server.pid}), but its state or password file is lost "
            "or damaged",
            where=str(home.server),
            hint="stop it and start it again: tuqa neo4j stop, then tuqa neo4j start",
        )
    try:
        wait_for_answer(
            server, state.bolt_port, password, ServerLogs(home.logs), options.answer_timeout
        )
    except ServerDidNotStart:
        if process.find_server(home) is None:  # it was about to stop, or its start failed
            return None
        raise
    # A running server is not restarted for other options, since others may use it.
    for label, requested, actual in (
        ("version", options.version, state.version),
        ("Bolt port", options.bolt_port, state.bolt_port),
        ("HTTP port", options.http_port, state.http_port),
    ):
        if requested not in (None, actual):
            notify(
                f"the embedded server runs already, with {label} {actual} and not {requested}: "
                "to change that, first tuqa neo4j stop"
            )
    return state


def start_server(
    home: Home, options: StartOptions, keep: bool, notify: Notify, progress: JarProgress | None
) -> tuple[ServerState, bool]:
    # The flag is true after the recovery from a crash.
    last_state = home.state()
    runtime = prepare_runtime(
        home, options.version, options.mirror, _announce_download(progress, notify)
    )
    check_free_space(home.server, _START_BYTES)
    password = home.ensure_password()
    bolt_port, http_port = choose_ports(last_state, options, notify)
    is_recovery = has_crashed(home, last_state)
    if last_state is not None and home.has_data and last_state.version != runtime.version:
        notify(
            f"Neo4j {runtime.version} takes over the data that {last_state.version} wrote; "
            f"{last_state.version} will not read it again"
        )
    state = ServerState(runtime.version, bolt_port, http_port, keep, stopped=False)
    home.write_state(state)
    logs = ServerLogs(home.logs)
    with undo_on_failure(partial(_clean_up_failed_start, home, last_state)):
        server = _launch(home, runtime, state, options)
        wait_until_ready(server, bolt_port, password, logs)
    java_cache.make_in_background(home, runtime)
    if is_recovery:
        notify(
            "the embedded server had not been stopped properly; "
            "Neo4j has recovered its data from its log"
        )
    return state, is_recovery


def _announce_download(progress: JarProgress | None, notify: Notify) -> JarProgress:
    # A download takes a while and has a licence of its own.
    def report(done: int, total: int) -> None:
        if done == 0:
            notify(f"fetching Neo4j (licensed under GPLv3): {total} files, kept for the next start")
        if progress is not None:
            progress(done, total)

    return report


def _launch(
    home: Home, runtime: Runtime, state: ServerState, options: StartOptions
) -> psutil.Process:
    memory = choose_memory(process.read_machine_memory())
    memory = Memory(options.heap or memory.heap, options.page_cache or memory.page_cache)
    config = ServerConfig(
        version=runtime.version,
        bolt_port=state.bolt_port,
        http_port=state.http_port,
        memory=memory,
        style=read_browser_style(),
        repair=options.repair,
    )
    config.write(home)
    if not home.has_accounts:
        set_initial_password(home, runtime)
    restrict_tree(home.server)
    server = process.spawn(runtime.server_command(home, config), home.server, home.console)
    home.write_pid(server.pid)
    return server


def _clean_up_failed_start(home: Home, last_state: ServerState | None) -> None:
    server = process.find_server(home)  # by a search: the start may have failed before it was noted
    if server is not None:
        process.discard_process(server, _DISCARD_TIMEOUT)
    home.pid_file.unlink(missing_ok=True)
    if last_state is None:
        home.state_file.unlink(missing_ok=True)
    else:  # the version that wrote the data is still the last one
        home.write_state(last_state)


def has_crashed(home: Home, last_state: ServerState | None) -> bool:
    # The last server ended without a stop by this package or by the system.
    if last_state is None or last_state.stopped or not home.has_data:
        return False
    log = home.logs / "neo4j.log"
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []
    return not (lines and lines[-1].endswith("Stopped."))


def choose_ports(
    last_state: ServerState | None, options: StartOptions, notify: Notify
) -> tuple[int, int]:
    # The caller's ports (PortTaken if in use), else the last ones, else free ones.
    chosen: list[int] = []
    for label, option, requested, last_port in (
        ("Bolt", "--bolt-port", options.bolt_port, last_state and last_state.bolt_port),
        ("HTTP", "--http-port", options.http_port, last_state and last_state.http_port),
    ):
        if requested is not None:
            _check_port(requested, option)
            chosen.append(requested)
        elif (
            last_port
            and last_port not in (*chosen, options.http_port)
            and process.is_port_free(last_port)
        ):
            chosen.append(last_port)
        else:
            avoid = [port for port in (*chosen, options.bolt_port, options.http_port) if port]
            chosen.append(process.find_free_port(avoid))
            if last_port:
                notify(
                    f"port {last_port} is in use by {process.describe_port_owner(last_port)}: "
                    f"the embedded server takes {chosen[-1]} for {label}"
                )
    return chosen[0], chosen[1]


def _check_port(port: int, option: str) -> None:
    if not process.is_port_free(port):
        raise PortTaken(
            f"port {port} is in use by {process.describe_port_owner(port)}",
            where=f"{process.LOOPBACK}:{port}",
            hint=f"end that program, name another port with {option}, or leave {option} out to "
            "have one chosen",
        )
