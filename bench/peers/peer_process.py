"""The peers' environment, and a peer in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Event, Timer
from typing import Any

FOLDER = Path(__file__).parent
PEER = FOLDER / "peer.py"
REQUIREMENTS = FOLDER / "requirements.txt"


def make_environment(folder: Path) -> Path:
    """Install the peers into ``folder`` unless they are there; return its Python."""
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    installed = folder / REQUIREMENTS.name
    if not installed.exists() or installed.read_bytes() != REQUIREMENTS.read_bytes():
        venv.create(folder, with_pip=True)
        words = [str(python), "-m", "pip", "install", "--quiet", "-r", str(REQUIREMENTS)]
        subprocess.run(words, check=True)
        installed.write_bytes(REQUIREMENTS.read_bytes())
    return python


class PeerProcess:
    """A peer that is asked line by line, and started anew after a question that ended it.

    A question that takes longer than ``seconds`` ends it too.
    """

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], seconds: float
    ) -> None:
        self._command = command
        self._seconds = seconds
        self._environment = {**os.environ, **environment}
        self._process: subprocess.Popen[str] | None = None

    def ask(self, question: str) -> dict[str, Any]:
        """Return the peer's reply; it is an error if the process ended or had to be ended."""
        process = self._process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        is_late = Event()

        def end() -> None:
            is_late.set()
            process.kill()

        timer = Timer(self._seconds, end)
        timer.start()
        try:
            process.stdin.write(json.dumps({"question": question}) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            timer.cancel()
            timer.join()
        if is_late.is_set():
            self.close()
            return {
                "error": f"longer than {self._seconds:g} seconds",
                "seconds": self._seconds,
            }
        if not line:
            code = process.wait()
            self.close()
            return {"error": f"the process ended with code {code}"}
        reply: dict[str, Any] = json.loads(line)
        return reply

    def _start(self) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [*self._command],
            stdin=pipe,
            stdout=pipe,
            stderr=sys.stderr,
            env=self._environment,
            encoding="utf-8",
        )

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            # At the end of its input it ends by itself.
            process.communicate()
