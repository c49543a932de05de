"""One start of the embedded server, or the sharing of one that runs. Called with the lock held.

The order matters: what can fail without a trace comes first (Java, jars, ports), and each step may be
cut short and done again. The alternative, to note what has been done, would be one more thing that can
be wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...errors import EmbeddedError, PortTaken, ServerDidNotStart, UsageError
from . import process
from .config import ServerConfig, browser_style, memory_for, write_config
from .fetching import Progress
from .home import Home, State
from .jars import check_space
from .runtime import Runtime, ready_runtime, set_initial_password
from .startup import Logs, wait_until_ready

if TYPE_CHECKING:
    import psutil

Notify = Callable[[str], None]

ABANDONING = 20.0  # seconds that a start that was given up may take to end
BYTES_TO_START = 50_000_000  # an empty store takes 2 MB and its logs as much; the rest is for data


@dataclass(frozen=True)
class Wanted:
    """What the caller asks of a start; what is None is chosen here."""

    version: str | None = None
    mirror: str | None = None
    bolt_port: int | None = None
    http_port: int | None = None

    def check(self) -> None:
        """Refuses one port for two things.

        Raises:
            UsageError
        """
        if self.bolt_port is not None and self.bolt_port == self.http_port:
            raise UsageError(
                f"port {self.bolt_port} is named twice",
                hint="name different ports with --bolt-port and --http-port",
            )


def find(home: Home) -> psutil.Process | None:
    """The process of the server of ``home``."""
    return process.find_server(home.server, home.pid())


def share(home: Home, wanted: Wanted, say: Notify) -> State | None:
    """The state of the server that runs, once it answers; None where none runs.

    Raises:
        EmbeddedError, ServerDidNotStart, AuthenticationFailed
    """
    server = find(home)
    if server is None:
        return None
    state, password = home.state(), home.password()
    if state is None or password is None:
        raise EmbeddedError(
            f"the embedded server runs (process {server.pid}) and what was noted about it is lost",
            where=str(home.server),
            hint="stop it and start it again: tuqa neo4j stop, then tuqa neo4j start",
        )
    try:
        wait_until_ready(server, state.bolt_port, password, Logs(home.logs))
    except ServerDidNotStart:
        if find(home) is None:  # it was on its way down, or its start failed
            return None
        raise
    _say_what_differs(state, wanted, say)
    return state


def start(
    home: Home, wanted: Wanted, keep: bool, say: Notify, progress: Progress | None
) -> tuple[State, bool]:
    """Starts a server and returns when it answers: its state, and whether it had to recover.

    Raises:
        EmbeddedError, AuthenticationFailed, BadSettings, MissingExtra
    """
    before = home.state()
    runtime = ready_runtime(home, wanted.version, wanted.mirror, _announced(progress, say))
    check_space(home.server, BYTES_TO_START)
    password = home.ensure_password()
    bolt_port, http_port = choose_ports(before, wanted, say)
    recovers = was_cut_off(home, before)
    if before is not None and home.has_data and before.version != runtime.version:
        say(
            f"Neo4j {runtime.version} takes over the data that {before.version} wrote; "
            f"{before.version} will not read it again"
        )
    state = State(runtime.version, bolt_port, http_port, keep, stopped=False)
    home.write_state(state)
    logs = Logs(home.logs)
    try:
        server = _launch(home, runtime, state)
        wait_until_ready(server, bolt_port, password, logs)
    except BaseException:
        _abandon(home, before)
        raise
    if recovers:
        say(
            "the embedded server had not been stopped properly; "
            "Neo4j has recovered its data from its log"
        )
    return state, recovers


def _announced(progress: Progress | None, say: Notify) -> Progress:
    """Says once what is about to be fetched, since it takes a while and is not ours."""

    def told(done: int, total: int) -> None:
        if done == 0:
            say(f"fetching Neo4j (licensed under GPLv3): {total} files, kept for the next start")
        if progress is not None:
            progress(done, total)

    return told


def _launch(home: Home, runtime: Runtime, state: State) -> psutil.Process:
    config = ServerConfig(
        version=runtime.version,
        bolt_port=state.bolt_port,
        http_port=state.http_port,
        memory=memory_for(process.machine_memory()),
        style=browser_style(),
    )
    write_config(config, home.conf)
    if not home.has_data:
        set_initial_password(home, runtime)
    started = process.launch(runtime.server(home, config), home.server, home.console)
    home.write_pid(started.pid)
    return started


def _abandon(home: Home, before: State | None) -> None:
    """Ends what a failed start left, as found on the system: it may have failed anywhere."""
    server = find(home)
    if server is not None:
        process.abandon(server, ABANDONING)
    home.pid_file.unlink(missing_ok=True)
    if before is None:
        home.state_file.unlink(missing_ok=True)
    else:  # the version that wrote the data is still the one before
        home.write_state(before)


def was_cut_off(home: Home, before: State | None) -> bool:
    """Whether the server ended without a proper stop, ours or the system's."""
    if before is None or before.stopped or not home.has_data:
        return False
    log = home.logs / "neo4j.log"
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []
    return not (lines and lines[-1].endswith("Stopped."))


def choose_ports(state: State | None, wanted: Wanted, say: Notify) -> tuple[int, int]:
    """Ports for Bolt and HTTP: those asked for, else those of the last start, else free ones.

    Raises:
        PortTaken: a port that was asked for is in use.
    """
    chosen: list[int] = []
    for label, option, asked, before in (
        ("Bolt", "--bolt-port", wanted.bolt_port, state and state.bolt_port),
        ("HTTP", "--http-port", wanted.http_port, state and state.http_port),
    ):
        if asked is not None:
            _check_free(asked, option)
            chosen.append(asked)
        elif before and before not in (*chosen, wanted.http_port) and process.is_free(before):
            chosen.append(before)
        else:
            taken = [port for port in (*chosen, wanted.bolt_port, wanted.http_port) if port]
            chosen.append(process.free_port(taken))
            if before:
                say(
                    f"port {before} is in use by {process.holder(before)}: "
                    f"the embedded server takes {chosen[-1]} for {label}"
                )
    return chosen[0], chosen[1]


def _check_free(port: int, option: str) -> None:
    if not process.is_free(port):
        raise PortTaken(
            f"port {port} is in use by {process.holder(port)}",
            where=f"{process.LOOPBACK}:{port}",
            hint=f"end that program, name another port with {option}, or leave {option} out to "
            "have one chosen",
        )


def _say_what_differs(state: State, wanted: Wanted, say: Notify) -> None:
    """A server that runs is not restarted, since others may use it."""
    for what, asked, have in (
        ("version", wanted.version, state.version),
        ("Bolt port", wanted.bolt_port, state.bolt_port),
        ("HTTP port", wanted.http_port, state.http_port),
    ):
        if asked not in (None, have):
            say(
                f"the embedded server runs already, with {what} {have} and not {asked}: "
                "to change that, first tuqa neo4j stop"
            )
