"""A shell script whose ``tuqa`` and ``tuqa-load`` run in this process: starting theirs takes most time."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

from trustuqa_neo4j import Settings

from .shell import environment, invoke

# Sends its words and folder, and prints what comes back, whose last line is the exit code.
_STUB = """#!{python} -ISs
import json, os, socket, sys
with socket.create_connection({address!r}) as talk:
    words = [os.path.basename(sys.argv[0]), *sys.argv[1:]]
    talk.sendall(json.dumps([os.getcwd(), words]).encode() + b"\\n")
    said, _, code = talk.makefile(newline="").read().rpartition("\\n")
sys.stdout.write(said)
sys.stdout.flush()
os._exit(int(code))
"""


def run_script(script: str, server: Settings, folder: Path) -> str:
    """Run a script in ``folder``; what it printed on both streams."""
    programs = folder / "programs"
    programs.mkdir()
    path = f"{programs}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        (folder / "printed").open("w+", encoding="utf-8") as printed,
    ):
        for name in ("tuqa", "tuqa-load"):
            stub = _STUB.format(python=sys.executable, address=listener.getsockname())
            (programs / name).write_text(stub)
            (programs / name).chmod(0o755)
        listener.settimeout(0.02)
        process = subprocess.Popen(
            ["sh", "-c", script],
            cwd=folder,
            env=environment(server) | {"PATH": path},
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.STDOUT,
        )
        while process.poll() is None:
            try:
                talk, _ = listener.accept()
            except TimeoutError:
                continue
            with talk:
                talk.settimeout(None)
                _answer(talk, server)
        printed.seek(0)
        return printed.read()


def _answer(talk: socket.socket, server: Settings) -> None:
    folder, words = json.loads(talk.makefile().readline())
    before = Path.cwd()
    os.chdir(folder)
    try:
        done = invoke(server, *words)
    finally:
        os.chdir(before)
    talk.sendall(f"{done.output}\n{done.exit_code}".encode())
